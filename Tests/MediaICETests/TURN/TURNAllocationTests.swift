import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

/// Agents that reach each other only by a relay.
struct RelayedPair {
  let pair: TestPair
  let server: TestServer

  init(
    seed: UInt64 = 1, _ transport: ICERelay.Transport = .udp, _ first: NATKind = .symmetric, _ second: NATKind = .symmetric,
    password: String? = nil,
    policy: ICESettings.Policy = .all
  ) throws {
    let network = TestNetwork(seed: seed)
    server = TestServer(network)
    var settings = ICESettings(isControlling: true)
    settings.stunServers = [TestServer.stun]
    settings.policy = policy
    var relay = TestServer.relay(transport)
    if let password { relay.password = password }
    settings.relays = [relay]
    let a = TestPeer(network, TestSite(first, host: "203.0.113.1"), settings)
    var other = ICESettings(isControlling: false)
    other.stunServers = [TestServer.stun]
    let b = TestPeer(network, TestSite(second, host: "203.0.113.2"), other)
    a.connect(b)
    pair = TestPair(network, a, b)
    try a.add(first == .open ? "192.0.2.10" : "10.0.0.10", 5000)
    try b.add(second == .open ? "192.0.2.20" : "10.0.1.20", 5000)
  }

  func connect() {
    pair.start()
    pair.network.run(for: 20 * second) { pair.isCompleted }
  }
}

@Suite struct TURNAllocationTests {
  @Test(arguments: [ICERelay.Transport.udp, .tcp, .tls]) func aRelayCarriesWhatNothingElseDoes(transport: ICERelay.Transport) throws {
    let test = try RelayedPair(transport)
    test.connect()
    let route = try #require(test.pair.a.agent.route)
    #expect(test.pair.isCompleted && route.isRelayed && route.isStream == (transport != .udp))
    #expect(route.destination == address(TestServer.host, 3478))
    #expect(test.pair.a.candidates.contains { $0.kind == .relayed } && test.pair.a.failures.isEmpty)
    test.pair.network.run(for: second)
    // By now there is a channel.
    let indications = test.server.indications
    for size in [0, 1, 2, 3, 1_200] { #expect(test.pair.carriesData(size)) }
    #expect(test.server.channelData >= 5 && test.server.indications == indications)
  }

  /// Before there is a channel data go in longer headers.
  @Test func dataGoBeforeThereIsAChannel() throws {
    let test = try RelayedPair()
    test.server.refuses[.channelBind] = 400
    test.connect()
    #expect(test.pair.isCompleted && test.pair.carriesData(1_200) && test.pair.carriesData(3))
    #expect(test.server.channelData == 0)
  }

  @Test func theBetterHashIsUsedWhereItIsOffered() throws {
    for hasSHA256 in [false, true] {
      let test = try RelayedPair()
      test.server.hasSHA256 = hasSHA256
      test.server.nonce = Array((hasSHA256 ? "obMatJos2AAAB" : "obMatJos2AAAA").utf8) + test.server.nonce
      test.connect()
      #expect(test.pair.isCompleted && test.server.usedSHA256 == hasSHA256)
    }
  }

  /// A nonce that promises what is missing: somebody has taken it away.
  @Test func anAnswerFromWhichTheBetterHashWasTakenIsNotUsed() throws {
    let test = try RelayedPair()
    test.server.nonce = Array("obMatJos2AAAB".utf8)
    test.connect()
    #expect(!test.pair.isCompleted && test.pair.a.failures.contains { $0.code == 401 })
  }

  @Test func itIsKeptForHours() throws {
    let test = try RelayedPair(seed: 2)
    test.server.nonceChanges = 4
    test.connect()
    #expect(test.pair.isCompleted)
    for _ in 0..<12 {
      test.pair.network.run(for: 900 * second)
      #expect(test.pair.isCompleted && test.server.allocationCount == 1)
      #expect(test.pair.carriesData())
    }
    let counts = test.server.counts
    // Three hours are 20 lifetimes, and 45 of permissions.
    #expect((18...60).contains(counts[.refresh] ?? 0), "\(counts)")
    #expect((40...130).contains(counts[.createPermission] ?? 0), "\(counts)")
    #expect((18...60).contains(counts[.channelBind] ?? 0), "\(counts)")
    #expect(test.pair.a.states == [.checking, .connected, .completed])
  }

  /// Of two hosts that were checked by the relay one remains.
  @Test func onlyWhatTheRouteNeedsIsRenewed() throws {
    let test = try RelayedPair()
    test.connect()
    test.pair.network.run(for: 6 * second)
    let before = test.server.counts[.createPermission] ?? 0
    test.pair.network.run(for: 3600 * second)
    let renewed = (test.server.counts[.createPermission] ?? 0) - before
    #expect(before >= 2 && (14...16).contains(renewed), "\(before), \(renewed)")
  }

  @Test(arguments: [ICERelay.Transport.udp, .tcp]) func anotherServerIsFollowed(transport: ICERelay.Transport) throws {
    let test = try RelayedPair(transport)
    test.server.redirects = true
    test.connect()
    #expect(test.pair.isCompleted && test.pair.carriesData())
    #expect(test.pair.a.agent.route?.destination == address(TestServer.other, 3478))
  }

  @Test func anAddressOfTheOtherFamilyIsAskedForAndNoOtherTaken() throws {
    for isRight in [true, false] {
      var relay = TestServer.relay()
      relay.relaysIPv6 = true
      let allocation = TURNAllocation(relay, base: 0, random: RandomSource(SeededRandom(seed: 1)), now: 0)
      _ = allocation.poll(now: 0)
      let bytes = try #require(allocation.takeOutgoing())
      let id = withMessage(bytes) { request in
        #expect(request.value(STUNAttribute.requestedFamily).map { Array($0) } == [2, 0, 0, 0])
        return request.transaction
      }
      var writer = STUNWriter(.success, .allocate, try #require(id))
      writer.add(STUNAttribute.xorRelayedAddress, xor: address(isRight ? "2001:db8::9" : "192.0.2.9", 9))
      _ = withMessage(writer.bytes) { allocation.receive($0, now: 0) }
      #expect((allocation.state == .ready) == isRight && (allocation.relayed?.isIPv6 == true) == isRight)
    }
  }

  /// To and fro without end: it gives up.
  @Test func redirectionsEnd() throws {
    let allocation = TURNAllocation(TestServer.relay(), base: 0, random: RandomSource(SeededRandom(seed: 1)), now: 0)
    var requests = 0
    for step in 0..<20 {
      _ = allocation.poll(now: Int64(step) * second)
      while let bytes = allocation.takeOutgoing() {
        requests += 1
        _ = withMessage(bytes) { request in
          var writer = STUNWriter(.failure, .allocate, request.transaction)
          writer.add(errorCode: 300, "there")
          writer.add(STUNAttribute.alternateServer, plain: address("198.51.100.\(requests + 1)", 3478))
          _ = withMessage(writer.bytes) { allocation.receive($0, now: Int64(step) * second) }
        }
      }
    }
    #expect(requests == TURNAllocation.mostRedirects + 1)
    guard case .failed(300, _) = allocation.state else {
      Issue.record("\(allocation.state)")
      return
    }
  }

  @Test(arguments: [400, 403, 437, 441, 442, 486, 500, 508]) func aRefusalIsSaidAndEndsGathering(code: Int) throws {
    let test = try RelayedPair(.udp, .open, .open)
    test.server.refuses[.allocate] = code
    test.connect()
    #expect(test.pair.a.failures.map(\.code) == [code] && test.pair.a.isGathered)
    // Without the relay they have another path.
    #expect(test.pair.isCompleted && test.pair.a.agent.route?.isRelayed == false)
  }

  @Test func aWrongPasswordIsSaid() throws {
    let test = try RelayedPair(password: "wrong")
    test.connect()
    #expect(test.pair.a.failures.map(\.code) == [401] && test.pair.a.isGathered && !test.pair.isConnected)
    #expect((test.server.counts[.allocate] ?? 0) <= 3)
  }

  @Test(arguments: [ICERelay.Transport.udp, .tcp]) func aServerThatIsSilentEndsGatheringInTime(transport: ICERelay.Transport) throws {
    let test = try RelayedPair(transport)
    test.server.isSilent = true
    test.pair.start()
    test.pair.network.run(for: 9 * second)
    #expect(test.pair.a.isGathered && test.pair.a.failures.count == 2 && test.pair.a.failures.allSatisfy { $0.code == nil })
  }

  @Test func aPeerThatTheServerRefusesFailsAlone() throws {
    let test = try RelayedPair(.udp, .open, .open)
    test.server.refuses[.createPermission] = 403
    test.connect()
    #expect(test.pair.isCompleted && test.pair.a.agent.route?.isRelayed == false)
    #expect((test.server.counts[.createPermission] ?? 0) <= 8)
  }

  @Test func anAddressThatTheServerLosesIsSaidAndIsNoRoute() throws {
    let test = try RelayedPair()
    test.connect()
    #expect(test.pair.isCompleted)
    test.server.refuses[.refresh] = 437
    test.pair.network.run(for: 600 * second)
    #expect(test.pair.a.failures.last?.code == 437 && test.pair.a.agent.route == nil && test.pair.a.agent.state == .failed)
  }

  @Test func whatNoRouteUsesIsReleasedAndComesBackWithARestart() throws {
    for transport: ICERelay.Transport in [.udp, .tcp] {
      let test = try RelayedPair(transport, .open, .open)
      test.connect()
      #expect(test.pair.isCompleted && test.server.allocationCount == 1)
      test.pair.network.run(for: 15 * second)
      #expect(test.server.allocationCount == 0 && test.pair.carriesData())
      #expect(test.pair.a.connections.isEmpty)
      test.pair.a.restart()
      test.pair.network.run(for: 2 * second)
      #expect(test.server.allocationCount == 1 && test.pair.a.candidates.contains { $0.kind == .relayed })
      test.pair.a.agent.close(now: test.pair.network.now)
      test.pair.a.settle()
      test.pair.network.run(for: second)
      #expect(test.server.allocationCount == 0)
    }
  }

  @Test func onlyRelaysAreShownWhereThatIsAskedFor() throws {
    let test = try RelayedPair(policy: .relay)
    test.connect()
    #expect(test.pair.isCompleted && test.pair.a.candidates.map(\.kind) == [.relayed])
    #expect(test.pair.a.candidates.allSatisfy { $0.related == .init("0.0.0.0", port: 9) })
    #expect(test.pair.a.agent.route?.isRelayed == true && test.pair.carriesData())
  }

  @Test func noDamageOfWhatComesFromAServerTraps() throws {
    let test = try RelayedPair()
    test.connect()
    let relayed = try #require(test.pair.a.candidates.first { $0.kind == .relayed })
    var data = STUNWriter(.indication, .data, TransactionID(high: 1, low: 2))
    data.add(STUNAttribute.xorPeerAddress, xor: address(relayed.address, relayed.port))
    data.add(STUNAttribute.data, Vectors.request)
    for message in [data.bytes, [0x40, 0, 0, 5, 1, 2, 3, 4, 5], [0x41, 0, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]] {
      forEachDamage(of: message) { damaged in
        damaged.withUnsafeBytes {
          _ = test.pair.a.agent.receive($0, on: test.pair.a.bases[0].base, from: address(TestServer.host, 3478), now: test.pair.network.now)
        }
      }
    }
    test.pair.a.settle()
    #expect(test.pair.carriesData())
  }
}
