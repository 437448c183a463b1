import MediaCore
import MediaICE
import MediaRTP
import MediaSDP
import Testing

@testable import MediaWebRTC

@Suite struct PeerSignallingTests {
  /// Media come and go while others flow, and on a path that loses nothing nothing is lost.
  @Test func mediaAreAddedAndRemovedWhileFramesFlow() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    try pair.play([(pair.a, video)], for: second)
    let target = pair.a.connection.rtp.target
    let (audio, screen) = (try pair.a.add(.audio), try pair.b.add(.video, .sendOnly))
    try pair.play([(pair.a, video), (pair.a, audio), (pair.b, screen)], for: 2 * second)
    #expect(pair.a.connection.rtp.target >= target)
    let screenMid = try #require(pair.b.mid(screen))
    #expect(pair.a.tracks == [screenMid] && pair.b.tracks.count == 2)
    // Video pauses, goes on under the same source, and audio is stopped for good.
    let source = pair.a.connection.signalling.negotiated?.media.first { $0.transceiver == video }?.sources.first?.ssrc
    try pair.a.connection.setDirection(.inactive, of: video)
    try pair.a.connection.stop(audio)
    pair.a.settle()
    let counted = pair.a.numbers
    try pair.play([(pair.a, video), (pair.b, screen)], for: second)
    #expect(pair.b.tracks.isEmpty && (pair.a.numbers["0"] ?? 0) - (counted["0"] ?? 0) <= 4)
    try pair.a.connection.setDirection(.sendReceive, of: video)
    pair.a.settle()
    try pair.play([(pair.a, video), (pair.b, screen)], for: second)
    pair.network.run(for: second)
    #expect(pair.a.connection.signalling.negotiated?.media.first { $0.transceiver == video }?.sources.first?.ssrc == source)
    #expect(pair.b.tracks == ["0"] && pair.a.errors.isEmpty && pair.b.errors.isEmpty)
    for (from, to) in [(pair.a, pair.b), (pair.b, pair.a)] {
      for (mid, count) in from.numbers { #expect(to.frames[mid] == Array(0..<count), "\(mid)") }
      #expect(to.connection.stats.path.refusedPackets == 0)
    }
    #expect(pair.a.numbers.count == 2 && (pair.a.numbers["0"] ?? 0) > 100 && (pair.b.numbers[screenMid] ?? 0) > 100)
  }

  /// Also while nothing is agreed on: what was lost of them then would not come back.
  @Test func theProgramsBitratesHoldFromTheFirstDescriptionOn() throws {
    let pair = try VirtualPair { $0.bitrates = .init(minimum: 1_000_000, start: 50_000_000, maximum: 100_000_000) }
    try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    #expect(pair.isConnected)
    for peer in [pair.a, pair.b] {
      #expect(peer.connection.rtp.target == 50_000_000)
      #expect(peer.connection.rtp.configuration.bitrates.maximum == 100_000_000)
    }
  }

  /// What the other end sends as soon as it has answered comes before the answer.
  @Test func mediaMayComeBeforeTheAnswer() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video)
    try pair.a.connection.requestData()
    pair.network.run(for: 5 * second) { pair.isConnected }
    let own = pair.b.connection.signalling.transceivers[0].id
    pair.b.negotiates = false
    try pair.b.connection.setDirection(.sendReceive, of: own)
    // Another section is offered, which the other end has something for.
    let second = try pair.b.connection.addTransceiver(.audio, .sendReceive)
    pair.b.signalDelay = 400 * millisecond
    try pair.a.add(.audio)
    try pair.play([(pair.b, second), (pair.b, own), (pair.a, video)], for: 2_000 * millisecond)
    pair.network.run(for: MediaWebRTCTests.second)
    #expect(pair.b.numbers.count == 2 && pair.b.numbers.values.allSatisfy { $0 > 40 })
    for (mid, count) in pair.b.numbers { #expect(pair.a.frames[mid] == Array(0..<count), "\(mid)") }
  }

  /// Both ends offer at once, again and again.
  @Test func offersCollide() throws {
    for seed in 1...20 {
      let pair = try VirtualPair(seed: UInt64(seed))
      let video = try pair.a.add(.video)
      pair.network.run(for: 5 * second) { pair.isConnected }
      var media = [(pair.a, video)]
      for round in 0..<4 {
        pair.a.signalDelay = Int64.random(in: 1...60, using: &pair.network.random) * millisecond
        pair.b.signalDelay = Int64.random(in: 1...60, using: &pair.network.random) * millisecond
        media.append((pair.b, try pair.b.add(round % 2 == 0 ? .video : .audio, .sendOnly)))
        pair.network.run(for: Int64.random(in: 0...20, using: &pair.network.random) * millisecond)
        media.append((pair.a, try pair.a.add(round % 2 == 0 ? .audio : .video, .sendOnly)))
        if round == 2 { pair.b.connection.restartICE() }
        if round == 3 { pair.a.connection.restartICE() }
        pair.a.settle()
        pair.b.settle()
        try pair.play(media, for: second)
      }
      pair.network.run(for: second)
      #expect(pair.isConnected && pair.b.ignored > 0 && pair.a.errors.isEmpty && pair.b.errors.isEmpty)
      #expect(pair.a.connection.signalling.negotiated?.media.count == 9 && pair.b.connection.signalling.negotiated?.media.count == 9)
      #expect(pair.a.connection.ice.local == pair.a.connection.signalling.credentials)
      for (from, to) in [(pair.a, pair.b), (pair.b, pair.a)] {
        #expect(from.numbers.count >= 4)
        for (mid, count) in from.numbers { #expect(to.frames[mid] == Array(0..<count), "seed \(seed), \(mid)") }
      }
    }
  }

  /// What the offer that is given up has called by numbers, the other one calls by others.
  @Test func firstOffersCollideWithOtherNumbers() throws {
    let network = PeerNetwork(seed: 1)
    let polite = try VirtualPeer(network, "192.0.2.1", isPolite: true)
    let other = try VirtualPeer(network, "192.0.2.2", isPolite: false) {
      ($0.extensions.mid, $0.extensions.audioLevel, $0.extensions.captureTime) = (1, 4, 0)
      ($0.video, $0.audio) = ([.vp8(111)], [.opus(96)])
    }
    polite.connect(other)
    let (mine, theirs) = (try polite.add(.video), try other.add(.audio))
    network.run(for: 5 * second) { polite.connection.state == .connected && other.connection.state == .connected }
    network.run(for: second)
    #expect(polite.errors.isEmpty && other.errors.isEmpty && other.ignored == 1)
    for _ in 0..<10 {
      try polite.send(mine)
      try other.send(theirs)
      network.run(for: 20 * millisecond)
    }
    network.run(for: second)
    #expect(other.frames.values.map(\.count) == [10] && polite.frames.values.map(\.count) == [10])
  }

  @Test func aRestartThatIsTakenBackLeavesThePathAlone() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    pair.network.run(for: second)
    let credentials = pair.a.connection.ice.local
    pair.a.negotiates = false
    pair.a.connection.restartICE()
    _ = try pair.a.connection.setLocal(.offer, now: pair.network.now)
    #expect(pair.a.connection.ice.local != credentials)
    _ = try pair.a.connection.setLocal(.rollback, now: pair.network.now)
    #expect(pair.a.connection.ice.local == credentials)
    try pair.play([(pair.a, video)], for: 40 * second)
    // Its pairs are there, and not only the one that was in use.
    #expect(pair.a.connection.stats.ice == .completed)
    #expect(pair.isConnected && !pair.a.states.contains(.disconnected) && pair.b.frames["0"] == Array(0..<(pair.a.numbers["0"] ?? 0)))
  }

  @Test func whatCannotBeTakenChangesNothing() throws {
    let pair = try VirtualPair()
    try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    let before = (pair.a.connection.signalling.state, pair.a.connection.signalling.localDescription)
    #expect(failure { try pair.a.connection.setRemote(.offer, "v=0\r\n", now: pair.network.now) }?.status == .invalid)
    #expect(failure { _ = try pair.a.connection.setLocal(.answer, now: pair.network.now) }?.status == .state)
    #expect(failure { _ = try pair.a.connection.setLocal(.provisional, now: pair.network.now) }?.status == .unsupported)
    #expect(pair.a.connection.signalling.state == before.0 && pair.a.connection.signalling.localDescription == before.1 && pair.isConnected)
  }

  @Test func twoHundredMediaOverOnePath() throws {
    let pair = try VirtualPair()
    pair.a.negotiates = false
    var media: [(VirtualPeer, Transceiver.ID)] = []
    for number in 0..<200 { media.append((pair.a, try pair.a.add(number % 2 == 0 ? .audio : .video, .sendOnly))) }
    pair.a.offer()
    pair.network.run(for: 5 * second) { pair.isConnected }
    for _ in 0..<3 {
      for (peer, id) in media { try peer.send(id, size: 200) }
      pair.network.run(for: 200 * millisecond)
    }
    pair.network.run(for: second)
    #expect(pair.b.tracks.count == 200 && pair.b.frames.count == 200 && pair.b.frames.values.allSatisfy { $0 == [0, 1, 2] })
  }
}
