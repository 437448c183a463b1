import MediaCore

/// A function of the program's that is given frames, behind a gate of its own: when it is closed from outside, it is not running any more.
final class FrameCallback<Frame>: Sendable {
  private let gate = CallbackGate()
  private let function: @Sendable (Frame) -> Void
  /// The same function of a start before, where it may still be running.
  private let former: FrameCallback?

  init(_ function: @escaping @Sendable (Frame) -> Void, after former: FrameCallback? = nil) {
    self.function = function
    self.former = former
  }

  /// For another start: open, while this one stays closed to what is left of its start.
  var renewed: FrameCallback {
    FrameCallback(function, after: gate.isEmpty ? former : self)
  }

  /// Says whether it was called.
  @discardableResult
  func call(_ frame: Frame) -> Bool {
    gate.run { function(frame) }
  }

  func close() {
    gate.close()
    former?.close()
  }
}
