import Testing

@testable import MediaRTP

@Suite struct SourceDescriptionTests {
  private func read(_ packet: [UInt8]) throws -> [SourceDescription.Chunk] {
    try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      guard let packet = packets.next() else { return [] }
      return Array(try SourceDescription(parsing: packet))
    }
  }

  @Test func chunksAreThoseOfTheStandard() throws {
    let packet = written {
      SourceDescription.write(to: &$0, [.init(ssrc: SSRC(1), cname: "a"), .init(ssrc: SSRC(2), cname: "bc", mid: "0")])
    }
    #expect(packet == bytes("82 ca 0005 00000001 010161 00 00000002 01026263 0f 01 30 00"))
    #expect(try read(packet) == [.init(ssrc: SSRC(1), cname: "a"), .init(ssrc: SSRC(2), cname: "bc", mid: "0")])
  }

  @Test func anItemThatEndsAtAWordHasAWordOfZerosBehindIt() throws {
    let chunk = SourceDescription.Chunk(ssrc: SSRC(1), cname: "ab")
    let packet = written { SourceDescription.write(to: &$0, [chunk]) }
    #expect(packet == bytes("81 ca 0003 00000001 01026162 00000000"))
    #expect(try read(packet) == [chunk])
  }

  @Test func otherItemsAreReadOver() throws {
    // TOOL, then CNAME, then PRIV.
    #expect(try read(bytes("81 ca 0004 00000001 0602 4142 0101 78 08 02 00 79 00")) == [.init(ssrc: SSRC(1), cname: "x")])
    #expect(try read(bytes("81 ca 0002 00000001 00000000")) == [.init(ssrc: SSRC(1))])
    #expect(try read(bytes("80 ca 0000")).isEmpty)
  }

  @Test func whatEndsEarlyIsRefused() {
    for hex in [
      "81 ca 0000", "81 ca 0001 00000001", "81 ca 0002 00000001 01ff 6162", "82 ca 0002 00000001 00000000", "81 ca 0002 00000001 01026162"
    ] {
      #expect((try? read(bytes(hex))) == nil, "\(hex)")
    }
  }

  @Test func textThatIsNoTextIsRepaired() throws {
    #expect(try read(bytes("81 ca 0002 00000001 0101ff 00")) == [.init(ssrc: SSRC(1), cname: "\u{FFFD}")])
  }

  @Test func noMoreThan31Chunks() throws {
    let packet = written(4000) { SourceDescription.write(to: &$0, (0..<40).map { .init(ssrc: SSRC($0), cname: "c\($0)") }) }
    #expect(try read(packet).map(\.ssrc.rawValue) == Array(0..<31))
  }
}
