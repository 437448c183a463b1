import MediaCore
import MediaRTP

/// What stands before and in the payloads of VP8 and Opus, read whole and by the beginning: written again it is the same, and the two agree.
enum PayloadHeaders: FuzzTarget {
  static let name = "payload"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    switch input.number(below: 4) {
    case 0: try descriptor(input.rest)
    case 1: try packets(input.u16(), input.rest)
    case 2: pictures(input.rest)
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
