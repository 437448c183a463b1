import MediaCore
import MediaEmulation
import MediaNetwork
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaWebRTCTransport

/// Where media of clients arrives: one port of UDP, and the server's own of TCP.
@Suite struct MediaPortTests {
  private let port: UInt16 = 443

  private func makeHouse() throws -> ServerHouse {
    try ServerHouse {
      $0.mediaPort = port
      $0.mostMembers = 40
    }
  }

  /// Of descriptions that answer an offer.
  private func candidates(_ house: ServerHouse, at address: String) throws -> [String] {
    let client = try house.wire(at: address)
    let offer = browserOffer(["audio recvonly"])
    try client.get("/whep/\(house.room)", ["Content-Type": "application/sdp"], method: "POST", body: Array(offer.utf8))
    #expect(try house.run(for: 3 * second) { client.last?.status == 201 })
    defer { client.close() }
    let body = client.last.map { String(decoding: $0.body, as: UTF8.self) } ?? ""
    return body.split(separator: "\r\n").filter { $0.hasPrefix("a=candidate:") }.map(String.init)
  }

  private func close(_ house: ServerHouse, _ ends: [RoomEnd]) throws {
    for end in ends { end.link.disconnect() }
    // Whom no path was found to goes after a while.
    #expect(try house.run(for: 25 * second) { house.web.memberCount == 0 })
    try house.close()
  }

  private func expectMedia(_ house: ServerHouse, from sender: RoomEnd, to others: [RoomEnd]) throws {
    let before = others.map { ($0.received(isVideo: true), $0.received(isVideo: false)) }
    try sender.call(for: second)
    for (other, before) in zip(others, before) {
      let came = (other.received(isVideo: true) - before.0, other.received(isVideo: false) - before.1)
      #expect(came.0 >= 20 && came.1 >= 35, "\(came) \(other.events)")
    }
  }

  @Test func aPublicAddressIsAnnouncedBesideTheMachines() throws {
    let house = try ServerHouse {
      $0.mediaPort = port
      $0.publicAddresses = ["203.0.113.7", "2001:db8::7"].compactMap { SocketAddress($0, port: 0) }
    }
    let bot = try house.member("bot", publishes: [false])
    let all = try candidates(house, at: "10.0.1.1")
    #expect(all.count == 4, "\(all)")
    for transport in ["udp", "tcp"] {
      let found = all.filter { $0.contains(" \(transport) ") && $0.contains(" 203.0.113.7 443 typ srflx raddr 10.0.9.1 rport 443") }
      #expect(found.count == 1, "\(all)")
    }
    #expect(house.web.url == "https://203.0.113.7:443/\(house.room)" && house.web.sessionURL.hasPrefix("livekit+wss://203.0.113.7:443"))
    try close(house, [bot])
  }

  @Test func allClientsShareOnePort() throws {
    let house = try makeHouse()
    #expect(house.web.mediaPort == port)
    let bot = try house.member("bot", publishes: [true, false])
    let offered = [try candidates(house, at: "10.0.1.1"), try candidates(house, at: "10.0.1.2")]
    for all in offered {
      #expect(all.count == 2 && all.contains { $0.contains(" udp ") && $0.contains(" 10.0.9.1 443 ") }, "\(all)")
      #expect(all.contains { $0.contains(" tcp ") && $0.contains(" 10.0.9.1 443 ") && $0.contains("tcptype passive") }, "\(all)")
    }
    var sessions: [RoomEnd] = []
    for number in 1...6 {
      sessions.append(try house.session("s\(number)", at: "10.0.0.\(number)", publishes: [true, false]))
    }
    let player = try house.client("whep", "?user=player", at: "10.0.2.1")
    #expect(try house.run(for: 5 * second) { player.isHere && sessions.allSatisfy { $0.added.count == 12 } })
    for end in sessions + [bot] { try end.call(for: second) }
    for (place, sender) in sessions.enumerated() {
      try expectMedia(house, from: sender, to: [bot] + sessions.enumerated().filter { $0.offset != place }.map(\.element))
    }
    // Who comes again from the same machine has another address, and who went gets nothing.
    sessions[0].link.disconnect()
    #expect(try house.run(for: 3 * second) { bot.has("left s1") })
    try expectMedia(house, from: sessions[1], to: [bot] + sessions[2...])
    bot.link.disconnect()
    player.link.disconnect()
    try close(house, Array(sessions[1...]))
  }

  /// A port that is taken is said so, and one that is free is found.
  @Test func aPortIsTakenOrFound() throws {
    let house = try makeHouse()
    var options = WebServer.Options([try #require(SocketAddress("10.0.9.1", port: 444))])
    options.mediaPort = port
    #expect(throws: MediaError.self) {
      _ = try WebServer(room: house.room + "-2", options: options, loop: house.loop, thread: house.host, network: house.host)
    }
    options.mediaPort = 0
    let other = try WebServer(room: house.room + "-2", options: options, loop: house.loop, thread: house.host, network: house.host)
    let found = try #require(other.mediaPort)
    #expect(found > 0 && found != port)
    other.close()
    // What was open is free again, and so is what a server had that could not be made.
    options.mediaPort = found
    options.addresses[0] = options.addresses[0].with(port: 443)
    #expect(throws: MediaError.self) {
      _ = try WebServer(room: house.room + "-2", options: options, loop: house.loop, thread: house.host, network: house.host)
    }
    try house.host.bindDatagrams(to: options.addresses[0].with(port: found)).close()
    try house.close()
  }

  /// A member whose machine gets another address goes on; the server's socket is the same.
  @Test func aMemberMoves() throws {
    let house = try makeHouse()
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try house.session("anna", at: "10.0.0.1", publishes: [true, false])
    #expect(try house.run(for: 5 * second) { bot.added.count == 2 })
    try expectMedia(house, from: anna, to: [bot])
    try anna.host?.move(to: [#require(SocketAddress("10.0.5.5", port: 0))])
    try anna.call(for: 10 * second)
    try expectMedia(house, from: anna, to: [bot])
    bot.link.disconnect()
    try close(house, [anna])
  }

  /// Noise, checks with a name that is known and another password, and packets from wherever: nobody is disturbed.
  @Test func strangersDisturbNobody() throws {
    let house = try makeHouse()
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try house.session("anna", at: "10.0.0.1", publishes: [true, false])
    #expect(try house.run(for: 5 * second) { bot.added.count == 2 && anna.added.count == 2 })
    let stranger = try house.network.addHost("10.0.66.6")
    let socket = try stranger.bindDatagrams(to: try #require(SocketAddress("10.0.66.6", port: 5_000)))
    var random = house.host.random()
    for round in 0..<40 {
      let batch = DatagramBatch()
      batch.begin()
      for place in 0..<16 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        var bytes = (0..<120).map { UInt8(truncatingIfNeeded: random >> (UInt64($0) % 56)) }
        // STUN, DTLS, RTP and what is neither.
        switch place % 4 {
        case 0: bytes.replaceSubrange(0..<8, with: [0, 1, 0, 100, 0x21, 0x12, 0xA4, 0x42])
        case 1: bytes.replaceSubrange(0..<3, with: [22, 254, 253])
        case 2: bytes[0] = 0x80
        default: break
        }
        _ = bytes.withUnsafeBytes { batch.add($0, to: house.web.addresses[0].with(port: port)) }
      }
      _ = socket.send(batch)
      if round % 10 == 0 { try anna.call(for: 100 * millisecond) }
    }
    try expectMedia(house, from: anna, to: [bot])
    try expectMedia(house, from: bot, to: [anna])
    #expect(house.web.memberCount == 1)
    bot.link.disconnect()
    try close(house, [anna])
  }

  // MARK: TCP

  /// From a network that lets no datagram out.
  private func confined(_ house: ServerHouse, _ identity: String, at address: String) throws -> RoomEnd {
    try house.session(
      identity, at: address, token: "", url: "&room=\(house.room)", publishes: [true, false], through: { TCPOnlyNetwork($0) })
  }

  @Test func mediaComesByTCPWhereNoDatagramDoes() throws {
    let house = try makeHouse()
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try confined(house, "anna", at: "10.0.0.1")
    let bob = try house.session("bob", at: "10.0.0.2", publishes: [true, false])
    #expect(try house.run(for: 5 * second) { bot.added.count == 4 && anna.added.count == 4 && bob.added.count == 4 }, "\(anna.events)")
    for end in [bot, anna, bob] { try end.call(for: second) }
    try expectMedia(house, from: anna, to: [bot, bob])
    try expectMedia(house, from: bob, to: [anna, bot])
    // Its connections break: it comes again by others.
    anna.host?.resetConnections()
    try anna.call(for: 15 * second)
    #expect(anna.ending == nil, "\(anna.events)")
    try expectMedia(house, from: anna, to: [bot, bob])
    bot.link.disconnect()
    try close(house, [anna, bob])
  }

  /// What begins as a check over TCP and is none of a member's holds a stranger's place at most for as long as any other.
  @Test func strangersOfTCPAreClosed() throws {
    let house = try makeHouse()
    let anna = try house.session("anna", at: "10.0.0.1", publishes: [true, false])
    let client = try house.network.addHost("10.0.66.6")
    func connect(_ bytes: [UInt8]) throws -> any StreamConnection {
      let socket = try client.connect(to: house.web.addresses[0])
      #expect(try house.run(for: second) { socket.connecting == .done })
      _ = bytes.withUnsafeBytes { socket.write($0) }
      try house.run(for: 100 * millisecond)
      return socket
    }
    func isClosed(_ socket: any StreamConnection) -> Bool {
      withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { memory in
        if case .nothing = socket.read(into: memory) { false } else { true }
      }
    }
    let check: [UInt8] = [0, 20, 0, 1, 0, 0, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12)
    let named: [UInt8] =
      [0, 32, 0, 1, 0, 12, 0x21, 0x12, 0xA4, 0x42] + [UInt8](repeating: 7, count: 12) + [0, 6, 0, 8] + Array("abcd:efg".utf8)
    for bytes in [check, named, [0, 4, 1, 2, 3, 4]] { #expect(isClosed(try connect(bytes)), "\(bytes)") }
    #expect(house.web.strangerCount == 0)
    let waiting = try connect([1])
    #expect(!isClosed(waiting) && house.web.strangerCount == 1)
    #expect(try house.run(for: 60 * second) { house.web.strangerCount == 0 } && isClosed(waiting))
    #expect(anna.ending == nil)
    try close(house, [anna])
  }
}
