import MediaCore

/// Whether a stream is subscribed to. Threads that need it otherwise do not call the transport side by side, which could leave the earlier need in
/// force: one carries out what is needed by then, until nothing has changed meanwhile. Part of a state behind a lock.
struct Subscription {
  private(set) var isOn = false
  fileprivate private(set) var isChanging = false

  /// What the caller is to carry out, and then to call `done`; nil: nothing, or another thread does it.
  mutating func next(isNeeded: Bool) -> Bool? {
    guard !isChanging, isNeeded != isOn else { return nil }
    (isChanging, isOn) = (true, isNeeded)
    return isNeeded
  }

  mutating func done() { isChanging = false }
}

extension Monitor {
  /// When it returns, what was needed before has been carried out, unless the call came from inside foreign code.
  func waitForChange(of subscription: WritableKeyPath<State, Subscription>) {
    guard !ForeignCode.isRunning else { return }
    _ = wait(until: .max) { $0[keyPath: subscription].isChanging ? nil : true }
  }
}
