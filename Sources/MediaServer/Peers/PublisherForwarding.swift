import MediaCore
import MediaTransport

/// Takes a stream of a client's and hands it to the room, as it is.
final class PublisherForwarding: EncodedSink {
  private struct State {
    var isMuted = false
    /// When a key frame was requested that has not come yet.
    var asked: Int64?
  }

  /// As the client's connection knows it, and as the room does.
  let source: StreamID
  let stream: StreamID
  let isVideo: Bool
  /// Of a track in several, the smallest is 0.
  let layer: Int
  private let outlet: any MediaOutlet
  private let state: Monitor<State>
  /// Nanoseconds for which one request is for all who ask.
  static let requestPause: Int64 = 2_000_000_000

  init(_ source: StreamID, as stream: StreamID, isVideo: Bool, layer: Int = 0, isMuted: Bool, to outlet: any MediaOutlet) {
    (self.source, self.stream, self.isVideo, self.layer, self.outlet) = (source, stream, isVideo, layer, outlet)
    state = Monitor(State(isMuted: isMuted))
  }

  func setMuted(_ isMuted: Bool) { state.withLock { $0.isMuted = isMuted } }

  /// Whether the client is to be asked for a key frame: one that was requested and has not come yet is for whoever asks meanwhile.
  func isToBeAsked(now: Int64) -> Bool {
    state.withLock { state in
      if let asked = state.asked, now &- asked < PublisherForwarding.requestPause { return false }
      state.asked = now
      return true
    }
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    let isDropped = state.withLock { state in
      if frame.isKeyFrame, isVideo { state.asked = nil }
      return state.isMuted && !isVideo
    }
    if !isDropped { _ = outlet.send(frame, id) }
  }
}
