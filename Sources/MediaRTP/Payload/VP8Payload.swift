/// What stands before the bytes of VP8 in each packet (RFC 7741, section 4.2).
public struct VP8Descriptor: Sendable, Equatable {
  /// Of temporal scalability: TID, Y and TL0PICIDX, which go together.
  struct Layer: Sendable, Equatable {
    /// 0..3.
    var temporalID: UInt8
    /// Depends on the base layer only, so that one may go up here.
    var isSync: Bool
    /// Counts the pictures of the base layer; without it layers cannot be told from losses.
    var baseIndex: UInt8?

    init(temporalID: UInt8, isSync: Bool, baseIndex: UInt8?) {
      (self.temporalID, self.isSync, self.baseIndex) = (temporalID, isSync, baseIndex)
    }
  }

  /// N: no other picture is predicted from this one.
  public var isNonReference = false
  /// S: the payload is the beginning of a partition.
  public var isStart = false
  /// PID, of the payload's first byte: 0 is the one of modes and motion, 1 to 8 are coefficients.
  public var partition: UInt8 = 0
  /// 7 or 15 bits, as the sender chose.
  public var pictureID: FrameNumber?
  var layer: Layer?
  /// KEYIDX, 0..31: counts key frames.
  public var keyIndex: UInt8?

  /// Without optional fields, not at the beginning of a partition.
  public init() {}

  /// The most bytes that `write` takes.
  public static let largestSize = 6

  // MARK: Reading

  /// Leaves the reader at the bytes of VP8. Throws where the descriptor ends early.
  public init(parsing reader: inout PacketReader) throws(PacketError) {
    let first = try reader.u8()
    isNonReference = first & 0x20 != 0
    isStart = first & 0x10 != 0
    partition = first & 7
    guard first & 0x80 != 0 else { return }
    let has = try reader.u8()
    if has & 0x80 != 0 {
      let high = try reader.u8()
      pictureID = high & 0x80 == 0 ? .short(high) : .long(UInt16(high & 0x7F) << 8 | UInt16(try reader.u8()))
    }
    let baseIndex = has & 0x40 != 0 ? try reader.u8() : nil
    guard has & 0x30 != 0 else { return }
    let last = try reader.u8()
    if has & 0x20 != 0 { layer = Layer(temporalID: last >> 6, isSync: last & 0x20 != 0, baseIndex: baseIndex) }
    if has & 0x10 != 0 { keyIndex = last & 31 }
  }

  // MARK: Writing

  /// One byte where no optional field is set. Of each value only as many bits are written as its field has.
  public func write(to writer: inout PacketWriter) {
    let isExtended = pictureID != nil || layer != nil || keyIndex != nil
    writer.u8((isExtended ? 0x80 : 0) | (isNonReference ? 0x20 : 0) | (isStart ? 0x10 : 0) | partition & 7)
    guard isExtended else { return }
    writer.u8(
      (pictureID != nil ? 0x80 : 0) | (layer?.baseIndex != nil ? 0x40 : 0) | (layer != nil ? 0x20 : 0) | (keyIndex != nil ? 0x10 : 0))
    switch pictureID {
    case .short(let value): writer.u8(value & 0x7F)
    case .long(let value): writer.u16(0x8000 | value & 0x7FFF)
    case nil: break
    }
    if let baseIndex = layer?.baseIndex { writer.u8(baseIndex) }
    if layer != nil || keyIndex != nil {
      writer.u8((layer?.temporalID ?? 0) << 6 | (layer?.isSync == true ? 0x20 : 0) | (keyIndex ?? 0) & 31)
    }
  }

  /// Bytes that `write` takes: 1 to `largestSize`.
  public var size: Int {
    guard pictureID != nil || layer != nil || keyIndex != nil else { return 1 }
    let number =
      switch pictureID {
      case .short: 1
      case .long: 2
      case nil: 0
      }
    return 2 + number + (layer?.baseIndex != nil ? 1 : 0) + (layer != nil || keyIndex != nil ? 1 : 0)
  }
}

/// FrameID: counts a stream's pictures, from a random beginning (RFC 7741, section 4.2).
public enum FrameNumber: Sendable, Equatable {
  case short(UInt8)
  case long(UInt16)

  /// From another to this one, by the shorter way; nil when they do not count in the same width.
  public func distance(from other: FrameNumber) -> Int? {
    switch (self, other) {
    case (.short(let value), .short(let other)): Int(Int8(bitPattern: (value &- other) << 1) >> 1)
    case (.long(let value), .long(let other)): Int(Int16(bitPattern: (value &- other) << 1) >> 1)
    default: nil
    }
  }
}
