import MediaCore
import MediaRTP

extension RTPMedia {
  private static let transports = ["RTP/AVP", "RTP/AVPF", "RTP/SAVP", "RTP/SAVPF", "UDP/TLS/RTP/SAVP", "UDP/TLS/RTP/SAVPF"]
  private static let mostSources = 256
  private static let mostParameters = 32
  private static let mostFeedback = 32

  /// nil for a medium that is no RTP. Throws `.invalid` for payload types and keys that cannot be such; what is not known is read over.
  public init?(_ media: SessionDescription.Media, in session: SessionDescription) throws(MediaError) {
    guard RTPMedia.transports.contains(media.transport) else { return nil }
    self.init(media.kind, port: media.port)
    (isProtected, isKeyedByTLS) = (media.isProtected, media.transport.has("TLS"))
    hasFeedback = media.transport.hasSuffix("F")
    connection = media.connection ?? session.connection
    direction =
      Direction.allCases.first { media.has($0.rawValue) } ?? Direction.allCases.first { direction in
        session.attributes.contains { $0.name == direction.rawValue }
      }
      ?? .sendReceive
    mid = media.value("mid")
    isBundleOnly = media.has("bundle-only")
    (isMultiplexed, isOnlyMultiplexed) = (media.has("rtcp-mux"), media.has("rtcp-mux-only"))
    hasReducedSize = media.has("rtcp-rsize")
    let control = media.value("rtcp")?.split(separator: " ") ?? []
    controlPort = control.first.flatMap { UInt16($0) }
    controlHost = control.count == 4 ? String(control[3]) : nil
    packetTime = media.value("ptime").flatMap { UInt32($0) }
    frameRate = (media.value("framerate") ?? session.values("framerate").first).flatMap { FrameRate(decimals: $0) }
    for line in media.bandwidths {
      guard let value = line.value.flatMap({ UInt64($0) }), value <= 1 << 40 else { continue }
      if line.name == "TIAS" { bandwidth = value } else if line.name == "AS", bandwidth == nil { bandwidth = value * 1000 }
    }
    let lines = PayloadLines(media)
    for format in media.formats { try readPayload(format, lines) }
    for value in media.values("extmap") + session.values("extmap") { extensions.read(value) }
    hasMixedExtensions = media.has("extmap-allow-mixed") || session.has("extmap-allow-mixed")
    for value in media.values("msid") where tracks.count < RTPMedia.mostSources {
      let parts = value.split(separator: " ")
      if let stream = parts.first { tracks.append(Track(String(stream), parts.count > 1 ? String(parts[1]) : nil)) }
    }
    for value in media.values("crypto") {
      if let key = try CryptoAttribute(parsing: value) { keys.append(key) }
    }
    readSources(media)
  }

  /// Those of RFC 3551, section 6, that need no rtpmap and could matter here.
  private static let known: [String: (String, UInt32)] = ["0": ("PCMU", 8000), "8": ("PCMA", 8000), "9": ("G722", 8000)]

  /// The lines of a medium by their formats, looked for once: media and formats are as many as their sender likes.
  private struct PayloadLines {
    private(set) var names: [Substring: Substring] = [:]
    private(set) var parameters: [Substring: [Substring]] = [:]
    private(set) var feedback: [Substring: [Substring]] = [:]

    init(_ media: SessionDescription.Media) {
      for attribute in media.attributes {
        guard let value = attribute.value, ["rtpmap", "fmtp", "rtcp-fb"].contains(attribute.name) else { continue }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { continue }
        switch attribute.name {
        case "rtpmap": if names[parts[0]] == nil { names[parts[0]] = RTPMedia.trimmed(parts[1]) }
        case "fmtp": parameters[parts[0], default: []].append(RTPMedia.trimmed(parts[1]))
        default: feedback[parts[0], default: []].append(RTPMedia.trimmed(parts[1]))
        }
      }
    }
  }

  private mutating func readPayload(_ text: String, _ lines: PayloadLines) throws(MediaError) {
    let format = text[...]
    guard let type = UInt8(format), type < 128 else {
      throw .description("m=\(kind) has the format \"\(format.prefix(20))\"; accepted: 0..127")
    }
    var payload: Payload
    if let line = lines.names[format] {
      let parts = line.split(separator: "/")
      guard parts.count >= 2, let rate = UInt32(parts[1]), rate > 0 else {
        throw .description("a=rtpmap:\(format) \(line.prefix(60)); accepted: encoding/clock rate, and /channels")
      }
      payload = Payload(type, String(parts[0]), clockRate: rate, channels: parts.count > 2 ? UInt8(parts[2]) ?? 1 : 1)
    } else if let (encoding, rate) = RTPMedia.known[text] {
      payload = Payload(type, encoding, clockRate: rate)
    } else {
      // Of an unknown meaning, and of no use.
      return
    }
    for line in lines.parameters[format] ?? [] {
      for piece in line.split(separator: ";") where payload.parameters.count < RTPMedia.mostParameters {
        let parts = RTPMedia.trimmed(piece).split(separator: "=", maxSplits: 1)
        if let name = parts.first { payload.parameters.append(.init(String(name), parts.count > 1 ? String(parts[1]) : nil)) }
      }
    }
    payload.feedback = ((lines.feedback[format] ?? []) + (lines.feedback["*"] ?? [])).prefix(RTPMedia.mostFeedback).map { String($0) }
    payloads.append(payload)
  }

  private mutating func readSources(_ media: SessionDescription.Media) {
    for line in media.values("ssrc") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard let number = parts.first.flatMap({ UInt32($0) }), sources.count < RTPMedia.mostSources else { continue }
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

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
