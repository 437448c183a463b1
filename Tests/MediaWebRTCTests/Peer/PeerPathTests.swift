import MediaCore
import MediaICE
import MediaRTP
import Testing

@testable import MediaWebRTC

/// Connections over bad networks.
@Suite struct PeerPathTests {
  @Test func connectionsAreMadeOverWhatEverySeedGives() throws {
    for seed in 0..<60 {
      let pair = try VirtualPair(seed: UInt64(seed))
      let network = pair.network
      network.delay = Int64.random(in: 1...150, using: &network.random) * millisecond
      network.jitter = Int64.random(in: 0...60, using: &network.random) * millisecond
      network.loss = Int.random(in: 0...150, using: &network.random)
      if Bool.random(using: &network.random) { pair.b.outside = SocketAddress("198.51.100.1", port: 40_000) }
      pair.a.signalDelay = Int64.random(in: 1...400, using: &network.random) * millisecond
      pair.b.signalDelay = Int64.random(in: 1...400, using: &network.random) * millisecond
      let (audio, video) = (try pair.a.add(.audio), try pair.a.add(.video))
      network.run(for: 40 * second) { pair.isConnected }
      #expect(pair.isConnected, "seed \(seed)")
      try pair.play([(pair.a, audio), (pair.a, video)], for: 4 * second)
      network.run(for: 3 * second)
      // What is lost is sent again, or a key frame takes its place.
      let (came, sent) = (Set(pair.b.frames["1"] ?? []).count, pair.a.numbers["1"] ?? 0)
      #expect(sent > 80 && came * 10 >= sent * 4, "seed \(seed): \(came) of \(sent)")
      #expect(
        pair.b.frames["1"] == pair.b.frames["1"]?.sorted() && Set(pair.b.frames["0"] ?? []).count * 10 >= (pair.a.numbers["0"] ?? 0) * 8)
      #expect(pair.b.connection.stats.dropped.forged == 0 && pair.a.connection.stats.dropped.forged == 0)
    }
  }

  /// The path of one end is valid before that of the other: its first datagrams of DTLS wait there.
  @Test func handshakesThatComeEarlyAreKept() throws {
    let pair = try VirtualPair()
    var answers = 0
    // Answers to the first checks of the end that offers: its path is there after 350 ms.
    pair.network.drops = { bytes, sender in
      guard sender === pair.b, bytes[0] == 1, bytes[1] == 1 else { return false }
      answers += 1
      return answers <= 3
    }
    try pair.a.add(.video)
    pair.network.run(for: 5 * second) { !pair.a.connection.early.isEmpty }
    #expect(pair.a.connection.ice.route == nil && pair.b.connection.ice.route != nil)
    pair.network.run(for: 5 * second) { pair.a.connection.ice.route != nil }
    // What has come is answered at once: three ways, instead of the next repetition after some hundred milliseconds.
    let begin = pair.network.now
    pair.network.run(for: 5 * second) { pair.isConnected }
    #expect(pair.isConnected && pair.network.now - begin < 100 * millisecond && pair.a.connection.early.isEmpty)
  }

  @Test func noTimerIsWaitedFor() throws {
    for delay in [5, 20, 100] {
      for signal in [1, 30, 300] {
        let pair = try VirtualPair()
        pair.network.delay = Int64(delay) * millisecond
        (pair.a.signalDelay, pair.b.signalDelay) = (Int64(signal) * millisecond, Int64(signal) * millisecond)
        try pair.a.add(.video)
        let begin = pair.network.now
        pair.network.run(for: 5 * second) { pair.isConnected }
        // Signalling there and back, at most three round trips of ICE and DTLS, and what ICE waits: no timer of DTLS, which is a second.
        let took = pair.network.now - begin
        #expect(
          pair.isConnected && took < Int64(2 * signal + 8 * delay + 120) * millisecond, "\(delay) \(signal): \(took / millisecond) ms")
      }
    }
  }

  @Test func anAddressChangesInTheMiddleOfACall() throws {
    let pair = try VirtualPair()
    let (video, audio) = (try pair.a.add(.video), try pair.a.add(.audio))
    pair.network.run(for: 5 * second) { pair.isConnected }
    let media = [(pair.a, video), (pair.a, audio)]
    try pair.play(media, for: 2 * second)
    let target = pair.a.connection.rtp.target
    pair.a.removeHost(0)
    try pair.a.add("192.0.2.77", 1000)
    pair.a.connection.restartICE()
    pair.a.settle()
    let begin = pair.network.now
    pair.network.run(for: 5 * second) {
      pair.a.connection.stats.ice == .completed && pair.b.connection.stats.remote == SocketAddress("192.0.2.77", port: 1000)
    }
    #expect(pair.network.now - begin < 300 * millisecond)
    let handshake = pair.a.connection.dtls
    try pair.play(media, for: 4 * second)
    pair.network.run(for: second)
    #expect(pair.isConnected && pair.a.connection.dtls === handshake && pair.a.connection.rtp.target > target / 4)
    // Packets of the time without a path are sent again.
    #expect(pair.b.frames["0"] == Array(0..<(pair.a.numbers["0"] ?? 0)))
    #expect(Set(pair.b.frames["1"] ?? []).count + 10 >= pair.a.numbers["1"] ?? 0)
  }

  @Test func tenSecondsOfNothingAreSurvived() throws {
    let pair = try VirtualPair()
    let (video, audio) = (try pair.a.add(.video), try pair.a.add(.audio))
    pair.network.run(for: 5 * second) { pair.isConnected }
    let media = [(pair.a, video), (pair.a, audio)]
    try pair.play(media, for: 2 * second)
    pair.network.isDown = true
    try pair.play(media, for: 10 * second)
    let before = pair.b.frames["1"]?.count ?? 0
    pair.network.isDown = false
    try pair.play(media, for: 2 * second)
    #expect((pair.b.frames["1"]?.count ?? 0) - before > 50)
    // Video goes on from its next key frame.
    try pair.a.send(video, isKey: true)
    try pair.play(media, for: 3 * second)
    pair.network.run(for: second)
    let last = try #require(pair.b.frames["0"]?.last)
    #expect(pair.isConnected && last == (pair.a.numbers["0"] ?? 0) - 1)
  }

  @Test func anOutageOfAMinuteIsSaidAndARestartEndsIt() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    try pair.play([(pair.a, video)], for: second)
    pair.network.isDown = true
    pair.network.run(for: 25 * second)
    #expect(pair.a.connection.state == .disconnected && pair.b.connection.state == .disconnected)
    pair.network.run(for: 80 * second)
    guard case .failed(let error) = pair.a.connection.state else {
      Issue.record("\(pair.a.states)")
      return
    }
    #expect(error.status == .timeout && pair.a.connection.stats.remote == nil)
    pair.network.isDown = false
    pair.a.connection.restartICE()
    pair.a.settle()
    pair.network.run(for: 5 * second) { pair.isConnected }
    #expect(pair.isConnected)
    try pair.a.send(video, isKey: true)
    try pair.play([(pair.a, video)], for: second)
    #expect(pair.b.frames["0"]?.last ?? 0 > (pair.a.numbers["0"] ?? 0) - 5)
  }

  /// A frame of video each ten seconds, and nothing else but what keeps the connection.
  @Test func twelveHours() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    let begin = pair.network.sent
    for hour in 0..<12 {
      for _ in 0..<360 {
        try pair.a.send(video, size: 500, isKey: true)
        pair.network.run(for: 10 * second)
      }
      #expect(pair.isConnected && pair.b.frames["0"]?.count == (hour + 1) * 360)
    }
    #expect(pair.a.states == [.connecting, .connected] && pair.b.states == [.connecting, .connected])
    // Consent each five seconds, reports each second of both.
    let each = Double(pair.network.sent - begin) / (12 * 3600)
    #expect(each < 8, "\(each) datagrams a second")
  }
}
