import COpus
import MediaCore

extension AudioCodec {
  /// Opus (RFC 6716), by libopus.
  public static let opus = AudioCodec(
    fourcc: 0x5355_504F, name: "Opus",
    makeEncoder: { settings throws(MediaError) in try OpusEncoder(settings) },
    makeDecoder: { channels throws(MediaError) in try OpusDecoder(channels: channels) },
    parse: { data throws(MediaError) in
      let packet = try OpusPacket(parsing: data)
      return AudioPacketHeader(sampleCount: packet.toc.duration, channels: packet.toc.isStereo ? 2 : 1, hasRedundancy: packet.hasRedundancy)
    })
}

func opusError(_ doing: String, _ code: Int32) -> MediaError {
  let status: Status =
    switch code {
    case OPUS_ALLOC_FAIL: .noMemory
    case OPUS_BAD_ARG: .invalid
    case OPUS_BUFFER_TOO_SMALL: .bufferSmall
    case OPUS_INVALID_PACKET: .corrupt
    case OPUS_UNIMPLEMENTED: .unsupported
    default: .fail
    }
  return MediaError(status, "\(doing): \(opus_strerror(code).map { String(cString: $0) } ?? "error \(code)")")
}
