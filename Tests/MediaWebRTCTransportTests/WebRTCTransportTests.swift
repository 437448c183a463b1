import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaTransport
import Testing

@testable import MediaWebRTC
@testable import MediaWebRTCTransport

@Suite struct WebRTCTransportTests {
  private let house = WebRTCHouse(seed: 7)

  /// Both on machines of their own, 20 ms apart, and the first has what to send.
  private func pair(
    _ urls: (String, String) = ("webrtc:", "webrtc:"), publishes: ([Transceiver.Kind], [Transceiver.Kind]) = ([.video, .audio], [])
  ) throws -> (WebRTCEnd, WebRTCEnd) {
    let a = try house.end(urls.0, at: "10.0.0.1", polite: false, publishes: publishes.0)
    let b = try house.end(urls.1, at: "10.0.0.2", publishes: publishes.1)
    a.joins(b)
    for (one, other) in [(a, b), (b, a)] { house.network.setConditions(.init(delay: 20 * millisecond), from: one.host, to: other.host) }
    return (a, b)
  }

  private func connect(_ a: WebRTCEnd, _ b: WebRTCEnd, in time: Int64 = 10 * second) throws -> Bool {
    try house.run(for: time) { a.isConnected && b.isConnected }
  }

  @Test(arguments: [true, false]) func hostsConnect(trickles: Bool) throws {
    let url = "webrtc:?trickle=\(trickles ? 1 : 0)"
    let (a, b) = try pair((url, url))
    #expect(try connect(a, b, in: 2 * second) && a.errors.isEmpty && b.errors.isEmpty)
    #expect(a.count("connected") == 1 && a.has("receivers 1") && a.isComplete)
    #expect(a.candidates.isEmpty || trickles)
    #expect(a.candidates.allSatisfy { $0.hasPrefix("candidate:") })
    try a.call(for: second, audio: 1)
    #expect((25...31).contains(b.received(Int32(MSDK_CODEC_VP8))) && (40...51).contains(b.received(Int32(MSDK_CODEC_OPUS))))
    #expect(b.added.count == 2 && b.count("joined peer") == 1)
    // As they were sent, from the first on.
    #expect(b.bytes[UInt32(MSDK_CODEC_VP8)]?.first == WebRTCEnd.payload(3_000, isKey: true, isAudio: false, seed: 1))
    try house.close()
    #expect(house.network.busyCalls == 0)
  }

  @Test func mediaFlowBothWaysThroughLoss() throws {
    let (a, b) = try pair(publishes: ([.video, .audio], [.video, .audio]))
    b.negotiates = false
    #expect(try connect(a, b))
    for (one, other) in [(a, b), (b, a)] {
      house.network.setConditions(.init(delay: 20 * millisecond, loss: 50_000), from: one.host, to: other.host)
    }
    for _ in 0..<300 {
      for end in [a, b] {
        end.send(0, isKey: false)
        end.send(1, isAudio: true)
      }
      for end in [a, b] where end.keysWanted > 0 || end.received(Int32(MSDK_CODEC_VP8)) == 0 { end.send(0, isKey: true) }
      try house.run(for: 20 * millisecond)
    }
    for end in [a, b] {
      #expect(end.received(Int32(MSDK_CODEC_VP8)) > 150 && end.received(Int32(MSDK_CODEC_OPUS)) > 250)
      #expect(end.estimate > 0)
      let stats = end.transport.stats
      #expect(stats.bytesSent > 0 && stats.bytesReceived > 0 && stats.packetsLost > 0 && stats.roundTripTime > 30 * millisecond, "\(stats)")
    }
    try house.close()
  }

  /// What is refused leads to no path, which ends as any other that is not found.
  @Test func anExchangeThatAgreesOnNothingHasItsTime() throws {
    let a = try house.end("webrtc:?trickle=0", at: "10.0.0.1", polite: false, publishes: [.video])
    a.negotiates = false
    try house.run(for: second)
    _ = try a.target.describe()
    let offer = try a.target.localDescription()
    var answer = offer.replacing("a=setup:actpass", with: "a=setup:active")
    for kind in ["video", "audio"] { answer = answer.replacing("m=\(kind) 9 ", with: "m=\(kind) 0 ") }
    for direction in ["sendonly", "recvonly", "sendrecv"] { answer = answer.replacing("a=\(direction)", with: "a=inactive") }
    _ = try a.target.setRemote(.answer, answer)
    #expect(try house.run(for: second) { a.has("failed unsupported") })
    try house.run(for: 58 * second)
    #expect(a.ending == nil)
    #expect(try house.run(for: 3 * second) { a.ending != nil } && a.ending?.status == .timeout, "\(a.events)")
    try house.close()
  }

  /// An end that takes no layers gets the best.
  @Test func whoTakesOneLayerGetsTheBest() throws {
    let (a, b) = try pair(publishes: ([], []))
    let stream = a.transport.makeStreamID()
    let format = StreamFormat.video(VideoFormat(.i420, width: 640, height: 480, frameRate: FrameRate(30)), kind: 1)
    #expect(
      failure { try a.transport.publish(stream, codec: UInt32(MSDK_CODEC_VP8), format: format, layers: StreamLayers(count: 2)) } != nil)
    a.tamper = { text in
      let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false)
      return lines.filter { !$0.hasPrefix("a=rid") && !$0.hasPrefix("a=simulcast") }.joined(separator: "\r\n")
    }
    try a.transport.publish(stream, UInt32(MSDK_CODEC_VP8), format, layers: ["q", "h", "f"])
    a.add(stream)
    #expect(try house.run(for: 10 * second) { a.has("receivers 1") }, "\(a.events) \(a.errors)")
    #expect(a.events.filter { $0.hasPrefix("layers(") }.map { $0.contains("active: [false, false, true]") } == [true], "\(a.events)")
    for number in 0..<30 {
      for layer in 0..<3 {
        #expect(a.send(layer: layer, isKey: number == 0, size: 300 << layer) == (layer == 2 ? .sent : .noReceiver))
      }
      try house.run(for: 33 * millisecond)
    }
    try house.run(for: second)
    #expect(b.received(Int32(MSDK_CODEC_VP8)) == 30 && b.bytes[UInt32(MSDK_CODEC_VP8)]?.allSatisfy { $0.count == 1_200 } == true)
    #expect(a.transport.look(sending: stream)?.stream.framesSent == 30)
    try house.close()
  }

  @Test func statsNameTheSuiteAndThePair() throws {
    let (a, b) = try pair()
    #expect(try connect(a, b))
    try a.call(for: second, audio: 1)
    let text = JSON.array(a.transport.statsEntries(at: 5)).rendered()
    for part in [
      "\"srtpCipher\": \"AEAD_AES_128_GCM\"", "\"type\": \"candidate-pair\"", "\"address\": \"10.0.0.1\"", "\"address\": \"10.0.0.2\"",
      "\"nominated\": true", "\"type\": \"outbound-rtp\""
    ] { #expect(text.contains(part), "\(part) in \(text)") }
    let stream = try #require(b.added.first { if case .video = $0.format { true } else { false } })
    #expect(b.transport.look(receiving: stream.id)?.stream.framesReceived ?? 0 > 20)
    #expect(a.transport.look(sending: a.streams[0])?.stream.framesSent ?? 0 > 20)
    #expect(a.transport.carriage(of: a.streams[0]) == Carriage(color: true, orientation: true))
    try house.close()
  }

  @Test func keyFramesAreAskedFor() throws {
    let (a, b) = try pair()
    #expect(try connect(a, b))
    try a.call(for: second)
    let stream = try #require(b.added.first)
    let before = a.keysWanted
    b.transport.requestKeyFrame(of: stream.id)
    #expect(try house.run(for: second) { a.keysWanted > before })
    try house.close()
  }

  // MARK: Relays

  @Test(arguments: ["turn:10.0.9.1", "turn:10.0.9.1?transport=tcp", "turns:10.0.9.1"]) func relaysAlone(_ uri: String) throws {
    let relay = try EmulatedRelay(house.network, "10.0.9.1")
    let url = "webrtc:?relay=1&relay-fingerprint=\(relay.certificate.fingerprint)"
    let hosts = (try house.network.addHost("10.0.0.1"), try house.network.addHost("10.0.0.2"))
    // Each reaches the relay only.
    house.network.setConditions(.init(isDisconnected: true), from: hosts.0, to: hosts.1)
    house.network.setConditions(.init(isDisconnected: true), from: hosts.1, to: hosts.0)
    let (a, b) = (try house.end(url + "&polite=0", on: hosts.0), try house.end(url, on: hosts.1))
    a.joins(b)
    for end in [a, b] { try end.target.addServer(uri, user: EmulatedRelay.user, password: EmulatedRelay.password) }
    try a.publish(.video)
    #expect(try connect(a, b), "\(a.events) \(a.servers) \(b.servers)")
    #expect(a.candidates.allSatisfy { $0.contains("typ relay") } && !a.candidates.isEmpty)
    try a.call(for: second)
    #expect(b.received(Int32(MSDK_CODEC_VP8)) > 20 && relay.relayed > 20)
    #expect(JSON.array(a.transport.statsEntries(at: 1)).rendered().contains("\"isRelayed\": true"))
    try house.close()
    #expect(relay.allocationCount == 0)
  }

  @Test func aRelayOverTLSIsReachedThroughAProxy() throws {
    let (relay, proxy) = (try EmulatedRelay(house.network, "10.0.9.1"), try EmulatedProxy(house.network, "10.0.7.1"))
    proxy.places["10.0.9.1:5349"] = SocketAddress("10.0.9.1", port: 5349)
    let (host, other) = (try house.network.addHost("10.0.0.1"), try house.network.addHost("10.0.0.2"))
    // Of the one machine the network lets nothing through but what goes to the proxy.
    host.setVariable("https_proxy", "http://10.0.7.1:3128")
    for machine in [other, relay.host] {
      house.network.setConditions(.init(isDisconnected: true), from: host, to: machine)
      house.network.setConditions(.init(isDisconnected: true), from: machine, to: host)
    }
    let url = "webrtc:?relay=1&relay-fingerprint=\(relay.certificate.fingerprint)"
    let (a, b) = (try house.end(url + "&polite=0", on: host), try house.end("webrtc:", on: other))
    a.joins(b)
    try a.target.addServer("turns:10.0.9.1", user: EmulatedRelay.user, password: EmulatedRelay.password)
    try a.publish(.video)
    #expect(try connect(a, b), "\(a.events) \(a.servers)")
    try a.call(for: second)
    #expect(b.received(Int32(MSDK_CODEC_VP8)) > 20 && Set(proxy.requests.map(\.target)) == ["10.0.9.1:5349"])
    try house.close()
  }

  @Test func aRelayThatShowsAnotherCertificateIsNotUsed() throws {
    let relay = try EmulatedRelay(house.network, "10.0.9.1")
    let (a, b) = try pair(("webrtc:?relay-fingerprint=" + String(repeating: "AB", count: 32), "webrtc:"))
    try a.target.addServer("turns:10.0.9.1", user: EmulatedRelay.user, password: EmulatedRelay.password)
    #expect(try connect(a, b))
    try house.run(for: second)
    #expect(a.servers.count == 1 && a.servers.first?.contains("fingerprint") == true && relay.allocationCount == 0)
    try house.close()
  }

  @Test func serversHaveNames() throws {
    _ = try EmulatedRelay(house.network, "10.0.9.1")
    let address = try #require(SocketAddress("10.0.9.1", port: 0))
    house.network.setNames { question in
      switch question.name.description {
      case "stun.example.org": .success([address.with(port: question.port)])
      case "gone.example.org": .failure(MediaError(.notFound, "no such name"))
      default: nil
      }
    }
    let (a, b) = try pair(("webrtc:?stun=stun.example.org:3478,gone.example.org,silent.example.org", "webrtc:"))
    #expect(try connect(a, b))
    // The silent one keeps gathering from its end, but nobody from connecting.
    #expect(!a.isComplete)
    try house.run(for: 6 * second)
    #expect(a.isComplete && a.servers.count == 2 && a.servers.contains { $0.hasPrefix("stun:gone.example.org:3478: no such name") })
    try house.close()
  }

  // MARK: Negotiation

  @Test func ofTwoOffersAtOnceOneGivesWay() throws {
    let (a, b) = try pair(publishes: ([.video], [.audio]))
    #expect(try connect(a, b))
    #expect(try house.run(for: 5 * second) { a.has("receivers 1") && b.has("receivers 1") })
    // Both offered, and the end that is not polite ignored one.
    #expect(a.ignored == 1 && b.ignored == 0 && a.errors.isEmpty && b.errors.isEmpty)
    for _ in 0..<50 {
      a.send()
      b.send(0, isAudio: true)
      try house.run(for: 20 * millisecond)
    }
    #expect(b.received(Int32(MSDK_CODEC_VP8)) > 30 && a.received(Int32(MSDK_CODEC_OPUS)) > 30)
    try house.close()
  }

  @Test func streamsComeAndGoInMidCall() throws {
    let (a, b) = try pair(publishes: ([.audio], []))
    #expect(try connect(a, b))
    let video = try a.publish(.video)
    #expect(try house.run(for: 2 * second) { a.count("receivers 1") == 2 })
    try a.call(for: second, video: 1, audio: 0)
    #expect(b.received(Int32(MSDK_CODEC_VP8)) > 20)
    a.transport.unpublish(video)
    #expect(try house.run(for: 2 * second) { b.has("removed") })
    // And the other way, in the section that is there.
    try b.publish(.video)
    #expect(try house.run(for: 2 * second) { b.has("receivers 1") })
    try b.call(for: second)
    #expect(a.received(Int32(MSDK_CODEC_VP8)) > 20)
    // Another stream in the place of the first goes on with its numbers.
    try a.publish(.video)
    #expect(try house.run(for: 2 * second) { a.count("receivers 1") == 3 })
    let before = b.received(Int32(MSDK_CODEC_VP8))
    try a.call(for: second, video: 2, audio: 0)
    #expect(b.received(Int32(MSDK_CODEC_VP8)) > before + 20 && a.errors.isEmpty && b.errors.isEmpty)
    try house.close()
  }

  @Test func whoOnlyReceivesMayOffer() throws {
    let (a, b) = try pair(publishes: ([], [.video, .audio]))
    (a.negotiates, b.negotiates) = (false, false)
    a.describe()
    #expect(try connect(a, b))
    // What an offer adds by itself, to receive, is in it.
    #expect(!a.has("signal negotiationNeeded"))
    try b.call(for: second, audio: 1)
    #expect(a.received(Int32(MSDK_CODEC_VP8)) > 20 && a.received(Int32(MSDK_CODEC_OPUS)) > 30)
    try house.close()
  }

  @Test func whatTheOtherEndRefusesHasFailed() throws {
    let (a, b) = try pair()
    // Its answer refuses the video.
    b.tamper = { text in
      guard text.contains("m=video") else { return text }
      var lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
      if let place = lines.firstIndex(where: { $0.hasPrefix("m=video") }) {
        var words = lines[place].split(separator: " ").map(String.init)
        words[1] = "0"
        lines[place] = words.joined(separator: " ")
      }
      if let place = lines.firstIndex(where: { $0.hasPrefix("a=group:BUNDLE") }) { lines[place] = "a=group:BUNDLE 1" }
      return lines.joined(separator: "\r\n")
    }
    _ = try house.run(for: 3 * second) { a.has("failed unsupported") }
    #expect(a.has("failed unsupported"), "\(a.events) \(a.errors)")
    try house.close()
  }

  @Test func badTextIsRefusedAndChangesNothing() throws {
    let (a, b) = try pair()
    for text in ["", "v=0", "v=0\r\no=- 1 1 IN IP4 0\r\ns=-\r\nt=0 0\r\nm=video x", String(repeating: "a", count: 100_000)] {
      let refusal = failure { _ = try b.target.setRemote(.offer, text) }
      #expect(refusal != nil && refusal?.text.isEmpty == false)
    }
    #expect(failure { _ = try a.target.setRemote(.answer, "v=0") }?.status == .state)
    #expect(failure { try a.target.addRemote(candidate: "candidate:nonsense", mid: nil) }?.status == .invalid)
    #expect(failure { try a.target.addRemote(candidate: "candidate:1 1 udp 1 10.0.0.9 9 typ host", mid: "none") }?.status == .notFound)
    #expect(failure { _ = try b.target.localDescription() }?.status == .state)
    #expect(try connect(a, b))
    #expect(failure { _ = try a.target.setRemote(.answer, "v=0") }?.status == .state)
    try house.close()
    #expect(failure { _ = try a.target.describe() }?.status == .state)
  }

  @Test func anOfferMayBeTakenBack() throws {
    let (a, b) = try pair()
    a.negotiates = false
    #expect(try a.target.describe() == .offer)
    #expect(failure { _ = try a.target.describe() }?.status == .state)
    _ = try a.target.setRemote(.rollback, "")
    a.negotiates = true
    #expect(try a.target.describe() == .offer)
    _ = try a.target.setRemote(.rollback, "")
    a.describe()
    #expect(try connect(a, b))
    try house.close()
  }

  // MARK: Trouble

  @Test func anotherCertificateThanDescribedEndsIt() throws {
    let (a, b) = try pair()
    b.tamper = { $0.replacing(fingerprint: String(repeating: "AB:", count: 31) + "AB") }
    _ = try house.run(for: 5 * second) { a.ending != nil }
    #expect(a.ending?.status == .untrusted && !a.has("connected"))
    try house.close()
  }

  @Test func aPeerThatVanishesIsGivenUpInTime() throws {
    let (a, b) = try pair()
    #expect(try connect(a, b))
    (a.restarts, b.restarts) = (false, false)
    b.host.setDisconnected(true)
    #expect(try house.run(for: 20 * second) { a.has("reconnecting") } && a.restartsWanted == 1)
    let begin = house.clock.now()
    #expect(try house.run(for: 70 * second) { a.ending != nil })
    let seconds = (house.clock.now() - begin) / second
    #expect(a.ending?.status == .timeout && (58...62).contains(seconds))
    try house.close()
  }

  @Test func aPeerThatLeavesIsKnownToHaveLeft() throws {
    let (a, b) = try pair()
    #expect(try connect(a, b))
    b.transport.disconnect()
    #expect(try house.run(for: second) { a.ending != nil } && a.ending?.status == .closed)
    try house.close()
  }

  @Test func whoIsNeverThereIsGivenUp() throws {
    let (a, b) = try pair()
    b.host.setDisconnected(true)
    let begin = house.clock.now()
    #expect(try house.run(for: 130 * second) { a.ending != nil })
    #expect(a.ending?.status == .timeout && house.clock.now() - begin >= 59 * second && !a.has("reconnecting"))
    try house.close()
  }

  @Test func withoutADescriptionItWaits() throws {
    let a = try house.end(at: "10.0.0.1", publishes: [.video])
    a.negotiates = false
    try house.run(for: 300 * second)
    #expect(a.ending == nil && a.send() == .noReceiver)
    try house.close()
  }

  /// From one network into another, as a telephone does it.
  @Test func theCallGoesOnFromAnotherAddress() throws {
    let (a, b) = try pair(publishes: ([.video], []))
    b.restarts = false
    #expect(try connect(a, b))
    try a.call(for: second)
    try a.host.move(to: [try #require(SocketAddress("10.0.5.1", port: 0))])
    #expect(try house.run(for: 20 * second) { a.has("signal restartWanted") })
    #expect(try house.run(for: 10 * second) { a.isConnected && b.isConnected })
    #expect(a.has("reconnecting") && a.has("reconnected") && a.ending == nil && b.ending == nil && a.errors.isEmpty)
    let before = b.received(Int32(MSDK_CODEC_VP8))
    try a.call(for: second)
    #expect(b.received(Int32(MSDK_CODEC_VP8)) > before + 20)
    try house.close()
  }

  /// Loopback, which is always there, is no address by which a restart could bring a path.
  @Test(arguments: [5, 25]) func nothingIsAskedForWithoutAnAddress(seconds: Int64) throws {
    let (a, b) = try pair(publishes: ([.video], []))
    b.restarts = false
    #expect(try connect(a, b))
    try a.call(for: second)
    try a.host.move(to: [try #require(SocketAddress("127.0.0.1", port: 0))])
    a.host.setDisconnected(true)
    try house.run(for: seconds * second)
    #expect(a.has("reconnecting") && a.restartsWanted == 0)
    a.host.setDisconnected(false)
    try a.host.move(to: [try #require(SocketAddress("10.0.5.1", port: 0))])
    #expect(try house.run(for: 5 * second) { a.isConnected && b.isConnected }, "\(a.events)")
    #expect(a.restartsWanted == 1 && a.ending == nil && b.ending == nil && a.errors.isEmpty)
    let before = b.received(Int32(MSDK_CODEC_VP8))
    try a.call(for: second)
    #expect(b.received(Int32(MSDK_CODEC_VP8)) > before + 20)
    try house.close()
  }

  /// Nobody does anything about the first request; the next address is a reason to ask again.
  @Test func anotherAddressIsAskedForAgain() throws {
    let (a, b) = try pair(publishes: ([.video], []))
    (a.restarts, b.restarts) = (false, false)
    #expect(try connect(a, b))
    b.host.setDisconnected(true)
    for number in 1...3 {
      try a.host.move(to: [try #require(SocketAddress("10.0.5.\(number)", port: 0))])
      try house.run(for: 4 * second)
      #expect(a.restartsWanted == number)
    }
    b.host.setDisconnected(false)
    a.restarts = true
    try a.host.move(to: [try #require(SocketAddress("10.0.6.1", port: 0))])
    #expect(try house.run(for: 5 * second) { a.isConnected && b.isConnected }, "\(a.events)")
    try house.close()
  }

  /// Ten seconds in which nothing passes: the session says so before they are over, and comes back by itself.
  @Test func tenSecondsOfNothingAreSaid() throws {
    let (a, b) = try pair(publishes: ([.video, .audio], []))
    (a.restarts, b.restarts) = (false, false)
    #expect(try connect(a, b))
    try a.call(for: 2 * second, audio: 1)
    b.host.setDisconnected(true)
    try a.call(for: 8 * second, audio: 1)
    #expect(a.has("reconnecting") && b.has("reconnecting"))
    try a.call(for: 2 * second, audio: 1)
    #expect(!a.has("reconnected"))
    b.host.setDisconnected(false)
    try a.call(for: 1_500 * millisecond, audio: 1)
    #expect(a.isConnected && b.isConnected && a.count("reconnected") == 1 && b.count("reconnected") == 1, "\(a.events) \(b.events)")
    try a.call(for: 20 * second, audio: 1)
    #expect(a.count("reconnecting") == 1 && b.count("reconnecting") == 1 && a.isConnected)
    try house.close()
  }

  /// Candidates that lead nowhere, from an end that means harm: the call comes about, and takes no more than its bound.
  @Test func manyCandidatesAreOfNoHarm() throws {
    let (a, b) = try pair()
    b.negotiates = false
    for number in 0..<20_000 {
      house.loop.schedule(at: house.clock.now() + 100 * millisecond) {
        try? b.target.addRemote(
          candidate: "candidate:\(number) 1 udp \(number + 1) 10.7.\(number / 250).\(number % 250 + 1) 9 typ host", mid: nil)
      }
    }
    #expect(try connect(a, b))
    // Checks go out at their pace, whatever was said: 100 a second.
    let before = house.network.lostDatagrams
    try house.run(for: 5 * second)
    #expect(house.network.lostDatagrams - before < 600)
    try house.close()
  }
}

extension String {
  /// A description with another fingerprint.
  fileprivate func replacing(fingerprint: String) -> String {
    split(separator: "\r\n", omittingEmptySubsequences: false).map { line in
      line.hasPrefix("a=fingerprint:sha-256") ? "a=fingerprint:sha-256 \(fingerprint)" : String(line)
    }.joined(separator: "\r\n")
  }
}
