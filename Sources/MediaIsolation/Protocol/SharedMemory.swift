import CLinux
import Glibc
import MediaCore

/// Memory that two processes see, in slots of one size. Whoever maps it knows that it cannot become smaller.
public final class SharedMemory: @unchecked Sendable {
  /// Where the first slot begins; mapped for as long as somebody refers to this object.
  public let base: UnsafeMutableRawPointer
  /// In bytes.
  public let slotSize: Int
  /// The number of slots.
  public let count: UInt32
  private let size: Int

  private init(_ base: UnsafeMutableRawPointer, slotSize: Int, count: UInt32) {
    self.base = base
    self.slotSize = slotSize
    self.count = count
    size = slotSize * Int(count)
  }

  deinit {
    munmap(base, size)
  }

  /// Rounded up to pages, with room for the next size.
  public static func slotSize(for capacity: Int) throws(MediaError) -> Int {
    guard capacity > 0, capacity <= Wire.largestSlot else {
      throw MediaError(.noMemory, "\(capacity) bytes; a frame of an isolated plugin has up to \(Wire.largestSlot)")
    }
    return (capacity + 65_535) & ~65_535
  }

  /// New memory, sealed, and its descriptor, the caller's to close.
  public static func make(
    slotSize: Int, count: UInt32 = Wire.slotCount, writable: Bool
  ) throws(MediaError) -> (SharedMemory, Int32) {
    let descriptor = msdk_memfd("msdk-frames", UInt64(slotSize) * UInt64(count))
    guard descriptor >= 0 else { throw MediaError(.noMemory, "no memory for an isolated plugin's frames: \(SystemText.of(errno))") }
    do throws(MediaError) {
      return (try map(descriptor, slotSize: slotSize, count: count, writable: writable), descriptor)
    } catch {
      Glibc.close(descriptor)
      throw error
    }
  }

  /// Keeps nothing of the descriptor.
  public static func map(
    _ descriptor: Int32, slotSize: Int, count: UInt32 = Wire.slotCount, writable: Bool
  ) throws(MediaError) -> SharedMemory {
    let protection = writable ? PROT_READ | PROT_WRITE : PROT_READ
    guard slotSize > 0, slotSize <= Wire.largestSlot else { throw MediaError(.noMemory, "a slot of shared memory has \(slotSize) bytes") }
    guard count > 0, count <= Wire.mostSlots else { throw MediaError(.noMemory, "shared memory of \(count) slots") }
    let size = slotSize * Int(count)
    guard let base = mmap(nil, size, protection, MAP_SHARED, descriptor, 0), base != MAP_FAILED
    else { throw MediaError(.noMemory, "shared memory of \(size) bytes could not be mapped: \(SystemText.of(errno))") }
    return SharedMemory(base, slotSize: slotSize, count: count)
  }

  /// Where a slot begins; the index is not checked.
  public func slot(_ index: UInt32) -> UnsafeMutableRawPointer {
    base + Int(index) * slotSize
  }
}
