import Glibc
import MediaRuntime

@testable import MediaCore

/// The time by which a test waits. Virtual, it goes on only while somebody waits, as fast as the work of it is done; real time is for tests of the
/// kernel's sockets.
struct TestTime: Sendable {
  let clock: any MediaClock
  static let real = TestTime(clock: SystemClock())
  private static let step: Int64 = 1_000_000
  /// Of virtual time: longer than any timeout.
  private static let mostSteps = 60_000

  private var virtual: VirtualClock? { clock as? VirtualClock }

  func run(milliseconds: Int64) { run(nanoseconds: milliseconds * 1_000_000) }

  func run(nanoseconds: Int64) {
    guard let virtual else {
      usleep(UInt32(nanoseconds / 1000))
      return
    }
    // Step by step, as whoever asks for something while others work would.
    var left = nanoseconds
    repeat {
      try? virtual.advance(by: min(left, TestTime.step))
      left -= TestTime.step
    } while left > 0
  }

  /// Whether it becomes true: within a minute of virtual time, or twenty seconds of real time.
  func waits(_ condition: () -> Bool) -> Bool {
    guard virtual != nil else { return eventually { condition() } }
    for _ in 0..<TestTime.mostSteps {
      if condition() { return true }
      run(nanoseconds: TestTime.step)
    }
    return condition()
  }
}
