import MediaCore
import MediaSDK

/// What a session has counted of one direction at one moment. nil: not reported.
struct LinkCount {
  var packets: Double?
  var bytes: Double?
  var lost: Double?
  /// Seconds.
  var jitter: Double?
}

/// One moment of a session's statistics.
struct LinkMoment {
  let time = MediaTime.monotonic()
  private let stats: [JSON]

  init(_ session: Session) {
    stats = (try? JSONReader.read(Array(session.statsJSON.utf8), name: "stats"))?.elements ?? []
  }

  private func all(_ type: String) -> [JSON] { stats.filter { $0["type"]?.string == type } }

  /// Nothing before the peer has reported.
  var roundTrip: Double? {
    all("transport").first { ($0["roundTripTimeMeasurements"]?.double ?? 0) > 0 }?["currentRoundTripTime"]?.double
      ?? all("remote-inbound-rtp").first { ($0["roundTripTimeMeasurements"]?.double ?? 0) > 0 }?["roundTripTime"]?.double
  }

  /// What was sent, and what the peer says of it.
  var out: LinkCount { count(all("outbound-rtp"), "packetsSent", "bytesSent", lost: all("remote-inbound-rtp")) }

  var into: LinkCount {
    let streams = all("inbound-rtp")
    return count(streams, "packetsReceived", "bytesReceived", lost: streams)
  }

  private func count(_ streams: [JSON], _ packets: String, _ bytes: String, lost reports: [JSON]) -> LinkCount {
    LinkCount(
      packets: LinkMoment.sum(streams, packets), bytes: LinkMoment.sum(streams, bytes), lost: LinkMoment.sum(reports, "packetsLost"),
      jitter: reports.compactMap { $0["jitter"]?.double }.max())
  }

  private static func sum(_ streams: [JSON], _ name: String) -> Double? {
    let values = streams.compactMap { $0[name]?.double }
    return values.isEmpty ? nil : values.reduce(0, +)
  }
}

/// One direction over the measured time.
struct LinkDirection {
  /// Bits a second that were sent or arrived.
  let bitrate: Double?
  /// 0 to 1.
  let loss: Double?
  let jitter: Double?
  /// Bits a second, as the sender's congestion control has it; nil where there is none.
  let estimate: Double?

  /// `isOut`: packets are counted where they were sent, the lost ones among them.
  init?(from first: LinkCount, to last: LinkCount, seconds: Double, isOut: Bool, estimate: Double?) {
    guard let bytes = last.bytes, seconds > 0 else { return nil }
    bitrate = (bytes - (first.bytes ?? 0)) * 8 / seconds
    let packets = (last.packets ?? 0) - (first.packets ?? 0)
    let lost = last.lost.map { max(0, $0 - (first.lost ?? 0)) }
    let all = isOut ? packets : packets + (lost ?? 0)
    loss = lost.flatMap { all > 0 ? min(1, $0 / all) : nil }
    jitter = last.jitter
    self.estimate = estimate
  }

  /// Of the estimate that is sent, so that the queues of the path stay short.
  static let share = 0.9

  /// What the path carries at least: what came through, or the estimate, of which that was a share. An estimate far above what was sent is a
  /// guess.
  var capacity: Double {
    let passed = (bitrate ?? 0) * (1 - (loss ?? 0))
    return estimate.map { max(passed, min($0, passed / LinkDirection.share)) } ?? passed
  }

  var json: JSON {
    func value(_ number: Double?) -> JSON { number.map { .number($0) } ?? .null }
    return .object([
      ("bitrate", value(bitrate)), ("fractionLost", value(loss)), ("jitter", value(jitter)), ("estimate", value(estimate)),
      ("fits", .text(LinkVerdict.fits(self).name))
    ])
  }

  var text: String {
    func cell(_ number: Double?, _ factor: Double, _ digits: Int, _ unit: String) -> String {
      number.map { "\(($0 * factor).text(digits: digits)) \(unit)" } ?? "-"
    }
    return "\(cell(bitrate, 1e-3, 0, "kbit/s")), lost \(cell(loss, 100, 1, "%")), jitter \(cell(jitter, 1000, 1, "ms")), "
      + "estimate \(cell(estimate, 1e-3, 0, "kbit/s"))"
  }
}
