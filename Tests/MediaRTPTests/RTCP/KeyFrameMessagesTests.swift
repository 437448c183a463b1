import Testing

@testable import MediaRTP

@Suite struct KeyFrameMessagesTests {
  @Test func pictureLossComesBack() throws {
    let packet = written { PictureLossIndication(sender: SSRC(1), media: SSRC(2)).write(to: &$0) }
    #expect(packet == bytes("81 ce 0002 00000001 00000002"))
    try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      guard let packet = packets.next() else { return }
      let read = try PictureLossIndication(parsing: packet)
      #expect(read == PictureLossIndication(sender: SSRC(1), media: SSRC(2)))
    }
  }

  @Test func fullIntraRequestsComeBack() throws {
    let commands = [FullIntraRequest.Command(media: SSRC(2), number: 255), .init(media: SSRC(3), number: 0)]
    let packet = written { FullIntraRequest.write(to: &$0, sender: SSRC(1), commands) }
    #expect(packet == bytes("84 ce 0006 00000001 00000000 00000002 ff000000 00000003 00000000"))
    try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      guard let packet = packets.next() else { return }
      let read = try FullIntraRequest(parsing: packet)
      #expect(read.sender == SSRC(1) && Array(read) == commands)
    }
    reading(bytes("84 ce 0003 00000001 00000000 00000002")) { bytes in
      guard var messages = try? RTCPMessage.Iterator(parsing: bytes) else { return #expect(Bool(false)) }
      let message = messages.next()
      #expect(message == nil && messages.malformed == 1)
    }
  }

  @Test func commandsSaidAgainAreNotFollowedAgain() {
    var filter = FullIntraRequestFilter(limit: 2)
    let (one, two) = (SSRC(1), SSRC(2))
    #expect(filter.accept(.init(media: two, number: 0), from: one) == true)
    #expect(filter.accept(.init(media: two, number: 0), from: one) == false)
    #expect(filter.accept(.init(media: two, number: 1), from: one) == true)
    // Another sender counts for itself, and so does another stream.
    #expect(filter.accept(.init(media: two, number: 1), from: SSRC(5)) == true)
    #expect(filter.accept(.init(media: two, number: 1), from: one) == false)
    #expect(filter.accept(.init(media: SSRC(3), number: 1), from: one) == true)
    // The sender heard longest ago is forgotten.
    #expect(filter.accept(.init(media: two, number: 1), from: SSRC(5)) == true)
    #expect(filter.accept(.init(media: SSRC(3), number: 1), from: one) == false)
  }
}
