import MediaCore
import MediaRTP

/// What stands before and in the payloads of VP8 and Opus, read whole and by the beginning: written again it is the same, and the two agree.
/// And payloads of every format: what is cut is put together.
enum PayloadHeaders: FuzzTarget {
  static let name = "payload"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    switch input.number(below: 8) {
    case 0: try descriptor(input.rest)
    case 1: try packets(input.u16(), input.rest)
    case 2: pictures(input.rest)
    case 4: try frame(format(&input), limit: input.u16(), input.rest)
    case 5: parts(format(&input), &input)
    default: sound(input.rest)
    }
  }

  private static func descriptor(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = PacketReader(bytes)
    let descriptor = try VP8Descriptor(parsing: &reader)
    expect(descriptor.size <= VP8Descriptor.largestSize)
    var memory = [UInt8](repeating: 0, count: 16)
    try memory.withUnsafeMutableBytes { memory in
      var writer = PacketWriter(memory)
      descriptor.write(to: &writer)
      expect(writer.count == descriptor.size, "another size than was said")
      var again = PacketReader(writer.bytes)
      let same = try VP8Descriptor(parsing: &again)
      expect(same == descriptor, "a descriptor is not read as it was written")
    }
    _ = try? Retransmission.read(bytes)
  }

  /// Cut into packets and put together it is what it was.
  private static func packets(_ limit: UInt16, _ picture: UnsafeRawBufferPointer) throws {
    var descriptor = VP8Descriptor()
    descriptor.pictureID = .long(limit & 0x7FFF)
    var packetizer = try VP8Packetizer(picture, descriptor, limit: Int(limit))
    var memory = [UInt8](repeating: 0, count: Int(limit))
    var whole: [UInt8] = []
    var left = packetizer.count
    while left > 0 {
      try memory.withUnsafeMutableBytes { memory in
        var writer = PacketWriter(memory)
        expect(packetizer.writeNext(to: &writer) && !writer.isFull, "a packet that does not fit")
        var reader = PacketReader(writer.bytes)
        let part = try VP8Descriptor(parsing: &reader)
        expect(part.isStart == whole.isEmpty && part.pictureID == descriptor.pictureID)
        whole.append(contentsOf: reader.rest)
      }
      left -= 1
    }
    expect(packetizer.count == 0 && whole.elementsEqual(picture), "another picture than was cut")
  }

  private static func format(_ input: inout Input) -> any PayloadFormat {
    RTPEncoding.formats[input.number(below: RTPEncoding.formats.count)]
  }

  private static func cut(_ packetizer: any FramePacketizer, _ frame: UnsafeRawBufferPointer, limit: Int) throws -> [[UInt8]] {
    let plan = try packetizer.begin(frame, number: 7, isDroppable: frame.count % 2 == 1, limit: limit)
    var bytes = 0
    let payloads = (0..<plan.packets).map { _ in
      [UInt8](unsafeUninitializedCapacity: limit) { memory, count in
        var writer = PacketWriter(UnsafeMutableRawBufferPointer(memory))
        expect(packetizer.writeNext(to: &writer) && !writer.isFull && (writer.count > 0 || frame.isEmpty), "a payload that does not fit")
        count = writer.count
        bytes += count
      }
    }
    expect(bytes <= plan.bytes, "more bytes than were said")
    return payloads
  }

  private static func put(_ assembler: any FrameAssembler, _ payloads: [[UInt8]], _ memory: UnsafeMutableRawBufferPointer?)
    -> AssembledFrame?
  {
    assembler.begin(memory)
    for payload in payloads {
      guard payload.withUnsafeBytes({ (try? assembler.add($0)) != nil }) else { return nil }
    }
    return assembler.end()
  }

  private static func whole(_ assembler: any FrameAssembler, _ payloads: [[UInt8]]) -> [UInt8]? {
    guard let size = put(assembler, payloads, nil)?.size else { return nil }
    var memory = [UInt8](repeating: 0, count: size)
    expect(memory.withUnsafeMutableBytes { put(assembler, payloads, $0)?.size } == size, "another size than was measured")
    if size > 0 {
      memory.withUnsafeMutableBytes {
        expect(put(assembler, payloads, UnsafeMutableRawBufferPointer(rebasing: $0.dropLast())) == nil, "more than there is room for")
      }
    }
    return memory.withUnsafeMutableBytes { put(assembler, payloads, $0) } == nil ? nil : memory
  }

  /// What is put together of what was cut is cut in the same places.
  private static func frame(_ format: any PayloadFormat, limit: UInt16, _ bytes: UnsafeRawBufferPointer) throws {
    let assembler = format.makeAssembler()
    let limit = Int(limit % 1500)
    let payloads = try cut(format.makePacketizer(), bytes, limit: limit)
    for payload in payloads where !payload.isEmpty {
      let isTaken = payload.withUnsafeBytes { (try? assembler.look(at: $0)) != nil }
      expect(isTaken || !format.isVideo || format.numbersFrames, "a payload that is refused where it comes")
    }
    guard let whole = whole(assembler, payloads) else {
      // VP8 sends what begins with no tag, and takes none such.
      return expect(format.codec == VP8Format().codec, "payloads that make no frame")
    }
    let again = try whole.withUnsafeBytes { try cut(format.makePacketizer(), $0, limit: limit) }
    expect(again == payloads, "another frame than was cut")
  }

  /// Any payloads that are taken one by one.
  private static func parts(_ format: any PayloadFormat, _ input: inout Input) {
    let assembler = format.makeAssembler()
    var payloads: [[UInt8]] = []
    while !input.isAtEnd, payloads.count < 64 {
      let piece = Array(input.take(input.number(below: 200)))
      guard !piece.isEmpty, piece.withUnsafeBytes({ (try? assembler.look(at: $0)) != nil }) else { continue }
      payloads.append(piece)
    }
    let bytes = payloads.reduce(0) { $0 + $1.count }
    // A start code of four bytes before each unit, which may have one byte, and sizes at the most.
    if let whole = whole(assembler, payloads) { expect(whole.count <= 5 * bytes + 16, "\(whole.count) of \(bytes)") }
  }

  /// A whole one begins as its first packet does.
  private static func pictures(_ bytes: UnsafeRawBufferPointer) {
    let beginning = try? VP8FrameTag(parsing: bytes)
    guard let tag = try? VP8FrameTag(ofFrame: bytes) else { return }
    expect(beginning == tag, "the two readers do not agree")
    expect(tag.headSize <= bytes.count)
  }

  private static func sound(_ bytes: UnsafeRawBufferPointer) {
    let contents = try? OpusTOC(parsing: bytes)
    guard let packet = try? OpusPacket(parsing: bytes) else { return }
    expect(contents == packet.toc, "the two readers do not agree")
    expect(packet.toc.duration > 0 && packet.toc.duration <= OpusTOC.longest)
    expect(packet.firstFrame.upperBound <= bytes.count && packet.firstFrame.count <= OpusPacket.largestFrame)
  }
}
