import MediaCore
import MediaICE
import MediaRTP
import MediaSDP

/// What one end brings to all of its negotiations. A value of `JSEPSession`, which does not change it.
public struct JSEPSettings: Sendable {
  /// Codecs of audio in order of preference, with the payload types that are offered where the other end has not named others. What cannot be carried
  /// here (`RTPEncoding.formats`) is not offered.
  public var audio: [RTPMedia.Payload] = [.opus(111)]
  /// The same of video. Retransmissions (RFC 4588) are offered for each, under the next payload type.
  public var video: [RTPMedia.Payload] = [.vp8(96)]
  /// Ids of the header extensions that are offered where the other end has not named others; 0: not offered.
  public var extensions = JSEPSettings.standardExtensions
  /// Data channels are accepted, with these parameters; nil: their section is refused.
  public var data: DataMedia?
  /// Streams of a medium that come in several sizes are accepted (RFC 8853). Without it one of them is.
  public var acceptsLayers = true
  /// In a collision of two offers, this end gives its own up. An end that is not polite ignores the other one; the two ends must differ.
  public var isPolite = true
  /// Candidates may follow the description (RFC 8838).
  public var trickles = true
  /// This end answers checks and sends none (RFC 8445, section 2.5).
  public var isLite = false
  /// Sections beside the first have port 0 and a=bundle-only in first offers, as RFC 9143, section 7.2.1, has it. Without it they have the port of the
  /// first, as browsers do it and every server expects. Either way an answer that does not bundle them is refused.
  public var offersBundleOnly = false
  /// The same for all streams of this end (RFC 7022), 1..255 bytes without spaces.
  public var cname: String
  /// Of o= (RFC 8866, section 5.2).
  public var id: UInt64
  /// Of the certificate for DTLS (RFC 8122).
  public var fingerprint: TransportLines.Fingerprint
  /// Bounds of what may be sent, in bits a second.
  public var bitrates = BandwidthEstimator.Limits()
  /// Of a packet of RTP, in bytes.
  public var packetSize = 1200

  /// VP8 and Opus, without data channels. The id and the CNAME are random.
  public init(cname: String, id: UInt64, fingerprint: TransportLines.Fingerprint) {
    (self.cname, self.id, self.fingerprint) = (cname, id, fingerprint)
  }

  /// All that this library knows, with ids of the one-byte form (RFC 8285).
  public static var standardExtensions: ExtensionMap {
    var map = ExtensionMap()
    (map.audioLevel, map.absoluteSendTime, map.transportSequence, map.mid) = (1, 2, 3, 4)
    (map.captureTime, map.colorSpace, map.rid, map.repairedRID, map.orientation) = (5, 8, 10, 11, 13)
    return map
  }

  /// The codecs of video that this library encodes or only carries: VP8, then H.264 in its two packetization modes, VP9 and AV1.
  public static var carriedVideo: [RTPMedia.Payload] { [.vp8(96), .h264(102), .h264(104, mode: 0), .vp9(98), .av1(45)] }

  /// Those of them that a server forwards.
  public static var forwardedVideo: [RTPMedia.Payload] { [.vp8(96), .h264(102)] }

  /// Opus that may pause while nobody speaks, as the other end is asked to send it (RFC 7587, section 7.1: usedtx).
  public static var opusWithPauses: RTPMedia.Payload {
    var opus = RTPMedia.Payload.opus(111)
    opus.parameters.append(.init("usedtx", "1"))
    return opus
  }

  /// Of a kind, with the feedback of this library (RFC 4585, RFC 5104, REMB, transport-cc); without what cannot be carried.
  func codecs(_ kind: Transceiver.Kind, _ chosen: [RTPMedia.Payload]? = nil) -> [RTPMedia.Payload] {
    (chosen ?? (kind == .audio ? audio : video)).compactMap { codec in
      guard codec.associated == nil, RTPEncoding(codec, kind) != nil else { return nil }
      var codec = codec
      codec.feedback = kind == .audio ? ["transport-cc", "nack"] : ["goog-remb", "transport-cc", "ccm fir", "nack", "nack pli"]
      return codec
    }
  }

  /// The extensions that mean something in media of a kind.
  func extensions(_ kind: Transceiver.Kind) -> ExtensionMap {
    var map = extensions
    switch kind {
    case .audio: (map.orientation, map.colorSpace, map.rid, map.repairedRID) = (0, 0, 0, 0)
    case .video: map.audioLevel = 0
    }
    return map
  }
}
