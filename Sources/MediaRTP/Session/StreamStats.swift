/// A stream that comes in, by the names of W3C's webrtc-stats (inbound-rtp). All times in nanoseconds. What is shown there counts here when it is
/// handed on.
public struct InboundStreamStats: Sendable, Equatable {
  /// Of the stream itself, not of its retransmissions.
  public var ssrc = SSRC(0)
  /// Or sound.
  public var isVideo = true
  /// All of the stream, what was sent again included.
  public var packetsReceived: UInt64 = 0
  /// Of payload.
  public var bytesReceived: UInt64 = 0
  /// Padding included.
  public var headerBytesReceived: UInt64 = 0
  /// As in a source of their own (RFC 4588); in the stream itself they cannot be told from others.
  public var retransmittedPacketsReceived: UInt64 = 0
  /// Bytes of payload in those packets.
  public var retransmittedBytesReceived: UInt64 = 0
  /// That had been missing, and came after all.
  public var packetsRepaired: UInt64 = 0
  /// By RFC 3550, section 6.4.1: what was repaired in a source of its own is lost here.
  public var packetsLost: Int64 = 0
  /// Interarrival jitter by RFC 3550, section 6.4.1.
  public var jitter: Int64 = 0
  /// That came too late, or were no payload of that format.
  public var packetsDiscarded: UInt64 = 0
  /// Packets of feedback that were sent.
  public var nackCount: UInt64 = 0
  /// Requests of key frames that were sent (PLI; RFC 4585, section 6.3.1).
  public var pliCount: UInt64 = 0
  /// On the monotonic clock.
  public var lastPacketReceivedTimestamp: Int64?

  /// That became whole.
  public var framesReceived: UInt64 = 0
  /// Key frames among `framesReceived`.
  public var keyFramesReceived: UInt64 = 0
  /// That became whole, and were never handed on.
  public var framesDropped: UInt64 = 0
  /// Frames that were handed on and came in more than one packet.
  public var framesAssembledFromMultiplePackets: UInt64 = 0
  /// From the first packet of those to the last.
  public var totalAssemblyTime: Int64 = 0
  /// Of the latest key frame.
  public var frameWidth: UInt16 = 0
  /// In pixels, as the width.
  public var frameHeight: UInt16 = 0
  /// Frames that stood for three times as long as the average of the last thirty, or for 150 ms longer than that, whichever is more.
  public var freezeCount: UInt64 = 0
  /// The time for which such frames stood.
  public var totalFreezesDuration: Int64 = 0

  /// From the first packet of each picture, or sample, until it is handed on; what was meant to be; and of how many.
  public var jitterBufferDelay: Int64 = 0
  /// What `jitterBufferDelay` was meant to be.
  public var jitterBufferTargetDelay: Int64 = 0
  /// The frames, or samples, of which the delays are the sum.
  public var jitterBufferEmittedCount: UInt64 = 0
  /// Of sound, at 48 kHz: concealed ones included.
  public var totalSamplesReceived: UInt64 = 0
  /// Samples in place of packets that did not come in time, at 48 kHz.
  public var concealedSamples: UInt64 = 0
  /// Times that something had to be concealed, however long.
  public var concealmentEvents: UInt64 = 0

  /// Nothing was counted.
  public init() {}
}

/// A stream that goes out (outbound-rtp). All times in nanoseconds.
public struct OutboundStreamStats: Sendable, Equatable {
  /// Of the stream itself, not of its retransmissions.
  public var ssrc = SSRC(0)
  /// Or sound.
  public var isVideo = true
  /// Retransmissions, and padding that probes the way, included.
  public var packetsSent: UInt64 = 0
  /// Of payload.
  public var bytesSent: UInt64 = 0
  /// Padding included.
  public var headerBytesSent: UInt64 = 0
  /// Retransmissions and padding among `packetsSent`.
  public var retransmittedPacketsSent: UInt64 = 0
  /// Bytes of payload in those retransmissions.
  public var retransmittedBytesSent: UInt64 = 0
  /// Packets of feedback that came.
  public var nackCount: UInt64 = 0
  /// Requests of key frames that came (PLI; RFC 4585, section 6.3.1).
  public var pliCount: UInt64 = 0
  /// Commands to send a key frame that came (FIR; RFC 5104, section 4.3.1), repeated ones included.
  public var firCount: UInt64 = 0
  /// All packets of which left.
  public var framesSent: UInt64 = 0
  /// Key frames among `framesSent`.
  public var keyFramesSent: UInt64 = 0
  /// Of two and a half times the average size, or more.
  public var hugeFramesSent: UInt64 = 0
  /// For which packets waited here.
  public var totalPacketSendDelay: Int64 = 0
  /// What its encoder is told to make, as `setTargetBitrate` said; until then what the session may send in all.
  public var targetBitrate = 0
  /// What the other end reports of it; nothing before it does.
  public var remote: RemoteInboundStats?

  /// Nothing was counted.
  public init() {}

  /// Of a larger layer of the same stream. What the other end reports is of the largest that is sent.
  public mutating func add(_ larger: OutboundStreamStats) {
    if larger.packetsSent > 0 { (ssrc, remote) = (larger.ssrc, larger.remote) }
    packetsSent += larger.packetsSent
    bytesSent += larger.bytesSent
    headerBytesSent += larger.headerBytesSent
    retransmittedPacketsSent += larger.retransmittedPacketsSent
    retransmittedBytesSent += larger.retransmittedBytesSent
    nackCount += larger.nackCount
    pliCount += larger.pliCount
    firCount += larger.firCount
    framesSent += larger.framesSent
    keyFramesSent += larger.keyFramesSent
    hugeFramesSent += larger.hugeFramesSent
    totalPacketSendDelay += larger.totalPacketSendDelay
    targetBitrate += larger.targetBitrate
  }
}

/// What the other end reports of a stream that is sent to it (remote-inbound-rtp). All times in nanoseconds.
public struct RemoteInboundStats: Sendable, Equatable {
  /// Since the beginning; below zero where duplicates outnumber what was lost.
  public var packetsLost: Int64 = 0
  /// Of the last report: 0...1.
  public var fractionLost = 0.0
  /// Interarrival jitter by RFC 3550, section 6.4.1, as measured at the other end.
  public var jitter: Int64 = 0
  /// The latest.
  public var roundTripTime: Int64?
  /// The sum of all measurements.
  public var totalRoundTripTime: Int64 = 0
  /// Measurements of which `totalRoundTripTime` is the sum.
  public var roundTripTimeMeasurements = 0
  /// When the last report came, on the monotonic clock.
  public var timestamp: Int64 = 0

  /// Nothing was reported.
  public init() {}
}

/// The way itself (candidate-pair and transport), in both directions. All times in nanoseconds.
public struct TransportPathStats: Sendable, Equatable {
  /// In bits a second.
  public var availableOutgoingBitrate = 0
  /// The latest; nil: not measured yet.
  public var currentRoundTripTime: Int64?
  /// The sum of what reports showed.
  public var totalRoundTripTime: Int64 = 0
  /// Measurements of which `totalRoundTripTime` is the sum.
  public var roundTripTimeMeasurements = 0
  /// Datagrams of all kinds, and what is in them.
  public var packetsSent: UInt64 = 0
  /// Datagrams of all kinds that came, with those that were dropped.
  public var packetsReceived: UInt64 = 0
  /// Bytes of RTP and RTCP in the datagrams that were sent, without what SRTP and the network add.
  public var bytesSent: UInt64 = 0
  /// Bytes of RTP and RTCP in the datagrams that came, without what SRTP and the network add.
  public var bytesReceived: UInt64 = 0
  /// What waits to be sent, and for how long it will.
  public var queuedPackets = 0
  /// Bytes of the queued packets.
  public var queuedBytes = 0
  /// How long what is enqueued now would wait, about.
  public var queueDelay: Int64 = 0
  /// Datagrams that came and were of no use: no packets, or of no stream that was agreed on.
  public var refusedPackets: UInt64 = 0
  /// One's own that came back (RFC 3550, section 8.2), and those of sources that others have.
  public var loopedPackets: UInt64 = 0
  /// Packets and reports under a number that somebody else uses too (RFC 3550, section 8.2).
  public var conflictingPackets: UInt64 = 0
  /// Pictures and packets of sound that were not taken to be sent, as the queue was full.
  public var refusedSends: UInt64 = 0
  /// Packets that waited for too long, and were sent without what was in them.
  public var expiredPackets: UInt64 = 0

  /// Nothing was counted.
  public init() {}
}
