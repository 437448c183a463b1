import Glibc
import Testing

@testable import MediaCore

@Suite struct BufferPoolTests {
  @Test func givesNoMoreThanItsLimit() throws {
    let pool = BufferPool(limit: 2)
    let first = try #require(pool.take(capacity: 100, deadline: 0))
    let second = try #require(pool.take(capacity: 100, deadline: 0))
    #expect(first.memory != second.memory)
    #expect(pool.take(capacity: 1, deadline: 0) == nil)
    pool.takeBack(first)
    let again = try #require(pool.take(capacity: 1, deadline: 0))
    #expect(again.memory == first.memory)
    pool.takeBack(again)
    pool.takeBack(second)
  }

  @Test func memoryIsAlignedAndLargeEnough() throws {
    let pool = BufferPool(limit: 4)
    for capacity in [0, 1, 63, 65, 100_000] {
      let buffer = try #require(pool.take(capacity: capacity, deadline: 0))
      #expect(buffer.capacity >= capacity)
      #expect(UInt(bitPattern: buffer.memory) % 64 == 0)
      buffer.memory?.initializeMemory(as: UInt8.self, repeating: 1, count: capacity)
      pool.takeBack(buffer)
    }
  }

  @Test func aBufferThatIsTooSmallIsReplaced() throws {
    let pool = BufferPool(limit: 1)
    let small = try #require(pool.take(capacity: 10, deadline: 0))
    pool.takeBack(small)
    let large = try #require(pool.take(capacity: 10_000, deadline: 0))
    #expect(large.capacity == 10_000)
    pool.takeBack(large)
    let kept = try #require(pool.take(capacity: 10, deadline: 0))
    #expect(kept.capacity == 10_000)
    pool.takeBack(kept)
  }

  /// The sanitizers end the process when so much is asked for.
  private static let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil

  @Test(.disabled(if: isSanitized))
  func memoryThatCannotBeHadTakesNoPlace() throws {
    let pool = BufferPool(limit: 1)
    #expect(pool.take(capacity: Int.max / 2, deadline: 0) == nil)
    let buffer = try #require(pool.take(capacity: 10, deadline: 0))
    pool.takeBack(buffer)
  }

  @Test func whoeverWaitsIsGivenWhatComesBack() throws {
    let pool = BufferPool(limit: 1)
    let buffer = try #require(pool.take(capacity: 10, deadline: 0))
    let token = UInt(bitPattern: buffer.memory)
    let given = Monitor<UInt?>(nil)
    let waiter = OSThread {
      guard let buffer = pool.take(capacity: 10, deadline: .max) else { return }
      given.withLock { $0 = UInt(bitPattern: buffer.memory) }
      pool.takeBack(buffer)
    }
    pool.takeBack(buffer)
    waiter.join()
    #expect(given.withLock { $0 } == token)
  }

  @Test func framesKeepTheirPoolAlive() throws {
    weak var weakPool: BufferPool?
    let frame: VideoFrame
    do {
      let pool = BufferPool(limit: 1)
      weakPool = pool
      frame = try #require(try VideoFrame.make(VideoFormat(.gray8, width: 4, height: 4), from: pool, deadline: 0))
    }
    #expect(weakPool != nil)
    frame.plane(0).data[0] = 1
    frame.release()
    #expect(weakPool == nil)
  }
}
