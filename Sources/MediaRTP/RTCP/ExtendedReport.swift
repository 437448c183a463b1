/// Extended reports (RFC 3611): the two blocks by which receivers that send nothing tell round trips; others are read over. A sequence of blocks,
/// borrowed from the packet.
public struct ExtendedReport: Sequence {
  /// A block of a kind that is known.
  public enum Block {
    /// The receiver's clock when it sent this (section 4.4).
    case receiverReferenceTime(NTPTimestamp)
    /// How long ago the other end received such (section 4.5).
    case delays(Delays)
  }

  /// What one receiver's reference time became.
  public struct Delay: Sendable, Equatable {
    var ssrc: SSRC
    /// The middle of its stamp.
    var lastReceiverReport: UInt32
    /// Since it was received, in 1/65536 s.
    var delaySinceLastReceiverReport: UInt32

    init(ssrc: SSRC, lastReceiverReport: UInt32, delaySinceLastReceiverReport: UInt32) {
      self.ssrc = ssrc
      self.lastReceiverReport = lastReceiverReport
      self.delaySinceLastReceiverReport = delaySinceLastReceiverReport
    }
  }

  let sender: SSRC
  private let blocks: UnsafeRawBufferPointer

  private static let receiverReferenceTimeType: UInt8 = 4
  private static let delaysType: UInt8 = 5

  init(parsing packet: RTCPPacket) throws(PacketError) {
    var reader = PacketReader(packet.body)
    sender = SSRC(try reader.u32())
    blocks = reader.rest
    while !reader.isAtEnd { _ = try ExtendedReport.block(from: &reader) }
  }

  /// Nothing: of a kind that is not known.
  private static func block(from reader: inout PacketReader) throws(PacketError) -> Block? {
    let type = try reader.u8()
    _ = try reader.u8()
    let content = try reader.bytes(Int(try reader.u16()) * 4)
    switch type {
    case receiverReferenceTimeType:
      var reader = PacketReader(content)
      return .receiverReferenceTime(NTPTimestamp(rawValue: try reader.u64()))
    case delaysType:
      guard content.count % 12 == 0 else { throw PacketError("DLRR: half an entry") }
      return .delays(Delays(bytes: content))
    default: return nil
    }
  }

  /// Over the blocks that are known, in their order.
  public struct Iterator: IteratorProtocol {
    fileprivate var reader: PacketReader

    /// nil after the last block.
    public mutating func next() -> Block? {
      do throws(PacketError) {
        while !reader.isAtEnd {
          if let known = try ExtendedReport.block(from: &reader) { return known }
        }
      } catch {
        // All were read once.
      }
      return nil
    }
  }

  /// The packet's bytes must outlive it.
  public func makeIterator() -> Iterator {
    Iterator(reader: PacketReader(blocks))
  }

  /// The entries of a DLRR block, borrowed from the packet.
  public struct Delays: RandomAccessCollection {
    fileprivate let bytes: UnsafeRawBufferPointer

    /// Always 0.
    public var startIndex: Int { 0 }
    /// The number of entries, of 12 bytes each.
    public var endIndex: Int { bytes.count / 12 }

    /// Reads one entry, of which the index is in `startIndex..<endIndex`.
    public subscript(index: Int) -> Delay {
      func word(_ number: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 12 + number * 4, as: UInt32.self))
      }
      return Delay(ssrc: SSRC(word(0)), lastReceiverReport: word(1), delaySinceLastReceiverReport: word(2))
    }
  }

  static func write(
    to writer: inout PacketWriter, sender: SSRC, receiverReferenceTime: NTPTimestamp? = nil, _ delays: [Delay] = []
  ) {
    writer.rtcp(.extendedReport, count: 0) { writer in
      writer.u32(sender.rawValue)
      if let receiverReferenceTime {
        writer.u8(receiverReferenceTimeType)
        writer.u8(0)
        writer.u16(2)
        writer.u64(receiverReferenceTime.rawValue)
      }
      guard !delays.isEmpty else { return }
      writer.u8(delaysType)
      writer.u8(0)
      writer.u16(UInt16(truncatingIfNeeded: delays.count * 3))
      for delay in delays {
        writer.u32(delay.ssrc.rawValue)
        writer.u32(delay.lastReceiverReport)
        writer.u32(delay.delaySinceLastReceiverReport)
      }
    }
  }
}
