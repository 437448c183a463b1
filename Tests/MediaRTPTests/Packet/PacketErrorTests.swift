import Testing

@testable import MediaRTP

@Suite struct PacketErrorTests {
  @Test func errorsAreTheSameByTheirText() {
    func made() -> PacketError { PacketError("RTP: one thing") }
    #expect(made() == PacketError("RTP: one thing"))
    #expect(made() != PacketError("RTP: the thing") && made() != PacketError("RTP: one thing more") && made() != PacketError(""))
    #expect(PacketError("") == PacketError("") && PacketError("é") == PacketError("é") && PacketError("é") != PacketError("è"))
    #expect(RTPSession.full == PacketError("RTP: the send queue is full"))
  }
}
