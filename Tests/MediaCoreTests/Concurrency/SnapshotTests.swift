import Testing

@testable import MediaCore

/// Counts those of it that are alive.
private final class Counted: Sendable {
  let number: Int
  let check: Int
  private let alive: Monitor<Int>

  init(_ number: Int, _ alive: Monitor<Int>) {
    (self.number, self.alive) = (number, alive)
    check = number &* 7
    alive.withLock { $0 += 1 }
  }

  deinit {
    alive.withLock { $0 -= 1 }
  }
}

@Suite struct SnapshotTests {
  private let alive = Monitor(0)

  private var count: Int { alive.withLock { $0 } }

  @Test func theNewestIsReadAndTheFormerIsGone() {
    do {
      let snapshot = Snapshot(Counted(1, alive))
      #expect(snapshot.read { $0.number } == 1)
      snapshot.replace(with: Counted(2, alive))
      #expect(snapshot.read { $0.number } == 2)
      #expect(count == 1)
    }
    #expect(count == 0)
  }

  @Test func whatIsReadLivesUntilItsReaderLeaves() {
    let snapshot = Snapshot(Counted(1, alive))
    snapshot.read { first in
      snapshot.replace(with: Counted(2, alive))
      // A reader inside finds the new one, and their leaving ends nothing that the outer one has.
      #expect(snapshot.read { $0.number } == 2)
      snapshot.replace(with: Counted(3, alive))
      #expect(first.number == 1 && first.check == 7)
      #expect(count == 3)
    }
    #expect(count == 1)
    #expect(snapshot.read { $0.number } == 3)
  }

  @Test func whoReplacesDoesNotWaitForReaders() {
    let snapshot = Snapshot(Counted(1, alive))
    let visit = Visit()
    let reader = OSThread { snapshot.read { _ in visit.stay() } }
    visit.waitUntilInside()
    for number in 2...5 { snapshot.replace(with: Counted(number, alive)) }
    #expect(count == 5)
    #expect(snapshot.read { $0.number } == 5)
    visit.end()
    reader.join()
    #expect(count == 1)
  }

  @Test func manyReadWhileItIsReplaced() {
    let snapshot = Snapshot(Counted(0, alive))
    let isOver = Monitor(false)
    let readers = (0..<3).map { _ in
      OSThread {
        var last = 0
        while !isOver.withLock({ $0 }) {
          snapshot.read { value in
            #expect(value.check == value.number &* 7)
            #expect(value.number >= last)
            last = value.number
          }
        }
      }
    }
    for number in 1...20_000 { snapshot.replace(with: Counted(number, alive)) }
    isOver.withLock { $0 = true }
    for reader in readers { reader.join() }
    #expect(count == 1)
  }
}
