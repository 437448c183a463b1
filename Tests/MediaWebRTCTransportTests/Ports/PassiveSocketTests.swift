import MediaCore
import MediaEmulation
import MediaICE
import MediaNetwork
import Testing

@testable import MediaWebRTCTransport

@Suite struct PassiveSocketTests {
  private let house = WebRTCHouse()
  private let host: EmulatedHost
  private let client: EmulatedHost
  private let socket: PassiveSocket
  private let listener: any StreamPort

  init() throws {
    host = try house.network.addHost("10.0.0.1")
    client = try house.network.addHost("10.0.0.2")
    let address = try #require(SocketAddress("10.0.0.1", port: 443))
    listener = try host.listen(at: address)
    let agent = ICEAgent(ICESettings(isControlling: false), random: SystemRandomNumberGenerator())
    socket = PassiveSocket(address, try agent.addHost(address, .tcpPassive, now: 0))
  }

  /// Both ends of a connection.
  private func connect(
    keeping used: SocketAddress? = nil
  ) throws -> (client: any StreamConnection, link: TCPLink, remote: SocketAddress) {
    let opened = try client.connect(to: socket.address)
    try house.clock.advance(by: 100 * millisecond)
    guard case .stranger(let accepted) = listener.accept() else { throw MediaError(.fail, "nothing to accept") }
    let remote = try #require(accepted.remoteAddress)
    let link = TCPLink(accepted: accepted, on: host, host) { _, _ in }
    socket.add(link, ICEStream(), from: remote, keeping: used)?.link.close()
    try link.start()
    return (opened, link, remote)
  }

  private func read(_ connection: any StreamConnection) throws -> StreamReading {
    try house.clock.advance(by: 100 * millisecond)
    return withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { connection.read(into: $0) }
  }

  private func send(_ count: Int, to remote: SocketAddress, datagrams: Int = 1) -> DatagramSending {
    let batch = DatagramBatch()
    batch.begin()
    for _ in 0..<datagrams { _ = [UInt8](repeating: 1, count: count).withUnsafeBytes { batch.add($0, to: remote) } }
    return socket.send(batch, from: 0)
  }

  @Test func eachConnectionIsThatOfItsAddress() throws {
    let (one, other) = (try connect(), try connect())
    #expect(send(100, to: other.remote) == .all)
    #expect(try read(other.client) == .bytes(100))
    #expect(try read(one.client) == .nothing)
    socket.remove(one.link)
    one.link.close()
    // As in a network, what is for nobody is lost.
    #expect(send(100, to: one.remote) == .all)
    #expect(try read(one.client) == .end)
    socket.close(on: host)
    #expect(try read(other.client) == .end)
    #expect(send(100, to: other.remote) == .all)
  }

  /// One that is read no more is full at some time, and takes whole datagrams only.
  @Test func whoDoesNotReadIsSentNoMore() throws {
    let one = try connect()
    var sent = 0
    while send(1_000, to: one.remote, datagrams: 8) == .all, sent < 10_000 { sent += 8 }
    #expect(sent * 1_000 < 3 * TCPLink.mostWaiting, "\(sent)")
    guard case .some(let more) = send(1_000, to: one.remote, datagrams: 8) else {
      Issue.record("it is full")
      return
    }
    #expect(more < 8)
    try house.clock.advance(by: second)
    socket.close(on: host)
  }

  /// Whoever opens many has the latest.
  @Test func connectionsAreBounded() throws {
    let all = try (0..<PassiveSocket.mostConnections + 3).map { _ in try connect() }
    for (place, one) in all.enumerated() { #expect(try read(one.client) == (place < 3 ? .end : .nothing), "\(place)") }
    socket.close(on: host)
  }

  /// Nor does the path go for them.
  @Test func theConnectionThatIsThePathStays() throws {
    let path = try connect()
    let others = try (0..<PassiveSocket.mostConnections + 1).map { _ in try connect(keeping: path.remote) }
    #expect(try read(path.client) == .nothing)
    for (place, one) in others.enumerated() { #expect(try read(one.client) == (place < 2 ? .end : .nothing), "\(place)") }
    // Who adds one learns which one goes, and reports it.
    let link = TCPLink(accepted: try connect(keeping: path.remote).client, on: host, host) { _, _ in }
    let remote = try #require(SocketAddress("10.0.0.3", port: 1))
    let former = socket.add(link, ICEStream(), from: remote, keeping: path.remote)
    #expect(former?.remote == others[3].remote && former?.link === others[3].link)
    former?.link.close()
    socket.close(on: host)
  }

  @Test func datagramsAreReadInAnyPieces() throws {
    let one = try connect()
    let bytes: [UInt8] = [0, 2, 7, 8, 0, 1, 9, 0]
    var came: [[UInt8]] = []
    for byte in bytes { came += [byte].withUnsafeBytes { socket.read($0, of: one.link) } ?? [[]] }
    #expect(came == [[7, 8], [9]])
    #expect([UInt8](arrayLiteral: 3, 1, 2, 3).withUnsafeBytes { socket.read($0, of: one.link) } == [[1, 2, 3]])
    socket.remove(one.link)
    #expect([UInt8](arrayLiteral: 0).withUnsafeBytes { socket.read($0, of: one.link) } == nil)
  }
}
