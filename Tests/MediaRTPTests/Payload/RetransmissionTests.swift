import Testing

@testable import MediaRTP

@Suite struct RetransmissionTests {
  @Test func theOriginalNumberStandsFirst() throws {
    let payload = written { writer in
      Retransmission.write(SequenceNumber(0x1234), to: &writer)
      writer.u8(9)
    }
    #expect(payload == [0x12, 0x34, 9])
    try reading(payload) { payload in
      let read = try Retransmission.read(payload)
      #expect(read.original == SequenceNumber(0x1234) && read.payload.elementsEqual([9]))
    }
    reading([1]) { payload in #expect((try? Retransmission.read(payload)) == nil) }
  }
}
