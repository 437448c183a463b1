import MediaCore
import MediaRTP

/// What the lines of one medium say of its streams of RTP, in types.
public struct RTPMedia: Sendable, Equatable {
  /// RFC 8866, section 6.7, as the one that describes sees it.
  public enum Direction: String, Sendable, CaseIterable {
    case sendReceive = "sendrecv"
    case sendOnly = "sendonly"
    case receiveOnly = "recvonly"
    case inactive

    public var sends: Bool { self == .sendReceive || self == .sendOnly }
    public var receives: Bool { self == .sendReceive || self == .receiveOnly }
    public var reversed: Direction { Direction(sends: receives, receives: sends) }

    public init(sends: Bool, receives: Bool) {
      self = sends ? (receives ? .sendReceive : .sendOnly) : (receives ? .receiveOnly : .inactive)
    }
  }

  /// What a payload type means (rtpmap, fmtp and rtcp-fb).
  public struct Payload: Sendable, Equatable {
    public var type: UInt8
    /// As the field writes it: VP8, opus, rtx.
    public var encoding: String
    public var clockRate: UInt32
    public var channels: UInt8
    /// fmtp, in order.
    public var parameters: [SessionDescription.Attribute] = []
    /// "nack", "nack pli", "ccm fir", "goog-remb", "transport-cc" (RFC 4585, section 4.2).
    public var feedback: [String] = []

    public init(_ type: UInt8, _ encoding: String, clockRate: UInt32, channels: UInt8 = 1) {
      (self.type, self.encoding, self.clockRate, self.channels) = (type, encoding, clockRate, channels)
    }

    public func isOf(_ other: Payload) -> Bool {
      encoding.lowercased() == other.encoding.lowercased() && clockRate == other.clockRate && channels == other.channels
    }

    public func parameter(_ name: String) -> String? { parameters.first { $0.name.lowercased() == name.lowercased() }?.value }
    /// Of a stream of retransmissions: the payload type that is sent again (RFC 4588, section 8.6).
    public var associated: UInt8? { encoding.lowercased() == "rtx" ? parameter("apt").flatMap { UInt8($0) } : nil }
  }

  /// ssrc lines (RFC 5576).
  public struct Source: Sendable, Equatable {
    public var ssrc: SSRC
    public var cname: String?

    public init(_ ssrc: SSRC, cname: String? = nil) {
      (self.ssrc, self.cname) = (ssrc, cname)
    }
  }

  public var kind: String
  public var port: UInt16
  public var connection: SessionDescription.Connection?
  /// RTP/SAVP(F) is protected, RTP/(S)AVPF hears of losses early.
  public var isProtected = false
  public var hasFeedback = true
  public var direction = Direction.sendReceive
  public var payloads: [Payload] = []
  public var extensions = ExtensionMap()
  public var mid: String?
  /// RTCP on the port of RTP (RFC 5761).
  public var isMultiplexed = false
  /// Where RTCP goes otherwise (RFC 3605); nil: the next port.
  public var controlPort: UInt16?
  public var sources: [Source] = []
  /// Streams of retransmissions by the stream that they are of (ssrc-group FID, RFC 5576, section 4.2).
  public var retransmissions: [SSRC: SSRC] = [:]
  public var keys: [CryptoAttribute] = []
  /// Bits a second (b=TIAS, or AS in kilobits).
  public var bandwidth: UInt64?
  /// Milliseconds of sound in a packet (ptime).
  public var packetTime: UInt32?

  public init(_ kind: String, port: UInt16) {
    (self.kind, self.port) = (kind, port)
  }

  // MARK: Reading

  /// nil for a medium that is no RTP.
  public init?(_ media: SessionDescription.Media, in session: SessionDescription) throws(MediaError) {
    guard ["RTP/AVP", "RTP/AVPF", "RTP/SAVP", "RTP/SAVPF"].contains(media.transport) else { return nil }
    self.init(media.kind, port: media.port)
    isProtected = media.transport.contains("SAVP")
    hasFeedback = media.transport.hasSuffix("F")
    connection = media.connection ?? session.connection
    direction =
      Direction.allCases.first { media.has($0.rawValue) } ?? Direction.allCases.first { direction in
        session.attributes.contains { $0.name == direction.rawValue }
      }
      ?? .sendReceive
    mid = media.value("mid")
    isMultiplexed = media.has("rtcp-mux")
    controlPort = media.value("rtcp").flatMap { $0.split(separator: " ").first }.flatMap { UInt16($0) }
    packetTime = media.value("ptime").flatMap { UInt32($0) }
    for line in media.bandwidths {
      guard let value = line.value.flatMap({ UInt64($0) }), value <= 1 << 40 else { continue }
      if line.name == "TIAS" { bandwidth = value } else if line.name == "AS", bandwidth == nil { bandwidth = value * 1000 }
    }
    for format in media.formats { try readPayload(format, media) }
    for value in media.values("extmap") + session.values("extmap") { readExtension(value) }
    for value in media.values("crypto") {
      if let key = try CryptoAttribute(parsing: value) { keys.append(key) }
    }
    readSources(media)
  }

  /// Those of RFC 3551, section 6, that need no rtpmap and could matter here.
  private static let known: [String: (String, UInt32)] = ["0": ("PCMU", 8000), "8": ("PCMA", 8000), "9": ("G722", 8000)]

  private mutating func readPayload(_ format: String, _ media: SessionDescription.Media) throws(MediaError) {
    guard let type = UInt8(format), type < 128 else {
      throw MediaError(.invalid, "SDP: m=\(media.kind) has the format \"\(format.prefix(20))\"; accepted: 0..127")
    }
    let lines = media.values("rtpmap").compactMap { SDPLine.after(format, $0) }
    var payload: Payload
    if let line = lines.first {
      let parts = line.split(separator: "/")
      guard parts.count >= 2, let rate = UInt32(parts[1]), rate > 0 else {
        throw MediaError(.invalid, "SDP: a=rtpmap:\(format) \(line.prefix(60)); accepted: encoding/clock rate, and /channels")
      }
      payload = Payload(type, String(parts[0]), clockRate: rate, channels: parts.count > 2 ? UInt8(parts[2]) ?? 1 : 1)
    } else if let (encoding, rate) = RTPMedia.known[format] {
      payload = Payload(type, encoding, clockRate: rate)
    } else {
      // Of an unknown meaning, and of no use.
      return
    }
    for line in media.values("fmtp").compactMap({ SDPLine.after(format, $0) }) {
      for piece in line.split(separator: ";") {
        let text = SDPLine.trimmed(piece)
        let parts = text.split(separator: "=", maxSplits: 1)
        if let name = parts.first { payload.parameters.append(.init(String(name), parts.count > 1 ? String(parts[1]) : nil)) }
      }
    }
    for line in media.values("rtcp-fb") {
      if let kind = SDPLine.after(format, line) ?? SDPLine.after("*", line) { payload.feedback.append(kind) }
    }
    payloads.append(payload)
  }

  private mutating func readExtension(_ line: String) {
    let parts = line.split(separator: " ")
    guard parts.count >= 2, let number = parts[0].split(separator: "/").first, let id = UInt8(number), id > 0 else { return }
    switch String(parts[1]) {
    case ExtensionMap.URI.mid: extensions.mid = id
    case ExtensionMap.URI.audioLevel: extensions.audioLevel = id
    case ExtensionMap.URI.absoluteSendTime: extensions.absoluteSendTime = id
    case ExtensionMap.URI.transportSequence: extensions.transportSequence = id
    case ExtensionMap.URI.orientation: extensions.orientation = id
    case ExtensionMap.URI.colorSpace: extensions.colorSpace = id
    case ExtensionMap.URI.captureTime: extensions.captureTime = id
    default: break
    }
  }

  private mutating func readSources(_ media: SessionDescription.Media) {
    for line in media.values("ssrc") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard let number = parts.first.flatMap({ UInt32($0) }), sources.count < 256 else { continue }
      let place = sources.firstIndex { $0.ssrc == SSRC(number) } ?? sources.count
      if place == sources.count { sources.append(Source(SSRC(number))) }
      if parts.count > 1, parts[1].hasPrefix("cname:") { sources[place].cname = String(parts[1].dropFirst(6)) }
    }
    for line in media.values("ssrc-group") {
      let parts = line.split(separator: " ")
      guard parts.count == 3, parts[0] == "FID", let first = UInt32(parts[1]), let second = UInt32(parts[2]) else { continue }
      retransmissions[SSRC(first)] = SSRC(second)
    }
  }

  // MARK: Writing

  public var media: SessionDescription.Media {
    let transport = "RTP/\(isProtected ? "S" : "")AVP\(hasFeedback ? "F" : "")"
    // There is always a format, also where the medium is refused.
    var media = SessionDescription.Media(
      kind, port: port, transport: transport, formats: payloads.isEmpty ? ["0"] : payloads.map { "\($0.type)" })
    media.connection = connection
    if let bandwidth { media.bandwidths = [.init("TIAS", "\(bandwidth)")] }
    func add(_ name: String, _ value: String? = nil) { media.attributes.append(.init(name, value)) }
    if let mid { add("mid", mid) }
    add(direction.rawValue)
    if isMultiplexed { add("rtcp-mux") }
    if let controlPort { add("rtcp", "\(controlPort)") }
    for key in keys { add("crypto", key.text) }
    let named: [(UInt8, String)] = [
      (extensions.mid, ExtensionMap.URI.mid), (extensions.audioLevel, ExtensionMap.URI.audioLevel),
      (extensions.absoluteSendTime, ExtensionMap.URI.absoluteSendTime), (extensions.transportSequence, ExtensionMap.URI.transportSequence),
      (extensions.orientation, ExtensionMap.URI.orientation), (extensions.colorSpace, ExtensionMap.URI.colorSpace),
      (extensions.captureTime, ExtensionMap.URI.captureTime)
    ]
    for (id, uri) in named where id != 0 { add("extmap", "\(id) \(uri)") }
    for payload in payloads {
      add("rtpmap", "\(payload.type) \(payload.encoding)/\(payload.clockRate)\(payload.channels > 1 ? "/\(payload.channels)" : "")")
      if !payload.parameters.isEmpty {
        add(
          "fmtp",
          "\(payload.type) "
            + payload.parameters.map { parameter in parameter.value.map { "\(parameter.name)=\($0)" } ?? parameter.name }.joined(
              separator: ";"))
      }
      for kind in payload.feedback { add("rtcp-fb", "\(payload.type) \(kind)") }
    }
    if let packetTime { add("ptime", "\(packetTime)") }
    for (first, second) in retransmissions.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      add("ssrc-group", "FID \(first.rawValue) \(second.rawValue)")
    }
    for source in sources { add("ssrc", "\(source.ssrc.rawValue)" + (source.cname.map { " cname:\($0)" } ?? "")) }
    return media
  }
}

enum SDPLine {
  /// What stands after a word and a space.
  static func after(_ word: String, _ line: String) -> String? {
    let parts = line.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, parts[0] == word else { return nil }
    return trimmed(parts[1])
  }

  static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
