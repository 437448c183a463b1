import Testing

@testable import MediaRTP

@Suite struct ReportsTests {
  private let report = SenderReport(
    ssrc: SSRC(0x1122_3344), ntp: NTPTimestamp(rawValue: 0x0102_0304_0506_0708), timestamp: RTPTimestamp(0xA0B0_C0D0), packetCount: 9,
    octetCount: 1000)

  /// All that reports in a datagram say of others, and who speaks.
  private func read(_ datagram: [UInt8]) throws -> (senders: [SenderReport], receivers: [ReceiverReport], blocks: [[ReportBlock]]) {
    try reading(datagram) { bytes in
      var messages = try RTCPMessage.Iterator(parsing: bytes, .compound)
      var found: ([SenderReport], [ReceiverReport], [[ReportBlock]]) = ([], [], [])
      while let message = messages.next() {
        switch message {
        case .senderReport(let report, let blocks):
          found.0.append(report)
          found.2.append(Array(blocks))
        case .receiverReport(let report, let blocks):
          found.1.append(report)
          found.2.append(Array(blocks))
        default: break
        }
      }
      #expect(messages.malformed == 0)
      return found
    }
  }

  @Test func theReportsAreThoseOfTheStandard() throws {
    let packet = written { report.write(to: &$0) }
    #expect(packet == bytes("80 c8 0006 11223344 0102030405060708 a0b0c0d0 00000009 000003e8"))
    #expect(written { ReceiverReport(ssrc: SSRC(5)).write(to: &$0) } == bytes("80 c9 0001 00000005"))
    let (senders, _, blocks) = try read(packet)
    #expect(senders == [report] && blocks == [[]])
  }

  @Test func blocksBeyond31GoIntoFurtherPackets() throws {
    let blocks = (1...70).map { ReportBlock(ssrc: SSRC($0)) }
    let sent = try read(written(4000) { report.write(to: &$0, blocks[...]) })
    #expect(sent.senders == [report] && sent.receivers.count == 2)
    #expect(sent.blocks.map(\.count) == [31, 31, 8] && Array(sent.blocks.joined()) == blocks)
    let heard = try read(written(4000) { ReceiverReport(ssrc: SSRC(1)).write(to: &$0, blocks.prefix(32)) })
    #expect(heard.blocks.map(\.count) == [31, 1])
  }

  @Test func whatAProfileAddsIsReadOver() throws {
    let (_, receivers, blocks) = try read(bytes("80 c9 0003 00000005 deadbeef deadbeef"))
    #expect(receivers == [ReceiverReport(ssrc: SSRC(5))] && blocks == [[]])
  }
}
