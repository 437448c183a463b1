import CLinux
import Glibc
import MediaCore
import Testing

@testable import IsolationProtocol

@Suite struct SharedMemoryTests {
  @Test func nobodyMakesItSmaller() throws {
    let (memory, descriptor) = try SharedMemory.make(slotSize: 65_536, writable: true)
    defer { close(descriptor) }
    #expect(ftruncate(descriptor, 0) != 0)
    #expect(ftruncate(descriptor, 1 << 30) != 0)
    memory.slot(7).storeBytes(of: 7, as: UInt8.self)
    let other = try SharedMemory.map(descriptor, slotSize: 65_536, writable: false)
    #expect(other.slot(7).load(as: UInt8.self) == 7)
  }

  @Test func sizesAreBounded() throws {
    #expect(try SharedMemory.slotSize(for: 1) == 65_536)
    #expect(try SharedMemory.slotSize(for: 65_537) == 131_072)
    #expect(failure { _ = try SharedMemory.slotSize(for: 0) }?.status == .noMemory)
    #expect(failure { _ = try SharedMemory.slotSize(for: Wire.largestSlot + 1) }?.status == .noMemory)
    #expect(failure { _ = try SharedMemory.slotSize(for: .max) }?.status == .noMemory)
    #expect(failure { _ = try SharedMemory.map(-1, slotSize: 65_536, writable: true) }?.status == .noMemory)
  }
}
