import MediaCore
import Testing

@testable import MediaSCTP

/// Packets that are not what an end has sent. Below DTLS only the other end can send them, so they may end the association; they may do
/// nothing worse.
@Suite struct DamageTests {
  /// What each byte makes of the checksum.
  private static let checksums = (0..<256).map { (byte: UInt32) -> UInt32 in
    (0..<8).reduce(byte) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0x82f6_3b78 : sum >> 1 }
  }

  /// The checksum of SCTP (RFC 9260, appendix A) over what is there, so that the library looks at it.
  static func signed(_ packet: [UInt8]) -> [UInt8] {
    guard packet.count >= 12 else { return packet }
    var packet = packet
    packet.replaceSubrange(8..<12, with: [0, 0, 0, 0])
    var sum: UInt32 = 0xffff_ffff
    for byte in packet { sum = sum >> 8 ^ checksums[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    sum = ~sum
    packet.replaceSubrange(8..<12, with: (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) })
    return packet
  }

  @Test func theChecksumIsTheLibrarys() throws {
    let talk = try DataTalk()
    _ = try talk.channel()
    for packet in talk.sent.joined() { #expect(DamageTests.signed(packet) == packet) }
  }

  /// The packets of a handshake with a channel and a message: first INIT, INIT ACK, COOKIE ECHO, COOKIE ACK, then data.
  private func handshake() throws -> [[UInt8]] {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    try talk.client.send([1, 2, 3], isText: false, on: id, now: talk.now)
    talk.run(for: DataTalk.second)
    return talk.sent[0]
  }

  /// One packet of the client's is another.
  private func run(_ number: Int, _ change: @escaping ([UInt8]) -> [[UInt8]]) throws -> DataTalk {
    let talk = try DataTalk()
    var count = 0
    talk.change = { from, packet in
      guard from == 0 else { return [packet] }
      count += 1
      return count == number + 1 ? change(packet) : [packet]
    }
    let id = try talk.client.open(label: "chat", now: talk.now)
    try talk.client.send([1, 2, 3], isText: false, on: id, now: talk.now)
    talk.run(for: 60 * DataTalk.second) { talk.messages(1) == [[1, 2, 3]] || talk.error(of: 0) != nil || talk.error(of: 1) != nil }
    return talk
  }

  @Test func aFlippedByteIsALostPacket() throws {
    for (number, packet) in try handshake().prefix(5).enumerated() {
      for place in stride(from: number % 2, to: packet.count, by: 2) {
        let talk = try run(number) { packet in
          var packet = packet
          if place < packet.count { packet[place] ^= 0x41 }
          return [packet]
        }
        #expect(talk.messages(1) == [[1, 2, 3]], "packet \(number), byte \(place)")
      }
    }
  }

  /// With a checksum that is right it is the other end's will: the association works or ends, and nothing else.
  @Test(arguments: 0..<5) func aFlippedByteThatIsSigned(number: Int) throws {
    for place in 0..<(try handshake()[number].count) {
      for mask: UInt8 in [0x01, 0x80, 0xff] {
        let talk = try run(number) { packet in
          var packet = packet
          if place < packet.count { packet[place] ^= mask }
          return [DamageTests.signed(packet)]
        }
        #expect(talk.messages(1).count <= 1 && talk.messages(0).isEmpty)
      }
    }
  }

  @Test(arguments: 0..<5) func whatIsCutAndSigned(number: Int) throws {
    for count in 0..<(try handshake()[number].count) {
      let talk = try run(number) { [DamageTests.signed(Array($0.prefix(count)))] }
      #expect(talk.messages(1).count <= 1 && talk.messages(0).isEmpty)
    }
  }

  @Test func whatIsCutIsALostPacket() throws {
    for (number, packet) in try handshake().prefix(5).enumerated() {
      for count in stride(from: 0, to: packet.count, by: 3) {
        let talk = try run(number) { [Array($0.prefix(count))] }
        #expect(talk.messages(1) == [[1, 2, 3]], "packet \(number), \(count) bytes")
      }
    }
  }

  @Test func packetsOfTheirOwnChangeNothing() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    for packet in talk.sent.joined() {
      talk.give(packet, to: 0)
      talk.give(packet, to: 1)
    }
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    talk.run(for: 5 * DataTalk.second)
    #expect(talk.messages(1) == [[1]])
    #expect(talk.opened(1).count == 1)
    #expect(talk.error(of: 0) == nil && talk.error(of: 1) == nil)
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func whatIsNoPacketChangesNothing(seed: UInt64) throws {
    let talk = try DataTalk(seed: seed)
    let (id, _) = try talk.channel()
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      var bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      // With the right ports, half of them.
      if bytes.count > 12, Bool.random(using: &random) {
        bytes.replaceSubrange(0..<4, with: [0x13, 0x88, 0x13, 0x88])
        bytes = DamageTests.signed(bytes)
      }
      talk.give(bytes, to: 0)
      talk.give(bytes, to: 1)
    }
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    talk.run(for: 5 * DataTalk.second)
    #expect(talk.messages(1) == [[1]])
  }
}
