/// AV1 in packets (RTP Payload Format For AV1, of the Alliance for Open Media): OBUs without their sizes, of which the first and last of a packet may be
/// parts. A frame is a temporal unit in the low-overhead format, whose delimiter is not sent and stands in what is received.
struct AV1Format: PayloadFormat {
  init() {}

  var codec: UInt32 { 0x3130_5641 }
  var name: String { "AV1" }
  func makePacketizer() -> any FramePacketizer { AV1Packetizer() }
  func makeAssembler() -> any FrameAssembler { AV1Assembler() }
}

extension RTPEncoding {
  /// Temporal units of AV1, by the payload format of the Alliance for Open Media.
  public static var av1: RTPEncoding { .media(AV1Format()) }
}

/// The first byte of a payload (section 4.4).
private enum Aggregation {
  /// Z and Y: the first element goes on with one of the packet before it, the last is gone on with.
  static let continues: UInt8 = 0x80
  static let isContinued: UInt8 = 0x40
  /// N: of the first packet of a coded video sequence.
  static let begins: UInt8 = 0x08
  /// W: how many elements there are, of which the last has no size; 0: each has one.
  static func count(_ head: UInt8) -> Int { Int(head >> 4 & 3) }
}

private final class AV1Packetizer: FramePacketizer {
  /// Bytes of a unit, its head included.
  private struct Element {
    let unit: Int
    let bytes: Range<Int>
  }

  private struct Payload {
    var elements: Range<Int>
    var size: Int
  }

  private var frame = UnsafeRawBufferPointer(start: nil, count: 0)
  private var units: [AV1Unit] = []
  private var elements: [Element] = []
  private var payloads: [Payload] = []
  private var next = 0
  private var isKeyFrame = false
  private static let mostUnits = 1024
  private static let limits = 16...16_000

  func begin(_ frame: UnsafeRawBufferPointer, number: UInt16, isDroppable: Bool, limit: Int) throws(PacketError) -> PacketizedFrame {
    guard limit >= AV1Packetizer.limits.lowerBound else { throw PacketError("AV1: no room for a payload") }
    (self.frame, next) = (frame, 0)
    try find()
    elements.removeAll(keepingCapacity: true)
    payloads.removeAll(keepingCapacity: true)
    let limit = min(limit, AV1Packetizer.limits.upperBound)
    for (index, unit) in units.enumerated() { divide(unit, index, limit) }
    return PacketizedFrame(packets: payloads.count, bytes: payloads.reduce(0) { $0 + $1.size }, isKeyFrame: isKeyFrame)
  }

  /// Those that are sent (section 5).
  private func find() throws(PacketError) {
    units.removeAll(keepingCapacity: true)
    var content = AV1Content()
    var offset = 0
    while offset < frame.count {
      let unit = try AV1Unit(in: frame, at: offset)
      offset = unit.body.upperBound
      if [AV1Unit.temporalDelimiter, AV1Unit.tileList, AV1Unit.padding].contains(unit.type) { continue }
      guard units.count < AV1Packetizer.mostUnits else { throw PacketError("AV1: a frame of too many units") }
      units.append(unit)
      content.see(unit.type, UnsafeRawBufferPointer(rebasing: frame[unit.body]))
    }
    guard !units.isEmpty else { throw PacketError("AV1: an empty frame") }
    isKeyFrame = content.isKeyFrame
  }

  private func divide(_ unit: AV1Unit, _ index: Int, _ limit: Int) {
    var offset = 0
    while offset < unit.elementSize {
      let left = unit.elementSize - offset
      var room = limit - (payloads.last?.size ?? limit)
      // A size of two bytes and one of the unit, at the least; after a part nothing follows.
      if room < 3 || offset > 0 {
        payloads.append(Payload(elements: elements.count..<elements.count, size: 1))
        room = limit - 1
      }
      let (sizeBytes, last) = (AV1Unit.size(min(left, room)).count, payloads.count - 1)
      let part = min(left, room - sizeBytes)
      elements.append(Element(unit: index, bytes: offset..<offset + part))
      payloads[last].elements = payloads[last].elements.lowerBound..<elements.count
      payloads[last].size += sizeBytes + part
      offset += part
    }
  }

  func writeNext(to writer: inout PacketWriter) -> Bool {
    guard next < payloads.count else { return false }
    let range = payloads[next].elements
    let (first, last) = (elements[range.lowerBound], elements[range.upperBound - 1])
    let isAlone = range.count == 1
    writer.u8(
      (first.bytes.lowerBound > 0 ? Aggregation.continues : 0)
        | (last.bytes.upperBound < units[last.unit].elementSize ? Aggregation.isContinued : 0)
        | (isAlone ? 1 << 4 : 0) | (isKeyFrame && next == 0 ? Aggregation.begins : 0))
    for element in elements[range] {
      if !isAlone {
        let size = AV1Unit.size(element.bytes.count)
        for place in 0..<size.count { writer.u8(UInt8(truncatingIfNeeded: size.bytes >> UInt64(8 * place))) }
      }
      write(element, to: &writer)
    }
    next += 1
    return true
  }

  private func write(_ element: Element, to writer: inout PacketWriter) {
    let unit = units[element.unit]
    var start = element.bytes.lowerBound
    if start == 0 {
      writer.u8(unit.head & ~AV1Unit.hasSize)
      start = 1
    }
    if start == 1, let second = unit.extensionByte, element.bytes.upperBound > 1 {
      writer.u8(second)
      start = 2
    }
    guard start < element.bytes.upperBound else { return }
    let body = unit.body.lowerBound - unit.headSize
    writer.bytes(UnsafeRawBufferPointer(rebasing: frame[body + start..<body + element.bytes.upperBound]))
  }
}

private final class AV1Assembler: FrameAssembler {
  private var writer = FrameWriter(nil)
  /// The unit that is not over: where it was written, its first byte, and how many bytes of it came.
  private var open: (offset: Int, head: UInt8, size: Int)?
  private var content = AV1Content()
  private var hasUnits = false

  // MARK: One by one

  func look(at payload: UnsafeRawBufferPointer) throws(PacketError) -> FramePart {
    let head = try forEachElement(of: payload) { (bytes, continues, _) throws(PacketError) in
      guard continues || !bytes.isEmpty else { throw PacketError("AV1: an empty unit") }
    }
    var part = FramePart()
    let (continues, begins) = (head & Aggregation.continues != 0, head & Aggregation.begins != 0)
    guard !continues || !begins else { throw PacketError("AV1: a sequence that begins in the middle of a unit") }
    part.start = continues ? .none : begins ? .certain : .unknown
    part.isKeyFrame = begins
    return part
  }

  /// The elements of a payload: their bytes, whether that goes on with a unit, and is gone on with. Its first byte.
  @discardableResult private func forEachElement(
    of payload: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer, Bool, Bool) throws(PacketError) -> Void
  ) throws(PacketError) -> UInt8 {
    var reader = PacketReader(payload)
    let head = try reader.u8()
    let count = Aggregation.count(head)
    guard !reader.isAtEnd else { throw PacketError("AV1: a payload of nothing") }
    var number = 0
    while count == 0 ? !reader.isAtEnd : number < count {
      number += 1
      let size = number == count ? reader.count : try AV1Unit.readSize(&reader)
      let bytes = try reader.bytes(size)
      let isLast = count == 0 ? reader.isAtEnd : number == count
      try body(bytes, number == 1 && head & Aggregation.continues != 0, isLast && head & Aggregation.isContinued != 0)
    }
    return head
  }

  // MARK: Together

  func begin(_ memory: UnsafeMutableRawBufferPointer?) {
    (writer, open, content, hasUnits) = (FrameWriter(memory), nil, AV1Content(), false)
    // The delimiter of temporal units, with a size of 0.
    writer.u8(AV1Unit.temporalDelimiter << 3 | AV1Unit.hasSize)
    writer.u8(0)
  }

  func add(_ payload: UnsafeRawBufferPointer) throws(PacketError) {
    try forEachElement(of: payload) { (bytes, continues, isContinued) throws(PacketError) in
      guard continues == (open != nil) else { throw PacketError("AV1: parts that do not go together") }
      if var unit = open {
        writer.bytes(bytes)
        unit.size += bytes.count
        open = unit
      } else {
        guard let head = bytes.first, head & 0x80 == 0 else { throw PacketError("AV1: a unit without a head, or with its forbidden bit") }
        // Delimiters are of no use in packets, and are not to be sent.
        if AV1Unit.type(head) == AV1Unit.temporalDelimiter, !isContinued { return }
        if head & AV1Unit.hasSize != 0 { return try addSized(bytes, isContinued) }
        open = (writer.count, head, bytes.count)
        writer.u8(head | AV1Unit.hasSize)
        writer.bytes(UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
        content.see(AV1Unit.type(head), UnsafeRawBufferPointer(rebasing: bytes.dropFirst(AV1Unit.headSize(head))))
      }
      if !isContinued { try close() }
    }
  }

  /// One that has its size, which it should not: as it is.
  private func addSized(_ bytes: UnsafeRawBufferPointer, _ isContinued: Bool) throws(PacketError) {
    let unit = try AV1Unit(in: bytes, at: 0)
    guard !isContinued, unit.body.upperBound == bytes.count else { throw PacketError("AV1: a unit of another size than its element") }
    writer.bytes(bytes)
    content.see(unit.type, UnsafeRawBufferPointer(rebasing: bytes[unit.body]))
    hasUnits = true
  }

  /// The unit is whole: its size is known.
  private func close() throws(PacketError) {
    guard let unit = open else { return }
    let headSize = AV1Unit.headSize(unit.head)
    guard unit.size >= headSize else { throw PacketError("AV1: a unit shorter than its head") }
    let size = AV1Unit.size(unit.size - headSize)
    writer.insert(size.bytes, bytes: size.count, at: unit.offset + headSize)
    (open, hasUnits) = (nil, true)
  }

  func end() -> AssembledFrame? {
    guard open == nil, hasUnits, !writer.isFull else { return nil }
    let size = content.isKeyFrame ? content.sequence : nil
    return AssembledFrame(size: writer.count, isKeyFrame: content.isKeyFrame, width: size?.width ?? 0, height: size?.height ?? 0)
  }
}
