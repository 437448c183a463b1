import MediaCore
import MediaRTP

/// What the lines of one medium say of its streams of RTP, in types. `RTPMediaReading` makes it of lines, `RTPMediaWriting` lines of it.
public struct RTPMedia: Sendable, Equatable {
  /// RFC 8866, section 6.7, as the one that describes sees it.
  public enum Direction: String, Sendable, CaseIterable {
    case sendReceive = "sendrecv"
    case sendOnly = "sendonly"
    case receiveOnly = "recvonly"
    case inactive

    /// The end that describes it sends.
    public var sends: Bool { self == .sendReceive || self == .sendOnly }
    /// The end that describes it receives.
    public var receives: Bool { self == .sendReceive || self == .receiveOnly }
    /// The same as the other end describes it.
    public var reversed: Direction { Direction(sends: receives, receives: sends) }

    /// `inactive` for neither.
    public init(sends: Bool, receives: Bool) {
      self = sends ? (receives ? .sendReceive : .sendOnly) : (receives ? .receiveOnly : .inactive)
    }
  }

  /// What a payload type means (rtpmap, fmtp and rtcp-fb).
  public struct Payload: Sendable, Equatable {
    /// 0..127.
    public var type: UInt8
    /// As the field writes it: VP8, opus, rtx.
    public var encoding: String
    /// In Hz.
    public var clockRate: UInt32
    /// Of audio; 1 where rtpmap states none, as for video.
    public var channels: UInt8
    /// fmtp, in order.
    public var parameters: [SessionDescription.Attribute] = []
    /// "nack", "nack pli", "ccm fir", "goog-remb", "transport-cc" (RFC 4585, section 4.2).
    public var feedback: [String] = []

    /// Without parameters and feedback.
    public init(_ type: UInt8, _ encoding: String, clockRate: UInt32, channels: UInt8 = 1) {
      (self.type, self.encoding, self.clockRate, self.channels) = (type, encoding, clockRate, channels)
    }

    /// VP8 (RFC 7741), without feedback.
    public static func vp8(_ type: UInt8) -> Payload { Payload(type, "VP8", clockRate: 90_000) }

    /// Opus (RFC 7587) with in-band FEC and in stereo, without feedback.
    public static func opus(_ type: UInt8) -> Payload {
      var opus = Payload(type, "opus", clockRate: 48_000, channels: 2)
      // RFC 7587, section 7.1. Who hears one channel of two loses more than who hears one twice.
      opus.parameters = [.init("minptime", "10"), .init("useinbandfec", "1"), .init("stereo", "1"), .init("sprop-stereo", "1")]
      return opus
    }

    /// What is sent again of another payload type, in a stream of its own (RFC 4588, section 8.6).
    public static func retransmission(_ type: UInt8, of associated: UInt8) -> Payload {
      var payload = Payload(type, "rtx", clockRate: 90_000)
      payload.parameters = [.init("apt", "\(associated)")]
      return payload
    }

    /// Packets of another payload type of audio, with earlier ones (RFC 2198, section 5).
    public static func redundancy(_ type: UInt8, of payload: Payload) -> Payload {
      var redundancy = Payload(type, "red", clockRate: payload.clockRate, channels: payload.channels)
      redundancy.parameters = [.init("\(payload.type)/\(payload.type)")]
      return redundancy
    }

    /// H.264 (RFC 6184) of a profile that most decode, without feedback. `mode`: packetization-mode.
    public static func h264(_ type: UInt8, profile: String = "42e01f", mode: UInt8 = 1) -> Payload {
      var payload = Payload(type, "H264", clockRate: 90_000)
      payload.parameters = [
        .init("level-asymmetry-allowed", "1"), .init("packetization-mode", "\(mode)"), .init("profile-level-id", profile)
      ]
      return payload
    }

    /// VP9 (RFC 9628) of profile 0, without feedback.
    public static func vp9(_ type: UInt8) -> Payload {
      var payload = Payload(type, "VP9", clockRate: 90_000)
      payload.parameters = [.init("profile-id", "0")]
      return payload
    }

    /// AV1 (its RTP payload specification) of the main profile, without feedback.
    public static func av1(_ type: UInt8) -> Payload { Payload(type, "AV1", clockRate: 90_000) }

    /// Whether the encoding, in letters of any case, the clock rate and the channels are the same. Parameters do not count.
    public func isOf(_ other: Payload) -> Bool {
      encoding.lowercased() == other.encoding.lowercased() && clockRate == other.clockRate && channels == other.channels
    }

    /// By its name, in letters of any case; nil: it is missing, or has no value.
    public func parameter(_ name: String) -> String? { parameters.first { $0.name.lowercased() == name.lowercased() }?.value }
    /// Of retransmissions, and of redundancy of one payload type: that payload type.
    public var associated: UInt8? {
      switch encoding.lowercased() {
      case "rtx": return parameter("apt").flatMap { UInt8($0) }
      case "red":
        let types = Set((parameters.first?.name ?? "").split(separator: "/"))
        return types.count == 1 ? types.first.flatMap { UInt8($0) } : nil
      default: return nil
      }
    }
    /// Of another payload type, sent again (RFC 4588).
    public var isRetransmission: Bool { encoding.lowercased() == "rtx" }
  }

  /// ssrc lines (RFC 5576).
  public struct Source: Sendable, Equatable {
    /// Of a stream, or of its retransmissions.
    public var ssrc: SSRC
    /// nil: no line states it.
    public var cname: String?

    /// Without its CNAME, its line has nothing but the number.
    public init(_ ssrc: SSRC, cname: String? = nil) {
      (self.ssrc, self.cname) = (ssrc, cname)
    }
  }

  /// One of the streams that a medium is a track of, as a=msid names it (RFC 8830).
  public struct Track: Sendable, Equatable {
    /// "-": of no stream.
    public var stream: String
    /// The name of the track; nil: the line has none.
    public var id: String?

    /// The stream's name, then the track's.
    public init(_ stream: String, _ id: String? = nil) {
      (self.stream, self.id) = (stream, id)
    }
  }

  /// "audio", "video" or another.
  public var kind: String
  /// Of RTP; 0: the medium is refused, or has no port of its own.
  public var port: UInt16
  /// Of the medium, else of the session; nil: neither has one.
  public var connection: SessionDescription.Connection?
  /// RTP/SAVP(F) is protected, RTP/(S)AVPF hears of losses early.
  public var isProtected = false
  /// UDP/TLS/RTP/SAVP(F): the keys come by DTLS (RFC 5764), and not in `keys`.
  public var isKeyedByTLS = false
  /// RTP/AVPF or RTP/SAVPF (RFC 4585).
  public var hasFeedback = true
  /// Of the medium, else of the session; sendrecv where neither states it.
  public var direction = Direction.sendReceive
  /// In order of preference. Payload types whose encoding is not known are not among them.
  public var payloads: [Payload] = []
  /// The ids of the header extensions that this library knows, the session's included.
  public var extensions = ExtensionMap()
  /// Packets may mix both forms of header extensions (RFC 8285, section 6), as the medium or its session says.
  public var hasMixedExtensions = false
  /// The name of the medium (a=mid, RFC 5888); nil: it has none.
  public var mid: String?
  /// Without a port of its own (RFC 9143, section 6).
  public var isBundleOnly = false
  /// RTCP on the port of RTP (RFC 5761), and nowhere else (RFC 8858).
  public var isMultiplexed = false
  /// a=rtcp-mux-only (RFC 8858).
  public var isOnlyMultiplexed = false
  /// Where RTCP goes otherwise (RFC 3605); nil: the next port, at the same address.
  public var controlPort: UInt16?
  /// The address in a=rtcp; nil: that of the medium.
  public var controlHost: String?
  /// RFC 5506, section 5.
  public var hasReducedSize = false
  /// At most 256 when read.
  public var sources: [Source] = []
  /// Streams of retransmissions by the stream that they are of (ssrc-group FID, RFC 5576, section 4.2).
  public var retransmissions: [SSRC: SSRC] = [:]
  /// msid (RFC 8830): which streams and which track it is in the other end's program.
  public var tracks: [Track] = []
  /// Keys by a=crypto, those that this library can use.
  public var keys: [CryptoAttribute] = []
  /// Bits a second (b=TIAS, or AS in kilobits).
  public var bandwidth: UInt64?
  /// Milliseconds of audio in a packet (ptime).
  public var packetTime: UInt32?
  /// Frames a second (RFC 8866, section 6.13).
  public var frameRate: FrameRate?

  /// Sent and received, not protected, with feedback; no payloads yet.
  public init(_ kind: String, port: UInt16) {
    (self.kind, self.port) = (kind, port)
  }

  /// The source of a stream, and that of what is sent again of it, if there is one.
  public mutating func add(_ source: SSRC, retransmission: SSRC?, cname: String) {
    sources.append(Source(source, cname: cname))
    guard let retransmission else { return }
    sources.append(Source(retransmission, cname: cname))
    retransmissions[source] = retransmission
  }
}
