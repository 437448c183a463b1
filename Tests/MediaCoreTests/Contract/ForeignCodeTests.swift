import Testing

@testable import MediaCore

@Suite struct ForeignCodeTests {
  @Test func knowsWhetherThisThreadIsInside() {
    #expect(!ForeignCode.isRunning)
    let inside = ForeignCode.run { [ForeignCode.run { ForeignCode.isRunning }, ForeignCode.isRunning] }
    #expect(inside == [true, true])
    #expect(!ForeignCode.isRunning)
  }

  @Test func anotherThreadIsNotInside() {
    let other = Monitor<Bool?>(nil)
    ForeignCode.run {
      OSThread { other.withLock { $0 = ForeignCode.isRunning } }.join()
    }
    #expect(other.withLock { $0 } == false)
  }
}

@Suite struct CallbackGateTests {
  @Test func nothingGoesThroughOnceClosed() {
    let gate = CallbackGate()
    var calls = 0
    #expect(gate.run { calls += 1 })
    gate.close()
    #expect(!gate.run { calls += 1 })
    gate.close()
    #expect(calls == 1)
  }

  @Test func callbacksAreForeignCode() {
    var isForeign = false
    CallbackGate().run { isForeign = ForeignCode.isRunning }
    #expect(isForeign)
  }

  @Test func closingWaitsForWhoIsInside() {
    let gate = CallbackGate()
    let visit = Visit()
    let caller = OSThread { gate.run { visit.stay() } }
    visit.waitUntilInside()
    expectToWait(for: visit) { gate.close() }
    caller.join()
    #expect(!gate.run {})
  }

  /// Also before its callback runs.
  @Test func whoHasGoneInRuns() {
    let gate = CallbackGate()
    let visit = Visit()
    let caller = OSThread {
      #expect(gate.enter())
      visit.stay()
      gate.runInside {}
    }
    visit.waitUntilInside()
    expectToWait(for: visit) { gate.close() }
    caller.join()
    #expect(!gate.enter())
  }

  @Test func closingFromInsideDoesNotWaitForItself() {
    let gate = CallbackGate()
    var ranAgain: Bool?
    gate.run {
      gate.close()
      ranAgain = gate.run {}
    }
    #expect(ranAgain == false)
    gate.close()
  }

  @Test func manyMayBeInsideAtOnceAndNoneAfterwards() {
    for _ in 0..<30 {
      let gate = CallbackGate()
      let counts = Monitor((inside: 0, isClosed: false))
      let threads = (0..<3).map { _ in
        OSThread {
          while gate.run({
            counts.withLock { counts in
              #expect(!counts.isClosed)
              counts.inside += 1
            }
            counts.withLock { $0.inside -= 1 }
          }) {}
        }
      }
      gate.close()
      counts.withLock { counts in
        #expect(counts.inside == 0)
        counts.isClosed = true
      }
      for thread in threads { thread.join() }
    }
  }
}
