import MediaCore
import Testing

@testable import MediaTLS

@Suite struct DTLSMachineTests {
  @Test func twoRoundTripsConnect() throws {
    let talk = try DTLSTalk()
    #expect(talk.client.state == .handshaking && talk.client.srtp == nil)
    talk.run()
    #expect(talk.isOpen)
    // 25 ms in each direction.
    #expect(talk.opened[DTLSTalk.server] == 1_075_000_000)
    #expect(talk.opened[DTLSTalk.client] == 1_100_000_000)
    // A datagram for each flight.
    #expect(talk.sent.map(\.count) == [2, 2])
    #expect(talk.sent.allSatisfy { $0.allSatisfy { $0.bytes.count <= 1200 } })
    #expect(talk.client.poll(now: .max) == .max && talk.server.poll(now: .max) == .max)
  }

  /// What is offered, what is chosen, the sizes of a key and its salt.
  private static let profiles: [([UInt16], UInt16, Int, Int)] = [
    ([1], 1, 16, 14), ([7], 7, 16, 12), ([8], 8, 32, 12), ([8, 7, 1], 7, 16, 12), ([8, 1, 1], 8, 32, 12)
  ]

  /// Flights of every length around that of a datagram, with what protects their end.
  @Test func noDatagramIsLongerThanItMay() throws {
    let rsa = try TLSCertificate.make(rsa: 2048)
    var lengths: Set<Int> = []
    for count in 0..<64 {
      let long = try rsa.named(count)
      let talk = try DTLSTalk(client: long, server: long)
      talk.run()
      #expect(talk.isOpen)
      for datagram in talk.sent.joined() {
        #expect(datagram.bytes.count <= 1200)
        lengths.insert(datagram.bytes.count)
      }
    }
    #expect(lengths.contains { $0 > 1176 })
  }

  @Test(arguments: profiles)
  func bothHaveTheSameKeys(profiles: [UInt16], chosen: UInt16, key: Int, salt: Int) throws {
    let talk = try DTLSTalk(clientProfiles: profiles, serverProfiles: [7, 8, 1])
    talk.run()
    let keys = try #require(talk.client.srtp)
    #expect(keys == talk.server.srtp)
    #expect(keys.profile == chosen)
    #expect(keys.clientKey.count == key && keys.serverKey.count == key && keys.clientKey != keys.serverKey)
    #expect(keys.clientSalt.count == salt && keys.serverSalt.count == salt && keys.clientSalt != keys.serverSalt)
    #expect("\(keys)" == "keys of the profile \(chosen)" && Mirror(reflecting: keys).children.isEmpty)
  }

  @Test func withoutACommonProfileThereAreNoKeys() throws {
    for (client, server) in [([7], [8]), ([], [7]), ([7], []), ([], [])] as [([UInt16], [UInt16])] {
      let talk = try DTLSTalk(clientProfiles: client, serverProfiles: server)
      talk.run()
      #expect(talk.isOpen && talk.client.srtp == nil && talk.server.srtp == nil)
    }
  }

  @Test func whatCannotBeIsRefused() throws {
    func refusal(_ body: () throws -> Void) -> MediaError? {
      do { try body() } catch { return error as? MediaError }
      return nil
    }
    #expect(refusal { _ = try DTLSTalk(clientProfiles: [2]) }?.text == "the protection profile 2 of SRTP; accepted: 1, 7, 8")
    let talk = try DTLSTalk()
    #expect(refusal { try talk.say([1], by: 0) }?.status == .state)
    talk.run()
    #expect(refusal { try talk.say([], by: 0) }?.status == .range)
    #expect(refusal { try talk.say([UInt8](repeating: 1, count: DTLSMachine.mostBytes + 1), by: 0) }?.text.contains("1..1163") == true)
    for _ in 0..<256 { try talk.say([1], by: 0) }
    #expect(refusal { try talk.say([1], by: 0) }?.status == .full)
    talk.client.close()
    #expect(refusal { try talk.say([1], by: 0) }?.status == .closed)
  }

  @Test func bothHearWhatTheOtherSays() throws {
    let talk = try DTLSTalk()
    talk.run()
    let said = (0..<200).map { number in [UInt8](repeating: UInt8(number), count: number == 7 ? 1 : DTLSMachine.mostBytes - number) }
    for bytes in said {
      try talk.say(bytes, by: DTLSTalk.client)
      try talk.say(bytes.reversed(), by: DTLSTalk.server)
    }
    talk.run()
    #expect(talk.heard[DTLSTalk.server] == said)
    #expect(talk.heard[DTLSTalk.client] == said.map { $0.reversed() })
    #expect(talk.sent.joined().allSatisfy { $0.bytes.count <= 1200 })
    #expect(talk.sent.joined().contains { $0.bytes.count == 1200 })
  }

  /// An end with a larger path, and other ciphers.
  @Test(arguments: ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305"])
  func recordsOf16KilobytesAreTaken(suite: String) throws {
    let talk = try DTLSTalk()
    #expect(talk.server.restrict(to: suite))
    talk.run()
    for size in [1, 1163, 5000, 16_384] {
      #expect(talk.server.write([UInt8](repeating: 3, count: size)))
    }
    talk.run()
    #expect(talk.heard[DTLSTalk.client].map(\.count) == [1, 1163, 5000, 16_384])
  }

  @Test func anAnswerInTheMidstOfReceiving() throws {
    let talk = try DTLSTalk()
    talk.run()
    try talk.say([1, 2], by: DTLSTalk.client)
    try talk.say([3], by: DTLSTalk.client)
    // Both records in one datagram.
    let datagram = (talk.client.takeDatagram() ?? []) + (talk.client.takeDatagram() ?? [])
    var heard: [[UInt8]] = []
    datagram.withUnsafeBytes { raw in
      talk.server.receive(raw, now: talk.now) { bytes in
        heard.append(Array(bytes))
        try? talk.server.send(bytes)
        if bytes.count == 1 { talk.server.close() }
      }
    }
    talk.run()
    #expect(heard == [[1, 2], [3]])
    #expect(talk.heard[DTLSTalk.client] == [[1, 2], [3]])
    #expect(talk.client.state == .closed && talk.server.state == .closed)
  }

  @Test(arguments: [0, 1]) func closingIsHeard(by end: Int) throws {
    let talk = try DTLSTalk()
    talk.run()
    talk.ends[end].close()
    #expect(talk.ends[end].state == .closed)
    talk.run()
    #expect(talk.ends[1 - end].state == .closed)
    // Each has said so once (RFC 5246, section 7.2.1).
    #expect(talk.sent.map { $0.filter { $0.bytes[0] == 21 }.count } == [1, 1])
  }

  @Test func whoMissedTheEndHearsItLater() throws {
    let talk = try DTLSTalk()
    talk.run()
    talk.change = { _, _ in [] }
    talk.server.close()
    talk.run()
    #expect(talk.client.state == .open)
    talk.change = { [$1] }
    try talk.say([1], by: DTLSTalk.client)
    talk.run()
    #expect(talk.client.state == .closed && talk.heard[DTLSTalk.server].isEmpty)
    // Not for ever.
    for _ in 0..<100 { talk.give(DTLSTalk.record(23, epoch: 1, [1, 2, 3]), to: DTLSTalk.server) }
    talk.run()
    #expect(talk.sent[DTLSTalk.server].filter { $0.bytes[0] == 21 }.count <= 9)
  }

  @Test(.enabled(if: DTLSTimer.canBeDriven)) func closedBeforeItWasOpenItIsQuiet() throws {
    let talk = try DTLSTalk()
    talk.client.close()
    #expect(talk.client.state == .closed && talk.client.poll(now: .max) == .max)
    talk.run()
    #expect(talk.sent[DTLSTalk.client].count == 1)
    #expect(talk.error(of: DTLSTalk.server)?.status == .timeout)
  }

  /// HelloVerifyRequest (RFC 6347, section 4.2.1), which servers without ICE send.
  @Test func aCookieIsSentBack() throws {
    let talk = try DTLSTalk()
    let first = try #require(talk.client.takeDatagram())
    let cookie = [UInt8](repeating: 0xC0, count: 20)
    talk.give(DTLSTalk.record(22, DTLSTalk.fragment(3, length: 23, message: 0, offset: 0, [254, 255, 20] + cookie)), to: DTLSTalk.client)
    let second = try #require(talk.client.takeDatagram())
    #expect(second.count == first.count + 20)
    // After the record's header, the message's, the version, the random bytes, and a session of no length.
    #expect(Array(second[60..<81]) == [20] + cookie)
    #expect(Array(second[25..<59]) == Array(first[25..<59]))
  }

  @Test func buffersAreReleasedWhenItIsIdle() throws {
    let talk = try DTLSTalk()
    talk.run(for: 100_000_000)
    #expect(talk.isOpen && talk.client.poll(now: talk.now) == talk.now + 1_000_000_000)
    try talk.say([1], by: DTLSTalk.client)
    #expect(talk.client.poll(now: talk.now + 999_999_999) == talk.now + 1_000_000_000)
    #expect(talk.client.poll(now: talk.now + 1_000_000_000) == .max)
    // And are there again.
    try talk.say([2], by: DTLSTalk.client)
    talk.run()
    #expect(talk.heard[DTLSTalk.server] == [[1], [2]])
  }
}
