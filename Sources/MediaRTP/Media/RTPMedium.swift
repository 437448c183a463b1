/// All of a session that may be agreed on anew while it runs (`RTPSession.apply`). What is not here stays as it began.
public struct RTPSessionConfiguration: Sendable {
  /// In any order. Those of the same name (`mid`) as before are the same; of those without a name, those at the same place among them.
  public var media: [RTPMedium] = []
  /// Ids may come and go; one that means something means the same later.
  public var extensions = ExtensionMap()
  /// The other end reports the arrival of packets that have a transport-wide number.
  public var hasTransportFeedback = true
  /// A feedback packet may stand alone (RFC 5506).
  public var hasReducedSize = true
  /// Of a packet of RTP, as in `RTPSettings`. Streams that began with less keep less.
  public var packetSize = 1200
  /// Bounds of the estimate of what may be sent, all streams together, in bits a second.
  public var bitrates = BandwidthEstimator.Limits()
  /// Streams in each direction. Those of the other end beyond it take the place of others.
  public var mostStreams = 64

  /// No media and no extensions; the rest as by default in `RTPSettings`.
  public init() {}
}

/// One medium of a session, an m-line of its description: what is sent in it and what may come.
public struct RTPMedium: Sendable {
  /// A stream of the other end that its description names (a=ssrc, a=ssrc-group).
  public struct Source: Sendable, Equatable {
    /// Its packets are of this medium, also where they do not name it.
    public var ssrc: SSRC
    /// The source that sends its lost packets again (RFC 4588); nil: none is named.
    public var retransmission: SSRC?
    /// Which of the medium's streams it is (RFC 8852); nil: only its packets may say so.
    public var rid: String?

    /// What the description does not say is nil.
    public init(_ ssrc: SSRC, retransmission: SSRC? = nil, rid: String? = nil) {
      (self.ssrc, self.retransmission, self.rid) = (ssrc, retransmission, rid)
    }
  }

  /// What packets call it (RFC 9143), 1 to 255 bytes; nil: nothing, and it is known by its sources and payload types.
  public var mid: String?
  /// Streams of the same SSRC as before go on: with their numbers, what may be sent again, and what waits to leave.
  public var sending: [OutgoingRTP] = []
  /// The payload types that the other end may send; none: nothing is taken, and streams that came are over.
  public var receiving: [UInt8: RTPEncoding] = [:]
  /// Those that the description names. Others are known by their packets.
  public var sources: [Source] = []

  /// Nothing is sent in it until `sending` has a stream.
  public init(mid: String? = nil, receiving: [UInt8: RTPEncoding] = [:]) {
    (self.mid, self.receiving) = (mid, receiving)
  }
}

extension ExtensionMap {
  /// Whether each id that meant something means the same or nothing later, and none means two things.
  func allows(_ later: ExtensionMap) -> Bool {
    let elements = HeaderExtensions.Element.all
    return elements.allSatisfy { element in
      let id = later[element]
      return id == 0
        || ((self[element] == 0 || self[element] == id) && !elements.contains { $0 != element && (self[$0] == id || later[$0] == id) })
    }
  }
}
