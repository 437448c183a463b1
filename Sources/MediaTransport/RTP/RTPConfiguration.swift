import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

/// What a session of RTP sends and takes, and where: from a URL (`RTPURL`) or from two descriptions (`RTPDescription`). All is decided here; a
/// transport only does it.
struct RTPConfiguration: Sendable {
  /// A pair of sockets, or one, for the media that go over it.
  struct Leg: Sendable {
    /// A port of 0: the kernel's choice; nil: RTCP goes with the rest (RFC 5761).
    var local: SocketAddress
    var localControl: SocketAddress?
    /// nil: whoever speaks first. Of a multicast group it is also what is joined.
    var remote: SocketAddress?
    var remoteControl: SocketAddress?
    var keys: Keys?
    var extensions = ExtensionMap()
    /// The other end reports arrivals (transport-cc); without it what is sent follows receiver reports.
    var hasTransportFeedback = false
    /// RFC 5506.
    var hasReducedSize = false
    var media: [Medium] = []

    init(local: SocketAddress, remote: SocketAddress?) {
      (self.local, self.remote) = (local, remote)
    }
  }

  struct Keys: Sendable, Equatable {
    var profile: SRTPProfile
    var own: SRTPKey
    var theirs: SRTPKey

    init(_ profile: SRTPProfile, own: SRTPKey, theirs: SRTPKey) {
      (self.profile, self.own, self.theirs) = (profile, own, theirs)
    }
  }

  struct Medium: Sendable, Equatable {
    enum Kind: String, Sendable, Equatable {
      case video
      case audio
    }

    var kind: Kind
    var direction = RTPMedia.Direction.sendReceive
    /// What is sent, and the payload type of its retransmissions, if the other end takes such.
    var sending: (type: UInt8, encoding: RTPEncoding)?
    var retransmission: UInt8?
    /// What may come.
    var receiving: [UInt8: RTPEncoding] = [:]
    /// The other end asks for what it misses, and may be asked.
    var hasNACK = true
    var mid: String?
    /// Of the streams of this end, when a description named them.
    var ssrc: SSRC?
    var retransmissionSSRC: SSRC?
    /// What the other end takes at most, in bits a second.
    var bandwidth: UInt64?
    /// What a description says of pictures that come (a=framerate, RFC 8866, section 6.13).
    var frameRate: FrameRate?

    init(_ kind: Kind) {
      self.kind = kind
    }

    static func == (a: Medium, b: Medium) -> Bool {
      a.kind == b.kind && a.direction == b.direction && a.sending?.type == b.sending?.type && a.sending?.encoding == b.sending?.encoding
        && a.retransmission == b.retransmission && a.receiving == b.receiving && a.hasNACK == b.hasNACK && a.mid == b.mid
        && a.ssrc == b.ssrc
        && a.retransmissionSSRC == b.retransmissionSSRC && a.bandwidth == b.bandwidth && a.frameRate == b.frameRate
    }
  }

  var legs: [Leg] = []
  /// The same for all that this end sends (RFC 3550, section 6.5.1).
  var cname: String
  var bitrates = BandwidthEstimator.Limits()
  /// Of a packet of RTP with its header.
  var packetSize = 1200

  init(cname: String) {
    self.cname = cname
  }
}
