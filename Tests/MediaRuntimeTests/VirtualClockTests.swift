import MediaCore
import Testing

@testable import MediaRuntime

@Suite struct VirtualClockTests {
  private let clock = VirtualClock()

  @Test func standsStillUntilItIsMoved() throws {
    #expect(clock.isVirtual)
    #expect(clock.now() == 1_000_000_000)
    try clock.advance(by: 250)
    #expect(clock.now() == 1_000_000_250)
    try clock.advance(by: 0)
    #expect(clock.now() == 1_000_000_250)
  }

  @Test func aWorkerIsIdleUntilItIsPoked() throws {
    let steps = Journal<Int64>()
    let worker = clock.makeWorker("worker") { [clock] in
      steps.add(clock.now())
      return .max
    }
    try clock.advance(by: 1000)
    #expect(steps.entries.isEmpty)
    worker.poke()
    worker.poke()
    #expect(steps.entries.isEmpty)
    try clock.advance(by: 0)
    #expect(steps.entries == [1_000_001_000])
  }

  @Test func aWorkerComesBackAtTheTimeItGave() throws {
    let steps = Journal<Int64>()
    let worker = clock.makeWorker("worker") { [clock] in
      steps.add(clock.now())
      return clock.now() + 300
    }
    worker.poke()
    try clock.advance(by: 899)
    #expect(steps.entries.map { $0 - 1_000_000_000 } == [0, 300, 600])
    try clock.advance(by: 1)
    #expect(steps.entries.last == 1_000_000_900)
    #expect(clock.now() == 1_000_000_900)
    worker.stop()
  }

  @Test func workersTakeTurnsInOrderOfTimeAndOfAsking() throws {
    let steps = Journal<String>()
    func worker(_ name: String, _ times: [Int64]) -> any Worker {
      let left = Monitor(times)
      return clock.makeWorker(name) {
        steps.add(name)
        return left.withLock { $0.isEmpty ? .max : 1_000_000_000 + $0.removeFirst() }
      }
    }
    let workers = [worker("a", [20, 30]), worker("b", [10, 30]), worker("c", [20])]
    for worker in workers.reversed() { worker.poke() }
    try clock.advance(by: 100)
    #expect(steps.entries == ["c", "b", "a", "b", "c", "a", "b", "a"])
  }

  @Test func aPokeDuringAStepIsNotLost() throws {
    let steps = Monitor(0)
    let own = Monitor<(any Worker)?>(nil)
    let worker = clock.makeWorker("worker") {
      let count = steps.withLock { steps in
        steps += 1
        return steps
      }
      if count < 5 { own.withLock { $0 }?.poke() }
      return .max
    }
    own.withLock { $0 = worker }
    worker.poke()
    try clock.advance(by: 0)
    #expect(steps.withLock { $0 } == 5)
    own.withLock { $0 = nil }
  }

  @Test func noStepComesAfterStop() throws {
    let steps = Monitor(0)
    let worker = clock.makeWorker("worker") {
      steps.withLock { $0 += 1 }
      return 0
    }
    worker.poke()
    worker.stop()
    try clock.advance(by: 10)
    worker.poke()
    try clock.advance(by: 10)
    worker.stop()
    #expect(steps.withLock { $0 } == 0)
  }

  @Test func aWorkerMayStopItselfAndOthers() throws {
    let steps = Monitor(0)
    let own = Monitor<(any Worker)?>(nil)
    let other = clock.makeWorker("other") {
      Issue.record("it was stopped")
      return .max
    }
    let worker = clock.makeWorker("worker") { [clock] in
      steps.withLock { $0 += 1 }
      own.withLock { $0 }?.stop()
      other.stop()
      return clock.now() + 1
    }
    own.withLock { $0 = worker }
    worker.poke()
    other.poke()
    try clock.advance(by: 10)
    #expect(steps.withLock { $0 } == 1)
    own.withLock { $0 = nil }
  }

  @Test func stoppingFromAnotherThreadWaitsForTheStep() {
    let visit = Visit()
    let worker = clock.makeWorker("worker") {
      visit.stay()
      return .max
    }
    worker.poke()
    let mover = OSThread { [clock] in #expect(failure { try clock.advance(by: 0) } == nil) }
    visit.waitUntilInside()
    expectToWait(for: visit) { worker.stop() }
    mover.join()
  }

  @Test func onlyOneMayAdvanceAtATime() throws {
    let errors = Journal<MediaError?>()
    let worker = clock.makeWorker("worker") { [clock] in
      errors.add(failure { try clock.advance(by: 1) })
      return .max
    }
    worker.poke()
    try clock.advance(by: 5)
    #expect(errors.entries.map { $0?.status } == [.state])
    #expect(clock.now() == 1_000_000_005)
    try clock.advance(by: 1)
  }
}
