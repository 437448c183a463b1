import MediaCore

/// Opus in packets (RFC 7587): one of its own is one of RTP.
public struct OpusFormat: PayloadFormat {
  public init() {}

  public var codec: UInt32 { 0x5355_504F }
  public var name: String { "opus" }
  public var clockRate: UInt32 { OpusTOC.clockRate }
  public var isVideo: Bool { false }
  public func makePacketizer() -> any FramePacketizer { AudioPacketizer() }
  public func makeAssembler() -> any FrameAssembler { AudioAssembler() }
  public func duration(of packet: UnsafeRawBufferPointer) -> Int { (try? OpusTOC(parsing: packet))?.duration ?? 0 }
}

extension RTPEncoding {
  public static var opus: RTPEncoding { .media(OpusFormat()) }
}

/// A packet of the codec is a payload as it is.
final class AudioPacketizer: FramePacketizer {
  private var packet: UnsafeRawBufferPointer?

  func begin(_ frame: UnsafeRawBufferPointer, number: UInt16, limit: Int) throws(PacketError) -> PacketizedFrame {
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
