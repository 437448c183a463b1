/// What a receiver says of one source (RFC 3550, section 6.4.1).
public struct ReportBlock: Sendable, Equatable {
  var ssrc: SSRC
  /// Of the packets expected since the last report, in 256ths.
  public var fractionLost: UInt8
  /// Since the beginning, at most 24 bits with sign: below zero where duplicates outnumber what was lost.
  var cumulativeLost: Int32
  /// The highest sequence number received, the number of wraps above it.
  var highestSequence: UInt32
  /// In units of the payload's clock.
  var jitter: UInt32
  /// The middle of the NTP stamp of the last sender report received, 0 for none.
  var lastSenderReport: UInt32
  /// Since that was received, in 1/65536 s.
  var delaySinceLastSenderReport: UInt32

  init(
    ssrc: SSRC, fractionLost: UInt8 = 0, cumulativeLost: Int32 = 0, highestSequence: UInt32 = 0, jitter: UInt32 = 0,
    lastSenderReport: UInt32 = 0,
    delaySinceLastSenderReport: UInt32 = 0
  ) {
    self.ssrc = ssrc
    self.fractionLost = fractionLost
    self.cumulativeLost = cumulativeLost
    self.highestSequence = highestSequence
    self.jitter = jitter
    self.lastSenderReport = lastSenderReport
    self.delaySinceLastSenderReport = delaySinceLastSenderReport
  }

  static let size = 24
  /// The count in the header has five bits.
  static let limit = 31

  init(from reader: inout PacketReader) throws(PacketError) {
    ssrc = SSRC(try reader.u32())
    let lost = try reader.u32()
    fractionLost = UInt8(truncatingIfNeeded: lost >> 24)
    cumulativeLost = Int32(bitPattern: lost << 8) >> 8
    highestSequence = try reader.u32()
    jitter = try reader.u32()
    lastSenderReport = try reader.u32()
    delaySinceLastSenderReport = try reader.u32()
  }

  func write(to writer: inout PacketWriter) {
    writer.u32(ssrc.rawValue)
    writer.u8(fractionLost)
    writer.u24(UInt32(bitPattern: min(max(cumulativeLost, -0x80_0000), 0x7F_FFFF)))
    writer.u32(highestSequence)
    writer.u32(jitter)
    writer.u32(lastSenderReport)
    writer.u32(delaySinceLastSenderReport)
  }
}

/// The blocks of a report, borrowed from the packet: at most 31.
public struct ReportBlocks: RandomAccessCollection {
  private let bytes: UnsafeRawBufferPointer

  init(_ count: UInt8, from reader: inout PacketReader) throws(PacketError) {
    bytes = try reader.bytes(Int(count) * ReportBlock.size)
  }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of blocks, at most 31.
  public var endIndex: Int { bytes.count / ReportBlock.size }

  /// Reads one block, of which the index is in `startIndex..<endIndex`.
  public subscript(index: Int) -> ReportBlock {
    var reader = PacketReader(UnsafeRawBufferPointer(rebasing: bytes[index * ReportBlock.size..<(index + 1) * ReportBlock.size]))
    // There are that many bytes.
    return (try? ReportBlock(from: &reader)) ?? ReportBlock(ssrc: SSRC(0))
  }
}
