import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

/// What a session of RTP sends and takes, and where: from a URL (`RTPURL`) or from two descriptions (`RTPDescription`). All is decided here; a
/// transport only does it.
public struct RTPConfiguration: Sendable {
  /// A pair of sockets, or one, for the media that go over it.
  public struct Leg: Sendable {
    /// A port of 0: the kernel's choice; nil: RTCP goes with the rest (RFC 5761).
    public var local: SocketAddress
    public var localControl: SocketAddress?
    /// nil: whoever speaks first. Of a multicast group it is also what is joined.
    public var remote: SocketAddress?
    public var remoteControl: SocketAddress?
    public var keys: Keys?
    public var extensions = ExtensionMap()
    /// The other end reports arrivals (transport-cc); without it what is sent follows receiver reports.
    public var hasTransportFeedback = false
    /// RFC 5506.
    public var hasReducedSize = false
    public var media: [Medium] = []

    public init(local: SocketAddress, remote: SocketAddress?) {
      (self.local, self.remote) = (local, remote)
    }
  }

  public struct Keys: Sendable, Equatable {
    public var profile: SRTPProfile
    public var own: SRTPKey
    public var theirs: SRTPKey

    public init(_ profile: SRTPProfile, own: SRTPKey, theirs: SRTPKey) {
      (self.profile, self.own, self.theirs) = (profile, own, theirs)
    }
  }

  public struct Medium: Sendable, Equatable {
    public enum Kind: String, Sendable, Equatable {
      case video
      case audio
    }

    public var kind: Kind
    public var direction = RTPMedia.Direction.sendReceive
    /// What is sent, and the payload type of its retransmissions, if the other end takes such.
    public var sending: (type: UInt8, encoding: RTPEncoding)?
    public var retransmission: UInt8?
    /// What may come.
    public var receiving: [UInt8: RTPEncoding] = [:]
    /// The other end asks for what it misses, and may be asked.
    public var hasNACK = true
    public var mid: String?
    /// Of the streams of this end, when a description named them.
    public var ssrc: SSRC?
    public var retransmissionSSRC: SSRC?
    /// What the other end takes at most, in bits a second.
    public var bandwidth: UInt64?
    /// What a description says of pictures that come (a=framerate, RFC 8866, section 6.13).
    public var frameRate: FrameRate?

    public init(_ kind: Kind) {
      self.kind = kind
    }

    public static func == (a: Medium, b: Medium) -> Bool {
      a.kind == b.kind && a.direction == b.direction && a.sending?.type == b.sending?.type && a.sending?.encoding == b.sending?.encoding
        && a.retransmission == b.retransmission && a.receiving == b.receiving && a.hasNACK == b.hasNACK && a.mid == b.mid
        && a.ssrc == b.ssrc
        && a.retransmissionSSRC == b.retransmissionSSRC && a.bandwidth == b.bandwidth && a.frameRate == b.frameRate
    }
  }

  public var legs: [Leg] = []
  /// The same for all that this end sends (RFC 3550, section 6.5.1).
  public var cname: String
  public var bitrates = BandwidthEstimator.Limits()
  /// Of a packet of RTP with its header.
  public var packetSize = 1200

  public init(cname: String) {
    self.cname = cname
  }
}
