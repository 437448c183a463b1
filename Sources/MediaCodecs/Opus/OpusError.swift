import COpus
import MediaCore

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
