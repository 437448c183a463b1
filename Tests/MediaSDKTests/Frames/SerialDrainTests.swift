import MediaCore
import Testing

@testable import MediaSDK

@Suite struct SerialDrainTests {
  private struct Guarded {
    var handing = SerialDrain()
  }

  @Test func whatIsNotUnderWayIsNotWaitedFor() {
    let guarded = Monitor(Guarded())
    guarded.waitForEnd(of: \.handing)
    let (isUnderWay, isAwaited) = guarded.withLock { guarded in
      guarded.handing.begin()
      return (guarded.handing.isUnderWay, guarded.handing.end())
    }
    #expect(isUnderWay)
    #expect(!isAwaited)
    #expect(!guarded.withLock { $0.handing.isUnderWay })
    guarded.waitForEnd(of: \.handing)
  }

  @Test func whoWaitsDoesSoUntilTheEnd() {
    let guarded = Monitor(Guarded())
    guarded.withLock { $0.handing.begin() }
    let visit = Visit()
    let owner = OSThread {
      visit.stay()
      _ = guarded.withLock { $0.handing.end() }
      guarded.notify()
    }
    visit.waitUntilInside()
    expectToWait(for: visit) { guarded.waitForEnd(of: \.handing) }
    owner.join()
    let isAwaitedStill = guarded.withLock { guarded in
      guarded.handing.begin()
      return guarded.handing.end()
    }
    #expect(!isAwaitedStill)
  }

  @Test func oneThatBeganLaterIsNotWaitedFor() {
    let guarded = Monitor(Guarded())
    guarded.withLock { $0.handing.begin() }
    let waiter = OSThread { guarded.waitForEnd(of: \.handing) }
    var isAwaited = false
    while !isAwaited {
      sched()
      isAwaited = guarded.withLock { guarded in
        defer { guarded.handing.begin() }
        return guarded.handing.end()
      }
    }
    guarded.notify()
    waiter.join()
    #expect(guarded.withLock { $0.handing.isUnderWay })
  }

  @Test func fromInsideForeignCodeNobodyWaits() {
    let guarded = Monitor(Guarded())
    guarded.withLock { $0.handing.begin() }
    ForeignCode.run { guarded.waitForEnd(of: \.handing) }
    let isAwaited = guarded.withLock { $0.handing.end() }
    #expect(!isAwaited)
  }
}
