import MediaCore
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaEmulation

@Suite struct EmulatedDatagramTests {
  private let clock = VirtualClock()
  private let network: EmulatedNetwork
  private let (here, there): (EmulatedHost, EmulatedHost)
  private static let ms: Int64 = 1_000_000

  init() throws {
    network = EmulatedNetwork(clock: clock, seed: 5)
    (here, there) = (try network.addHost("10.0.0.1", "fd00::1"), try network.addHost("10.0.0.2", "fd00::2"))
  }

  private func address(_ host: String, _ port: UInt16) throws -> SocketAddress { try #require(SocketAddress(host, port: port)) }

  private func send(_ datagrams: [[UInt8]], on port: any DatagramPort, to address: SocketAddress) throws -> DatagramSending {
    let batch = DatagramBatch()
    batch.begin()
    for bytes in datagrams {
      let slot = try #require(batch.slot())
      slot.copyBytes(from: bytes)
      _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(bytes.count)), to: address)
    }
    return port.send(batch)
  }

  private func receive(_ port: any DatagramPort, longest: Int = 2048) -> [(bytes: [UInt8], from: SocketAddress)] {
    var received: [(bytes: [UInt8], from: SocketAddress)] = []
    let rows = DatagramRows(longest: longest)
    while port.receive(rows, { bytes, address in received.append((Array(bytes), address)) }) > 0 {}
    return received
  }

  @Test(arguments: ["10.0.0.", "fd00::"]) func datagramsArriveAsTheyWereSent(prefix: String) throws {
    let any = try address(prefix.contains(":") ? "::" : "0.0.0.0", 0)
    let (one, other) = (try here.bindDatagrams(to: any), try there.bindDatagrams(to: address(prefix + "2", 5004)))
    let datagrams = (0..<40).map { [UInt8](repeating: UInt8($0), count: $0 * 40) }
    #expect(try send(datagrams, on: one, to: address(prefix + "2", 5004)) == .all)
    // Not before time goes on.
    #expect(receive(other).isEmpty)
    try clock.advance(by: 0)
    let received = receive(other)
    #expect(received.map(\.bytes) == datagrams)
    let source = try address(prefix + "1", try #require(one.localAddress).port)
    #expect(received.allSatisfy { $0.from == source })
    // And back.
    #expect(try send([[1, 2]], on: other, to: source) == .all)
    try clock.advance(by: 0)
    let target = try address(prefix + "2", 5004)
    #expect(receive(one).map(\.from) == [target])
    #expect(network.lostDatagrams == 0 && network.deliveredDatagrams == 41)
  }

  @Test func portsAreTakenAndGivenBack() throws {
    let any = try address("0.0.0.0", 0)
    let first = try here.bindDatagrams(to: any)
    let port = try #require(first.localAddress?.port)
    for taken in [try address("0.0.0.0", port), try address("10.0.0.1", port)] {
      #expect(throws: MediaError.self) { try here.bindDatagrams(to: taken) }
      _ = try there.bindDatagrams(to: address("0.0.0.0", port))
    }
    #expect(throws: MediaError.self) { try here.bindDatagrams(to: address("10.0.0.2", 0)) }
    // TCP has ports of its own, and so has IPv6.
    _ = try here.listen(at: address("10.0.0.1", port))
    _ = try here.bindDatagrams(to: address("::", port))
    first.close()
    #expect(first.descriptor == -1 && first.localAddress == nil)
    #expect(try send([[1]], on: first, to: address("10.0.0.2", 1)) != .all)
    let next = try here.bindDatagrams(to: address("10.0.0.1", port))
    #expect(try here.bindDatagrams(to: any).localAddress?.port != port)
    _ = next
  }

  @Test func theLinkHasDelayRateAndAQueue() throws {
    let (one, other) = (try here.bindDatagrams(to: address("0.0.0.0", 0)), try there.bindDatagrams(to: address("0.0.0.0", 9)))
    // 1,000 bytes with their headers take 8 ms each; 100 ms of them wait at most.
    here.setConditions(up: .init(bandwidth: 1_000_000, queue: 100 * Self.ms))
    there.setConditions(down: .init(delay: 20 * Self.ms))
    #expect(try send((0..<20).map { [UInt8](repeating: UInt8($0), count: 972) }, on: one, to: address("10.0.0.2", 9)) == .all)
    try clock.advance(by: 28 * Self.ms - 1)
    #expect(receive(other).isEmpty)
    try clock.advance(by: 1)
    #expect(receive(other).map { $0.bytes[0] } == [0])
    try clock.advance(by: 79 * Self.ms)
    #expect(receive(other).map { $0.bytes[0] } == Array(1..<10))
    try clock.advance(by: 1000 * Self.ms)
    #expect(receive(other).map { $0.bytes[0] } == [10, 11, 12])
    #expect(network.lostDatagrams == 7)
  }

  /// Losses and jitter are those of the seed, whatever others do meanwhile.
  @Test func theSameSeedGivesTheSameRun() throws {
    func run(seed: UInt64, disturbed: Bool = false) throws -> [(number: UInt8, time: Int64)] {
      let clock = VirtualClock()
      let network = EmulatedNetwork(clock: clock, seed: seed)
      let (here, there, third) = (try network.addHost("10.0.0.1"), try network.addHost("10.0.0.2"), try network.addHost("10.0.0.3"))
      let conditions = EmulatedNetwork.Conditions(delay: 10 * Self.ms, jitter: 5 * Self.ms, loss: 100_000)
      here.setConditions(up: conditions)
      third.setConditions(up: conditions)
      let ports = try [here, there, third].map { try $0.bindDatagrams(to: address("0.0.0.0", 9)) }
      var arrived: [(number: UInt8, time: Int64)] = []
      for number in 0..<200 as Range<UInt8> {
        if disturbed { _ = try send([[0], [0], [0]], on: ports[2], to: address("10.0.0.1", 9)) }
        _ = try send([[number]], on: ports[0], to: address("10.0.0.2", 9))
        for _ in 0..<10 {
          try clock.advance(by: Self.ms)
          arrived += receive(ports[1]).map { ($0.bytes[0], clock.now()) }
        }
      }
      return arrived
    }
    let first = try run(seed: 1)
    #expect((160...195).contains(first.count))
    #expect(first.map(\.number) == first.map(\.number).sorted())
    let (again, other) = (try run(seed: 1, disturbed: true), try run(seed: 2))
    #expect(again.elementsEqual(first) { $0 == $1 })
    #expect(!other.elementsEqual(first) { $0 == $1 })
  }

  @Test func aMachineThatMovesIsReachedWhereItIs() throws {
    let (one, other) = (try here.bindDatagrams(to: address("0.0.0.0", 7)), try there.bindDatagrams(to: address("0.0.0.0", 9)))
    try here.move(to: [address("10.0.7.1", 0)])
    _ = try send([[1]], on: one, to: address("10.0.0.2", 9))
    try clock.advance(by: 0)
    let moved = try address("10.0.7.1", 7)
    #expect(receive(other).map(\.from) == [moved])
    for host in ["10.0.0.1", "10.0.7.1"] { _ = try send([Array(host.utf8)], on: other, to: address(host, 7)) }
    try clock.advance(by: 0)
    #expect(receive(one).map(\.bytes) == [Array("10.0.7.1".utf8)])
    #expect(throws: MediaError.self) { try here.move(to: [address("10.0.0.2", 0)]) }
  }

  @Test func pathsAndMachinesCanBeCut() throws {
    let third = try network.addHost("10.0.0.3")
    let ports = try [here, there, third].map { try $0.bindDatagrams(to: address("0.0.0.0", 9)) }
    /// Of each pair, whether something arrives.
    func arrivals(_ pairs: [(Int, Int)]) throws -> [Bool] {
      try pairs.map { one, other in
        _ = try send([[1]], on: ports[one], to: address("10.0.0.\(other + 1)", 9))
        try clock.advance(by: Self.ms)
        return !receive(ports[other]).isEmpty
      }
    }
    network.setConditions(.init(isDisconnected: true), from: here, to: there)
    #expect(try arrivals([(0, 1), (1, 0), (0, 2)]) == [false, true, true])
    network.setConditions(.init(), from: here, to: there)
    third.setDisconnected(true)
    #expect(try arrivals([(0, 1), (0, 2), (2, 0)]) == [true, false, false])
    third.setDisconnected(false)
    #expect(try arrivals([(0, 2)]) == [true])
  }

  @Test func whatIsTooLongOrTooMuchIsLeftOut() throws {
    let (one, other) = (try here.bindDatagrams(to: address("0.0.0.0", 0)), try there.bindDatagrams(to: address("0.0.0.0", 9)))
    _ = try send([[UInt8](repeating: 1, count: 101), [UInt8](repeating: 2, count: 100)], on: one, to: address("10.0.0.2", 9))
    try clock.advance(by: 0)
    #expect(receive(other, longest: 100).map { $0.bytes[0] } == [2])
    for _ in 0..<60 {
      _ = try send([[UInt8]](repeating: [UInt8](repeating: 3, count: 1400), count: 64), on: one, to: address("10.0.0.2", 9))
    }
    try clock.advance(by: 0)
    #expect(receive(other).count == (4 << 20) / 1400)
    #expect(try send([[1]], on: one, to: address("fd00::2", 9)) != .all)
  }
}
