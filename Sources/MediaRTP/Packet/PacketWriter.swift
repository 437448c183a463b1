/// Writes a packet into memory of the caller's, numbers in network byte order. What finds no room is left out and remembered: a writer that
/// `isFull` has written nothing of use.
public struct PacketWriter {
  private let memory: UnsafeMutableRawBufferPointer
  /// Bytes written so far.
  public private(set) var count = 0
  /// Something found no room. From then on nothing is written.
  public private(set) var isFull = false

  /// The memory must outlive the writer.
  public init(_ memory: UnsafeMutableRawBufferPointer) {
    self.memory = memory
  }

  /// Bytes that there is room for.
  public var room: Int { memory.count - count }
  /// What was written.
  public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory.prefix(count)) }

  @inline(__always)
  private mutating func integer<T: FixedWidthInteger>(_ value: T) {
    guard !isFull, room >= MemoryLayout<T>.size else {
      isFull = true
      return
    }
    memory.storeBytes(of: value.bigEndian, toByteOffset: count, as: T.self)
    count += MemoryLayout<T>.size
  }

  /// One byte, or `isFull` where there is no room.
  public mutating func u8(_ value: UInt8) { integer(value) }
  /// Two bytes in network byte order, or `isFull` where there is no room.
  public mutating func u16(_ value: UInt16) { integer(value) }
  /// Four bytes in network byte order, or `isFull` where there is no room.
  public mutating func u32(_ value: UInt32) { integer(value) }
  /// Eight bytes in network byte order, or `isFull` where there is no room.
  public mutating func u64(_ value: UInt64) { integer(value) }

  /// The low 24 bits.
  public mutating func u24(_ value: UInt32) {
    u8(UInt8(truncatingIfNeeded: value >> 16))
    u16(UInt16(truncatingIfNeeded: value))
  }

  /// All of them, or none and `isFull` where there is no room.
  public mutating func bytes(_ bytes: UnsafeRawBufferPointer) {
    guard !isFull, room >= bytes.count else {
      isFull = true
      return
    }
    guard let source = bytes.baseAddress, let target = memory.baseAddress else { return }
    (target + count).copyMemory(from: source, byteCount: bytes.count)
    count += bytes.count
  }

  mutating func zeros(_ number: Int) {
    for _ in 0..<max(0, number) { u8(0) }
  }

  /// Overwrites what was written before, such as a length that was not known then.
  public mutating func u16(_ value: UInt16, at offset: Int) {
    guard offset >= 0, offset + 2 <= count else { return }
    memory.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt16.self)
  }

  mutating func u8(_ value: UInt8, at offset: Int) {
    guard offset >= 0, offset < count else { return }
    memory[offset] = value
  }
}
