import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

/// Attacks, and what they change.
@Suite struct StrangerTests {
  private struct Snapshot: Equatable {
    let pairs: Int
    let remotes: Int
    let awaited: Int
    let route: ICERoute?
    let nominated: SocketAddress?
    let isControlling: Bool

    init(_ agent: ICEAgent) {
      (pairs, remotes, awaited) = (agent.current.pairs.count, agent.current.remotes.count, agent.current.awaited.count)
      (route, nominated, isControlling) = (agent.route, agent.current.nominated?.remote, agent.isControlling)
    }
  }

  private func connected() throws -> (TestPair, ForgedPeer) {
    let pair = try TestPair.plain()
    pair.network.run(for: 2 * second)
    #expect(pair.isCompleted)
    return (pair, ForgedPeer(pair.a.agent, pair.a.bases[0].base))
  }

  @Test func withoutThePasswordNothingChangesAndNothingIsSent() throws {
    let (pair, forged) = try connected()
    let agent = pair.a.agent
    let user = "\(agent.local.user):\(pair.b.agent.local.user)"
    let before = Snapshot(agent)
    let refused = agent.refused
    var random = SeededRandom(seed: 3)
    for number in 0..<2_000 {
      let source = SocketAddress(v4: 0x0A00_0000 + UInt32(number % 500), port: 9)
      let id = TransactionID(high: UInt32(number), low: random.next())
      let bytes: [UInt8] =
        switch number % 8 {
        case 0: forged.request(isNominating: true, user: user, password: "wrong wrong wrong wrong", id: id)
        case 1: forged.request(user: "nobody:nobody", id: id)
        case 2: forged.request(user: "\(agent.local.user)", id: id)
        case 3: forged.request(user: user, id: id, hasFingerprint: false)
        case 4: Vectors.response
        case 5: [0x80, 96, 0, 1] + [UInt8](repeating: 0, count: 40)
        case 6: STUNWriter(.indication, .binding, id).bytes
        // Another generation or another end's.
        default: forged.request(user: "\(agent.local.user):else", id: id)
        }
      #expect(!forged.give(bytes, from: source, now: pair.network.now))
    }
    #expect(agent.takeDatagram() == nil && Snapshot(agent) == before && agent.refused == refused + 2_000)
    #expect(pair.carriesData())
  }

  /// Answers with the right transaction and a wrong proof: the right one still counts.
  @Test func forgedAnswersChangeNothing() throws {
    let pair = try TestPair.plain()
    let network = pair.network
    network.watch = { bytes, source, destination in
      // An answer to each request, before the other end has it: success, and every error.
      if withMessage(bytes, { $0.kind == .request }) == true, let id = withMessage(bytes, { $0.transaction }) {
        for code in [0, 400, 401, 487] {
          var writer = STUNWriter(code == 0 ? .success : .failure, .binding, id)
          if code == 0 { writer.add(STUNAttribute.xorMappedAddress, xor: source) } else { writer.add(errorCode: code, "") }
          _ = writer.addIntegrity(STUNKey(password: "not the password of anybody"))
          writer.addFingerprint()
          let forged = writer.bytes
          network.after(1) {
            for peer in network.peers where peer.owns(source) { peer.receive(forged, from: destination, at: source) }
          }
        }
      }
      return true
    }
    network.run(for: 20 * second)
    #expect(pair.isCompleted && pair.carriesData() && pair.a.roles + pair.b.roles == 0)
    #expect(pair.a.agent.refused > 4)
  }

  /// Where the other end is not reached, who answers in its place makes no route, and keeps none.
  @Test(arguments: [false, true]) func forgedAnswersAreNoRoute(isConnected: Bool) throws {
    let pair = try TestPair.plain()
    let network = pair.network
    if isConnected { network.run(for: 10 * second) }
    #expect(pair.isCompleted == isConnected)
    network.watch = { bytes, source, destination in
      if withMessage(bytes, { $0.kind == .request }) == true, let id = withMessage(bytes, { $0.transaction }) {
        var writer = STUNWriter(.success, .binding, id)
        writer.add(STUNAttribute.xorMappedAddress, xor: source)
        _ = writer.addIntegrity(STUNKey(password: "not the password of anybody"))
        writer.addFingerprint()
        let forged = writer.bytes
        network.after(millisecond) {
          for peer in network.peers where peer.owns(source) { peer.receive(forged, from: destination, at: source) }
        }
      }
      return false
    }
    network.run(for: 32 * second)
    #expect(pair.a.agent.route == nil && pair.b.agent.route == nil && pair.a.agent.refused > 4)
  }

  /// What was copied in flight, sent again from everywhere.
  @Test func copiesMoveNoRoute() throws {
    let pair = try TestPair.plain()
    var copies: [[UInt8]] = []
    pair.network.watch = { bytes, _, destination in
      if destination == address("192.0.2.20", 2000) { copies.append(bytes) }
      return true
    }
    pair.network.run(for: 60 * second)
    pair.network.watch = nil
    let before = Snapshot(pair.b.agent)
    for number in 0..<3_000 {
      pair.b.receive(
        copies[number % copies.count], from: SocketAddress(v4: 0x0A00_0000 + UInt32(number), port: 9), at: address("192.0.2.20", 2000))
    }
    #expect(Snapshot(pair.b.agent) == before && pair.carriesData())
    pair.network.run(for: 60 * second)
    #expect(pair.isCompleted && pair.b.agent.route == before.route && pair.carriesData())
  }

  /// Who has the password and too many addresses.
  @Test func anEndOfManyAddressesIsBounded() throws {
    let agent = ICEAgent(ICESettings(isControlling: false), random: SeededRandom(seed: 1))
    var bases: [ICEBase] = []
    for number in 1...6 { bases.append(try agent.addHost(address("192.0.2.\(number)", 1000), now: 0)) }
    try agent.setRemote(.init(user: "peer", password: ForgedPeer.password), now: 0)
    for number in 0..<2_000 { _ = try agent.addRemote("1 1 udp \(1 + number) 10.0.\(number / 250).\(1 + number % 250) 9 typ host", now: 0) }
    #expect(agent.current.remotes.count == CheckList.mostRemotes && agent.current.pairs.count == CheckList.mostPairs)
    for number in 0..<2_000 {
      let peer = ForgedPeer(agent, bases[number % 6])
      peer.give(
        peer.request(isNominating: number % 3 == 0, id: TransactionID(high: UInt32(number), low: 1)),
        from: SocketAddress(v4: 0x0B00_0000 + UInt32(number), port: 9), now: Int64(number) * millisecond)
      if number % 10 == 0 { _ = agent.poll(now: Int64(number) * millisecond) }
      while agent.takeDatagram() != nil {}
    }
    #expect(agent.current.remotes.count == CheckList.mostRemotes + CheckList.mostReflexive)
    #expect(agent.current.pairs.count <= CheckList.mostPairs && agent.current.awaited.count <= CheckList.mostPairs + ICEAgent.mostConsents)
    #expect(agent.current.triggered.count <= CheckList.mostPairs && agent.route == nil)
    // All that it sends in a minute for all of them: no more than 200 checks of some 130 bytes each 1.6 s.
    var (sent, now) = (0, 2 * second)
    while now < 62 * second {
      now = max(now + millisecond, min(agent.poll(now: now), now + second))
      while agent.takeDatagram() != nil { sent += 1 }
    }
    #expect(sent < 200 * 40, "\(sent)")
  }

  /// Each of its checks is answered; those from here do not become more by that.
  @Test func checksWithoutEndDrawNoChecksWithoutEnd() throws {
    let agent = ICEAgent(ICESettings(isControlling: false), random: SeededRandom(seed: 1))
    let peer = ForgedPeer(agent, try agent.addHost(address("192.0.2.1", 1000), now: 0))
    try agent.setRemote(.init(user: "peer", password: ForgedPeer.password), now: 0)
    var (answers, checks) = (0, 0)
    for step in 0..<2_000 {
      let now = Int64(step) * millisecond / 2
      peer.check(from: address("192.0.2.31", 1), now: now)
      _ = agent.poll(now: now)
      while let datagram = agent.takeDatagram() {
        if withMessage(datagram.bytes, { $0.kind == .request }) == true { checks += 1 } else { answers += 1 }
      }
    }
    // A second of it: one each 10 ms, and those that are due.
    #expect(answers == 2_000 && (50...120).contains(checks), "\(answers) answers, \(checks) checks")
  }

  @Test func datagramsThatAreNotTakenAreBounded() throws {
    let (pair, forged) = try connected()
    let user = "\(pair.a.agent.local.user):\(pair.b.agent.local.user)"
    for number in 0..<5_000 {
      forged.give(
        forged.request(user: user, id: TransactionID(high: 1, low: UInt64(number))), from: address("192.0.2.20", 2000),
        now: pair.network.now)
    }
    var count = 0
    while pair.a.agent.takeDatagram() != nil { count += 1 }
    #expect(count == ICEAgent.mostOutgoing)
  }

  /// An answer proves the path that it came by, if it is that of the request, and no other.
  @Test func answersFromElsewhereProveNothing() throws {
    let agent = ICEAgent(ICESettings(isControlling: false), random: SeededRandom(seed: 1))
    let base = try agent.addHost(address("192.0.2.1", 1000), now: 0)
    try agent.setRemote(.init(user: "peer", password: ForgedPeer.password), now: 0)
    _ = try agent.addRemote("1 1 udp 1 192.0.2.31 1 typ host", now: 0)
    let peer = ForgedPeer(agent, base)
    for (index, source) in [address("192.0.2.32", 1), address("192.0.2.31", 2)].enumerated() {
      peer.answersFrom = source
      for step in 0..<3 { peer.answerAll(now: Int64(3 * index + step) * second) }
      #expect(agent.route == nil && peer.answers > index)
    }
    peer.answersFrom = nil
    for step in 6..<9 { peer.answerAll(now: Int64(step) * second) }
    #expect(agent.route?.remote == address("192.0.2.31", 1))
  }

  /// Where only relays are used, whoever knows an address of this machine gets no answer at it, and cannot choose it.
  @Test func behindARelayNothingElseAnswers() throws {
    var settings = ICESettings(isControlling: false)
    settings.policy = .relay
    let agent = ICEAgent(settings, random: SeededRandom(seed: 1))
    let peer = ForgedPeer(agent, try agent.addHost(address("192.0.2.1", 1000), now: 0))
    try agent.setRemote(.init(user: "peer", password: ForgedPeer.password), now: 0)
    #expect(!peer.give(peer.request(isNominating: true), from: address("192.0.2.31", 1), now: 0))
    _ = agent.poll(now: 0)
    #expect(agent.takeDatagram() == nil && agent.route == nil)
  }

  /// Data of somebody whose address has proven nothing.
  @Test func dataOfStrangersAreRefused() throws {
    let (pair, _) = try connected()
    let count = pair.a.received.count
    for port: UInt16 in [1, 2000] { pair.a.receive([0x80, 1, 2], from: address("192.0.2.66", port), at: address("192.0.2.10", 1000)) }
    #expect(pair.a.received.count == count)
    pair.a.receive([0x80, 1, 2], from: address("192.0.2.20", 2000), at: address("192.0.2.10", 1000))
    #expect(pair.a.received.count == count + 1)
  }

  @Test func whatMustBeUnderstoodIsAnswered() throws {
    let agent = ICEAgent(ICESettings(isControlling: false), random: SeededRandom(seed: 1))
    let peer = ForgedPeer(agent, try agent.addHost(address("192.0.2.1", 1000), now: 0))
    for (bytes, code) in [(peer.request { $0.add(0x7FFF) }, 420), (peer.request(priority: 0), 400)] {
      #expect(peer.give(bytes, from: address("192.0.2.9", 9), now: 0))
      let answer = try #require(agent.takeDatagram())
      #expect(withMessage(answer.bytes) { $0.errorCode == code && $0.isAuthentic(password: agent.local.password) } == true)
      #expect(agent.current.pairs.isEmpty)
    }
  }

  /// Every bit of every message of a call, at both ends, while the call goes on.
  @Test func noDamageTrapsOrEndsACall() throws {
    let pair = try TestPair.plain()
    var copies: [[UInt8]] = []
    pair.network.watch = { bytes, _, destination in
      if destination == address("192.0.2.20", 2000), copies.count < 6 { copies.append(bytes) }
      return true
    }
    pair.network.run(for: 10 * second)
    pair.network.watch = nil
    for copy in copies {
      forEachDamage(of: copy) { damaged in
        damaged.withUnsafeBytes {
          _ = pair.b.agent.receive($0, on: pair.b.bases[0].base, from: address("192.0.2.10", 1000), now: pair.network.now)
        }
      }
    }
    pair.network.run(for: 10 * second)
    #expect(pair.isCompleted && pair.carriesData())
  }
}
