import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct RenderQueueTests {
  private let queue = RenderQueue()
  /// 200 ms are 1600 samples.
  private let format = testSound(.s16, rate: 8000, channels: 1)

  private func write(_ samples: some Sequence<Int16>) {
    Array(samples).withUnsafeBytes { queue.write($0) }
  }

  private func read(_ count: Int) -> (samples: [Int16], count: Int?) {
    var samples = [Int16](repeating: -1, count: count + 1)
    let taken = samples.withUnsafeMutableBytes { bytes in bytes.baseAddress.flatMap { queue.read(into: $0, sampleCount: count) } }
    #expect(samples[count] == -1, "it wrote past the end")
    return (Array(samples.prefix(count)), taken)
  }

  @Test func isClosedBeforeItIsOpenedAndAfter() throws {
    #expect(read(3).count == nil)
    try queue.open(format)
    write([1])
    queue.close()
    let closed = read(3)
    #expect(closed.count == nil && closed.samples == [-1, -1, -1])
    write([2])
    #expect(queue.waitingMilliseconds == 0)
    try queue.open(format)
    #expect(read(1).count == 0)
  }

  @Test func whatIsMissingIsSilence() throws {
    try queue.open(format)
    write([1, 2, 3])
    #expect(read(2).samples == [1, 2])
    let rest = read(4)
    #expect(rest.samples == [3, 0, 0, 0] && rest.count == 1)
    #expect(read(0).count == 0)
  }

  @Test func keepsItsOrderAroundTheEnd() throws {
    try queue.open(format)
    var next: Int16 = 0
    var expected: Int16 = 0
    for length in [700, 33, 1500, 900, 1, 1600, 450] {
      write((0..<Int16(length)).map { next &+ $0 })
      next &+= Int16(length)
      let result = read(length)
      #expect(result.count == length)
      #expect(result.samples == (0..<Int16(length)).map { expected &+ $0 })
      expected &+= Int16(length)
    }
  }

  @Test func theOldestMakesRoom() throws {
    try queue.open(format)
    write(0..<1000)
    write(1000..<2000)
    #expect(queue.waitingMilliseconds == 200)
    #expect(read(1600).samples == Array(400..<2000))
    write(0..<5000)
    let longest = read(1600)
    #expect(longest.samples == Array(3400..<5000) && longest.count == 1600)
  }

  @Test func anotherFormatBeginsEmpty() throws {
    try queue.open(format)
    write(0..<100)
    try queue.open(testSound(.f32, rate: 192_000, channels: 2))
    var samples = [Float](repeating: -1, count: 2)
    #expect(queue.read(into: &samples, sampleCount: 1) == 0)
    #expect(samples == [0, 0])
    let sound = [Float](repeating: 1, count: 2 * 38_400)
    sound.withUnsafeBytes { queue.write($0) }
    #expect(queue.waitingMilliseconds == 200)
  }

  @Test func twoThreadsLoseNothing() throws {
    try queue.open(testSound(.s16, rate: 192_000, channels: 1))
    let sum = Monitor(0)
    let total = 20_000
    let isDone = Monitor(false)
    let reader = OSThread { [queue] in
      var samples = [Int16](repeating: 0, count: 128)
      while true {
        let wasDone = isDone.withLock { $0 }
        let count = queue.read(into: &samples, sampleCount: 128) ?? 0
        sum.withLock { $0 += samples.reduce(0) { $0 + Int($1) } }
        if wasDone, count == 0 { return }
      }
    }
    // Less than the queue holds, so that nothing is displaced however slow the reader is.
    for _ in 0..<(total / 100) { write(repeatElement(1, count: 100)) }
    isDone.withLock { $0 = true }
    reader.join()
    #expect(sum.withLock { $0 } == total)
  }
}
