import MediaRTP
import MediaSDP

extension RTPEncoding {
  /// What a payload of a description is here; nil: it cannot be carried, or packets of other payload types.
  init?(_ payload: RTPMedia.Payload, _ kind: Transceiver.Kind) {
    let name = payload.encoding.lowercased()
    let mode = payload.parameter("packetization-mode") ?? "0"
    let format = RTPEncoding.formats.first { format in
      format.name.lowercased() == name && format.clockRate == payload.clockRate && format.isVideo == (kind == .video)
        && (name != "h264" || "\(format.variant)" == mode)
    }
    guard let format, payload.channels == (name == "opus" ? 2 : 1) else { return nil }
    self = .media(format)
  }
}

extension [RTPMedia.Payload] {
  /// By their types: media, retransmissions of video, redundancy of audio.
  func encodings(_ kind: Transceiver.Kind) -> [UInt8: RTPEncoding] {
    var encodings: [UInt8: RTPEncoding] = [:]
    for payload in self where encodings[payload.type] == nil { encodings[payload.type] = RTPEncoding(payload, kind) }
    for payload in self where payload.isRetransmission == (kind == .video) {
      guard let of = payload.associated, encodings[payload.type] == nil, case .media? = encodings[of] else { continue }
      encodings[payload.type] = kind == .video ? .retransmission(of: of) : .redundancy(of: of)
    }
    return encodings
  }
}
