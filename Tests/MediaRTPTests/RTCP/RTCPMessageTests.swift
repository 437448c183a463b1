import Testing

@testable import MediaRTP

@Suite struct RTCPMessageTests {
  /// One of each kind.
  static func everything() -> [UInt8] {
    written { writer in
      let block = ReportBlock(ssrc: SSRC(2), fractionLost: 3, cumulativeLost: -4, highestSequence: 5, jitter: 6, lastSenderReport: 7)
      SenderReport(
        ssrc: SSRC(1), ntp: NTPTimestamp(rawValue: 0x1234_5678_9ABC_DEF0), timestamp: RTPTimestamp(9), packetCount: 10, octetCount: 11
      )
      .write(to: &writer, [block, block])
      ReceiverReport(ssrc: SSRC(1)).write(to: &writer, [block])
      SourceDescription.write(to: &writer, [.init(ssrc: SSRC(1), cname: "alice@example", mid: "0"), .init(ssrc: SSRC(3), cname: "bob")])
      ExtendedReport.write(
        to: &writer, sender: SSRC(1), receiverReferenceTime: NTPTimestamp(rawValue: 77),
        [.init(ssrc: SSRC(2), lastReceiverReport: 8, delaySinceLastReceiverReport: 9)])
      GenericNACK.write(to: &writer, sender: SSRC(1), media: SSRC(2), [SequenceNumber(3), SequenceNumber(5), SequenceNumber(300)])
      PictureLossIndication(sender: SSRC(1), media: SSRC(2)).write(to: &writer)
      FullIntraRequest.write(to: &writer, sender: SSRC(1), [.init(media: SSRC(2), number: 3)])
      MaximumBitrate.write(to: &writer, sender: SSRC(1), bitrate: 1_000_000, [SSRC(2), SSRC(3)])
      var builder = TransportFeedbackBuilder()
      for sequence in [10, 11, 12, 14, 40, 41] as [Int64] { builder.arrived(sequence, at: sequence * 20_000_000) }
      _ = builder.write(to: &writer, sender: SSRC(1), media: SSRC(2))
      Goodbye.write(to: &writer, [SSRC(1)], reason: "done")
    }
  }

  static func name(_ message: RTCPMessage) -> String {
    switch message {
    case .senderReport: "SR"
    case .receiverReport: "RR"
    case .sourceDescription: "SDES"
    case .goodbye: "BYE"
    case .nack: "NACK"
    case .pictureLoss: "PLI"
    case .fullIntraRequest: "FIR"
    case .maximumBitrate: "REMB"
    case .transportFeedback: "TWCC"
    case .extendedReport: "XR"
    }
  }

  /// Names of what is in it, and how often everything in it was looked at.
  private func read(_ datagram: [UInt8], _ form: RTCPForm = .reducedSize) throws -> (names: [String], unknown: Int, malformed: Int) {
    try reading(datagram) { bytes in
      var messages = try RTCPMessage.Iterator(parsing: bytes, form)
      var names: [String] = []
      while let message = messages.next() {
        names.append(RTCPMessageTests.name(message))
        RTCPMessageTests.look(message)
      }
      return (names, messages.unknown, messages.malformed)
    }
  }

  /// Goes over all that is borrowed.
  static func look(_ message: RTCPMessage) {
    switch message {
    case .senderReport(_, let blocks), .receiverReport(_, let blocks): #expect(Array(blocks).count <= 31)
    case .sourceDescription(let chunks): #expect(Array(chunks).count <= 31)
    case .goodbye(let goodbye): #expect(Array(goodbye.sources).count <= 31 && (goodbye.reason?.utf8.count ?? 0) <= 255 * 3)
    case .nack(let nack): for _ in nack {}
    case .pictureLoss: break
    case .fullIntraRequest(let request): for _ in request {}
    case .maximumBitrate(let message): #expect(message.bitrate >= 0 && Array(message.sources).count <= 255)
    case .transportFeedback(let feedback):
      var (received, outside) = (0, 0)
      for arrival in feedback {
        received += 1
        outside += Int(arrival.sequence.rawValue &- feedback.base.rawValue) < feedback.count ? 0 : 1
      }
      #expect(received == feedback.receivedCount && outside == 0)
    case .extendedReport(let report):
      for block in report {
        if case .delays(let delays) = block { for _ in delays {} }
      }
    }
  }

  @Test func oneOfEachKindIsTold() throws {
    let (names, unknown, malformed) = try read(RTCPMessageTests.everything(), .compound)
    #expect(names == ["SR", "RR", "SDES", "XR", "NACK", "PLI", "FIR", "REMB", "TWCC", "BYE"])
    #expect(unknown == 0 && malformed == 0)
  }

  @Test func whatIsUnknownOrWrongIsSkippedAndCounted() throws {
    let report = "80 c9 0001 00000001"
    // APP, a format that nobody knows, an application's own feedback, a kind to come.
    let unknown = "80 cc 0002 00000001 41424344" + "9e cd 0002 00000001 00000002" + "8f ce 0003 00000001 00000002 41424344" + "80 d5 0000"
    // A report without its block, a NACK of half an entry.
    let wrong = "81 c9 0001 00000001" + "81 cd 0001 00000001"
    let found = try read(bytes(report + unknown + wrong + report))
    #expect(found.names == ["RR", "RR"])
    #expect(found.unknown == 4 && found.malformed == 2)
  }

  @Test func spoiltDatagramsDoNoHarm() {
    var (whole, refused) = (0, 0)
    spoilt(RTCPMessageTests.everything(), seed: 2) { copy in
      guard let found = try? read(copy) else {
        refused += 1
        return
      }
      if found.names.count == 10 { whole += 1 }
    }
    #expect(whole > 500 && refused > 300)
  }

  @Test func aDatagramOfTheGreatestSizeIsReadInTime() throws {
    // As many packets as there can be, and a NACK that asks for all it can.
    let many = [[UInt8]](repeating: bytes("80 cb 0000"), count: 16_383).flatMap { $0 }
    #expect(try read(many).names.count == 16_383)
    let nack = bytes("81 cd 3ffd 00000001 00000002") + [UInt8](repeating: 0xFF, count: 0x3FFB * 4)
    #expect(try read(nack).names == ["NACK"])
  }
}
