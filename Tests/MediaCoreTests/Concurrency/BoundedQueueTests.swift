import Testing

@testable import MediaCore

@Suite struct BoundedQueueTests {
  @Test func keepsTheOrderAcrossTheEndOfTheRing() {
    var queue = BoundedQueue<Int>(capacity: 3)
    var expected: [Int] = []
    var taken: [Int] = []
    for round in 0..<10 {
      #expect(queue.push(2 * round) == nil)
      #expect(queue.push(2 * round + 1) == nil)
      expected += [2 * round, 2 * round + 1]
      #expect(queue.first == 2 * round)
      while let next = queue.pop() { taken.append(next) }
    }
    #expect(taken == expected)
  }

  @Test func aFullOneGivesBackTheOldest() {
    var queue = BoundedQueue<Int>(capacity: 2)
    #expect(queue.push(1) == nil)
    #expect(!queue.isFull)
    #expect(queue.push(2) == nil)
    #expect(queue.isFull)
    #expect(queue.push(3) == 1)
    #expect(queue.count == 2)
    #expect(queue.pop() == 2)
    #expect(queue.pop() == 3)
    #expect(queue.pop() == nil)
    #expect(queue.isEmpty)
    #expect(queue.first == nil)
  }

  /// However little memory it has at first, it does what one with all its memory does.
  @Test(arguments: [1, 2, 3, 7, 20, 100], [-1, 1, 2, 5, 16, 200]) func whatGrowsIsTheSame(capacity: Int, initially: Int) {
    var grows = BoundedQueue<Int>(capacity: capacity, initially: initially)
    var whole = BoundedQueue<Int>(capacity: capacity)
    // Pushes and pops in changing proportions, so that it grows with its head at any place.
    for step in 0..<2000 {
      if step % 7 < 2 + step / 500 { #expect(grows.pop() == whole.pop()) }
      #expect(grows.push(step) == whole.push(step))
      if step % 5 == 0 { #expect(grows.pop() == whole.pop()) }
      #expect((grows.count, grows.first) == (whole.count, whole.first) && grows.isFull == whole.isFull)
    }
    #expect(grows.capacity == capacity && grows.takeAll() == whole.takeAll())
  }

  @Test(arguments: [0, -5])
  func aCapacityOfNothingIsOne(capacity: Int) {
    var queue = BoundedQueue<Int>(capacity: capacity)
    #expect(queue.capacity == 1)
    #expect(queue.push(1) == nil)
    #expect(queue.push(2) == 1)
    #expect(queue.count == 1)
  }

  @Test func keepsNothingThatWasTaken() {
    final class Thing {}
    var queue = BoundedQueue<Thing>(capacity: 2)
    weak var weakThing: Thing?
    do {
      let thing = Thing()
      weakThing = thing
      #expect(queue.push(thing) == nil)
    }
    #expect(weakThing != nil)
    #expect(queue.pop() != nil)
    #expect(weakThing == nil)
  }
}

@Suite struct BoundedQueueLeastTests {
  @Test func isTheLeastOfThoseThatAreHere() {
    var queue = BoundedQueue<Int>(capacity: 3)
    #expect(queue.least == nil)
    for value in [1, 5, 4, 7] { _ = queue.push(value) }
    #expect(queue.least == 4)
    _ = queue.pop()
    _ = queue.pop()
    #expect(queue.least == 7)
  }
}
