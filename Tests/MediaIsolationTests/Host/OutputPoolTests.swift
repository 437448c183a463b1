import CMediaSDK
import Glibc
import MediaCore
import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct OutputPoolTests {
  private let format = VideoFormat(.nv12, width: 64, height: 48)

  private func pool(_ generation: UInt32 = 3) throws -> OutputPool {
    let (memory, descriptor) = try SharedMemory.make(slotSize: 65_536, writable: true)
    close(descriptor)
    return OutputPool(memory, generation: generation, events: nil)
  }

  private func picture(_ slot: UInt32, generation: UInt32 = 3) -> VideoFrameHeader {
    var header = VideoFrameHeader()
    (header.generation, header.slot) = (generation, slot)
    header.format = VideoFormatHeader(format.foreign)
    header.offsets = (0, 64 * 48, 0)
    header.strides = (64, 64, 0, 0)
    header.timestamp = 5
    header.flags = UInt32(MSDK_FRAME_END | MSDK_FRAME_WRITABLE)
    return header
  }

  @Test func aSlotIsNamedOnce() throws {
    let pool = try pool()
    let frame = try pool.frame(picture(2))
    #expect(frame.format.width == 64 && frame.native.pointee.timestamp_ns == 5)
    #expect(frame.native.pointee.flags == UInt32(MSDK_FRAME_END))
    #expect(frame.native.pointee.plane.0.data == pool.memory.slot(2).assumingMemoryBound(to: UInt8.self))
    #expect(failure { _ = try pool.frame(picture(2)) }?.text == "it named slot 2, which it was not granted")
    #expect(pool.takeFree() == 0)
    frame.release()
    // Given back, and still not granted before it is said.
    #expect(failure { _ = try pool.frame(picture(2)) }?.status == .corrupt)
    #expect(pool.takeFree() == 4)
    try pool.frame(picture(2)).release()
  }

  @Test func forgedAndStaleOnesAreRefused() throws {
    let pool = try pool()
    for slot in [8, 9, 999, UInt32.max] { #expect(failure { _ = try pool.frame(picture(slot)) }?.status == .corrupt) }
    #expect(failure { _ = try pool.frame(picture(0, generation: 2)) }?.status == .corrupt)
  }

  private func encoded(_ slot: UInt32, size: UInt64, generation: UInt32 = 3) -> EncodedFrameHeader {
    var header = EncodedFrameHeader()
    (header.generation, header.slot, header.size) = (generation, slot, size)
    return header
  }

  @Test func bytesAreReadInTheirSlotAndItComesBack() throws {
    let pool = try pool()
    var seen = 0
    try pool.withBytes(encoded(4, size: 65_536)) { bytes in
      #expect(bytes.baseAddress == UnsafeRawPointer(pool.memory.slot(4)))
      seen = bytes.count
    }
    #expect(seen == 65_536)
    // Not granted again before it is said.
    #expect(failure { try pool.withBytes(encoded(4, size: 1)) { _ in } }?.text == "it named slot 4, which it was not granted")
    #expect(pool.takeFree() == 1 << 4)
    try pool.withBytes(encoded(4, size: 1)) { _ in }
  }

  @Test func forgedBytesAreRefused() throws {
    let pool = try pool()
    for size in [65_537, UInt64(1) << 40, .max] {
      let error = failure { try pool.withBytes(encoded(0, size: size)) { _ in Issue.record("it was read") } }
      #expect(error?.text == "its encoded frame has \(size) bytes, in a slot of 65536")
      _ = pool.takeFree()
    }
    for slot in [8, 999, UInt32.max] { #expect(failure { try pool.withBytes(encoded(slot, size: 1)) { _ in } }?.status == .corrupt) }
    #expect(failure { try pool.withBytes(encoded(0, size: 1, generation: 4)) { _ in } }?.status == .corrupt)
  }

  @Test func planesStayInTheirSlot() throws {
    let pool = try pool()
    func refused(_ change: (inout VideoFrameHeader) -> Void) -> Bool {
      var header = picture(1)
      change(&header)
      let isRefused = failure { try pool.frame(header).release() } != nil
      _ = pool.takeFree()
      return isRefused
    }
    #expect(refused { $0.offsets.1 = 65_536 })
    #expect(refused { $0.offsets.0 = .max })
    #expect(refused { $0.offsets.1 = 65_536 - 100 })
    #expect(refused { $0.strides.0 = 63 })
    #expect(refused { $0.strides.0 = -64 })
    #expect(refused { $0.strides.0 = .max })
    #expect(refused { $0.format.width = 16_385 })
    #expect(refused { $0.format.height = 4_000 })
    #expect(refused { $0.format.pixelFormat = 7 })
    #expect(refused { $0.orientation = 8 })
    #expect(!refused { _ in })
  }

  @Test func framesOutliveThePool() throws {
    var pool: OutputPool? = try pool()
    let frame = try #require(try pool?.frame(picture(0)))
    pool = nil
    frame.native.pointee.plane.0.data[100] = 9
    #expect(frame.native.pointee.plane.0.data[100] == 9)
    frame.release()
  }

  @Test func noiseNeverReachesBeyondASlot() throws {
    let pool = try pool()
    var random = SeededRandom(seed: 11)
    for _ in 0..<20_000 {
      var header = picture(UInt32(truncatingIfNeeded: random.next() >> 60))
      withUnsafeMutableBytes(of: &header) { bytes in
        for _ in 0..<Int(random.next() >> 62) {
          bytes[Int(random.next() >> 33) % bytes.count] = UInt8(truncatingIfNeeded: random.next() >> 40)
        }
      }
      if let frame = try? pool.frame(header) {
        let start = UInt(bitPattern: frame.native.pointee.plane.0.data) - UInt(bitPattern: pool.memory.base)
        #expect(start < 65_536 * 8)
        let plane = frame.native.pointee.plane.0
        #expect(start % 65_536 + UInt(plane.stride) * UInt(frame.format.height - 1) < 65_536)
        frame.release()
      }
      _ = pool.takeFree()
    }
  }
}
