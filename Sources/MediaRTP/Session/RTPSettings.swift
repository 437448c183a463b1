import MediaCore

/// What both ends of a session agreed on, and what this one brings with it.
public struct RTPSettings: Sendable {
  /// The same for all streams of an end, so that their clocks belong together (RFC 3550, section 6.5.1).
  public var cname: String
  /// The ids of the header extensions that were agreed on.
  public var extensions = ExtensionMap()
  /// Of a packet of RTP, header and extensions included: below what any way carries in one piece.
  public var packetSize = 1200
  /// The other end reports each packet's arrival by the number that `extensions.transportSequence` gives it.
  public var hasTransportFeedback = true
  /// Bounds of the estimate of what may be sent, all streams together, in bits a second.
  public var bitrates = BandwidthEstimator.Limits()
  /// How long frames may wait here to be sent.
  public var pacing = PacerBounds()
  /// The time between two reports, half as long to one and a half times as long, in nanoseconds; feedback does not wait for them.
  public var reportInterval: Int64 = 1_000_000_000
  /// The two ends are alone with each other: a stream's first report leaves with its first packet, and is answered, without waiting for the schedule
  /// (RFC 6051, section 2.1).
  public var reportsAtOnce = false
  /// Any number of members may hear one another, as behind a multicast address (RFC 3550, section 6): all share a bandwidth for their reports, which may
  /// then be further apart. Otherwise there is one other end.
  public var isGroup = false
  /// A feedback packet may stand alone (RFC 5506).
  public var hasReducedSize = true
  /// One that stands alone is taken also where that was not agreed on, as some send it nevertheless.
  public var acceptsReducedSize = false
  /// Anybody may send to this end: a source that is not known counts from its second packet on (RFC 3550, appendix A.1).
  public var hasProbation = false
  /// The other end hands on what it gets to others, who come and go: who asks for a key frame while one is under way may have missed its beginning.
  public var isForwarded = false
  /// An end that sends nothing asks for its round trips too (RFC 3611, sections 4.4 and 4.5), and answers such.
  public var hasReferenceTimes = true
  /// How long what comes is held back, so that it is handed on evenly.
  public var delay = PlayoutDelay.Settings()
  /// For so long, at most, a stream is held back until another of the same sender is there that was captured at the same time; 0: not at all.
  public var longestHold: Int64 = 500_000_000
  /// One pair of wall clock and monotonic clock.
  public var clock: NTPClock
  /// Streams in each direction, 4096 at most.
  public var mostStreams = 64
  /// Who this end is in control packets while it sends nothing; nil: one of the seed's.
  public var ssrc: SSRC?
  /// Of numbers, stamps and pauses: there is no other source of randomness here.
  public var seed: UInt64

  /// The rest has its defaults. The seed must be unpredictable where strangers can send to this end.
  public init(cname: String, clock: NTPClock, seed: UInt64) {
    (self.cname, self.clock, self.seed) = (cname, clock, seed)
  }
}

/// A stream that this end sends.
public struct OutgoingRTP: Sendable {
  /// Not in use in the session, by either end.
  public var ssrc: SSRC
  /// 0..127.
  public var payloadType: UInt8
  /// Of media, not of retransmissions.
  public var encoding: RTPEncoding
  /// Where lost packets are sent again; nil: in the stream itself.
  public var retransmission: (ssrc: SSRC, payloadType: UInt8)?
  /// Of audio: the payload type under which packets go with the one before them while the other end reports losses (RFC 2198); nil: none do.
  public var redundancy: UInt8?
  /// The other end asks for what it misses.
  public var hasNACK = true
  /// The medium that it is of (RFC 9143), and which of that medium's streams it is (RFC 8852): each packet says it, where the session has an id for it.
  public var mid: String?
  /// Which of the medium's streams it is; nil: packets do not say so.
  public var rid: String?
  /// The header extensions that it has, of those that the session has, by the same ids; nil: all.
  public var extensions: ExtensionMap?
  /// Nothing is sent while it is not, and the stream is gone on with later.
  public var isActive = true

  /// Active, without a medium's name and without a source for retransmissions.
  public init(_ encoding: RTPEncoding, ssrc: SSRC, payloadType: UInt8) {
    (self.encoding, self.ssrc, self.payloadType) = (encoding, ssrc, payloadType)
  }
}

/// Takes what a session makes. Called inside `RTPSession.poll` and `receive` only; bytes are borrowed for the call. Calls back into nothing.
public protocol RTPSessionDelegate: AnyObject {
  /// Whether there is room for more media now. Where not, what is paced stays queued, and the session is due at once. Reports are always transmitted.
  var hasRoom: Bool { get }
  /// A datagram for the other end.
  func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool)
  /// `take` copies the picture's bytes out; without it the picture is left out.
  func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool)
  /// With the time of its capture on this end's monotonic clock, where the sender's reports made that known (RFC 3550, section 6.4.1). Of pictures,
  /// `captured` says it.
  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC)
  /// Packets of sound in a row that did not come in time, of so many samples at 48 kHz in all.
  func session(lost packets: Int, duration: Int64, of stream: SSRC)
  func session(did event: RTPSessionEvent)
}

extension RTPSessionDelegate {
  /// True: there is always room.
  public var hasRoom: Bool { true }
}

/// What a session reports beside datagrams and media.
public enum RTPSessionEvent: Sendable, Equatable {
  /// By the names that its packets say, or else its description.
  case streamBegan(SSRC, payloadType: UInt8, mid: String?, rid: String? = nil)
  /// Which of its medium's streams it is (RFC 8852), where that was not known when it began, or has changed.
  case streamNamed(SSRC, rid: String)
  /// It goes on with another codec.
  case streamChanged(SSRC, payloadType: UInt8)
  /// It said goodbye, or was silent for too long.
  case streamEnded(SSRC)
  /// Somebody began to speak in it, at that level, or (nil) ended (RFC 6464).
  case spoke(SSRC, level: UInt8?)
  /// The other end cannot go on without a key frame of that stream.
  case keyFrameRequested(SSRC)
  /// What may be sent in all, in bits a second.
  case target(Int)
  /// Somebody else uses the number of one of this end's streams (RFC 3550, section 8.2): said once, and answered by `changeSource`.
  case collision(SSRC)
}
