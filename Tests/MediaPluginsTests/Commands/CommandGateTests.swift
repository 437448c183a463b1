import MediaCore
import Synchronization
import Testing

@testable import MediaPlugins

@Suite struct CommandGateTests {
  private let gate = CommandGate()

  /// How often the job was done.
  private final class Count: Sendable {
    let value = Atomic<Int>(0)
    var isDone: Bool { value.load(ordering: .acquiring) == 1 }
    func add() { value.add(1, ordering: .releasing) }
  }

  private let count = Count()

  @Test func anEmptyOneIsClosedAtOnceAndStaysClosed() {
    #expect(gate.enter())
    gate.leave()
    gate.close { [count] in count.add() }
    #expect(count.isDone)
    #expect(!gate.enter())
  }

  @Test func whoeverClosesItWaitsForThoseInside() {
    #expect(gate.enter())
    #expect(gate.enter())
    let closer = OSThread { [gate, count] in gate.close { count.add() } }
    while gate.enter() { gate.leave() }
    gate.leave()
    #expect(!count.isDone)
    gate.leave()
    closer.join()
    #expect(count.isDone)
  }

  @Test func fromInsideForeignCodeTheLastOneDoesIt() {
    #expect(gate.enter())
    ForeignCode.run { gate.close { [count] in count.add() } }
    #expect(!count.isDone)
    gate.leave()
    #expect(count.isDone)
  }
}
