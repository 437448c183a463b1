/// Reads a packet from its front, numbers in network byte order, and never beyond its end. Borrows the bytes.
public struct PacketReader {
  /// The bytes that were not read yet, borrowed.
  public private(set) var rest: UnsafeRawBufferPointer

  /// The bytes must outlive the reader.
  public init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  /// How many bytes were not read yet.
  public var count: Int { rest.count }
  /// All bytes were read.
  public var isAtEnd: Bool { rest.isEmpty }

  static let short = PacketError("ends early")

  @inline(__always)
  private mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws(PacketError) -> T {
    guard rest.count >= MemoryLayout<T>.size else { throw PacketReader.short }
    let value = T(bigEndian: rest.loadUnaligned(as: T.self))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(MemoryLayout<T>.size))
    return value
  }

  /// Throws where no byte is left.
  public mutating func u8() throws(PacketError) -> UInt8 { try integer(UInt8.self) }
  /// In network byte order. Throws, and reads nothing, where fewer than 2 bytes are left.
  public mutating func u16() throws(PacketError) -> UInt16 { try integer(UInt16.self) }
  /// In network byte order. Throws, and reads nothing, where fewer than 4 bytes are left.
  public mutating func u32() throws(PacketError) -> UInt32 { try integer(UInt32.self) }
  /// In network byte order. Throws, and reads nothing, where fewer than 8 bytes are left.
  public mutating func u64() throws(PacketError) -> UInt64 { try integer(UInt64.self) }

  mutating func u24() throws(PacketError) -> UInt32 {
    let high = UInt32(try u8()) << 16
    return high | UInt32(try u16())
  }

  /// Borrowed from the packet.
  public mutating func bytes(_ count: Int) throws(PacketError) -> UnsafeRawBufferPointer {
    guard count >= 0, rest.count >= count else { throw PacketReader.short }
    defer { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }
    return UnsafeRawBufferPointer(rebasing: rest.prefix(count))
  }

  /// What comes next, without taking it.
  public func peek(at offset: Int = 0) -> UInt8? {
    offset >= 0 && offset < rest.count ? rest[offset] : nil
  }
}
