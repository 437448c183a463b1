import MediaCore

/// VP8 in packets (RFC 7741).
public struct VP8Format: PayloadFormat {
  /// The format has no options.
  public init() {}

  /// The fourcc VP80.
  public var codec: UInt32 { 0x3038_5056 }
  /// Of the media type video/VP8 (RFC 7741, section 6.1).
  public var name: String { "VP8" }
  /// True: by PictureID.
  public var numbersFrames: Bool { true }
  /// With a PictureID of 15 bits in each payload, and two temporal layers: frames that no other is predicted from are of the upper one, so that
  /// whoever misses them, and whoever forwards without them, goes on with the next.
  public func makePacketizer() -> any FramePacketizer { VP8FramePacketizer() }
  /// With or without any of the descriptor's optional fields.
  public func makeAssembler() -> any FrameAssembler { VP8FrameAssembler() }
}

extension RTPEncoding {
  /// Frames of VP8 (RFC 7741).
  public static var vp8: RTPEncoding { .media(VP8Format()) }
}

private final class VP8FramePacketizer: FramePacketizer {
  private var current: VP8Packetizer?
  /// TL0PICIDX: counts the frames that others are predicted from. That of the last one, and of the one that was begun, which may not be sent.
  private var (baseIndex, begun): (UInt8, UInt8) = (0, 0)

  func begin(_ frame: UnsafeRawBufferPointer, number: UInt16, isDroppable: Bool, limit: Int) throws(PacketError) -> PacketizedFrame {
    var descriptor = VP8Descriptor()
    descriptor.pictureID = .long(number & 0x7FFF)
    descriptor.isNonReference = isDroppable
    begun = isDroppable ? baseIndex : baseIndex &+ 1
    descriptor.layer = VP8Descriptor.Layer(temporalID: isDroppable ? 1 : 0, isSync: isDroppable, baseIndex: begun)
    let packetizer = try VP8Packetizer(frame, descriptor, limit: limit)
    current = packetizer
    // The first bit of a frame (RFC 6386, section 9.1).
    let isKeyFrame = frame.first.map { $0 & 1 == 0 } ?? false
    return PacketizedFrame(packets: packetizer.count, bytes: frame.count + packetizer.count * descriptor.size, isKeyFrame: isKeyFrame)
  }

  func writeNext(to writer: inout PacketWriter) -> Bool {
    baseIndex = begun
    return current?.writeNext(to: &writer) ?? false
  }
}

private final class VP8FrameAssembler: FrameAssembler {
  private var writer = FrameWriter(nil)
  private var tag: VP8FrameTag?
  private var isDroppable = false

  /// The descriptor, and what follows it.
  private func open(_ payload: UnsafeRawBufferPointer) throws(PacketError) -> (VP8Descriptor, UnsafeRawBufferPointer) {
    var reader = PacketReader(payload)
    let descriptor = try VP8Descriptor(parsing: &reader)
    guard !reader.isAtEnd else { throw PacketError("VP8: a payload descriptor without payload") }
    return (descriptor, reader.rest)
  }

  private func read(_ bytes: UnsafeRawBufferPointer) throws(PacketError) -> VP8FrameTag {
    guard let tag = try? VP8FrameTag(parsing: bytes) else { throw PacketError("VP8: a frame that does not begin with its tag") }
    return tag
  }

  func look(at payload: UnsafeRawBufferPointer) throws(PacketError) -> FramePart {
    let (descriptor, bytes) = try open(payload)
    var part = FramePart()
    (part.number, part.layer) = (descriptor.pictureID, descriptor.layer)
    guard descriptor.isStart, descriptor.partition == 0 else { return part }
    part.start = .certain
    part.isKeyFrame = try read(bytes).isKeyFrame
    return part
  }

  func begin(_ memory: UnsafeMutableRawBufferPointer?) { (writer, tag) = (FrameWriter(memory), nil) }

  func add(_ payload: UnsafeRawBufferPointer) throws(PacketError) {
    let (descriptor, bytes) = try open(payload)
    if writer.count == 0 { (tag, isDroppable) = (try read(bytes), descriptor.isNonReference) }
    writer.bytes(bytes)
  }

  func end() -> AssembledFrame? {
    guard let tag, !writer.isFull else { return nil }
    return AssembledFrame(
      size: writer.count, isKeyFrame: tag.isKeyFrame, isDroppable: isDroppable, width: tag.width, height: tag.height)
  }
}
