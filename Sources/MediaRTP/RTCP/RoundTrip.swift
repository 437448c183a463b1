/// The time to the other end and back, from what reports echo: A - LSR - DLSR for senders (RFC 3550, section 6.4.1), A - LRR - DLRR for receivers
/// (RFC 3611, section 4.5). W3C's names: roundTripTime, totalRoundTripTime, roundTripTimeMeasurements.
struct RoundTrip: Sendable, Equatable {
  /// In nanoseconds.
  private(set) var latest: Int64?
  private(set) var least: Int64?
  /// A mean in which each counts an eighth (as RFC 6298 has it).
  private(set) var smoothed: Int64?
  private(set) var total: Int64 = 0
  private(set) var measurements = 0

  /// Longer ones are not believed.
  static let longest: Int64 = 60_000_000_000

  init() {}

  /// By one's own clock, when the block came.
  @discardableResult
  mutating func received(_ block: ReportBlock, at now: NTPTimestamp) -> Int64? {
    measure(block.lastSenderReport, block.delaySinceLastSenderReport, now)
  }

  @discardableResult
  mutating func received(_ delay: ExtendedReport.Delay, at now: NTPTimestamp) -> Int64? {
    measure(delay.lastReceiverReport, delay.delaySinceLastReceiverReport, now)
  }

  private mutating func measure(_ stamp: UInt32, _ delay: UInt32, _ now: NTPTimestamp) -> Int64? {
    // The other end has heard nothing yet.
    guard stamp != 0 else { return nil }
    let span = Int32(bitPattern: now.middle &- stamp &- delay)
    // Delays are rounded: on a short path a little less than nothing is nothing.
    guard span > -0x1_0000 / 20 else { return nil }
    let time = ShortNTP.nanoseconds(UInt32(max(0, span)))
    guard time <= RoundTrip.longest else { return nil }
    latest = time
    least = min(least ?? time, time)
    smoothed = smoothed.map { $0 + (time - $0) / 8 } ?? time
    total &+= time
    measurements &+= 1
    return time
  }
}

/// The reference times that receivers sent, to be answered by DLRR. Of so many receivers that it forgets some, the one heard longest ago is forgotten.
struct ReferenceTimes: Sendable {
  private struct Entry: Sendable {
    var ssrc: SSRC
    var middle: UInt32
    var time: Int64
  }

  /// The latest is last.
  private var entries: [Entry] = []
  private let limit: Int

  init(limit: Int = 32) {
    self.limit = max(1, limit)
    entries.reserveCapacity(self.limit)
  }

  mutating func received(_ time: NTPTimestamp, from ssrc: SSRC, at now: Int64) {
    if let index = entries.firstIndex(where: { $0.ssrc == ssrc }) {
      entries.remove(at: index)
    } else if entries.count == limit {
      entries.removeFirst()
    }
    entries.append(Entry(ssrc: ssrc, middle: time.middle, time: now))
  }

  /// What to answer, once for each.
  mutating func take(at now: Int64) -> [ExtendedReport.Delay] {
    guard !entries.isEmpty else { return [] }
    defer { entries.removeAll(keepingCapacity: true) }
    return entries.map {
      .init(ssrc: $0.ssrc, lastReceiverReport: $0.middle, delaySinceLastReceiverReport: ShortNTP.span(nanoseconds: now &- $0.time))
    }
  }
}
