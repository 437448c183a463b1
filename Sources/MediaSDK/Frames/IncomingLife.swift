import MediaCore

/// What a stream that is received has of its life, be it video or audio: a part of its state, behind its lock.
struct IncomingLife {
  typealias State = IncomingVideo.State

  private(set) var state = State.available
  /// The sender withdrew it; what is here may still be read.
  private(set) var hasEnded = false
  private(set) var isClosed = false

  func checkAlive() throws(MediaError) {
    guard !isClosed else { throw MediaError(.closed, "the stream is no longer available") }
  }

  mutating func begin() throws(MediaError) {
    switch state {
    case .available, .stopped: state = .started
    case .notAvailable: throw MediaError(.closed, "the stream is no longer available")
    case .started, .stopping: throw MediaError(.state, "the stream is \(state); accepted: available, stopped")
    }
  }

  /// Says whether it was started.
  mutating func beginStop() -> Bool { move(from: .started, to: .stopping) }

  /// Says whether nothing else ended it meanwhile.
  mutating func endStop() -> Bool { move(from: .stopping, to: .stopped) }

  private mutating func move(from: State, to: State) -> Bool {
    guard state == from else { return false }
    state = to
    return true
  }

  /// Says whether it was available.
  mutating func withdraw() -> Bool {
    defer { (state, hasEnded) = (.notAvailable, true) }
    return state != .notAvailable
  }

  /// Says whether it was open.
  mutating func close() -> Bool {
    defer { (state, isClosed) = (.notAvailable, true) }
    return !isClosed
  }
}

/// How frames are delivered, until that changes: taken whole for each frame.
final class Delivery<Options: Sendable, Frame>: Sendable {
  let options: Options
  let callback: FrameCallback<Frame>?

  init(_ options: Options, _ callback: FrameCallback<Frame>? = nil) {
    (self.options, self.callback) = (options, callback)
  }
}
