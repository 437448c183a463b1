import Testing

@testable import MediaRTP

@Suite struct GoodbyeTests {
  private func read(_ packet: [UInt8]) throws -> (sources: [SSRC], reason: String?) {
    try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      guard let packet = packets.next() else { return ([], nil) }
      let goodbye = try Goodbye(parsing: packet)
      return (Array(goodbye.sources), goodbye.reason)
    }
  }

  @Test func theyComeBackWithTheirReason() throws {
    let packet = written { Goodbye.write(to: &$0, [SSRC(1), SSRC(0xFFFF_FFFF)], reason: "tired") }
    #expect(packet == bytes("82 cb 0004 00000001 ffffffff 05 74697265 64 0000"))
    let (sources, reason) = try read(packet)
    #expect(sources == [SSRC(1), SSRC(0xFFFF_FFFF)] && reason == "tired")
    let silent = try read(written { Goodbye.write(to: &$0, [SSRC(1)]) })
    #expect(silent.sources == [SSRC(1)] && silent.reason == nil)
    #expect(written { Goodbye.write(to: &$0, [SSRC(1)], reason: "abc") } == bytes("81 cb 0002 00000001 03616263"))
    #expect(try read(bytes("80 cb 0000")).sources.isEmpty)
  }

  @Test func noMoreThan31AndNoLongerThan255() throws {
    let (sources, reason) = try read(
      written { Goodbye.write(to: &$0, (0..<40).map { SSRC($0) }, reason: String(repeating: "x", count: 300)) })
    #expect(sources.count == 31 && reason?.count == 255)
  }

  @Test func whatEndsEarlyIsRefused() {
    #expect((try? read(bytes("82 cb 0001 00000001"))) == nil)
    #expect((try? read(bytes("81 cb 0002 00000001 04616263"))) == nil)
  }
}
