import CMediaSDK
import MediaCore
import MediaTransport

/// A stream that is sent to a room of Janus, in this session there or the next.
struct JanusPublication: Sendable {
  let id: StreamID
  let codec: UInt32
  var format: StreamFormat
  let layers: StreamLayers
  /// The server takes it.
  var isTaken = false
  /// Of audio.
  var isMuted = false

  /// What participants read of it.
  var text: String { isMuted ? "\(kind)\(JanusPublication.muted)" : kind }

  private var kind: String {
    switch format {
    case .video(_, let kind): kind == VideoKind.screenShare.rawValue ? JanusPublication.screen : "camera"
    case .audio(_, let kind): kind == UInt32(MSDK_AUDIO_SCREEN_SHARE) ? JanusPublication.screen : "microphone"
    }
  }

  static let screen = "screen"
  /// At the end of a text, as the room has no message for it that reaches the others.
  static let muted = " (muted)"
}
