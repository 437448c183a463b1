/// Packets that did not arrive (RFC 4585, section 6.2.1): a sequence of their numbers, borrowed from the packet. An entry is a number and a mask
/// of the sixteen after it.
public struct GenericNACK: Sequence {
  let sender: SSRC
  let media: SSRC
  private let entries: UnsafeRawBufferPointer

  static let format: UInt8 = 1
  /// Of the packet without entries, and of each entry.
  static let size = (fixed: 12, entry: 4)

  init(parsing packet: RTCPPacket) throws(PacketError) {
    var reader = PacketReader(packet.body)
    (sender, media) = (SSRC(try reader.u32()), SSRC(try reader.u32()))
    guard reader.count % 4 == 0 else { throw PacketError("NACK: half an entry") }
    entries = reader.rest
  }

  /// Over the numbers, entry by entry.
  public struct Iterator: IteratorProtocol {
    fileprivate var reader: PacketReader
    private var number: UInt16 = 0
    /// Bit 0: the number itself.
    private var mask: UInt32 = 0

    fileprivate init(_ entries: UnsafeRawBufferPointer) {
      reader = PacketReader(entries)
    }

    /// nil after the last number.
    public mutating func next() -> SequenceNumber? {
      if mask == 0 {
        guard let first = try? reader.u16(), let others = try? reader.u16() else { return nil }
        (number, mask) = (first, UInt32(others) << 1 | 1)
      }
      defer { mask &= mask - 1 }
      return SequenceNumber(number &+ UInt16(truncatingIfNeeded: mask.trailingZeroBitCount))
    }
  }

  /// The packet's bytes must outlive it.
  public func makeIterator() -> Iterator {
    Iterator(entries)
  }

  /// One for each entry, which names 1 to 17 packets.
  public var underestimatedCount: Int { entries.count / 4 }

  /// Says as many of the numbers, which are in ascending order, as there is room for, and how many those were; what is left goes into a packet of
  /// its own. Nothing is written where not one fits.
  @discardableResult
  static func write(to writer: inout PacketWriter, sender: SSRC, media: SSRC, _ numbers: ArraySlice<SequenceNumber>) -> Int {
    guard !numbers.isEmpty, writer.room >= size.fixed + size.entry else { return 0 }
    var rest = numbers
    writer.rtcp(.transportLayerFeedback, count: Int(format)) { writer in
      writer.u32(sender.rawValue)
      writer.u32(media.rawValue)
      while let first = rest.popFirst() {
        var mask: UInt16 = 0
        while let distance = rest.first?.distance(from: first), (0...16).contains(distance) {
          // A number said twice is said once.
          if distance > 0 { mask |= 1 << UInt16(distance - 1) }
          rest.removeFirst()
        }
        writer.u16(first.rawValue)
        writer.u16(mask)
        if writer.room < size.entry { break }
      }
    }
    return numbers.count - rest.count
  }
}
