/// One stream as it is sent: counts, and the sender reports of it (RFC 3550, section 6.4.1).
struct SenderReports: Sendable {
  let ssrc: SSRC
  /// By the names of W3C's webrtc-stats, outbound-rtp.
  private(set) var counters = OutboundCounters()
  private let clockRate: UInt32
  private let clock: NTPClock
  /// The stamp of a packet and when it was captured.
  private var mapping: (timestamp: RTPTimestamp, time: Int64)?
  private var sentAtReport: UInt64 = 0
  /// Of the source itself, without what was sent again as another (RFC 4588): what the reports say.
  private var own = (packets: 0 as UInt64, bytes: 0 as UInt64)

  /// The clock is the session's, one for all of its streams.
  init(ssrc: SSRC, clockRate: UInt32, clock: NTPClock) {
    self.ssrc = ssrc
    self.clockRate = max(1, clockRate)
    self.clock = clock
  }

  /// The time is that at which was captured what the stamp stands for: nothing for a retransmission, which says nothing new of the clocks.
  /// `isElsewhere`: as a source of its own.
  mutating func sent(
    _ timestamp: RTPTimestamp, headerBytes: Int, payloadBytes: Int, capturedAt time: Int64?, isElsewhere: Bool = false
  ) {
    if !isElsewhere { own = (own.packets &+ 1, own.bytes &+ UInt64(clamping: payloadBytes)) }
    counters.packetsSent &+= 1
    counters.headerBytesSent &+= UInt64(clamping: headerBytes)
    counters.bytesSent &+= UInt64(clamping: payloadBytes)
    if let time {
      mapping = (timestamp, time)
    } else {
      counters.retransmittedPacketsSent &+= 1
      counters.retransmittedBytesSent &+= UInt64(clamping: payloadBytes)
    }
  }

  var hasSent: Bool { mapping != nil }

  /// Whether anything was sent since the last report: a sender, or a receiver only (section 6.4).
  var isActive: Bool { counters.packetsSent != sentAtReport }

  /// Nothing before anything was sent.
  mutating func report(at now: Int64) -> SenderReport? {
    guard let mapping else { return nil }
    sentAtReport = counters.packetsSent
    return SenderReport(
      ssrc: ssrc, ntp: clock.time(at: now), timestamp: mapping.timestamp.advanced(by: (now &- mapping.time).ticks(ofRate: clockRate)),
      packetCount: UInt32(truncatingIfNeeded: own.packets), octetCount: UInt32(truncatingIfNeeded: own.bytes))
  }
}

/// What the packets of one stream alone say; `OutboundStreamStats` is what is told of it.
struct OutboundCounters: Sendable, Equatable {
  var packetsSent: UInt64 = 0
  /// Of payload; all retransmissions included.
  var bytesSent: UInt64 = 0
  var headerBytesSent: UInt64 = 0
  var retransmittedPacketsSent: UInt64 = 0
  var retransmittedBytesSent: UInt64 = 0
}
