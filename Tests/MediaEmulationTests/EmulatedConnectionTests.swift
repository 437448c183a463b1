import MediaCore
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaEmulation

@Suite struct EmulatedConnectionTests {
  private let clock = VirtualClock()
  private let network: EmulatedNetwork
  private let (client, server): (EmulatedHost, EmulatedHost)
  private let address: SocketAddress
  private static let ms: Int64 = 1_000_000

  init() throws {
    network = EmulatedNetwork(clock: clock, seed: 5)
    (client, server) = (try network.addHost("10.0.0.1"), try network.addHost("10.0.0.2"))
    address = try #require(SocketAddress("10.0.0.2", port: 443))
  }

  private func run(_ milliseconds: Int64 = 0) throws { try clock.advance(by: milliseconds * Self.ms) }

  private func write(_ bytes: [UInt8], to connection: any StreamConnection) -> Int? { bytes.withUnsafeBytes { connection.write($0) } }

  /// To the last byte of now, and how that ended.
  private func read(_ connection: any StreamConnection) -> (bytes: [UInt8], StreamReading) {
    var bytes: [UInt8] = []
    var memory = [UInt8](repeating: 0, count: 1000)
    while true {
      let reading = memory.withUnsafeMutableBytes { connection.read(into: $0) }
      guard case .bytes(let count) = reading else { return (bytes, reading) }
      bytes += memory.prefix(count)
    }
  }

  private func accept(_ listener: any StreamPort) throws -> any StreamConnection {
    guard case .stranger(let connection) = listener.accept() else { throw MediaError(.fail, "nobody waits") }
    return connection
  }

  private func pair() throws -> (any StreamConnection, any StreamConnection) {
    let listener = try server.listen(at: address)
    let one = try client.connect(to: address)
    try run(1000)
    return (one, try accept(listener))
  }

  @Test func itOpensAfterARoundTrip() throws {
    client.setConditions(up: .init(delay: 30 * Self.ms), down: .init(delay: 10 * Self.ms))
    let listener = try server.listen(at: try #require(SocketAddress("0.0.0.0", port: 443)))
    let one = try client.connect(to: address)
    #expect(write([1], to: one) == 0)
    try run(29)
    guard case .nobody = listener.accept() else { throw MediaError(.fail, "too early") }
    try run(1)
    let other = try accept(listener)
    #expect(other.remoteAddress?.host == "10.0.0.1" && one.connecting == .waiting)
    try run(10)
    #expect(one.connecting == .done && one.remoteAddress == address && read(one).1 == .nothing)
    #expect(write([1, 2, 3], to: one) == 3 && write([4], to: other) == 1)
    try run(10)
    #expect(read(one) == ([4], .nothing) && read(other) == ([], .nothing))
    try run(20)
    #expect(read(other) == ([1, 2, 3], .nothing))
  }

  @Test func whereNobodyListensItIsRefusedAndWhereNobodyIsItWaits() throws {
    let refused = try client.connect(to: address)
    let lost = try client.connect(to: try #require(SocketAddress("10.0.0.3", port: 443)))
    try run(30_000)
    #expect(refused.connecting == .failed("Connection refused") && write([1], to: refused) == nil)
    #expect(read(refused).1 == .failed("Connection refused") && refused.remoteAddress == nil)
    #expect(lost.connecting == .waiting)
    // Whoever comes there later is found.
    let late = try network.addHost("10.0.0.3")
    let listener = try late.listen(at: try #require(SocketAddress("10.0.0.3", port: 443)))
    try run(20_000)
    #expect(lost.connecting == .done)
    _ = try accept(listener)
  }

  @Test func whatIsLostComesLaterAndInOrder() throws {
    client.setConditions(up: .init(delay: Self.ms, jitter: Self.ms, loss: 200_000), down: .init(loss: 200_000))
    let (one, other) = try pair()
    var sent: [UInt8] = []
    var times: [Int64] = []
    for number in 0..<200 as Range<UInt8> {
      #expect(write([number, number], to: one) == 2)
      sent += [number, number]
      try run(5)
    }
    var received: [UInt8] = []
    while received.count < sent.count, times.count < 5000 {
      received += read(other).bytes
      times.append(clock.now())
      try run(1)
    }
    #expect(received == sent)
  }

  @Test func whoDoesNotReadHoldsTheOtherUp() throws {
    let (one, other) = try pair()
    let much = [UInt8](repeating: 7, count: 400_000)
    let count = try #require(write(much, to: one))
    #expect(count == 256 << 10 && write([1], to: one) == 0)
    try run(1000)
    #expect(write([1], to: one) == 0)
    #expect(read(other).bytes.count == count)
    #expect(write(much, to: one) == 256 << 10)
  }

  @Test func theEndComesAfterWhatWasSaid() throws {
    var one: (any StreamConnection)?
    let other: any StreamConnection
    (one, other) = try pair()
    #expect(one.map { write([1, 2], to: $0) } == 2)
    one = nil
    #expect(read(other) == ([], .nothing))
    try run(1)
    #expect(read(other) == ([1, 2], .end))
    // Nobody is left to hear it.
    #expect(write([3], to: other) == 1)
    try run(1)
    #expect(write([4], to: other) == nil && read(other).1 == .failed("Connection reset by peer"))
  }

  /// Closing a connection in which something waits takes back what was said last.
  @Test func whoDoesNotReadToTheEndResetsIt() throws {
    var other: (any StreamConnection)?
    let one: any StreamConnection
    (one, other) = try pair()
    #expect(write([1], to: one) == 1)
    #expect(other.map { write([2], to: $0) } == 1)
    try run(1)
    other = nil
    try run(1)
    #expect(read(one) == ([2], .failed("Connection reset by peer")))
  }

  @Test func whoIsShutHearsAndSaysNothing() throws {
    let (one, other) = try pair()
    #expect(write([1], to: other) == 1)
    try run(1)
    one.shut()
    #expect(read(one) == ([], .end) && write([1], to: one) == nil)
    try run(1)
    #expect(read(other) == ([], .end))
  }

  @Test func aConnectionOfAMachineThatMovedIsSilent() throws {
    let (one, other) = try pair()
    try client.move(to: [try #require(SocketAddress("10.0.9.9", port: 0))])
    #expect(write([1], to: one) == 1 && write([2], to: other) == 1)
    try run(20_000)
    #expect(read(one) == ([], .nothing) && read(other) == ([], .nothing))
    // Back again it goes on.
    try client.move(to: [try #require(SocketAddress("10.0.0.1", port: 0))])
    try run(20_000)
    #expect(read(one) == ([2], .nothing) && read(other) == ([1], .nothing))
    client.resetConnections()
    for end in [one, other] { #expect(read(end).1 == .failed("Connection reset by peer")) }
  }

  @Test func aListenerThatClosesResetsThoseWhoWait() throws {
    var listener: (any StreamPort)? = try server.listen(at: address)
    #expect(throws: MediaError.self) { try server.listen(at: address) }
    let waiting = try client.connect(to: address)
    try run(1)
    #expect(waiting.connecting == .done && listener?.localAddress == address)
    listener = nil
    try run(1)
    #expect(read(waiting).1 == .failed("Connection reset by peer"))
    let again = try server.listen(at: address)
    let (one, other) = (try client.connect(to: address), try client.connect(to: address))
    try run(1)
    #expect(again.turnAway() && again.turnAway() && !again.turnAway())
    try run(1)
    #expect(read(one).1 == .end && read(other).1 == .end)
  }
}
