import Glibc
import MediaCore
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct InputPoolTests {
  private func pool() throws -> InputPool {
    let (memory, descriptor) = try SharedMemory.make(slotSize: 65_536, writable: true)
    close(descriptor)
    return InputPool(memory, generation: 1)
  }

  @Test func eightAreLentAndEachComesBackOnce() throws {
    let pool = try pool()
    let slots = (0..<8).compactMap { _ in pool.take() }
    #expect(Set(slots).count == 8)
    #expect(pool.take() == nil)
    #expect(pool.giveBack(1 << 3))
    #expect(!pool.giveBack(1 << 3))
    #expect(!pool.giveBack(1 << 8))
    #expect(pool.take() == 3)
  }

  /// Of a renderer of several inputs.
  @Test func asManyAreLentAsThereAreSlots() throws {
    let (memory, descriptor) = try SharedMemory.make(slotSize: 65_536, count: Wire.mostSlots, writable: true)
    close(descriptor)
    let pool = InputPool(memory, generation: 1)
    #expect(Set((0..<40).compactMap { _ in pool.take() }) == Set(0..<32))
    #expect(pool.giveBack(1 << 31))
    #expect(!pool.giveBack(1 << 31))
    #expect(pool.take() == 31)
    #expect(throws: MediaError.self) { try SharedMemory.make(slotSize: 65_536, count: 33, writable: true) }
    #expect(throws: MediaError.self) { try SharedMemory.make(slotSize: 65_536, count: 0, writable: true) }
  }

  @Test func picturesAreCopiedWhole() throws {
    let pool = try pool()
    let frame = try VideoFrame.make(VideoFormat(.i420, width: 33, height: 17))
    defer { frame.release() }
    for plane in 0..<3 { memset(frame.plane(plane).data, 10 + Int32(plane), Int(frame.plane(plane).size)) }
    let slot = try #require(pool.take())
    let header = try pool.put(frame, in: slot)
    #expect(header.format.width == 33 && header.strides.0 == 64)
    let back = try VideoFrame.make(frame.format)
    defer { back.release() }
    pool.copy(header, into: back)
    for plane in 0..<3 {
      let last = back.plane(plane).data + Int(back.plane(plane).stride) * (plane == 0 ? 16 : 8) + (plane == 0 ? 32 : 16)
      #expect(last.pointee == 10 + UInt8(plane))
    }
    let large = try VideoFrame.make(VideoFormat(.bgra, width: 400, height: 400))
    defer { large.release() }
    #expect(failure { _ = try pool.put(large, in: slot) }?.status == .noMemory)
  }
}
