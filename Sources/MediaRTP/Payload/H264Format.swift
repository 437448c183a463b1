/// H.264 in packets (RFC 6184): units alone, several in one packet (STAP-A), and in parts (FU-A). A frame is an access unit in the byte-stream format
/// (Annex B), with start codes of three or four bytes when it is sent, of four when it is received.
struct H264Format: PayloadFormat {
  /// packetization-mode of the description.
  enum Mode: UInt8, Sendable {
    /// 0: each unit is a packet, and none is larger.
    case single = 0
    case nonInterleaved = 1
  }

  let mode: Mode

  init(_ mode: Mode) { self.mode = mode }

  var codec: UInt32 { 0x3436_3248 }
  var variant: UInt8 { mode.rawValue }
  var name: String { "H264" }
  func makePacketizer() -> any FramePacketizer { H264Packetizer(mode) }
  func makeAssembler() -> any FrameAssembler { H264Assembler() }
}

extension RTPEncoding {
  static func h264(_ mode: H264Format.Mode = .nonInterleaved) -> RTPEncoding { .media(H264Format(mode)) }
}

private final class H264Packetizer: FramePacketizer {
  private enum Payload {
    case single(Int)
    case aggregate(Range<Int>)
    case fragment(of: Int, Range<Int>)
  }

  private let mode: H264Format.Mode
  private var frame = UnsafeRawBufferPointer(start: nil, count: 0)
  private var units: [Range<Int>] = []
  private var payloads: [Payload] = []
  private var next = 0
  private static let mostUnits = 1024
  private static let smallestLimit = 16

  init(_ mode: H264Format.Mode) { self.mode = mode }

  func begin(_ frame: UnsafeRawBufferPointer, number: UInt16, isDroppable: Bool, limit: Int) throws(PacketError) -> PacketizedFrame {
    guard limit >= H264Packetizer.smallestLimit else { throw PacketError("H.264: no room for a payload") }
    try H264Unit.find(in: frame, most: H264Packetizer.mostUnits, &units)
    (self.frame, next) = (frame, 0)
    payloads.removeAll(keepingCapacity: true)
    var bytes = 0
    var unit = 0
    while unit < units.count {
      let size = units[unit].count
      if size > limit {
        guard mode == .nonInterleaved else { throw PacketError("H.264: a unit larger than a packet, in packetization mode 0") }
        bytes += fragment(unit, limit - 2)
        unit += 1
      } else if case let together = aggregated(from: unit, limit), together.count > 1 {
        payloads.append(.aggregate(together))
        bytes += together.reduce(1) { $0 + 2 + units[$1].count }
        unit = together.upperBound
      } else {
        payloads.append(.single(unit))
        bytes += size
        unit += 1
      }
    }
    let isKeyFrame = units.contains { H264Unit.type(frame[$0.lowerBound]) == H264Unit.idr }
    return PacketizedFrame(packets: payloads.count, bytes: bytes, isKeyFrame: isKeyFrame, isDroppable: isDroppable)
  }

  /// No slice of it is referred to (nal_ref_idc).
  private var isDroppable: Bool {
    var slices = 0
    for unit in units where (H264Unit.slice...H264Unit.idr).contains(H264Unit.type(frame[unit.lowerBound])) {
      guard frame[unit.lowerBound] & 0x60 == 0 else { return false }
      slices += 1
    }
    return slices > 0
  }

  /// Parts of about the same size of what follows a unit's first byte. Their bytes.
  private func fragment(_ unit: Int, _ room: Int) -> Int {
    let (start, end) = (units[unit].lowerBound + 1, units[unit].upperBound)
    var left = (end - start + room - 1) / room
    let bytes = end - start + 2 * left
    var offset = start
    while left > 0 {
      let size = (end - offset) / left
      payloads.append(.fragment(of: unit, offset..<offset + size))
      offset += size
      left -= 1
    }
    return bytes
  }

  private func aggregated(from first: Int, _ limit: Int) -> Range<Int> {
    var (end, size) = (first + 1, 3 + units[first].count)
    guard mode == .nonInterleaved else { return first..<end }
    while end < units.count, size + 2 + units[end].count <= limit {
      size += 2 + units[end].count
      end += 1
    }
    return first..<end
  }

  func writeNext(to writer: inout PacketWriter) -> Bool {
    guard next < payloads.count else { return false }
    defer { next += 1 }
    switch payloads[next] {
    case .single(let unit): writer.bytes(UnsafeRawBufferPointer(rebasing: frame[units[unit]]))
    case .aggregate(let together):
      // As important as the most important one of them, and forbidden if one is (section 5.7.1).
      let head = together.reduce(UInt8(0)) {
        max($0 & 0x60, frame[units[$1].lowerBound] & 0x60) | ($0 | frame[units[$1].lowerBound]) & 0x80
      }
      writer.u8(head | H264Unit.aggregate)
      for unit in together {
        writer.u16(UInt16(truncatingIfNeeded: units[unit].count))
        writer.bytes(UnsafeRawBufferPointer(rebasing: frame[units[unit]]))
      }
    case .fragment(let unit, let bytes):
      let head = frame[units[unit].lowerBound]
      writer.u8(head & 0xE0 | H264Unit.fragment)
      writer.u8(
        H264Unit.type(head) | (bytes.lowerBound == units[unit].lowerBound + 1 ? 0x80 : 0)
          | (bytes.upperBound == units[unit].upperBound ? 0x40 : 0))
      writer.bytes(UnsafeRawBufferPointer(rebasing: frame[bytes]))
    }
    return true
  }
}

private final class H264Assembler: FrameAssembler {
  private var writer = FrameWriter(nil)
  /// The type of the unit of which a part was added, and not the last.
  private var open: UInt8?
  private var hasIDR = false
  private var slices = 0
  private var isReferred = false
  private var size: (width: UInt16, height: UInt16)?

  // MARK: One by one

  func look(at payload: UnsafeRawBufferPointer) throws(PacketError) -> FramePart {
    var part = FramePart()
    var isFirst = true
    try forEachUnit(of: payload) { head, _, start, _ in
      let type = H264Unit.type(head)
      if type == H264Unit.idr || type == H264Unit.parameters { part.isKeyFrame = true }
      guard isFirst else { return }
      isFirst = false
      guard start else { return }
      part.start = type == H264Unit.parameters || type == H264Unit.delimiter ? .likely : .unknown
    }
    return part
  }

  /// The units of a payload: first byte, what follows it, whether this is its start and its end.
  private func forEachUnit(
    of payload: UnsafeRawBufferPointer, _ body: (UInt8, UnsafeRawBufferPointer, Bool, Bool) throws(PacketError) -> Void
  ) throws(PacketError) {
    var reader = PacketReader(payload)
    let head = try reader.u8()
    switch H264Unit.type(head) {
    case H264Unit.single: try body(head, reader.rest, true, true)
    case H264Unit.aggregate:
      guard !reader.isAtEnd else { throw PacketError("H.264: an aggregate of nothing") }
      while !reader.isAtEnd {
        var unit = PacketReader(try reader.bytes(Int(try reader.u16())))
        let head = try unit.u8()
        guard H264Unit.single.contains(H264Unit.type(head)) else { throw PacketError("H.264: an aggregate within an aggregate") }
        try body(head, unit.rest, true, true)
      }
    case H264Unit.fragment:
      let second = try reader.u8()
      let (isStart, isEnd) = (second & 0x80 != 0, second & 0x40 != 0)
      guard !(isStart && isEnd), !reader.isAtEnd, H264Unit.single.contains(H264Unit.type(second)) else {
        throw PacketError("H.264: a fragment that is none")
      }
      try body(head & 0xE0 | H264Unit.type(second), reader.rest, isStart, isEnd)
    default: throw PacketError("H.264: packets that are interleaved")
    }
  }

  // MARK: Together

  func begin(_ memory: UnsafeMutableRawBufferPointer?) {
    (writer, open, hasIDR, slices) = (FrameWriter(memory), nil, false, 0)
    (isReferred, size) = (false, nil)
  }

  func add(_ payload: UnsafeRawBufferPointer) throws(PacketError) {
    try forEachUnit(of: payload) { head, bytes, isStart, isEnd throws(PacketError) in
      let type = H264Unit.type(head)
      guard isStart == (open == nil), isStart || open == type else { throw PacketError("H.264: parts that do not go together") }
      if isStart {
        writer.u8(0)
        writer.u8(0)
        writer.u8(0)
        writer.u8(1)
        writer.u8(head)
        see(head, bytes, isWhole: isEnd)
      }
      writer.bytes(bytes)
      open = isEnd ? nil : type
    }
  }

  private func see(_ head: UInt8, _ bytes: UnsafeRawBufferPointer, isWhole: Bool) {
    let type = H264Unit.type(head)
    if type == H264Unit.idr { hasIDR = true }
    if (H264Unit.slice...H264Unit.idr).contains(type) {
      slices += 1
      if head & 0x60 != 0 { isReferred = true }
    }
    if type == H264Unit.parameters, isWhole { size = H264Unit.size(bytes) ?? size }
  }

  func end() -> AssembledFrame? {
    guard open == nil, writer.count > 0, !writer.isFull else { return nil }
    return AssembledFrame(
      size: writer.count, isKeyFrame: hasIDR, isDroppable: slices > 0 && !isReferred, width: hasIDR ? size?.width ?? 0 : 0,
      height: hasIDR ? size?.height ?? 0 : 0)
  }
}
