/// VP9 in packets (RFC 9628): a picture is one frame, or those of its spatial layers one after the other.
struct VP9Format: PayloadFormat {
  init() {}

  var codec: UInt32 { 0x3039_5056 }
  var name: String { "VP9" }
  var numbersFrames: Bool { true }
  func makePacketizer() -> any FramePacketizer { VP9FramePacketizer() }
  func makeAssembler() -> any FrameAssembler { VP9FrameAssembler() }
}

extension RTPEncoding {
  static var vp9: RTPEncoding { .media(VP9Format()) }
}

/// Into payloads of about the same size. Layers within a frame are not told apart: they go together.
private final class VP9FramePacketizer: FramePacketizer {
  private var frame = UnsafeRawBufferPointer(start: nil, count: 0)
  private var descriptor = VP9Descriptor()
  private var offset = 0
  private var left = 0
  private static let descriptorSize = 3

  func begin(_ frame: UnsafeRawBufferPointer, number: UInt16, isDroppable: Bool, limit: Int) throws(PacketError) -> PacketizedFrame {
    let room = limit - VP9FramePacketizer.descriptorSize
    guard room > 0 else { throw PacketError("VP9: no room for a byte after the descriptor") }
    guard !frame.isEmpty else { throw PacketError("VP9: an empty frame") }
    let header = try VP9FrameHeader(parsing: frame)
    (self.frame, offset, left) = (frame, 0, (frame.count + room - 1) / room)
    descriptor.pictureID = .long(number & 0x7FFF)
    descriptor.isPredicted = !header.isKeyFrame
    return PacketizedFrame(
      packets: left, bytes: frame.count + left * VP9FramePacketizer.descriptorSize, isKeyFrame: header.isKeyFrame,
      isDroppable: header.isDroppable)
  }

  func writeNext(to writer: inout PacketWriter) -> Bool {
    guard left > 0 else { return false }
    let size = (frame.count - offset) / left
    (descriptor.isStart, descriptor.isEnd) = (offset == 0, left == 1)
    descriptor.write(to: &writer)
    writer.bytes(UnsafeRawBufferPointer(rebasing: frame[offset..<offset + size]))
    offset += size
    left -= 1
    return true
  }
}

private final class VP9FrameAssembler: FrameAssembler {
  private var writer = FrameWriter(nil)
  private var header: VP9FrameHeader?
  private var size: (width: UInt16, height: UInt16)?
  private var isPredicted = false

  private func open(_ payload: UnsafeRawBufferPointer) throws(PacketError) -> (VP9Descriptor, UnsafeRawBufferPointer) {
    var reader = PacketReader(payload)
    let descriptor = try VP9Descriptor(parsing: &reader)
    guard !reader.isAtEnd else { throw PacketError("VP9: a payload descriptor without payload") }
    return (descriptor, reader.rest)
  }

  func look(at payload: UnsafeRawBufferPointer) throws(PacketError) -> FramePart {
    let (descriptor, bytes) = try open(payload)
    var part = FramePart()
    part.number = descriptor.pictureID
    part.layer = descriptor.layer.map { .init(temporalID: $0.temporalID, isSync: $0.isSwitch, baseIndex: $0.baseIndex) }
    // Upper spatial layers are of the same picture.
    guard descriptor.isStart, descriptor.layer?.spatialID ?? 0 == 0 else { return part }
    part.start = .certain
    part.isKeyFrame = !descriptor.isPredicted && (try? VP9FrameHeader(parsing: bytes))?.isKeyFrame == true
    return part
  }

  func begin(_ memory: UnsafeMutableRawBufferPointer?) { (writer, header, size) = (FrameWriter(memory), nil, nil) }

  func add(_ payload: UnsafeRawBufferPointer) throws(PacketError) {
    let (descriptor, bytes) = try open(payload)
    if writer.count == 0 { (header, isPredicted) = (try? VP9FrameHeader(parsing: bytes), descriptor.isPredicted) }
    if let size = descriptor.size { self.size = size }
    writer.bytes(bytes)
  }

  func end() -> AssembledFrame? {
    guard writer.count > 0, !writer.isFull else { return nil }
    var frame = AssembledFrame(size: writer.count)
    guard let header else { return frame }
    (frame.isKeyFrame, frame.isDroppable) = (header.isKeyFrame && !isPredicted, header.isDroppable)
    if frame.isKeyFrame { (frame.width, frame.height) = size ?? (header.width, header.height) }
    return frame
  }
}
