import Testing

@testable import MediaRTP

@Suite struct RTCPPacketTests {
  private static let empty = "80 c9 0001 00000001"

  private func types(_ hex: String, _ form: RTCPForm = .reducedSize) throws -> [UInt8] {
    try reading(bytes(hex)) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes, form)
      var types: [UInt8] = []
      while let packet = packets.next() { types.append(packet.type.rawValue) }
      return types
    }
  }

  private func reason(_ hex: String, _ form: RTCPForm = .reducedSize) -> String? {
    do {
      _ = try types(hex, form)
      return nil
    } catch { return "\(error)" }
  }

  @Test func packetsComeInTurn() throws {
    #expect(try types(Self.empty + "81 ca 0001 00000000" + "9f d5 0000") == [201, 202, 213])
    try reading(bytes("9f d5 0002 0102030405060708")) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      let (packet, none) = (packets.next(), packets.next())
      #expect(packet?.count == 31 && packet?.body.elementsEqual(1...8) == true)
      #expect(none == nil)
    }
  }

  @Test func aCompoundBeginsWithAReport() {
    let feedback = "81 ce 0002 00000001 00000002"
    #expect(reason(feedback) == nil)
    #expect(reason(feedback, .compound) == "RTCP: a compound packet that does not begin with a report")
    #expect(reason(Self.empty + feedback, .compound) == nil)
  }

  @Test func lengthsAddUp() {
    #expect(reason("") == "ends early")
    #expect(reason("80 c9 00") == "ends early")
    #expect(reason("80 c9 0002 00000001") == "ends early")
    #expect(reason(Self.empty + "80 c9 00") == "ends early")
    #expect(reason(Self.empty + "80 c9 ffff 00000001") == "ends early")
    #expect(reason("40 c9 0001 00000001") == "RTCP: the version is not 2")
    #expect(reason(Self.empty + "00 c9 0001 00000001") == "RTCP: the version is not 2")
  }

  @Test func onlyTheLastIsPadded() throws {
    let wrong = "RTCP: the padding is longer than the packet, or its length is 0"
    #expect(reason("a0 c9 0002 00000001 00000004" + Self.empty) == "RTCP: padding before the last packet")
    #expect(reason("a0 c9 0002 00000001 00000000") == wrong)
    #expect(reason("a0 c9 0002 00000001 00000009") == wrong)
    #expect(reason("a0 c9 0000") == wrong)
    try reading(bytes(Self.empty + "a0 c9 0002 00000001 00000004")) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      let two = (packets.next(), packets.next())
      #expect(two.1?.body.count == 4)
    }
  }

  @Test func transportFeedbackOfLibwebrtcIsPaddedWhereverItStands() {
    #expect(reason("af cd 0005 fa17fa17 43032fa0 0099 0001 3de802 17 2001 9401" + Self.empty) == nil)
  }

  @Test func lengthsAreWrittenInWords() {
    #expect(written { $0.rtcp(.goodbye, count: 33) { $0.u32(7) } } == bytes("81 cb 0001 00000007"))
    #expect(written { $0.rtcp(.application, count: 0) { _ in } } == bytes("80 cc 0000"))
  }

  @Test func shortTextsEndBeforeTheCharacterThatDoesNotFit() {
    let text = written { $0.shortText(String(repeating: "é", count: 200)) }
    #expect(text.count == 255 && text[0] == 254)
    #expect(String(decoding: text.dropFirst(), as: UTF8.self) == String(repeating: "é", count: 127))
  }
}
