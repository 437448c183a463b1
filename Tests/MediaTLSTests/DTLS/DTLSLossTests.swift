import MediaCore
import Testing

@testable import MediaTLS

/// Networks that lose, delay, reorder and double.
@Suite(.enabled(if: DTLSTimer.canBeDriven)) struct DTLSLossTests {
  @Test func allConnectOverBadNetworks() throws {
    var random = SeededRandom(seed: 7)
    var slowest: Int64 = 0
    for seed in 0..<400 as Range<UInt64> {
      let talk = try DTLSTalk(clientProfiles: [[7], [1], [8]][Int(seed % 3)], seed: seed)
      talk.delay = Int64.random(in: 1_000_000...200_000_000, using: &random)
      talk.jitter = Int64.random(in: 0...100_000_000, using: &random)
      talk.lost = Int.random(in: 0...30, using: &random)
      talk.doubled = Int.random(in: 0...30, using: &random)
      talk.run()
      #expect(talk.isOpen, "seed \(seed): \(talk.ends.map(\.state)), \(talk.lost) % lost")
      #expect(talk.client.srtp != nil && talk.client.srtp == talk.server.srtp, "seed \(seed)")
      slowest = max(slowest, (talk.opened[0] ?? .max) - 1_000_000_000)
      try talk.say([1, 2, 3], by: 0)
      try talk.say([4], by: 1)
      (talk.lost, talk.doubled) = (0, 100)
      talk.run()
      #expect(talk.heard == [[[4]], [[1, 2, 3]]], "seed \(seed): what came twice was heard twice, or nothing")
    }
    #expect(slowest < 20_000_000_000)
  }

  /// In pieces: each record of a flight for itself, in any order.
  @Test func recordsComeInAnyOrder() throws {
    for seed in 0..<100 as Range<UInt64> {
      let talk = try DTLSTalk(seed: seed)
      talk.jitter = 20_000_000
      talk.change = { _, datagram in datagram.withUnsafeBytes { raw in DTLSRecords(raw).map { Array($0.bytes) } } }
      talk.run()
      #expect(talk.isOpen, "seed \(seed)")
      // Out of order, but nothing was lost: two repetitions are enough.
      #expect((talk.opened[0] ?? .max) < 1_800_000_000, "seed \(seed)")
    }
  }

  /// The n-th datagram of an end, whichever it is.
  @Test(arguments: 0..<2) func eachDatagramMayBeLost(from end: Int) throws {
    for number in 0..<2 {
      let talk = try DTLSTalk()
      var seen = 0
      talk.change = { from, datagram in
        guard from == end else { return [datagram] }
        seen += 1
        return seen == number + 1 ? [] : [datagram]
      }
      talk.run()
      #expect(talk.isOpen)
      // It was sent again after 100 ms.
      #expect((talk.opened[0] ?? .max) <= 1_250_000_000, "\(end), \(number): \(talk.opened)")
    }
  }

  @Test func nobodyThereIsFoundOut() throws {
    let talk = try DTLSTalk()
    talk.change = { _, _ in [] }
    talk.run()
    #expect(talk.error(of: 0)?.status == .timeout)
    let times = talk.sent[0].map { ($0.time - 1_000_000_000) / 1_000_000 }
    #expect(times == [0, 100, 300, 700, 1500, 3100, 6300, 9500, 12_700, 15_900, 19_100, 22_300, 25_500])
    // A repetition has a number of its own (RFC 6347, section 4.2.4).
    #expect(Set(talk.sent[0].map { Array($0.bytes[5..<11]) }).count == times.count)
    // A server does not begin; it is its owner who gives up.
    #expect(talk.server.state == .handshaking && talk.server.poll(now: .max - 1) == .max)
  }

  /// The server is open, but the client has not heard so.
  @Test func theLastFlightIsSentAgain() throws {
    let talk = try DTLSTalk()
    var dropped = 0
    talk.change = { [unowned talk] from, datagram in
      guard from == 1, talk.server.state == .open, datagram[0] != 23, dropped < 4 else { return [datagram] }
      dropped += 1
      return []
    }
    talk.run(for: 90_000_000)
    #expect(talk.server.state == .open && talk.client.state == .handshaking)
    // What is said meanwhile is not lost.
    for number in 0..<12 as Range<UInt8> { try talk.say([number], by: 1) }
    talk.run()
    #expect(talk.isOpen && dropped == 4)
    #expect(talk.heard[0] == (0..<8).map { [$0] })
    try talk.say([9], by: 1)
    talk.run()
    #expect(talk.heard[0].last == [9])
  }

  /// A path that takes longer than the first repetitions.
  @Test func longPathsConnect() throws {
    for delay in [300_000_000, 900_000_000, 2_000_000_000] as [Int64] {
      let talk = try DTLSTalk()
      talk.delay = delay
      talk.run()
      #expect(talk.isOpen && talk.opened[0] == 1_000_000_000 + 4 * delay)
    }
  }

  /// Where a later OpenSSL has a timer that cannot be set, its clock has to come to the same time. It takes 15 ms before for that time.
  @Test func theSystemsClockHasASayWithALaterOpenSSL() throws {
    func machine(first: Int64) throws -> DTLSMachine {
      try DTLSMachine(
        .client, certificate: try #require(DTLSTalk.certificates[0]), peer: [DTLSFingerprint("sha-256", [UInt8](repeating: 0, count: 32))],
        profiles: [], timer: DTLSTimer(first: first, isDriven: false), now: 0)
    }
    // Again and again while it is made.
    let hellos = try #require(try machine(first: 1_000_000).takeDatagram())
    #expect(hellos.withUnsafeBytes { DTLSRecords($0).map(\.epoch) }.count > 1)

    let late = try machine(first: 3_000_000_000_000)
    #expect(late.takeDatagram() != nil && late.poll(now: 1) == 3_000_000_000_000)
    #expect(late.poll(now: 3_000_000_000_000) == 3_000_005_000_000)
    #expect(late.takeDatagram() == nil && late.state == .handshaking)
  }
}
