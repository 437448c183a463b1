import MediaCore
import MediaEmulation
import MediaNetwork
import MediaSignalling
import Testing

@testable import MediaServer

/// Strangers at a web server.
@Suite struct WebConnectionTests {
  @Test func whoSaysNothingIsDropped() throws {
    let house = try ServerHouse()
    let silent = try house.wire(at: "10.0.0.1")
    silent.isDeaf = true
    let host = try house.network.addHost("10.0.0.2")
    let mute = try host.connect(to: try #require(house.web.addresses.first))
    #expect(try house.run(for: second) { house.web.strangerCount == 2 })
    #expect(try house.run(for: 11 * second) { house.web.strangerCount == 0 })
    _ = mute
    try house.close()
  }

  @Test func aHeadThatComesSlowlyIsNotWaitedFor() throws {
    let house = try ServerHouse()
    let slow = try house.wire(at: "10.0.0.1")
    for byte in "GET /\(house.room) HTTP/1.1\r\nHost: server\r\nX: ".utf8 + [UInt8](repeating: 0x61, count: 100) {
      slow.write([byte])
      try house.run(for: 200 * millisecond)
    }
    #expect(house.web.strangerCount == 0)
    try house.close()
  }

  @Test func whoDoesNotReadIsGivenUp() throws {
    let house = try ServerHouse()
    let deaf = try house.wire(at: "10.0.0.1")
    try deaf.get("/")
    #expect(try house.run(for: second) { deaf.last != nil })
    deaf.isDeaf = true
    // Pages that nobody reads: some are buffered by the network, and no more is read of the connection then.
    for _ in 0..<60 {
      deaf.write(Array("GET /\(house.room) HTTP/1.1\r\nHost: server\r\n\r\n".utf8))
      try house.run(for: 10 * millisecond)
    }
    #expect(house.web.strangerCount == 1)
    #expect(try house.run(for: 30 * second) { house.web.strangerCount == 0 })
    try house.close()
  }

  @Test func connectionsAreSharedByAddress() throws {
    let house = try ServerHouse()
    let flood = try house.network.addHost("10.0.0.66")
    let address = try #require(house.web.addresses.first)
    let bot = try house.member("bot")
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: 2 * second) { bot.has("joined alice") })
    var connections: [any StreamConnection] = []
    for _ in 0..<1_000 { connections.append(try flood.connect(to: address)) }
    try house.run(for: 500 * millisecond)
    #expect(house.web.strangerCount <= WebStrangers.mostOfAddress)
    // Others are served meanwhile, and who is here stays.
    let client = try house.client("whip", "?user=bob", at: "10.0.0.2", publishes: [true])
    #expect(try house.run(for: 3 * second) { client.isHere && bot.has("joined bob") })
    #expect(!bot.has("left alice") && house.web.memberCount == 2)
    page.close()
    connections = []
    try house.close()
  }

  @Test func handshakesAreShared() throws {
    let house = try ServerHouse { $0.handshakes = WorkAllowance(burst: 4, perSecond: 20, now: 0) }
    let flood = try house.network.addHost("10.0.0.66")
    let wires = try (0..<100).map { _ in try house.wire(from: flood) }
    try house.run(for: 500 * millisecond)
    let begun = wires.count { $0.isOpen }
    #expect((4...16).contains(begun), "\(begun)")
    let other = try house.wire(at: "10.0.0.1")
    try other.get("/")
    // A hundred before it would take five seconds and more; addresses alternate.
    #expect(try house.run(for: second) { other.last?.status == 307 })
    for wire in wires { wire.close() }
    other.close()
    try house.close()
  }

  @Test func whatIsNoTLSEndsTheConnection() throws {
    let house = try ServerHouse()
    let host = try house.network.addHost("10.0.0.1")
    let plain = try WireClient(to: try #require(house.web.addresses.first), fingerprint: nil, from: host)
    plain.write(Array("GET / HTTP/1.1\r\nHost: server\r\n\r\n".utf8))
    #expect(try house.run(for: 3 * second) { plain.hasEnded && house.web.strangerCount == 0 })
    plain.close()
    try house.close()
  }

  @Test func aRequestThatIsRefusedIsAnswered() throws {
    let house = try ServerHouse()
    let client = try house.wire(at: "10.0.0.1")
    try client.get("/whip/\(house.room)", ["Content-Type": "text/plain"], method: "POST", body: [0x61])
    #expect(try house.run(for: 2 * second) { client.last?.status == 415 })
    try client.get("/whip/\(house.room)", ["Content-Type": "application/sdp"], method: "POST", body: Array("v=0\r\n".utf8))
    #expect(try house.run(for: 2 * second) { client.responses.count == 2 })
    #expect([400, 422].contains(client.last?.status), "\(String(describing: client.last))")
    try client.get("/whip/elsewhere", ["Content-Type": "application/sdp"], method: "POST", body: Array("v=0\r\n".utf8))
    #expect(try house.run(for: 2 * second) { client.last?.status == 404 })
    try client.get("/whip/\(house.room)", ["Origin": "https://a.example", "Access-Control-Request-Method": "POST"], method: "OPTIONS")
    #expect(try house.run(for: 2 * second) { client.last?.status == 200 && client.last?.fields["Accept-Post"] == "application/sdp" })
    try client.get("/sessions/0123", method: "DELETE")
    #expect(try house.run(for: 2 * second) { client.last?.status == 404 })
    #expect(house.web.memberCount == 0 && house.web.sessionCount == 0)
    client.close()
    try house.close()
  }

  /// A connection whose other end says what a test wants.
  private final class Script: StreamConnection {
    var incoming: [UInt8] = []
    var written: [UInt8] = []
    var isBroken = false
    var descriptor: Int32 { -1 }
    var remoteAddress: SocketAddress? { nil }
    var localAddress: SocketAddress? { nil }
    var connecting: StreamConnecting { .done }

    func read(into memory: UnsafeMutableRawBufferPointer) -> StreamReading {
      guard !incoming.isEmpty else { return isBroken ? .failed("Connection reset by peer") : .nothing }
      let count = min(memory.count, incoming.count)
      memory.copyBytes(from: incoming.prefix(count))
      incoming.removeFirst(count)
      return .bytes(count)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
      if !isBroken { written += bytes }
      return isBroken ? nil : bytes.count
    }

    func endWriting() {}
    func shut() {}
  }

  private final class Reader: WebConnectionOwner {
    let heard = Monitor<[String]>([])

    func receive(_ message: WebLink.Message) {
      if case .text(let text) = message { heard.withLock { $0.append(text) } }
    }

    func writable() {}
    func lost(_ connection: WebConnection) { heard.withLock { $0.append("lost") } }
  }

  /// Who closes a connection of which they have not read all resets it: what is written to them fails before their last words are read.
  @Test func whatWasSaidBeforeAResetIsHeard() throws {
    let house = try ServerHouse()
    let (script, reader) = (Script(), Reader())
    let table = try WebTable(house.room, WebServer.Options([]), house.host, house.host, house.loop)
    let connection = WebConnection(script, from: try #require(SocketAddress("10.0.0.1", port: 9)), nil, table, now: house.host.clock.now())
    var random = SystemRandomNumberGenerator()
    let client = HTTPClientConnection()
    try client.send(WebSocketHandshake(host: "server", target: "/ws/\(house.room)", random: &random).request, now: 0)
    client.takeOutput(&script.incoming)
    _ = connection.drive(isReadable: true)
    #expect(String(decoding: script.written.prefix(12), as: UTF8.self) == "HTTP/1.1 101")
    connection.belong(to: reader)

    connection.send(.text("news"))
    script.isBroken = true
    let machine = WebSocketMachine(.client, limits: WebSocketLimits(), random: random, now: 0)
    try machine.send(text: "goodbye")
    machine.takeOutput(&script.incoming)
    _ = connection.drive(isReadable: false)
    #expect(reader.heard.withLock { $0 } == ["goodbye", "lost"])
    table.close()
    try house.close()
  }
}
