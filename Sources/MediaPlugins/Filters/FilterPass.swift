import CMediaSDK
import MediaCore

/// How a frame comes to a filter.
struct FilterPass {
  let attachment: PluginInstance.Attachment
  let meter: FrameTimeMeter
  /// One reference is the stream's own: if there is no other, nobody else sees the memory.
  let isOwned: Bool
  /// What was before it is missing.
  let followsGap: Bool
  /// Of pictures.
  var keepsSize = true
}

/// What a filter made of a frame.
struct Filtered<Frame> {
  enum Result {
    /// The frame itself, as it was or changed in place.
    case same
    /// Another one, with a reference for the caller.
    case other(Frame)
    case leftOut
  }

  var result: Result
  var verdict: FrameTimeMeter.Verdict?
}

/// What came out of all filters of a stream.
public struct FilterOutcome<Frame> {
  /// With a reference, the caller's; nil: left out.
  public let frame: Frame?
  /// In nanoseconds.
  public let spent: UInt64

  init(_ frame: Frame?, since start: Int64) {
    self.frame = frame
    spent = UInt64(max(0, MediaTime.monotonic() - start))
  }
}

extension PluginInstance {
  /// Whether what came through an attachment may still be given to the filter. Inside the turn.
  func mayFilter(from attachment: Attachment) -> Bool {
    state.withLock { state in
      let phase = attachment.medium == .video ? state.videoFilter : state.audioFilter
      return !state.isDestroyed && phase > .created && state[attachment.medium]?.attachment === attachment
    }
  }

  /// Whether the process of an isolated filter is gone just now: what comes passes it as it is.
  func isAway(_ error: MediaError) -> Bool {
    error.status == .pluginDied && isIsolated
  }

  /// Runs the function of a filter, which may change the frame at `writable` in place (nil: none may be); `references` are what it has.
  func callFilter(
    _ function: String, writable: UnsafeMutableRawPointer?, references: UInt32, _ body: (OpaquePointer) -> msdk_result
  ) throws(MediaError) {
    // Whoever asks has one more.
    filteringReferences.store(references &+ 1, ordering: .relaxed)
    filtering.store(UInt(bitPattern: writable), ordering: .relaxed)
    defer { filtering.store(0, ordering: .relaxed) }
    try call(function, body)
  }

  /// Whether the frame is the one that the plugin's filter may change in place now; the host keeps references meanwhile.
  func mayWrite(to frame: VideoFrame) -> Bool {
    filtering.load(ordering: .relaxed) == UInt(bitPattern: frame.native)
      && frame.references <= filteringReferences.load(ordering: .relaxed)
  }

  func mayWrite(to frame: AudioFrame) -> Bool {
    filtering.load(ordering: .relaxed) == UInt(bitPattern: frame.native)
      && frame.references <= filteringReferences.load(ordering: .relaxed)
  }
}
