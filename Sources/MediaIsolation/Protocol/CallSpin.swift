import Glibc

/// The adaptive spin of `CallChannel`: whether a caller polls for the answer for a moment before it sleeps. Where the plugin wakes on another processor,
/// that saves a second wake-up, which costs more than the rest of a call; where the two share a processor, polling keeps the plugin from running. A
/// caller that polled in vain polls more rarely.
struct CallSpin {
  /// After an answer that took longer the next one is not polled for.
  static let short: Int64 = 100_000
  static let longest: Int64 = 100_000
  private static let most: UInt32 = 512
  private static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))
  private var expectsSoon = false
  private var left: UInt32 = 0
  private var penalty: UInt32 = 0

  /// The processor of the caller, and the one where the last answer was given, by the plugin's side: a hint.
  mutating func spins(here: UInt32, there: UInt32) -> Bool {
    guard expectsSoon, CallSpin.processors > 1, here != there else { return false }
    guard left == 0 else {
      left -= 1
      return false
    }
    return true
  }

  mutating func learn(waited: Int64, spun: Bool, found: Bool) {
    expectsSoon = waited < CallSpin.short
    guard spun else { return }
    penalty = found ? penalty / 2 : min(penalty * 2 + 4, CallSpin.most)
    left = found ? 0 : penalty
  }
}
