import MediaCore

/// A function of the program's that is given frames, behind a gate of its own: when it is closed from outside, it is not running any more.
final class FrameCallback<Frame>: Sendable {
  private let gate = CallbackGate()
  private let function: @Sendable (Frame) -> Void

  init(_ function: @escaping @Sendable (Frame) -> Void) {
    self.function = function
  }

  /// Says whether it was called.
  @discardableResult
  func call(_ frame: Frame) -> Bool {
    gate.run { function(frame) }
  }

  func close() {
    gate.close()
  }
}
