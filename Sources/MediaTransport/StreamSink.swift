import MediaCore

/// Takes the encoded frames of a stream that was subscribed to. Kept until it is unsubscribed, withdrawn or left. Called on whatever thread brings
/// the frames, one at a time for a stream; frames are borrowed.
public protocol EncodedSink: AnyObject, Sendable {
  /// Encoded, with its number in the stream.
  func receive(_ frame: EncodedFrame, _ id: FrameID)
  /// The transport itself waited for the key frame that was just handed over: so many frames that came whole it dropped, and so many key frames it
  /// requested.
  func waited(leavingOut pictures: UInt64, requests: UInt64)
  /// The next frame came, and was dropped as there was no memory for it. It has an id all the same.
  func droppedOnArrival()
}

extension EncodedSink {
  /// Ignored, for sinks that keep no stats of it.
  public func waited(leavingOut pictures: UInt64, requests: UInt64) {}
  /// Ignored, for sinks that keep no stats of it.
  public func droppedOnArrival() {}
}

/// Takes a video stream in both forms.
public protocol VideoSink: EncodedSink {
  /// Raw, with its number in the stream.
  func receive(_ frame: VideoFrame, _ id: FrameID)
}

/// Takes an audio stream in both forms.
public protocol AudioSink: EncodedSink {
  /// Raw, with its number in the stream.
  func receive(_ frame: AudioFrame, _ id: FrameID)
}

/// Who subscribes to a stream, by what they take of it. Encoded frames everybody takes; a transport that carries raw ones hands those to who takes
/// them.
public enum StreamSink: Sendable {
  case video(any VideoSink)
  case audio(any AudioSink)
  case encoded(any EncodedSink)

  /// The same sink, for encoded frames, which every sink takes.
  public var encoded: any EncodedSink {
    switch self {
    case .video(let sink): sink
    case .audio(let sink): sink
    case .encoded(let sink): sink
    }
  }
}
