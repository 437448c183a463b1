/// What a sender says of itself (RFC 3550, section 6.4.1); report blocks follow it, then what a profile adds, which is read over.
public struct SenderReport: Sendable, Equatable {
  var ssrc: SSRC
  var ntp: NTPTimestamp
  /// The same instant in the payload's clock.
  var timestamp: RTPTimestamp
  var packetCount: UInt32
  /// Of payload.
  var octetCount: UInt32

  init(ssrc: SSRC, ntp: NTPTimestamp, timestamp: RTPTimestamp, packetCount: UInt32, octetCount: UInt32) {
    self.ssrc = ssrc
    self.ntp = ntp
    self.timestamp = timestamp
    self.packetCount = packetCount
    self.octetCount = octetCount
  }

  static func parse(_ packet: RTCPPacket) throws(PacketError) -> (SenderReport, ReportBlocks) {
    var reader = PacketReader(packet.body)
    let report = SenderReport(
      ssrc: SSRC(try reader.u32()), ntp: NTPTimestamp(rawValue: try reader.u64()), timestamp: RTPTimestamp(try reader.u32()),
      packetCount: try reader.u32(), octetCount: try reader.u32())
    return (report, try ReportBlocks(packet.count, from: &reader))
  }

  /// Blocks beyond the 31 that fit go into receiver reports behind it (section 6.1).
  func write(to writer: inout PacketWriter, _ blocks: ArraySlice<ReportBlock> = []) {
    let own = blocks.prefix(ReportBlock.limit)
    writer.rtcp(.senderReport, count: own.count) { writer in
      writer.u32(ssrc.rawValue)
      writer.u64(ntp.rawValue)
      writer.u32(timestamp.rawValue)
      writer.u32(packetCount)
      writer.u32(octetCount)
      for block in own { block.write(to: &writer) }
    }
    let others = blocks.dropFirst(own.count)
    if !others.isEmpty { ReceiverReport(ssrc: ssrc).write(to: &writer, others) }
  }
}

/// What one says who sends no media (section 6.4.2): who it is; report blocks follow.
public struct ReceiverReport: Sendable, Equatable {
  var ssrc: SSRC

  init(ssrc: SSRC) {
    self.ssrc = ssrc
  }

  static func parse(_ packet: RTCPPacket) throws(PacketError) -> (ReceiverReport, ReportBlocks) {
    var reader = PacketReader(packet.body)
    let report = ReceiverReport(ssrc: SSRC(try reader.u32()))
    return (report, try ReportBlocks(packet.count, from: &reader))
  }

  /// As many packets as the blocks take, 31 in each; one where there are none.
  func write(to writer: inout PacketWriter, _ blocks: ArraySlice<ReportBlock> = []) {
    var rest = blocks
    repeat {
      let own = rest.prefix(ReportBlock.limit)
      rest = rest.dropFirst(own.count)
      writer.rtcp(.receiverReport, count: own.count) { writer in
        writer.u32(ssrc.rawValue)
        for block in own { block.write(to: &writer) }
      }
    } while !rest.isEmpty
  }
}
