import CMediaSDK
import MediaCore
import MediaTransport

/// A stream that is sent to a room, in this session at its server or the next.
struct RoomPublication: Sendable {
  let id: StreamID
  let codec: UInt32
  var format: StreamFormat
  let layers: StreamLayers
  /// Frames are sent with their metadata, where the server takes it.
  let carriesMetadata: Bool
  /// The server takes it.
  var isTaken = false
  /// By a session before, whose receivers know the stream no more.
  var wasTaken = false
  /// Of audio.
  var isMuted = false

  var isVideo: Bool { if case .video = format { true } else { false } }

  /// Of a shared screen, or its audio.
  var isScreen: Bool {
    switch format {
    case .video(_, let kind): kind == VideoKind.screenShare.rawValue
    case .audio(_, let kind): kind == UInt32(MSDK_AUDIO_SCREEN_SHARE)
    }
  }
}
