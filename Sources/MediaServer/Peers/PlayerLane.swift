import MediaCore
import MediaRuntime
import MediaTransport

/// One section of a player's offer: frames of the room's stream that it has go out in it, as they are.
final class PlayerLane: EncodedSink {
  private struct State {
    var source: StreamID?
    var gate = ForwardingGate()
    /// Frames that went out.
    var sent: FrameID = 0
    var isTaken = false
    /// There is no room for it.
    var isHeld = false
    /// The path to the player is lost.
    var isAway = false
    /// That came since they were counted, and those of frames that are not droppable.
    var (bytes, baseBytes) = (0, 0)

    var isPaused: Bool { isHeld || isAway }
  }

  let isVideo: Bool
  /// What it is published as at the player.
  let stream: StreamID
  private let transport: any Transport
  private let clock: any MediaClock
  /// Asks the room for a key frame of a stream.
  private let ask: @Sendable (StreamID) -> Void
  private let state = Monitor(State())

  init(isVideo: Bool, over transport: any Transport, clock: any MediaClock, ask: @escaping @Sendable (StreamID) -> Void) {
    (self.isVideo, self.transport, self.clock, self.ask) = (isVideo, transport, clock, ask)
    stream = transport.makeStreamID()
  }

  /// The room's; nil: nothing is sent.
  var source: StreamID? { state.withLock { $0.source } }

  func follow(_ source: StreamID?) {
    let now = clock.now()
    state.withLock { state in
      state.source = source
      state.gate.begin(now: now)
    }
  }

  /// The player takes it from now on, or does not any more.
  func setTaken(_ isTaken: Bool) {
    let now = clock.now()
    let source: StreamID? = state.withLock { state in
      state.isTaken = isTaken
      state.gate.begin(now: now)
      return isTaken && isVideo ? state.source : nil
    }
    if let source { ask(source) }
  }

  /// Nothing is sent, as the path has no room for it; or it goes on, with a key frame.
  func hold(_ isHeld: Bool) { pause { $0.isHeld = isHeld } }

  /// Whether the path to the player is there. While it is not, no video is sent: each attempt would take a key frame of a sender, from all who
  /// receive it.
  func setReachable(_ isReachable: Bool) { if isVideo { pause { $0.isAway = !isReachable } } }

  private func pause(_ change: (inout State) -> Void) {
    let now = clock.now()
    let source: StreamID? = state.withLock { state in
      let wasPaused = state.isPaused
      change(&state)
      guard state.isPaused != wasPaused else { return nil }
      state.gate.begin(now: now)
      return state.isPaused || !state.isTaken ? nil : state.source
    }
    if let source { ask(source) }
  }

  /// The player asks for a key frame.
  func keyFrameRequested() {
    let now = clock.now()
    let source: StreamID? = state.withLock { $0.gate.lost(now: now) ? $0.source : nil }
    if let source { ask(source) }
  }

  /// Without its droppable frames from now on, or with them.
  func thin(_ isThinned: Bool) { state.withLock { $0.gate.isThinned = isThinned } }

  /// Bytes that came to be sent since the last call, with the headers of their packets, and those of frames that are not droppable.
  func takeByteCounts() -> (all: Int, base: Int) {
    state.withLock { state in
      defer { (state.bytes, state.baseBytes) = (0, 0) }
      return (state.bytes, state.baseBytes)
    }
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    let now = clock.now()
    let delay = isVideo ? transport.backlog(of: stream) : 0
    let (number, wanted): (FrameID?, StreamID?) = state.withLock { state in
      guard state.isTaken else { return (nil, nil) }
      let bytes = NetworkLink.packetBytes(of: frame)
      state.bytes += bytes
      if !frame.isDroppable { state.baseBytes += bytes }
      guard !state.isPaused else { return (nil, nil) }
      if isVideo {
        let (isSent, wantsKeyFrame) = state.gate.take(
          id, isKeyFrame: frame.isKeyFrame, isDroppable: frame.isDroppable, delay: delay, now: now)
        guard isSent else { return (nil, wantsKeyFrame ? state.source : nil) }
      }
      state.sent += 1
      return (state.sent, nil)
    }
    if let wanted { ask(wanted) }
    guard let number, transport.send(frame, number, on: stream) != .sent, isVideo else { return }
    state.withLock { $0.gate.notSent() }
  }
}
