import MediaCore

/// Somebody hands over what comes, one after the other, without a lock; others leave theirs to him meanwhile, and may wait until he is
/// done. Part of a state behind a lock.
struct SerialDrain {
  private(set) var isUnderWay = false
  /// Tells one from the next, to those who wait for its end.
  private(set) var number: UInt64 = 0
  fileprivate var waiters = 0

  mutating func begin() {
    isUnderWay = true
    number += 1
  }

  /// Says whether somebody waits for it, who is to be notified.
  mutating func end() -> Bool {
    isUnderWay = false
    return waiters > 0
  }
}

extension Monitor {
  /// When it returns, the handover that was under way is over, and no callback of it runs, unless the call came from inside foreign code.
  func waitForEnd(of handover: WritableKeyPath<State, SerialDrain>) {
    guard !ForeignCode.isRunning else { return }
    let number: UInt64? = withLock { state in
      guard state[keyPath: handover].isUnderWay else { return nil }
      state[keyPath: handover].waiters += 1
      return state[keyPath: handover].number
    }
    guard let number else { return }
    // One that began later is not waited for.
    _ = wait(until: .max) { $0[keyPath: handover].isUnderWay && $0[keyPath: handover].number == number ? nil : true }
    withLock { $0[keyPath: handover].waiters -= 1 }
  }
}
