import MediaCore
import Testing

@testable import MediaRTP

@Suite struct RTPSessionProbationTests {
  private func session(hasProbation: Bool) -> RTPSession {
    var settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: 0), seed: 1)
    settings.hasProbation = hasProbation
    return RTPSession(settings, receiving: [96: .vp8, 111: .opus], now: 0)
  }

  private func sound(_ ssrc: UInt32, _ number: UInt16) -> [UInt8] {
    [0x80, 111, UInt8(number >> 8), UInt8(number & 255), 0, 0, 0, UInt8(number & 255)]
      + [UInt8(ssrc >> 24), UInt8(ssrc >> 16 & 255), UInt8(ssrc >> 8 & 255), UInt8(ssrc & 255), 31 << 3, UInt8(number & 255)]
  }

  private func receive(_ session: RTPSession, _ end: TestCall.End, _ bytes: [UInt8], at now: Int64) {
    bytes.withUnsafeBytes { session.receive($0, now: now, end) }
  }

  @Test func aFloodOfSourcesMakesNoStreamsAndAnHonestOneLosesNothing() {
    let (session, end) = (session(hasProbation: true), TestCall.End())
    for ssrc in UInt32(1000)..<20_000 { receive(session, end, sound(ssrc, UInt16(ssrc & 0xFFFF)), at: Int64(ssrc)) }
    #expect(end.events.isEmpty && session.receiving.isEmpty)
    for number in UInt16(5)...8 { receive(session, end, sound(7, number), at: 1_000_000_000 + Int64(number) * 20_000_000) }
    #expect(end.events == [.streamBegan(SSRC(7), payloadType: 111, mid: nil)])
    _ = session.poll(now: 3_000_000_000, end)
    #expect(end.sounds == (5...8).map { [31 << 3, $0] } && end.lost == 0)
  }

  @Test func whoIsKnownToBeHonestIsHeardAtOnce() {
    let (session, end) = (session(hasProbation: false), TestCall.End())
    receive(session, end, sound(7, 5), at: 1)
    #expect(end.events == [.streamBegan(SSRC(7), payloadType: 111, mid: nil)])
  }

  @Test func aStreamOfFewPacketsTakesLittleMemory() {
    let buffer = FrameBuffer()
    func insert(_ number: Int64) {
      let header = RTPHeader(payloadType: 96, sequence: SequenceNumber(UInt16(number)), timestamp: RTPTimestamp(0), ssrc: SSRC(1))
      _ = [0x10, 0x31, 1, 2].withUnsafeBytes { buffer.insert(number, RTPPacket(header: header, payload: $0), now: 0) }
    }
    #expect(buffer.slots == PacketRing.fewest)
    // Numbers far apart earn nothing; many that wait do.
    for number in stride(from: Int64(0), to: 10_000, by: 900) { insert(number) }
    #expect(buffer.slots == PacketRing.fewest)
    for number in Int64(10_000)..<10_600 { insert(number) }
    #expect(buffer.slots == 1024)
  }
}
