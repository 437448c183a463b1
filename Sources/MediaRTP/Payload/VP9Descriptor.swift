/// What stands before the bytes of VP9 in each packet (RFC 9628, section 4.2).
struct VP9Descriptor: Sendable, Equatable {
  /// Of temporal and spatial scalability.
  struct Layer: Sendable, Equatable {
    /// TID and SID, 0..7.
    var temporalID: UInt8
    var spatialID: UInt8
    /// U: nothing later of an upper temporal layer depends on what was before it.
    var isSwitch: Bool
    /// D: predicted from the layer below, of the same picture.
    var isInterLayer: Bool
    /// TL0PICIDX, where references are not said one by one.
    var baseIndex: UInt8?

    init(temporalID: UInt8, spatialID: UInt8, isSwitch: Bool, isInterLayer: Bool, baseIndex: UInt8?) {
      (self.temporalID, self.spatialID, self.isSwitch) = (temporalID, spatialID, isSwitch)
      (self.isInterLayer, self.baseIndex) = (isInterLayer, baseIndex)
    }
  }

  var pictureID: FrameNumber?
  /// P: predicted from other pictures.
  var isPredicted = false
  var layer: Layer?
  /// F: which pictures it is predicted from is said in each, by how many it is later: at most three.
  var isFlexible = false
  private(set) var references: (UInt8, UInt8, UInt8) = (0, 0, 0)
  /// B, E: the first and last payload of a layer's frame.
  var isStart = false
  var isEnd = false
  /// Z: no spatial layer above is predicted from it.
  var isNotReferenceForUpper = false
  /// V, of the largest spatial layer, where it is said; read, and not written.
  private(set) var size: (width: UInt16, height: UInt16)?

  init() {}

  static func == (one: VP9Descriptor, other: VP9Descriptor) -> Bool {
    one.pictureID == other.pictureID && one.isPredicted == other.isPredicted && one.layer == other.layer
      && one.isFlexible == other.isFlexible && one.references == other.references && one.isStart == other.isStart
      && one.isEnd == other.isEnd && one.isNotReferenceForUpper == other.isNotReferenceForUpper
  }

  /// Of one that `write` makes.
  static let largestSize = 9

  init(parsing reader: inout PacketReader) throws(PacketError) {
    let first = try reader.u8()
    (isPredicted, isFlexible) = (first & 0x40 != 0, first & 0x10 != 0)
    (isStart, isEnd, isNotReferenceForUpper) = (first & 8 != 0, first & 4 != 0, first & 1 != 0)
    if first & 0x80 != 0 {
      let high = try reader.u8()
      pictureID = high & 0x80 == 0 ? .short(high) : .long(UInt16(high & 0x7F) << 8 | UInt16(try reader.u8()))
    }
    if first & 0x20 != 0 {
      let layers = try reader.u8()
      layer = Layer(
        temporalID: layers >> 5, spatialID: layers >> 1 & 7, isSwitch: layers & 0x10 != 0, isInterLayer: layers & 1 != 0,
        baseIndex: isFlexible ? nil : try reader.u8())
    }
    if isFlexible, isPredicted { try readReferences(&reader) }
    if first & 2 != 0 { try readStructure(&reader) }
  }

  private mutating func readReferences(_ reader: inout PacketReader) throws(PacketError) {
    for place in 0..<3 {
      let byte = try reader.u8()
      guard byte >> 1 > 0 else { throw PacketError("VP9: a frame that is predicted from itself") }
      switch place {
      case 0: references.0 = byte >> 1
      case 1: references.1 = byte >> 1
      default: references.2 = byte >> 1
      }
      if byte & 1 == 0 { return }
    }
    throw PacketError("VP9: more than three references")
  }

  /// The scalability structure (section 4.2.1), of which only the size is kept.
  private mutating func readStructure(_ reader: inout PacketReader) throws(PacketError) {
    let head = try reader.u8()
    if head & 0x10 != 0 {
      for _ in 0...Int(head >> 5) { size = (try reader.u16(), try reader.u16()) }
    }
    guard head & 8 != 0 else { return }
    for _ in 0..<(try reader.u8()) { _ = try reader.bytes(Int(try reader.u8() >> 2 & 3)) }
  }

  func write(to writer: inout PacketWriter) {
    writer.u8(
      (pictureID != nil ? 0x80 : 0) | (isPredicted ? 0x40 : 0) | (layer != nil ? 0x20 : 0) | (isFlexible ? 0x10 : 0)
        | (isStart ? 8 : 0) | (isEnd ? 4 : 0) | (isNotReferenceForUpper ? 1 : 0))
    switch pictureID {
    case .short(let value): writer.u8(value & 0x7F)
    case .long(let value): writer.u16(0x8000 | value & 0x7FFF)
    case nil: break
    }
    if let layer {
      writer.u8(
        layer.temporalID << 5 | (layer.isSwitch ? 0x10 : 0) | (layer.spatialID & 7) << 1 | (layer.isInterLayer ? 1 : 0))
      if !isFlexible { writer.u8(layer.baseIndex ?? 0) }
    }
    guard isFlexible, isPredicted else { return }
    writer.u8(references.0 << 1 | (references.1 > 0 ? 1 : 0))
    if references.1 > 0 { writer.u8(references.1 << 1 | (references.2 > 0 ? 1 : 0)) }
    if references.1 > 0, references.2 > 0 { writer.u8(references.2 << 1) }
  }
}

/// The beginning of a frame of VP9 (its bitstream specification, section 6.2), as far as it says what the frame is.
struct VP9FrameHeader: Sendable, Equatable {
  let isKeyFrame: Bool
  /// It changes none of the frames that others are predicted from.
  let isDroppable: Bool
  /// Of a key frame.
  let width: UInt16
  let height: UInt16

  init(parsing bytes: UnsafeRawBufferPointer) throws(PacketError) {
    var bits = BitReader(bytes)
    guard bits.read(2) == 2 else { throw PacketError("VP9: a frame without its marker") }
    let profile = bits.read(1) | bits.read(1) << 1
    if profile == 3 { bits.skip(1) }
    // Of an earlier frame that is only shown nothing follows.
    if bits.bit() {
      (isKeyFrame, isDroppable, width, height) = (false, false, 0, 0)
      return
    }
    isKeyFrame = !bits.bit()
    let (isShown, isResilient) = (bits.bit(), bits.bit())
    guard isKeyFrame else {
      let isIntra = !isShown && bits.bit()
      if !isResilient { bits.skip(2) }
      let refreshed = bits.read(8)
      (isDroppable, width, height) = (!isIntra && !bits.isOver && refreshed == 0, 0, 0)
      return
    }
    guard bits.read(24) == 0x498342 else { throw PacketError("VP9: a key frame without its start code") }
    if profile >= 2 { bits.skip(1) }
    let isRGB = bits.read(3) == 7
    // The range, and how chroma is sampled where the profile leaves that open.
    if isRGB { bits.skip(profile & 1 == 1 ? 1 : 0) } else { bits.skip(profile & 1 == 1 ? 4 : 1) }
    let (width, height) = (bits.read(16) + 1, bits.read(16) + 1)
    guard !bits.isOver, width <= 0xFFFF, height <= 0xFFFF else { throw PacketError("VP9: a key frame that ends early, or is too large") }
    (isDroppable, self.width, self.height) = (false, UInt16(width), UInt16(height))
  }
}
