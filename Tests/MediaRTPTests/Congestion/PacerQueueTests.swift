import Testing

@testable import MediaRTP

@Suite struct PacerQueueTests {
  @Test func firstInFirstOutAsItGrows() {
    var queue = PacerQueue<Int>()
    var (next, expected, bytes) = (0, 0, 0)
    for round in 0..<300 {
      for _ in 0..<(round % 7) {
        queue.append(PacerQueue.Entry(payload: next, size: next % 10, since: 0))
        bytes += next % 10
        next += 1
      }
      for _ in 0..<(round % 5) {
        guard let entry = queue.removeFirst() else { continue }
        #expect(entry.payload == expected)
        bytes -= entry.size
        expected += 1
      }
      #expect(queue.count == next - expected)
      #expect(queue.bytes == bytes)
      #expect(queue.first?.payload == (queue.count == 0 ? nil : expected))
    }
  }
}
