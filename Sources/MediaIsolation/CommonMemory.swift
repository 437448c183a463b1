import CLinux
import Glibc
import MediaCore

/// Memory that two processes see, in slots of one size. Whoever maps it knows that it cannot become smaller.
final class CommonMemory: @unchecked Sendable {
  let base: UnsafeMutableRawPointer
  let slotSize: Int
  private let size: Int

  private init(_ base: UnsafeMutableRawPointer, slotSize: Int) {
    self.base = base
    self.slotSize = slotSize
    size = slotSize * Int(Wire.slotCount)
  }

  deinit {
    munmap(base, size)
  }

  /// Rounded up to pages, with room for the next size.
  static func slotSize(for capacity: Int) throws(MediaError) -> Int {
    guard capacity > 0, capacity <= Wire.largestSlot else {
      throw MediaError(.noMemory, "\(capacity) bytes; a frame of an isolated plugin has up to \(Wire.largestSlot)")
    }
    return (capacity + 65_535) & ~65_535
  }

  /// New memory, sealed, and its descriptor, the caller's to close.
  static func make(slotSize: Int, writable: Bool) throws(MediaError) -> (CommonMemory, Int32) {
    let descriptor = msdk_memfd("msdk-frames", UInt64(slotSize) * UInt64(Wire.slotCount))
    guard descriptor >= 0 else { throw MediaError(.noMemory, "no memory for an isolated plugin's frames: \(SystemText.of(errno))") }
    do throws(MediaError) {
      return (try map(descriptor, slotSize: slotSize, writable: writable), descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Keeps nothing of the descriptor.
  static func map(_ descriptor: Int32, slotSize: Int, writable: Bool) throws(MediaError) -> CommonMemory {
    let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
    guard slotSize > 0, slotSize <= Wire.largestSlot else { throw MediaError(.noMemory, "a slot of common memory has \(slotSize) bytes") }
    let size = slotSize * Int(Wire.slotCount)
    guard let base = mmap(nil, size, protection, MAP_SHARED, descriptor, 0), base != MAP_FAILED
    else { throw MediaError(.noMemory, "common memory of \(size) bytes could not be mapped: \(SystemText.of(errno))") }
    return CommonMemory(base, slotSize: slotSize)
  }

  func slot(_ index: UInt32) -> UnsafeMutableRawPointer {
    base + Int(index) * slotSize
  }
}
