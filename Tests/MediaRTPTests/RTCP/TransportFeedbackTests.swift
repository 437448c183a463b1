import Testing

@testable import MediaRTP

@Suite struct TransportFeedbackTests {
  private struct Read: Equatable {
    var base: UInt16
    var count: Int
    var reference: UInt32
    var number: UInt8
    var arrivals: [TransportFeedback.Arrival]
  }

  private func read(_ packet: [UInt8]) throws -> Read {
    try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      guard let packet = packets.next() else { throw PacketError("nothing") }
      let feedback = try TransportFeedback(parsing: packet)
      let arrivals = Array(feedback)
      #expect(arrivals.count == feedback.receivedCount)
      return Read(
        base: feedback.base.rawValue, count: feedback.count, reference: feedback.referenceTime, number: feedback.number, arrivals: arrivals)
    }
  }

  /// Behind a header that says how long it is.
  private func feedback(base: String, count: String, _ rest: String) -> [UInt8] {
    let body = bytes("00000001 00000002" + base + count + "000002 09" + rest)
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    return written { writer in
      writer.rtcp(.transportLayerFeedback, count: 15) { writer in padded.withUnsafeBytes { writer.bytes($0) } }
    }
  }

  private func arrivals(_ list: [(UInt16, Int64)]) -> [TransportFeedback.Arrival] {
    list.map { .init(sequence: SequenceNumber($0), time: $1 * 250_000) }
  }

  /// Captured from Chromium: seven packets in a run, small deltas, padding of three bytes.
  @Test func whatChromiumSends() throws {
    let read = try read(bytes("af cd 0007 fa17fa17 193dd8bb 0004 0007 10636e 01 2007 4c 24 24 10 0c 0c 10 000003"))
    #expect(read.base == 4 && read.count == 7 && read.reference == 0x10636E && read.number == 1)
    #expect(read.arrivals == arrivals([(4, 76), (5, 112), (6, 148), (7, 164), (8, 176), (9, 188), (10, 204)]))
    // A vector of one bit symbols, as it would send it.
    let vector = try self.read(bytes("af cd 0006 fa17fa17 193dd8bb 0001 000e 10636d 00 ba00 10 0c 0c 10 0002"))
    #expect(vector.arrivals == arrivals([(1, 16), (2, 28), (3, 40), (5, 56)]) && vector.count == 14)
  }

  @Test func chunksOfAllKinds() throws {
    // A run of two large deltas, the second back in time, then two bits each: small, missing, large.
    let mixed = feedback(base: "ffff", count: "0005", "4002 d200 1000 fff0 07 7fff")
    #expect(try read(mixed).arrivals == arrivals([(0xFFFF, 4096), (0, 4080), (1, 4087), (3, 36_854)]))
    // A long run of missing ones, a run of no length, then one that came; symbols beyond the count are nothing.
    let sparse = feedback(base: "0000", count: "1ffe", "1ffd 2000 9fff 05")
    #expect(try read(feedback(base: "0000", count: "1ffe", "1ffd 2000 a000 05")).arrivals == arrivals([(0x1FFD, 5)]))
    #expect(try read(sparse).arrivals.isEmpty)
  }

  @Test func whatIsWrongIsRefused() {
    func isRefused(_ packet: [UInt8]) -> Bool { (try? read(packet)) == nil }
    #expect(isRefused(feedback(base: "0000", count: "0000", "")))
    // Chunks that end before the packets do, deltas that are not there, the reserved status in a run and in a vector.
    #expect(isRefused(feedback(base: "0000", count: "0003", "2002 2000")))
    #expect(isRefused(feedback(base: "0000", count: "0003", "2003")))
    #expect(isRefused(feedback(base: "0000", count: "0003", "4003 0001")))
    #expect(isRefused(feedback(base: "0000", count: "0001", "6001 00")))
    #expect(isRefused(feedback(base: "0000", count: "0002", "f000 0000")))
    #expect(!isRefused(feedback(base: "0000", count: "0002", "2002 0000")))
  }

  @Test func sixtyFiveThousandMissingPacketsCostNothing() throws {
    let packet = feedback(base: "0001", count: "ffff", String(repeating: "1fff", count: 8) + "0007")
    let read = try read(packet)
    #expect(read.count == 65_535 && read.arrivals.isEmpty)
  }

  @Test func theReferenceTimeGoesOnWhereItWraps() throws {
    var clock = TransportFeedbackClock()
    var times: [Int64] = []
    for hex in ["fffffe", "ffffff", "000001", "000000"] {
      let packet = bytes("8f cd 0005 00000001 00000002 0000 0001" + hex + "00 2001 0000")
      try reading(packet) { bytes in
        var packets = try RTCPPacket.Iterator(parsing: bytes)
        guard let packet = packets.next() else { return }
        times.append(clock.time(of: try TransportFeedback(parsing: packet)))
      }
    }
    #expect(times.map { ($0 - times[0]) / 64_000_000 } == [0, 1, 3, 2])
  }
}
