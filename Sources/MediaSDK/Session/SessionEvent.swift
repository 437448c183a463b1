import MediaCore
import MediaPlugins
import MediaRTP
import MediaTransport

/// The raw values are MSDK_SESSION_* of session.h.
public enum SessionState: UInt32, Sendable {
  case idle = 0x100
  case connecting = 0x101
  case connected = 0x102
  case reconnecting = 0x103
  case disconnecting = 0x104
  case disconnected = 0x105
}

/// What happens to a session; session.h describes each.
public enum SessionEvent: Sendable {
  case state(SessionState, MediaError?)
  case participantJoined(Member)
  case participantLeft(userID: String)
  case outgoingVideoState(OutgoingVideo, OutgoingVideo.State, MediaError?)
  case frameSenderChanged(OutgoingVideo, FrameSender)
  /// It goes on with the codec of that fourcc.
  case codecChanged(OutgoingStream, UInt32)
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
  /// Of the loudest buffer since the last such event.
  case audioLevel(AudioStream, userID: String, level: UInt32)
  case statsDue
  /// So many members receive it.
  case receivers(OutgoingStream, Int)
  /// Together, by those who receive it.
  case wanted(OutgoingVideo, VideoPreference)
  /// They set it, or removed it.
  case participantAttribute(userID: String, key: String)
  /// Nanoseconds that remain.
  case accessExpiring(Int64)
  /// With what the room permits now; an error when it refused to renew it.
  case accessRenewed(Permissions, MediaError?)
  /// Over WebRTC: what the program carries to the peer, or acts on.
  case signal(SignallingEvent)
  /// Of a channel of messages.
  case channel(MessageChannelID, MessageChannelEvent)
  /// Data of others can be read, and none could before.
  case dataAvailable
  /// A request of another participant or the result of a call can be read, and none could before.
  case callAvailable
  /// A part of a stream of data can be read, and none could before.
  case dataStreamAvailable
  /// `Session.send`, which refused data with `.again`, has room.
  case dataWritable
  /// End-to-end encryption of a stream begins to work, or does not work any more, with the key of that index.
  case encryption(EncryptedStream, EncryptionState, keyIndex: Int)
  /// End-to-end encryption of a participant's data begins to work, or does not work any more; the user id is empty for data of the room's server.
  case dataEncryption(userID: String, EncryptionState, keyIndex: Int)
}

/// An audio stream of either direction.
public enum AudioStream: Sendable {
  case outgoing(OutgoingAudio)
  case incoming(IncomingAudio)
}

/// One of this program's.
public enum OutgoingStream: Sendable {
  case video(OutgoingVideo)
  case audio(OutgoingAudio)
}

/// An event as the program gets it.
public struct StampedEvent: Sendable {
  /// What happened. It refers to the streams and instances that it is about.
  public let event: SessionEvent
  /// When the event was queued, in nanoseconds on the engine's clock.
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
