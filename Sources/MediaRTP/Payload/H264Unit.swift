/// The units that a frame of H.264 is made of (its section 7.3.1), each after a start code in the byte-stream format (Annex B).
enum H264Unit {
  static let slice: UInt8 = 1
  static let idr: UInt8 = 5
  static let parameters: UInt8 = 7
  static let delimiter: UInt8 = 9
  /// Of packets (RFC 6184, section 5.2).
  static let aggregate: UInt8 = 24
  static let fragment: UInt8 = 28
  /// Those that a frame is made of.
  static let single: ClosedRange<UInt8> = 1...23

  static func type(_ head: UInt8) -> UInt8 { head & 31 }

  /// Where the units lie in a frame, without their start codes and the zeros after them; at most so many.
  static func find(in frame: UnsafeRawBufferPointer, most: Int, _ units: inout [Range<Int>]) throws(PacketError) {
    units.removeAll(keepingCapacity: true)
    var start: Int?
    var place = 2
    func end(_ end: Int, from start: Int) throws(PacketError) {
      var end = end
      while end > start, frame[end - 1] == 0 { end -= 1 }
      guard end > start else { throw PacketError("H.264: an empty unit") }
      guard single.contains(type(frame[start])) else { throw PacketError("H.264: a unit of a type that only packets have") }
      guard units.count < most else { throw PacketError("H.264: a frame of too many units") }
      units.append(start..<end)
    }
    while place < frame.count {
      let byte = frame[place]
      if byte > 1 {
        place += 3
      } else if byte == 1, frame[place - 1] == 0, frame[place - 2] == 0 {
        if let start {
          try end(place - 2, from: start)
        } else if place > 2, frame[..<(place - 2)].contains(where: { $0 != 0 }) {
          break
        }
        start = place + 1
        place += 3
      } else {
        place += 1
      }
    }
    guard let start else { throw PacketError("H.264: a frame that does not begin with a start code") }
    try end(frame.count, from: start)
  }

  /// The size that a sequence parameter set says (section 7.3.2.1.1), by what follows its first byte; nil: it says none.
  static func size(_ body: UnsafeRawBufferPointer) -> (width: UInt16, height: UInt16)? {
    withUnsafeTemporaryAllocation(byteCount: 256, alignment: 1) { memory in
      // Without the bytes that keep start codes out of it (section 7.4.1).
      var (count, zeros) = (0, 0)
      for byte in body where count < memory.count {
        if zeros >= 2, byte == 3 {
          zeros = 0
          continue
        }
        zeros = byte == 0 ? zeros + 1 : 0
        memory[count] = byte
        count += 1
      }
      var bits = BitReader(UnsafeRawBufferPointer(rebasing: memory.prefix(count)))
      return size(&bits)
    }
  }

  private static func size(_ bits: inout BitReader) -> (width: UInt16, height: UInt16)? {
    let profile = bits.read(8)
    bits.skip(16)
    _ = bits.unsigned()
    var chroma: UInt32 = 1
    var isPlanar = false
    if [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135].contains(profile) {
      chroma = bits.unsigned()
      if chroma == 3 { isPlanar = bits.bit() }
      _ = (bits.unsigned(), bits.unsigned())
      bits.skip(1)
      if bits.bit() { skipScaling(&bits, lists: chroma == 3 ? 12 : 8) }
    }
    _ = bits.unsigned()
    switch bits.unsigned() {
    case 0: _ = bits.unsigned()
    case 1:
      bits.skip(1)
      _ = (bits.signed(), bits.signed())
      for _ in 0..<min(255, bits.unsigned()) where !bits.isOver { _ = bits.signed() }
    default: break
    }
    _ = bits.unsigned()
    bits.skip(1)
    let (columns, rows) = (UInt64(bits.unsigned()) + 1, UInt64(bits.unsigned()) + 1)
    let isOfFrames = bits.bit()
    if !isOfFrames { bits.skip(1) }
    bits.skip(1)
    var (width, height) = (columns * 16, rows * (isOfFrames ? 16 : 32))
    if bits.bit() {
      let crop = (UInt64(bits.unsigned()) + UInt64(bits.unsigned()), UInt64(bits.unsigned()) + UInt64(bits.unsigned()))
      let (isHalfWide, isHalfHigh) = (!isPlanar && (chroma == 1 || chroma == 2), !isPlanar && chroma == 1)
      let cut = (crop.0 * (isHalfWide ? 2 : 1), crop.1 * (isHalfHigh ? 2 : 1) * (isOfFrames ? 1 : 2))
      guard cut.0 < width, cut.1 < height else { return nil }
      (width, height) = (width - cut.0, height - cut.1)
    }
    guard !bits.isOver, let width = UInt16(exactly: width), let height = UInt16(exactly: height) else { return nil }
    return (width, height)
  }

  private static func skipScaling(_ bits: inout BitReader, lists: Int) {
    for list in 0..<lists where bits.bit() {
      var (last, next): (Int32, Int32) = (8, 8)
      for _ in 0..<(list < 6 ? 16 : 64) where next != 0 && !bits.isOver {
        next = (last &+ bits.signed()) & 255
        if next != 0 { last = next }
      }
    }
  }
}
