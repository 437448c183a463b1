import MediaCore

/// Opus in packets (RFC 7587): one of its own is one of RTP.
struct OpusFormat: PayloadFormat {
  init() {}

  var codec: UInt32 { 0x5355_504F }
  var name: String { "opus" }
  var clockRate: UInt32 { OpusTOC.clockRate }
  var isVideo: Bool { false }
  func makePacketizer() -> any FramePacketizer { AudioPacketizer() }
  func makeAssembler() -> any FrameAssembler { AudioAssembler() }
  func duration(of packet: UnsafeRawBufferPointer) -> Int { (try? OpusTOC(parsing: packet))?.duration ?? 0 }
}

extension RTPEncoding {
  /// Packets of Opus (RFC 7587), with a clock of 48 kHz.
  public static var opus: RTPEncoding { .media(OpusFormat()) }
}

/// A packet of the codec is a payload as it is.
final class AudioPacketizer: FramePacketizer {
  private var packet: UnsafeRawBufferPointer?

  func begin(_ frame: UnsafeRawBufferPointer, number: UInt16, isDroppable: Bool, limit: Int) throws(PacketError) -> PacketizedFrame {
    guard frame.count <= limit else { throw PacketError("RTP: a packet of audio larger than a network packet") }
    packet = frame
    return PacketizedFrame(packets: 1, bytes: frame.count)
  }

  func writeNext(to writer: inout PacketWriter) -> Bool {
    guard let packet else { return false }
    writer.bytes(packet)
    self.packet = nil
    return true
  }
}

final class AudioAssembler: FrameAssembler {
  private var writer = FrameWriter(nil)

  func look(at payload: UnsafeRawBufferPointer) throws(PacketError) -> FramePart {
    var part = FramePart()
    part.start = .certain
    return part
  }

  func begin(_ memory: UnsafeMutableRawBufferPointer?) { writer = FrameWriter(memory) }
  func add(_ payload: UnsafeRawBufferPointer) throws(PacketError) { writer.bytes(payload) }
  func end() -> AssembledFrame? { writer.isFull ? nil : AssembledFrame(size: writer.count) }
}
