/// An input, taken apart from its front: numbers, and pieces of bytes. At its end everything is 0 and empty.
struct Input {
  private(set) var rest: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    rest = bytes
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func byte() -> UInt8 {
    guard let first = rest.first else { return 0 }
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst())
    return first
  }

  mutating func number(below end: Int) -> Int { Int(byte()) % max(1, end) }
  mutating func u16() -> UInt16 { UInt16(byte()) << 8 | UInt16(byte()) }
  mutating func u32() -> UInt32 { UInt32(u16()) << 16 | UInt32(u16()) }

  /// So many bytes, or what there is.
  mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
    return piece
  }

  /// Behind its length in two bytes.
  mutating func piece() -> UnsafeRawBufferPointer { take(Int(u16())) }

  var text: String { String(decoding: rest, as: UTF8.self) }
}
