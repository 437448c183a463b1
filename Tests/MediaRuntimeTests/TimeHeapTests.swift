import MediaCore
import Testing

@testable import MediaRuntime

@Suite struct TimeHeapTests {
  @Test func givesInOrderOfTimeAndThenOfComing() {
    var random = SeededRandom(seed: 7)
    var heap = TimeHeap<Int>()
    var expected: [(time: Int64, index: Int)] = []
    for index in 0..<500 {
      let time = Int64.random(in: 0..<50, using: &random)
      let isEarliest = expected.allSatisfy { time < $0.time }
      #expect(heap.push(index, at: time) == isEarliest)
      expected.append((time, index))
    }
    expected.sort { ($0.time, $0.index) < ($1.time, $1.index) }
    #expect(heap.count == 500)
    for (time, index) in expected {
      #expect(heap.earliest == time)
      #expect(heap.pop(dueAt: time - 1) == nil)
      #expect(heap.pop(dueAt: time) == index)
    }
    #expect(heap.earliest == nil)
    #expect(heap.pop(dueAt: .max) == nil)
  }

  @Test func staysInOrderWhenPushingAndPoppingAlternate() {
    var random = SeededRandom(seed: 8)
    var heap = TimeHeap<Int64>()
    var last = Int64.min
    var popped = 0
    for _ in 0..<300 {
      // Nothing sooner than what was given already.
      _ = heap.push(max(last, 0) + 5, at: max(last, 0) + 5)
      let time = max(last, 0) + Int64.random(in: 0..<10, using: &random)
      _ = heap.push(time, at: time)
      if let next = heap.pop(dueAt: .max) {
        #expect(next >= last)
        last = next
        popped += 1
      }
    }
    #expect(heap.count == 600 - popped)
  }

  @Test func theEndsOfTimeAreTimes() {
    var heap = TimeHeap<String>()
    let pushed = [heap.push("end", at: .max), heap.push("start", at: .min)]
    #expect(pushed == [true, true])
    #expect(heap.pop(dueAt: 0) == "start")
    #expect(heap.pop(dueAt: .max - 1) == nil)
    #expect(heap.pop(dueAt: .max) == "end")
  }

  @Test func allCanBeTakenAtOnce() {
    var heap = TimeHeap<Int>()
    for index in 0..<5 { _ = heap.push(index, at: Int64(-index)) }
    #expect(Set(heap.removeAll()) == [0, 1, 2, 3, 4])
    #expect(heap.count == 0)
    #expect(heap.earliest == nil)
  }
}
