import MediaCore
import Testing

@Suite struct SampleRingTests {
  private func write(_ ring: SampleRing, _ values: [Float]) -> Int {
    values.withUnsafeBufferPointer { buffer in buffer.baseAddress.map { ring.write($0, count: buffer.count) } ?? 0 }
  }

  private func read(_ ring: SampleRing, _ count: Int) -> [Float] {
    var all: [Float] = []
    ring.read(count) { pointer, count in all += UnsafeBufferPointer(start: pointer, count: count) }
    return all
  }

  @Test func givesWhatWasWrittenInOrderAcrossTheEdge() {
    let ring = SampleRing(capacity: 7)
    var expected: Float = 0
    var next: Float = 0
    for length in [3, 5, 2, 7, 1, 6, 4] {
      #expect(write(ring, (0..<length).map { next + Float($0) }) == 0)
      next += Float(length)
      #expect(read(ring, length) == (0..<length).map { expected + Float($0) })
      expected += Float(length)
    }
    #expect(ring.count == 0)
  }

  @Test func theOldestMakesRoom() {
    let ring = SampleRing(capacity: 4)
    #expect(write(ring, [1, 2, 3]) == 0)
    #expect(write(ring, [4, 5, 6]) == 2)
    #expect(read(ring, 10) == [3, 4, 5, 6])
  }

  @Test func moreThanItHoldsKeepsTheEnd() {
    let ring = SampleRing(capacity: 3)
    #expect(write(ring, [0]) == 0)
    #expect(write(ring, [1, 2, 3, 4, 5]) == 3)
    #expect(read(ring, 10) == [3, 4, 5])
  }

  @Test func silenceIsZero() {
    let ring = SampleRing(capacity: 4)
    _ = write(ring, [1, 1, 1, 1])
    #expect(read(ring, 3) == [1, 1, 1])
    ring.writeSilence(count: 3)
    #expect(read(ring, 4) == [1, 0, 0, 0])
  }

  @Test func samplesCanBeChangedAndDropped() {
    let ring = SampleRing(capacity: 4)
    _ = write(ring, [0, 0])
    _ = read(ring, 2)
    _ = write(ring, [1, 2, 3, 4])
    ring[2] = 9
    #expect(ring[0] == 1)
    #expect(ring.peak(2) == 2)
    #expect(ring.peak(9) == 9)
    ring.drop(1)
    #expect(read(ring, 4) == [2, 9, 4])
    ring.drop(5)
    #expect(ring.count == 0)
  }
}
