import MediaCore
import MediaPlugins
import MediaRTP
import MediaTransport

public enum SessionState: UInt32, Sendable {
  case idle = 0
  case connecting = 1
  case connected = 2
  case reconnecting = 3
  case disconnecting = 4
  case disconnected = 5
}

/// What happens to a session; session.h describes each.
public enum SessionEvent: Sendable {
  case state(SessionState, MediaError?)
  case participantJoined(Member)
  case participantLeft(userID: String)
  case outgoingVideoState(OutgoingVideo, OutgoingVideo.State, MediaError?)
  case frameSenderChanged(OutgoingVideo, FrameSender)
  /// It goes on with the codec of that fourcc.
  case codecChanged(OutgoingVideo, UInt32)
  case incomingVideoAdded(IncomingVideo)
  case incomingVideoState(IncomingVideo, IncomingVideo.State, MediaError?)
  case incomingVideoRemoved(IncomingVideo)
  case estimate(UInt64)
  case networkQuality(NetworkQuality.Direction, NetworkQuality.Grade, estimate: UInt64)
  case plugin(PluginInstance, PluginEvent)
  case keyFrameRequested(OutgoingVideo)
  case outgoingAudioState(OutgoingAudio, OutgoingAudio.State, MediaError?)
  case incomingAudioAdded(IncomingAudio)
  case incomingAudioState(IncomingAudio, IncomingAudio.State, MediaError?)
  case incomingAudioRemoved(IncomingAudio)
  case incomingAudioMuted(IncomingAudio, Bool)
  /// The stream is somebody else's.
  case screenShareState(userID: String, isSharing: Bool, IncomingVideo?)
  case activeSpeaker(userID: String, Bool, level: UInt32)
  case ingest(IngestEvent)
  /// That member is not sent it.
  case streamUnreachable(OutgoingStream, userID: String, MediaError)
  case moderated(by: String, Moderation, reason: String)
}

/// One of this program's.
public enum OutgoingStream: Sendable {
  case video(OutgoingVideo)
  case audio(OutgoingAudio)
}

public struct StampedEvent: Sendable {
  public let event: SessionEvent
  public let timestamp: Int64
  /// Events before this one were dropped.
  public fileprivate(set) var isAfterLoss = false

  init(_ event: SessionEvent, at timestamp: Int64) {
    self.event = event
    self.timestamp = timestamp
  }

  func afterLoss() -> StampedEvent {
    var copy = self
    copy.isAfterLoss = true
    return copy
  }
}
