/// Reads the headers of frames bit by bit, and never beyond their end: what lies there reads as 0, and is remembered.
struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private(set) var isOver = false

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func bit() -> Bool { read(1) == 1 }

  /// At most 32.
  mutating func read(_ count: Int) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      let place = position >> 3
      guard place < bytes.count else {
        isOver = true
        return 0
      }
      value = value << 1 | UInt32(bytes[place] >> UInt8(7 - position & 7) & 1)
      position += 1
    }
    return value
  }

  mutating func skip(_ count: Int) {
    position += max(0, count)
    if position > bytes.count * 8 { isOver = true }
  }

  /// ue(v) of H.264, section 9.1, which is uvlc() of AV1, section 4.10.3: at most 31 bits.
  mutating func unsigned() -> UInt32 {
    var zeros = 0
    while !bit() {
      zeros += 1
      guard zeros < 32, !isOver else {
        isOver = true
        return 0
      }
    }
    return zeros == 0 ? 0 : (1 << UInt32(zeros) &- 1) &+ read(zeros)
  }

  /// se(v), section 9.1.1.
  mutating func signed() -> Int32 {
    let code = Int64(unsigned())
    return Int32(clamping: code & 1 == 1 ? (code + 1) / 2 : -code / 2)
  }
}
