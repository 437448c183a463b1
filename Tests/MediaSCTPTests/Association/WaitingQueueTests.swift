import Testing

@testable import MediaSCTP

@Suite struct WaitingQueueTests {
  @Test func whatComesFirstIsTakenFirst() {
    var queue = WaitingQueue<Int>()
    #expect(queue.take() == nil && queue.next == nil && queue.isEmpty)
    var (given, taken) = (0, 0)
    // Longer and shorter, many times its first memory.
    for round in 0..<200 {
      for _ in 0..<(round * 7 % 40) {
        queue.append(given)
        given += 1
      }
      for _ in 0..<(round * 5 % 37) where !queue.isEmpty {
        #expect(queue.next == taken && queue.count == given - taken)
        #expect(queue.take() == taken)
        taken += 1
      }
    }
    while let next = queue.take() {
      #expect(next == taken)
      taken += 1
    }
    #expect(taken == given)
  }
}
