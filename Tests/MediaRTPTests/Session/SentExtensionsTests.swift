import MediaCore
import Testing

@testable import MediaRTP

/// What the packets that leave a session say in their header extensions.
@Suite struct SentExtensionsTests {
  private final class Out: RTPSessionDelegate {
    var packets: [(bytes: [UInt8], at: Int64)] = []
    var now: Int64 = 0
    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { if !isControl { packets.append((Array(packet), now)) } }
    func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {}
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
    func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
    func session(did event: RTPSessionEvent) {}
  }

  private let clock = NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: 0)

  /// In the two-byte form where an id is above 14.
  private func map(highest: UInt8) -> ExtensionMap {
    var map = ExtensionMap()
    (map.mid, map.rid, map.repairedRID, map.absoluteSendTime, map.captureTime, map.orientation) = (1, 2, 3, 4, 5, 6)
    map.transportSequence = highest
    return map
  }

  private func send(_ map: ExtensionMap, hasRetransmissions: Bool) throws -> (RTPSession, Out) {
    var settings = RTPSettings(cname: "a", clock: clock, seed: 3)
    settings.extensions = map
    settings.bitrates = .init(minimum: 100_000, start: 8_000_000, maximum: 10_000_000)
    let (session, out) = (RTPSession(settings, receiving: [:], now: 0), Out())
    var stream = OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96)
    (stream.mid, stream.rid) = ("7", "h")
    if hasRetransmissions { stream.retransmission = (SSRC(2), 97) }
    _ = try session.addStream(stream)
    for index in 0..<10 {
      let frame = TestFrame.make(.vp8, 2000, isKey: index == 0, index)
      try frame.withUnsafeBytes {
        try session.send($0, number: UInt16(index), units: Int64(index) * 3000, orientation: 2, on: 0, now: out.now)
      }
      for _ in 0..<33 {
        _ = session.poll(now: out.now, out)
        out.now += 1_000_000
      }
    }
    return (session, out)
  }

  private func read(_ packet: [UInt8], _ map: ExtensionMap) throws -> RTPHeader {
    try reading(packet) { try RTPPacket(parsing: $0, map).header }
  }

  @Test(arguments: [14, 200] as [UInt8]) func eachSaysWhoseItIsAndWhenItLeft(_ highest: UInt8) throws {
    let map = map(highest: highest)
    let (_, out) = try send(map, hasRetransmissions: true)
    let sent = out.packets.filter { $0.bytes[1] & 127 == 96 }
    #expect(sent.count == 20)
    let numbers = try out.packets.map { try #require(try read($0.bytes, map).extensions.transportSequence) }
    let goOn = zip(numbers.dropFirst(), numbers).allSatisfy { $0 == $1 &+ 1 }
    #expect(goOn)
    var orientations = 0
    for (packet, time) in sent {
      let said = try read(packet, map).extensions
      #expect(said.mid == "7" && said.rid == "h" && said.repairedRID == nil)
      #expect(said.absoluteSendTime == clock.time(at: time).absoluteSendTime)
      if said.orientation == 2 { orientations += 1 }
    }
    #expect(orientations == 10)
  }

  @Test func whatIsSentAgainSaysWhatItRepairs() throws {
    let map = map(highest: 14)
    let (session, out) = try send(map, hasRetransmissions: true)
    let lost = try read(out.packets.filter { $0.bytes[1] & 127 == 96 }[4].bytes, map).sequence
    reading(written { GenericNACK.write(to: &$0, sender: SSRC(9), media: SSRC(1), [lost]) }) { session.receive($0, now: out.now, out) }
    out.packets = []
    _ = session.poll(now: out.now, out)
    let again = try #require(out.packets.first { $0.bytes.count > 500 })
    let header = try read(again.bytes, map)
    #expect(header.payloadType == 97 && header.ssrc == SSRC(2))
    #expect(header.extensions.mid == "7" && header.extensions.rid == nil && header.extensions.repairedRID == "h")
    #expect(header.extensions.absoluteSendTime == clock.time(at: again.at).absoluteSendTime)
  }

  /// Its number seals one packet: that says when it left first.
  @Test func whatIsSentAgainInItsOwnStreamIsTheSame() throws {
    let map = map(highest: 200)
    let (session, out) = try send(map, hasRetransmissions: false)
    let lost = out.packets[4].bytes
    let sequence = try read(lost, map).sequence
    reading(written { GenericNACK.write(to: &$0, sender: SSRC(9), media: SSRC(1), [sequence]) }) { session.receive($0, now: out.now, out) }
    out.packets = []
    _ = session.poll(now: out.now, out)
    #expect(out.packets.first?.bytes == lost)
  }

  @Test func whatHasNoIdIsNotSaid() throws {
    let (_, out) = try send(ExtensionMap(), hasRetransmissions: true)
    #expect(out.packets.count >= 20 && out.packets.allSatisfy { $0.bytes[0] & 0x10 == 0 })
  }
}
