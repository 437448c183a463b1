import Glibc
import Testing

@testable import MediaCore

@Suite struct MonitorTests {
  @Test func noIncrementIsLost() async {
    let monitor = Monitor(0)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<5_000 { monitor.withLock { $0 += 1 } }
        }
      }
    }
    #expect(monitor.withLock { $0 } == 20_000)
  }

  @Test func aDeadlineOfZeroLooksOnce() {
    let monitor = Monitor(1)
    let looks = Monitor(0)
    let missing: Int? = monitor.wait(until: 0) { _ in
      looks.withLock { $0 += 1 }
      return nil
    }
    #expect(missing == nil)
    #expect(looks.withLock { $0 } <= 2)
    #expect(monitor.wait(until: 0) { $0 } == 1)
  }

  @Test func waitsUntilTheDeadlineAndNoShorter() {
    let monitor = Monitor(())
    let deadline = MediaTime.monotonic() + 20_000_000
    let missing: Int? = monitor.wait(until: deadline) { _ in nil }
    #expect(missing == nil)
    #expect(MediaTime.monotonic() >= deadline)
  }

  @Test func aDeadlineInThePastReturnsAtOnce() {
    let monitor = Monitor(())
    let start = MediaTime.monotonic()
    let missing: Int? = monitor.wait(until: 1) { _ in nil }
    let negative: Int? = monitor.wait(until: .min) { _ in nil }
    #expect(missing == nil && negative == nil)
    #expect(MediaTime.monotonic() - start < 5_000_000_000)
  }

  @Test func notifyWakesAllWhoWait() {
    let monitor = Monitor(false)
    let woken = Monitor(0)
    let waiters = (0..<3).map { _ in
      OSThread {
        _ = monitor.wait(until: .max) { $0 ? true : nil }
        woken.withLock { $0 += 1 }
      }
    }
    monitor.withLock { $0 = true }
    monitor.notify()
    for waiter in waiters { waiter.join() }
    #expect(woken.withLock { $0 } == 3)
  }

  @Test func errorsLeaveTheLockFree() {
    let monitor = Monitor(1)
    let error = failure { try monitor.withLock { (_: inout Int) throws(MediaError) in throw MediaError(.range, "x") } }
    #expect(error?.status == .range)
    #expect(monitor.withLock { $0 } == 1)
  }

  @Test func deadlinesCountFromNow() {
    #expect(Deadline.after(milliseconds: 0) == 0)
    #expect(Deadline.after(milliseconds: .max) == .max)
    let now = MediaTime.monotonic()
    let deadline = Deadline.after(milliseconds: 1000)
    #expect(deadline >= now + 1_000_000_000 && deadline <= MediaTime.monotonic() + 1_000_000_000)
  }
}
