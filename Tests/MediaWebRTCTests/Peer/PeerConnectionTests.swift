import MediaCore
import MediaRTP
import MediaSDP
import Testing

@testable import MediaICE
@testable import MediaWebRTC

@Suite struct PeerConnectionTests {
  @Test func mediaFlowBothWays() throws {
    let pair = try VirtualPair()
    let (audio, video) = (try pair.a.add(.audio), try pair.a.add(.video))
    let begin = pair.network.now
    pair.network.run(for: 5 * second) { pair.isConnected }
    // A description, an answer, a check and its answer, two round trips of DTLS: no timer in between.
    #expect(pair.isConnected && pair.network.now - begin < 300 * millisecond)
    #expect(pair.a.states == [.connecting, .connected] && pair.b.states == [.connecting, .connected])
    #expect(pair.a.tracks.isEmpty && pair.b.tracks == ["0", "1"])
    // The other end has something to send, too.
    let own = pair.b.connection.signalling.transceivers.map(\.id)
    for id in own { try pair.b.connection.setDirection(.sendReceive, of: id) }
    pair.b.settle()
    pair.network.run(for: second)
    #expect(pair.a.tracks == ["0", "1"] && pair.a.errors.isEmpty && pair.b.errors.isEmpty)
    try pair.play([(pair.a, audio), (pair.a, video), (pair.b, own[0]), (pair.b, own[1])], for: 3 * second)
    pair.network.run(for: second)
    for (from, to) in [(pair.a, pair.b), (pair.b, pair.a)] {
      #expect(from.numbers["0"] ?? 0 >= 140 && from.numbers["1"] ?? 0 >= 80)
      for mid in ["0", "1"] { #expect(to.frames[mid] == Array(0..<(from.numbers[mid] ?? 0))) }
      #expect(to.connection.stats.dropped == .init() && to.connection.stats.refused == 0)
    }
    #expect(pair.a.connection.stats.ice == .completed && pair.a.connection.stats.roundTrip ?? 0 > 0)
  }

  @Test func protectionIsGCM() throws {
    let pair = try VirtualPair()
    try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    #expect(pair.a.connection.dtls?.srtp?.profile == 7 && pair.b.connection.dtls?.srtp == pair.a.connection.dtls?.srtp)
  }

  @Test func aWrongFingerprintEndsItAndNothingLeaves() throws {
    for isOffer in [true, false] {
      let pair = try VirtualPair()
      let wrong = "a=fingerprint:sha-256 " + (0..<32).map { _ in "AB" }.joined(separator: ":")
      let liar = isOffer ? pair.a : pair.b
      liar.tamper = { $0.replacing(line: "a=fingerprint", by: wrong) }
      var media = 0
      pair.network.watch = { bytes, _ in if (128...191).contains(bytes[0]) { media += 1 } }
      let video = try pair.a.add(.video)
      for _ in 0..<100 {
        pair.network.run(for: 100 * millisecond)
        try pair.a.send(video)
      }
      let victim = isOffer ? pair.b : pair.a
      guard case .failed(let error) = victim.connection.state else {
        Issue.record("\(victim.connection.state)")
        continue
      }
      #expect(error.status == .untrusted && !victim.connection.isKeyed && media == 0)
      #expect(!liar.states.contains(.connected) || !liar.connection.isKeyed || liar.connection.failure != nil)
    }
  }

  @Test func goodbyeIsSaid() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    try pair.play([(pair.a, video)], for: second)
    pair.a.close()
    pair.network.run(for: 100 * millisecond)
    #expect(pair.a.states.last == .closed && pair.b.ended.count == 1)
    guard case .failed(let error)? = pair.b.states.last else {
      Issue.record("\(pair.b.states)")
      return
    }
    #expect(error.status == .closed)
    #expect(failure { try pair.a.add(.video) }?.status == .closed)
    let sent = pair.network.sent
    pair.b.close()
    pair.network.run(for: 100 * second)
    #expect(pair.network.sent - sent < 4)
  }

  /// As aiortc does it.
  @Test func feedbackThatStandsAloneIsTakenThoughItWasNotAgreedOn() throws {
    let pair = try VirtualPair()
    for peer in [pair.a, pair.b] { peer.tamper = { $0.removing(lines: "a=rtcp-rsize") } }
    let video = try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    #expect(pair.a.connection.signalling.negotiated?.rtp.hasReducedSize == false)
    try pair.play([(pair.a, video)], for: second)
    let source = try #require(pair.a.connection.signalling.negotiated?.media[0].sources.first?.ssrc)
    // A picture loss indication (RFC 4585, section 6.3.1).
    let words: [UInt32] = [0x81CE_0002, 0x0102_0304, source.rawValue]
    let packet = words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
    let remote = try #require(pair.b.connection.peer.remote)
    packet.withUnsafeBytes { pair.b.connection.peer.send(control: $0, to: remote) }
    pair.b.settle()
    pair.network.run(for: 100 * millisecond)
    #expect(pair.a.keysWanted == [source] && pair.a.connection.rtp.refusedPackets == 0)
  }

  /// A path over a relay has four bytes before each packet (RFC 8656, section 12.4), whoever made it.
  @Test func whatGoesOverARelayIsWrapped() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video)
    let channel = try pair.a.open("chat")
    pair.network.run(for: 5 * second) { pair.a.opened.count == 1 }
    let direct = try #require(pair.a.connection.route)
    let relayed = ICERoute(
      base: direct.base, destination: direct.destination, remote: direct.remote, wrapping: .channel(0x4001, isStream: false),
      isRelayed: true,
      isStream: false)
    pair.a.connection.follow(relayed, now: pair.network.now)
    var (packets, records) = (0, 0)
    pair.network.watch = { bytes, sender in
      guard sender === pair.a, bytes.count > 4, (64...79).contains(bytes[0]) else { return }
      #expect(Array(bytes[0..<2]) == [0x40, 0x01] && Int(bytes[2]) << 8 | Int(bytes[3]) == bytes.count - 4)
      if (128...191).contains(bytes[4]) { packets += 1 }
      if (20...63).contains(bytes[4]) { records += 1 }
    }
    try pair.a.send(video)
    #expect(pair.a.send([1, 2, 3], on: channel) == nil)
    #expect(packets >= 3 && records == 1 && pair.a.connection.stats.isRelayed)
    // And as before afterwards.
    pair.a.connection.follow(direct, now: pair.network.now)
    let before = packets
    try pair.a.send(video, isKey: true)
    pair.network.run(for: second)
    #expect(packets == before && pair.b.frames["0"]?.contains(1) == true)
  }

  @Test func severalSizesComeAsStreamsOfOneSection() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video, .sendOnly, layers: ["h", "m", "l"])
    pair.network.run(for: 5 * second) { pair.isConnected }
    for _ in 0..<30 {
      for layer in 0..<3 { try pair.a.send(video, layer: layer, size: 500) }
      pair.network.run(for: 33 * millisecond)
    }
    pair.network.run(for: second)
    #expect(pair.b.frames.keys.sorted() == ["0/h", "0/l", "0/m"] && pair.b.frames.values.allSatisfy { $0 == Array(0..<30) })
  }

  @Test func candidatesOfUnknownSectionsAreRefused() throws {
    let pair = try VirtualPair()
    let candidate = "candidate:1 1 udp 2130706431 192.0.2.9 5000 typ host"
    let said = failure { try pair.a.connection.addRemote(candidate: candidate, mid: "7", now: 0) }
    #expect(said == MediaError(.notFound, "WebRTC: a candidate of the section named 7, which no description has"))
    #expect(failure { try pair.a.connection.addRemote(candidate: "candidate:1", now: 0) }?.status == .invalid)
    pair.a.close()
    #expect(failure { try pair.a.connection.addRemote(candidate: candidate, now: 0) }?.status == .closed)
  }

  @Test func beforeThereIsAPathItIsNotConnectedAndThenItFails() throws {
    let pair = try VirtualPair()
    pair.network.isDown = true
    try pair.a.add(.video)
    pair.network.run(for: 120 * second)
    #expect(pair.a.states.count == 2 && pair.a.states[0] == .connecting)
    guard case .failed(let error)? = pair.a.states.last else {
      Issue.record("\(pair.a.states)")
      return
    }
    #expect(error.status == .timeout)
    // A restart brings it back.
    pair.network.isDown = false
    pair.a.connection.restartICE()
    pair.a.settle()
    pair.network.run(for: 5 * second) { pair.isConnected }
    #expect(pair.isConnected)
  }
}
