import Testing

@testable import MediaRTP

@Suite struct ExtendedReportTests {
  private func read(_ packet: [UInt8]) throws -> (time: NTPTimestamp?, delays: [ExtendedReport.Delay]) {
    try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      var found: (NTPTimestamp?, [ExtendedReport.Delay]) = (nil, [])
      guard let packet = packets.next() else { return found }
      for block in try ExtendedReport(parsing: packet) {
        switch block {
        case .receiverReferenceTime(let time): found.0 = time
        case .delays(let delays): found.1 += Array(delays)
        }
      }
      return found
    }
  }

  @Test func blocksAreThoseOfTheStandard() throws {
    let delays = [ExtendedReport.Delay(ssrc: SSRC(2), lastReceiverReport: 3, delaySinceLastReceiverReport: 4)]
    let packet = written {
      ExtendedReport.write(to: &$0, sender: SSRC(1), receiverReferenceTime: NTPTimestamp(rawValue: 0x0102_0304_0506_0708), delays)
    }
    #expect(packet == bytes("80 cf 0008 00000001 04000002 0102030405060708 05000003 00000002 00000003 00000004"))
    let (time, found) = try read(packet)
    #expect(time == NTPTimestamp(rawValue: 0x0102_0304_0506_0708) && found == delays)
    #expect(written { ExtendedReport.write(to: &$0, sender: SSRC(1)) } == bytes("80 cf 0001 00000001"))
  }

  @Test func otherBlocksAreReadOver() throws {
    let (time, delays) = try read(bytes("80 cf 0007 00000001 01000001 deadbeef 2a000000 04000002 0000000000000009"))
    #expect(time == NTPTimestamp(rawValue: 9) && delays.isEmpty)
  }

  @Test func whatDoesNotAddUpIsRefused() {
    for hex in [
      "80 cf 0000", "80 cf 0002 00000001 04000002", "80 cf 0003 00000001 04000001 00000009",
      "80 cf 0004 00000001 05000002 00000001 00000002", "80 cf 0002 00000001 01000001"
    ] {
      #expect((try? read(bytes(hex))) == nil, "\(hex)")
    }
  }
}
