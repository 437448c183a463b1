import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

/// Sessions as SDP tells them (RFC 8866): `announced` for somebody's announcement, `offer`, `answer` and `accept` between two ends (RFC 3264), `text`
/// for what is sent to whoever reads it. Texts with keys (RFC 4568) are as secret as these. No name is looked up, nothing is drawn or timed here.
enum RTPDescription {
  /// One end, as its description needs it. What must be unlike everybody else's comes from the caller: ids, sources, keys.
  struct Local: Sendable {
    struct Leg: Sendable {
      /// As it is bound, with the port that the kernel gave.
      var local: SocketAddress
      /// nil: there is none, and RTCP goes with the rest or not at all (RFC 8858).
      var control: SocketAddress?
      /// In the order of preference.
      fileprivate(set) var keys: [CryptoAttribute] = []

      init(local: SocketAddress, control: SocketAddress? = nil) {
        (self.local, self.control) = (local, control)
      }

      /// With a key a leg is protected or not used at all. Drawn for this leg and this call: key and salt.
      mutating func protect(_ profile: SRTPProfile, key: [UInt8]) throws(MediaError) {
        _ = try SRTPKey(key, profile)
        keys.removeAll { $0.suite == profile.rawValue }
        keys.append(CryptoAttribute(tag: UInt32(truncatingIfNeeded: keys.count + 1), suite: profile.rawValue, key: key))
        for place in keys.indices { keys[place].tag = UInt32(truncatingIfNeeded: place + 1) }
      }
    }

    struct Medium: Sendable {
      var kind: RTPConfiguration.Medium.Kind
      var direction: RTPMedia.Direction
      /// Of an offer: answers speak in the numbers of what they answer.
      var type: UInt8
      /// nil: nothing is sent again in a stream of its own (RFC 4588).
      var retransmission: UInt8?
      var ssrc: SSRC?
      var retransmissionSSRC: SSRC?
      /// What this end takes at most, in bits a second.
      var bandwidth: UInt64?
      /// Of the pictures that this end takes.
      var frameRate: FrameRate?

      init(
        _ kind: RTPConfiguration.Medium.Kind, _ direction: RTPMedia.Direction = .sendReceive, ssrc: SSRC? = nil,
        retransmissionSSRC: SSRC? = nil
      ) {
        (self.kind, self.direction, self.ssrc, self.retransmissionSSRC) = (kind, direction, ssrc, retransmissionSSRC)
        (type, retransmission) = kind == .video ? (96, 97) : (111, nil)
      }
    }

    /// Of o= (RFC 8866, section 5.2): the same id, and a higher version, for each new description of a session.
    var id: UInt64
    var version: UInt64 = 1
    /// Where the others reach this end; legs are bound to it, or to any address.
    var host: String
    var cname: String
    /// One for all media (BUNDLE, RFC 9143), or one for each in their order; those that the configuration has not are not needed.
    var legs: [Leg]
    var media: [Medium]
    var isMultiplexed = true
    /// RTP/(S)AVPF with what this library does of it.
    var hasFeedback = true
    var bitrates = BandwidthEstimator.Limits()
    var packetSize = 1200

    init(id: UInt64, host: String, cname: String, legs: [Leg], media: [Medium]) {
      (self.id, self.host, self.cname, self.legs, self.media) = (id, host, cname, legs, media)
    }
  }

  /// The ids of header extensions in offers of ours.
  static let extensions: ExtensionMap = {
    var map = ExtensionMap()
    (map.mid, map.audioLevel, map.orientation, map.transportSequence, map.colorSpace) = (1, 2, 4, 5, 6)
    map.captureTime = 7
    return map
  }()

  /// Which encoding a payload is; nil for what this library does not do.
  static func encoding(_ payload: RTPMedia.Payload, _ kind: RTPConfiguration.Medium.Kind) -> RTPEncoding? {
    if let of = payload.associated { return kind == .video ? .retransmission(of: of) : nil }
    return payload.isOf(known(kind, 0)) ? (kind == .video ? .vp8 : .opus) : nil
  }

  static func known(_ kind: RTPConfiguration.Medium.Kind, _ type: UInt8) -> RTPMedia.Payload { kind == .audio ? .opus(type) : .vp8(type) }
}

extension ExtensionMap {
  /// Those that say something of such media.
  func of(_ kind: RTPConfiguration.Medium.Kind) -> ExtensionMap {
    var map = self
    if kind == .video { map.audioLevel = 0 } else { (map.orientation, map.colorSpace) = (0, 0) }
    return map
  }
}
