import MediaCore
import Testing

@testable import MediaRuntime

@Suite struct SystemClockTests {
  private let clock = SystemClock()

  @Test func isTheMonotonicClock() {
    let before = MediaTime.monotonic()
    let now = clock.now()
    #expect(now >= before && now <= MediaTime.monotonic())
    #expect(!clock.isVirtual)
  }

  @Test func aThreadIsMadeAtTheFirstPokeAndGoneAfterStop() {
    let steps = Journal<Int>()
    let worker = clock.makeWorker("worker") {
      steps.add(1)
      return .max
    }
    #expect(clock.threadCount == 0)
    worker.poke()
    #expect(clock.threadCount == 1)
    #expect(steps.wait(for: 1))
    worker.poke()
    #expect(steps.wait(for: 2))
    #expect(clock.threadCount == 1)
    worker.stop()
    #expect(clock.threadCount == 0)
    worker.poke()
    #expect(clock.threadCount == 0)
    worker.stop()
    #expect(steps.entries.count == 2)
  }

  @Test func aWorkerComesBackAtItsDeadlineAndNotBefore() {
    let steps = Journal<(due: Int64, now: Int64)>()
    let due = Monitor(Int64.min)
    let worker = clock.makeWorker("worker") { [clock] in
      let now = clock.now()
      return due.withLock { due in
        steps.add((due, now))
        due = now + 2_000_000
        return due
      }
    }
    worker.poke()
    #expect(steps.wait(for: 4))
    worker.stop()
    for step in steps.entries { #expect(step.now >= step.due) }
  }

  @Test func stoppingWaitsForTheStep() {
    let visit = Visit()
    let worker = clock.makeWorker("worker") {
      visit.stay()
      return .max
    }
    worker.poke()
    visit.waitUntilInside()
    expectToWait(for: visit) { worker.stop() }
    #expect(clock.threadCount == 0)
  }

  @Test func stoppingFromInsideDoesNotWaitForItself() {
    let own = Monitor<(any Worker)?>(nil)
    let steps = Journal<Int>()
    let worker = clock.makeWorker("worker") {
      own.withLock { $0 }?.stop()
      steps.add(1)
      return 0
    }
    own.withLock { $0 = worker }
    worker.poke()
    #expect(steps.wait(for: 1))
    while clock.threadCount > 0 { sched() }
    #expect(steps.entries.count == 1)
    own.withLock { $0 = nil }
  }

  @Test func stoppingFromForeignCodeDoesNotWait() {
    let mayLeave = Monitor(false)
    let steps = Journal<Int>()
    let worker = clock.makeWorker("worker") {
      steps.add(1)
      _ = mayLeave.wait(until: .max) { $0 ? true : nil }
      return 0
    }
    worker.poke()
    #expect(steps.wait(for: 1))
    // It would never return, if it waited.
    ForeignCode.run { worker.stop() }
    mayLeave.withLock { $0 = true }
    mayLeave.notify()
    while clock.threadCount > 0 { sched() }
    #expect(steps.entries.count == 1)
  }

  @Test func pokesFromManyThreadsRunOneStepAtATime() {
    let inside = Monitor((now: 0, most: 0))
    let steps = Journal<Int>()
    let worker = clock.makeWorker("worker") {
      inside.withLock { inside in
        inside.now += 1
        inside.most = max(inside.most, inside.now)
      }
      steps.add(1)
      inside.withLock { $0.now -= 1 }
      return .max
    }
    let threads = (0..<3).map { _ in
      OSThread {
        for _ in 0..<100 { worker.poke() }
      }
    }
    for thread in threads { thread.join() }
    #expect(steps.wait(for: 1))
    worker.stop()
    #expect(inside.withLock { $0.most } == 1)
    #expect(clock.threadCount == 0)
  }

  @Test func aStoppedWorkerKeepsNothingAlive() {
    final class Thing: Sendable {}
    weak var weakThing: Thing?
    let steps = Journal<Int>()
    let worker: any Worker
    do {
      let thing = Thing()
      weakThing = thing
      worker = clock.makeWorker("worker") {
        steps.add(ObjectIdentifier(thing).hashValue)
        return .max
      }
    }
    worker.poke()
    #expect(steps.wait(for: 1))
    #expect(weakThing != nil)
    worker.stop()
    #expect(weakThing == nil)
  }
}
