/// The units of AV1, OBUs (its bitstream specification, section 5.3), in the low-overhead format of section 5.2.
struct AV1Unit {
  static let sequenceHeader: UInt8 = 1
  static let temporalDelimiter: UInt8 = 2
  static let frameHeader: UInt8 = 3
  static let frame: UInt8 = 6
  static let tileList: UInt8 = 8
  static let padding: UInt8 = 15
  /// Of the head: what follows it has its size before it.
  static let hasSize: UInt8 = 2

  /// The first byte, and the second where it has an extension.
  let head: UInt8
  let extensionByte: UInt8?
  let body: Range<Int>

  static func type(_ head: UInt8) -> UInt8 { head >> 3 & 15 }
  static func headSize(_ head: UInt8) -> Int { head & 4 != 0 ? 2 : 1 }

  var type: UInt8 { AV1Unit.type(head) }
  var headSize: Int { extensionByte == nil ? 1 : 2 }
  /// In a packet, where its size is that of the element.
  var elementSize: Int { headSize + body.count }

  /// The unit at an offset, and where the next one is.
  init(in frame: UnsafeRawBufferPointer, at offset: Int) throws(PacketError) {
    var reader = PacketReader(UnsafeRawBufferPointer(rebasing: frame[offset...]))
    head = try reader.u8()
    guard head & 0x80 == 0 else { throw PacketError("AV1: a unit with its forbidden bit") }
    extensionByte = head & 4 != 0 ? try reader.u8() : nil
    let size = head & AV1Unit.hasSize != 0 ? try AV1Unit.readSize(&reader) : reader.count
    guard size <= reader.count else { throw PacketError("AV1: a unit that ends early") }
    let start = frame.count - reader.count
    body = start..<start + size
  }

  /// leb128() of section 4.10.5.
  static func readSize(_ reader: inout PacketReader) throws(PacketError) -> Int {
    var value: UInt64 = 0
    for place in 0..<8 as Range<UInt64> {
      let byte = try reader.u8()
      value |= UInt64(byte & 0x7F) << (7 * place)
      if byte & 0x80 == 0 {
        guard value <= 0xFFFF_FFFF else { break }
        return Int(value)
      }
    }
    throw PacketError("AV1: a size that is none")
  }

  /// The same, written: the bytes, the first is the lowest, and how many there are.
  static func size(_ value: Int) -> (bytes: UInt64, count: Int) {
    var (bytes, count, rest) = (UInt64(value & 0x7F), 1, value >> 7)
    while rest > 0, count < 8 {
      bytes |= 0x80 << UInt64(8 * (count - 1)) | UInt64(rest & 0x7F) << UInt64(8 * count)
      count += 1
      rest >>= 7
    }
    return (bytes, count)
  }

  /// Of a sequence header (section 5.5.1).
  struct Sequence: Equatable {
    var isReduced: Bool
    var width: UInt16
    var height: UInt16

    init?(parsing bytes: UnsafeRawBufferPointer) {
      var bits = BitReader(bytes)
      bits.skip(4)
      isReduced = bits.bit()
      if isReduced {
        bits.skip(5)
      } else {
        Sequence.skipOperatingPoints(&bits)
      }
      let (widthBits, heightBits) = (Int(bits.read(4)) + 1, Int(bits.read(4)) + 1)
      let (width, height) = (bits.read(widthBits) + 1, bits.read(heightBits) + 1)
      guard !bits.isOver, width <= 0xFFFF, height <= 0xFFFF else { return nil }
      (self.width, self.height) = (UInt16(width), UInt16(height))
    }

    private static func skipOperatingPoints(_ bits: inout BitReader) {
      var (hasModel, delay) = (false, 0)
      if bits.bit() {
        bits.skip(64)
        if bits.bit() { _ = bits.unsigned() }
        hasModel = bits.bit()
        if hasModel {
          delay = Int(bits.read(5)) + 1
          bits.skip(42)
        }
      }
      let hasDisplayDelay = bits.bit()
      for _ in 0...bits.read(5) where !bits.isOver {
        bits.skip(12)
        if bits.read(5) > 7 { bits.skip(1) }
        if hasModel, bits.bit() { bits.skip(2 * delay + 1) }
        if hasDisplayDelay, bits.bit() { bits.skip(4) }
      }
    }
  }
}

/// What a frame of AV1 is, by the first of its headers: who has nothing yet can begin with a key frame that has the sequence's header before it.
struct AV1Content {
  private(set) var sequence: AV1Unit.Sequence?
  private var isKey: Bool?

  var isKeyFrame: Bool { isKey == true && sequence != nil }

  /// Is shown a unit's type and what follows its head, or the beginning of that.
  mutating func see(_ type: UInt8, _ body: UnsafeRawBufferPointer) {
    switch type {
    case AV1Unit.sequenceHeader: sequence = AV1Unit.Sequence(parsing: body) ?? sequence
    case AV1Unit.frame, AV1Unit.frameHeader:
      guard isKey == nil else { return }
      var bits = BitReader(body)
      // show_existing_frame, frame_type (section 5.9.2).
      isKey = sequence?.isReduced == true || (!bits.bit() && bits.read(2) == 0 && !bits.isOver)
    default: break
    }
  }
}
