/// One stream as it is received: which packets belong to it, and what the reports and statistics say of it (RFC 3550, section 6.4.1 and appendices
/// A.1, A.3 and A.8).
struct ReceptionStatistics: Sendable {
  typealias Outcome = SequenceValidator.Outcome

  let ssrc: SSRC
  private(set) var counters = InboundCounters()
  /// Has anything come since the last report block.
  private(set) var isActive = false

  private var clockRate: UInt32
  private var validator: SequenceValidator
  private var received: Int64 = 0
  private var lostBeforeRestart: Int64 = 0
  private var prior = (expected: 0 as Int64, received: 0 as Int64)

  private var transit: UInt32?
  /// In 16ths.
  private var jitter: UInt32 = 0
  private var lastReport: (middle: UInt32, at: Int64)?

  /// Sources that were agreed on need no probation: a minimum of 1.
  init(ssrc: SSRC, clockRate: UInt32, minimumSequential: Int = 2, dropout: Int = 3000, misorder: Int = 1000) {
    self.ssrc = ssrc
    self.clockRate = max(1, clockRate)
    validator = SequenceValidator(minimumSequential: minimumSequential, dropout: dropout, misorder: misorder)
  }

  /// Another payload type may have another clock.
  mutating func setClockRate(_ rate: UInt32) {
    guard rate != clockRate, rate > 0 else { return }
    (clockRate, transit, jitter) = (rate, nil, 0)
  }

  mutating func received(_ header: RTPHeader, headerBytes: Int, payloadBytes: Int, at now: Int64) -> Outcome {
    let lostBefore = lost
    let outcome = validator.judge(header.sequence)
    switch outcome {
    case .accepted: updateJitter(header.timestamp, now)
    case .restarted:
      lostBeforeRestart &+= lostBefore
      (received, prior, transit) = (0, (0, 0), nil)
      updateJitter(header.timestamp, now)
    case .reordered: counters.packetsReordered &+= 1
    case .duplicate: counters.packetsDuplicated &+= 1
    case .jumped, .probation:
      counters.packetsRefused &+= 1
      return outcome
    }
    received &+= 1
    isActive = true
    counters.packetsReceived &+= 1
    counters.headerBytesReceived &+= UInt64(clamping: headerBytes)
    counters.bytesReceived &+= UInt64(clamping: payloadBytes)
    counters.lastPacketReceived = now
    counters.packetsLost = lostBeforeRestart &+ lost
    counters.jitter = Double(jitter) / 16 / Double(clockRate)
    return outcome
  }

  // MARK: Loss and jitter, A.3 and A.8

  private var lost: Int64 { validator.expected &- received }

  /// Of packets in order only: one that was asked for again says nothing of the path's jitter. A leap of the sender's stamps is none either.
  private mutating func updateJitter(_ timestamp: RTPTimestamp, _ now: Int64) {
    let current = UInt32(truncatingIfNeeded: now.ticks(ofRate: clockRate)) &- timestamp.rawValue
    defer { transit = current }
    guard let transit else { return }
    let difference = Int32(bitPattern: current &- transit).magnitude
    guard UInt64(difference) < min(UInt64(clockRate) * 5, 1 << 26) else { return }
    jitter = jitter &+ difference &- ((jitter &+ 8) >> 4)
  }

  // MARK: Reports

  mutating func received(_ report: SenderReport, at now: Int64) {
    lastReport = (report.ntp.middle, now)
  }

  /// What is reported of the stream, and where the next report begins. Nothing before the source is valid.
  mutating func reportBlock(at now: Int64) -> ReportBlock? {
    guard let highest = validator.highest else { return nil }
    let expected = validator.expected
    isActive = false
    let (expectedNow, receivedNow) = (expected &- prior.expected, received &- prior.received)
    prior = (expected, received)
    let lostNow = expectedNow &- receivedNow
    let fraction = expectedNow <= 0 || lostNow <= 0 ? 0 : UInt8(clamping: lostNow * 256 / expectedNow)
    return ReportBlock(
      ssrc: ssrc, fractionLost: fraction, cumulativeLost: min(max(Int32(clamping: lost), -0x80_0000), 0x7F_FFFF),
      highestSequence: UInt32(truncatingIfNeeded: highest), jitter: jitter >> 4, lastSenderReport: lastReport?.middle ?? 0,
      delaySinceLastSenderReport: lastReport.map { ShortNTP.span(nanoseconds: now &- $0.at) } ?? 0)
  }
}

/// What the packets of one source alone say; `InboundStreamStats` is what is told of the stream.
struct InboundCounters: Sendable, Equatable {
  var packetsReceived: UInt64 = 0
  /// Of payload.
  var bytesReceived: UInt64 = 0
  var headerBytesReceived: UInt64 = 0
  /// Below zero where duplicates outnumber what was lost; goes on where the sender began again.
  var packetsLost: Int64 = 0
  /// In seconds.
  var jitter: Double = 0
  /// On the monotonic clock.
  var lastPacketReceived: Int64?
  var packetsReordered: UInt64 = 0
  var packetsDuplicated: UInt64 = 0
  /// On probation, or far from the others.
  var packetsRefused: UInt64 = 0
}
