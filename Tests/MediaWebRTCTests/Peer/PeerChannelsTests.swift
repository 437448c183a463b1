import MediaCore
import MediaSCTP
import MediaSDP
import Testing

@testable import MediaWebRTC

@Suite struct PeerChannelsTests {
  /// A session of data alone: the first channel asks for it, and what is sent at once waits.
  @Test func messagesPassBothWaysWithoutMedia() throws {
    let pair = try VirtualPair()
    let id = try pair.a.open("chat") { $0.protocol = "json" }
    #expect(pair.a.send(Array("hello".utf8), isText: true, on: id) == nil)
    let begin = pair.network.now
    pair.network.run(for: 5 * second) { !pair.b.messages().isEmpty }
    // Two ways of signalling, three round trips of ICE and DTLS, two of SCTP: no timer.
    #expect(pair.network.now - begin < 400 * millisecond)
    #expect(pair.a.data?.mid == "0" && pair.b.data?.mostBytes == 262_144 && pair.a.connection.cipher == nil)
    let theirs = try #require(pair.b.opened("chat"))
    #expect(theirs.protocol == Array("json".utf8) && theirs.isIncoming && theirs.isOrdered && theirs.reliability == .reliable)
    #expect(pair.b.channels.contains(.message(theirs.id, Array("hello".utf8), isText: true)))
    #expect(pair.b.send([1, 2, 3], on: theirs.id) == nil)
    pair.network.run(for: second)
    #expect(pair.a.messages(of: id) == [[1, 2, 3]] && pair.a.opened("chat")?.id == id)
    pair.a.close(id)
    pair.network.run(for: second)
    #expect(pair.a.closed(id) == [nil] && pair.b.closed(theirs.id) == [nil])
    #expect(pair.a.send([1], on: id)?.status == .notFound)
  }

  /// Where media is expected, both ends know how far away the other one is before there is any.
  @Test func endsThatExpectMediaReportBeforeIt() throws {
    let pair = try VirtualPair(expectsMedia: true)
    _ = try pair.a.open("chat")
    // By the checks of the path, before any report.
    let ends = [pair.a, pair.b]
    pair.network.run(for: second) { ends.allSatisfy { $0.connection.rtp.smoothedRoundTrip != nil } }
    #expect(ends.allSatisfy { $0.connection.rtp.smoothedRoundTrip ?? 0 > 0 && $0.connection.rtp.pathStats.roundTripTimeMeasurements == 0 })
    pair.network.run(for: 3 * second)
    for end in ends {
      #expect(end.connection.cipher != nil && end.connection.signalling.transceivers.isEmpty)
      #expect(end.connection.rtp.pathStats.roundTripTimeMeasurements > 0)
    }
  }

  /// The end that is the client of DTLS has the even streams, whoever offered.
  @Test func bothEndsOpenAtOnce() throws {
    let pair = try VirtualPair()
    let a = try (0..<10).map { try pair.a.open("a\($0)") }
    let b = try (0..<10).map { try pair.b.open("b\($0)") }
    for (peer, ids) in [(pair.a, a), (pair.b, b)] {
      for id in ids { #expect(peer.send(Array("\(id)".utf8), on: id) == nil) }
    }
    pair.network.run(for: 5 * second) { pair.a.messages().count == 10 && pair.b.messages().count == 10 }
    pair.network.run(for: second)
    #expect(pair.a.opened.count == 20 && pair.b.opened.count == 20 && pair.b.ignored == 1)
    let transport = try #require(pair.a.connection.signalling.negotiated?.transport)
    for info in pair.a.opened { #expect((info.stream % 2 == 0) == (info.isIncoming != transport.isClient)) }
    #expect(Set(pair.a.opened.map(\.stream)) == Set(0..<20) && pair.a.opened.map(\.stream).sorted() == pair.b.opened.map(\.stream).sorted())
  }

  @Test func aStreamThatBothProgramsKnowIsNotAskedFor() throws {
    let pair = try VirtualPair()
    let a = try pair.a.open("mine") { $0.negotiated = 7 }
    let b = try pair.b.open("other") { $0.negotiated = 7 }
    #expect(pair.a.send([7], on: a) == nil)
    pair.network.run(for: 5 * second) { !pair.b.messages(of: b).isEmpty }
    #expect(pair.b.messages(of: b) == [[7]] && pair.a.opened.map(\.id) == [a] && pair.b.opened.map(\.id) == [b])
    #expect(failure { _ = try pair.a.open("again") { $0.negotiated = 7 } }?.status == .exists)
  }

  /// Loss, disorder, another generation of ICE and another address in the middle: all that is reliable arrives, in order where that was asked for.
  @Test func thousandsOfMessagesSurviveTheNetwork() throws {
    for seed in 1...6 {
      let pair = try VirtualPair(seed: UInt64(seed))
      let network = pair.network
      (network.jitter, network.loss) = (30 * millisecond, seed * 10)
      let ordered = try pair.a.open("ordered")
      let loose = try pair.a.open("loose") { $0.isOrdered = false }
      network.run(for: 30 * second) { pair.b.opened.count == 2 }
      let answering = try #require(pair.b.opened("ordered")).id
      func message(_ number: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + [UInt8](repeating: 5, count: number % 1500)
      }
      for number in 0..<1500 {
        #expect(pair.a.send(message(number), on: ordered) == nil)
        #expect(pair.a.send(message(number), on: loose) == nil)
        #expect(pair.b.send(message(number), on: answering) == nil)
        if number == 500 {
          pair.a.connection.restartICE()
          pair.a.settle()
        }
        if number == 1000 {
          pair.a.removeHost(0)
          try pair.a.add("192.0.2.77", 1000)
          pair.a.connection.restartICE()
          pair.a.settle()
        }
        network.run(for: 40 * millisecond)
      }
      network.run(for: 60 * second) { pair.a.messages().count == 1500 && pair.b.messages().count == 3000 }
      let expected = (0..<1500).map(message)
      let (there, also) = (try #require(pair.b.opened("ordered")).id, try #require(pair.b.opened("loose")).id)
      #expect(pair.b.messages(of: there) == expected && pair.a.messages(of: ordered) == expected, "seed \(seed)")
      let came = pair.b.messages(of: also)
      #expect(came != expected && Set(came) == Set(expected) && came.count == 1500, "seed \(seed)")
      #expect(pair.a.lost.isEmpty && pair.b.lost.isEmpty && pair.a.connection.stats.remote != nil)
    }
  }

  @Test func whatNeedNotArriveIsNotSentAgain() throws {
    let pair = try VirtualPair()
    let once = try pair.a.open("once") { ($0.isOrdered, $0.reliability) = (false, .retransmissions(0)) }
    let soon = try pair.a.open("soon") { $0.reliability = .lifetime(milliseconds: 60) }
    pair.network.run(for: 5 * second) { pair.b.opened.count == 2 }
    #expect(pair.b.opened("once")?.reliability == .retransmissions(0) && pair.b.opened("once")?.isOrdered == false)
    pair.network.loss = 200
    for _ in 0..<500 {
      pair.a.send([1], on: once)
      pair.a.send([2], on: soon)
      pair.network.run(for: 20 * millisecond)
    }
    pair.network.loss = 0
    pair.network.run(for: 10 * second)
    let (first, second) = (try #require(pair.b.opened("once")).id, try #require(pair.b.opened("soon")).id)
    #expect((300..<480).contains(pair.b.messages(of: first).count) && (300..<500).contains(pair.b.messages(of: second).count))
    // Nothing is left over, and both go on.
    #expect(pair.a.connection.bufferedAmount(of: once) == 0 && pair.a.connection.bufferedAmount(of: soon) == 0)
    pair.a.send([9], on: once)
    pair.a.send([9], on: soon)
    pair.network.run(for: MediaWebRTCTests.second)
    #expect(pair.b.messages(of: first).last == [9] && pair.b.messages(of: second).last == [9])
  }

  // MARK: Sizes and bounds

  @Test func theLongestMessagesPassAndLongerOnesAreRefused() throws {
    let pair = try VirtualPair()
    let id = try pair.a.open("large")
    pair.network.run(for: 5 * second) { pair.b.opened.count == 1 }
    #expect(pair.a.connection.mostSentBytes == 262_144)
    var random = SeededRandom(seed: 1)
    let longest = (0..<262_144).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    for message in [longest, [], [0]] { #expect(pair.a.send(message, on: id) == nil) }
    #expect(pair.a.send(longest + [0], on: id)?.status == .range)
    pair.network.run(for: 30 * second) { pair.b.messages().count == 3 }
    #expect(pair.b.messages() == [longest, [], [0]])
  }

  /// What the other end's description says counts, also for what was given before it was known.
  @Test func theOtherEndsLimitCounts() throws {
    let pair = try VirtualPair()
    pair.b.tamper = { $0.replacing(line: "a=max-message-size", by: "a=max-message-size:5000") }
    let (long, short) = (try pair.a.open("long"), try pair.a.open("short"))
    #expect(pair.a.send([UInt8](repeating: 1, count: 5001), on: long) == nil)
    #expect(pair.a.send([UInt8](repeating: 1, count: 5000), on: short) == nil)
    pair.network.run(for: 5 * second) { !pair.b.messages().isEmpty }
    #expect(pair.a.closed(long).map { $0?.status } == [.range] && pair.b.opened.count == 1)
    #expect(pair.a.connection.mostSentBytes == 5000 && pair.a.send([UInt8](repeating: 1, count: 5001), on: short)?.status == .range)
  }

  /// Who does not take messages stops who sends them, and nobody's memory grows.
  @Test func whatIsNotTakenStopsTheOtherEnd() throws {
    let pair = try VirtualPair()
    let id = try pair.a.open("flood")
    pair.network.run(for: 5 * second) { pair.b.opened.count == 1 }
    pair.b.takesChannels = false
    let message = [UInt8](repeating: 3, count: 10_000)
    var (sent, refusals) = (0, 0)
    for _ in 0..<2000 {
      switch pair.a.send(message, on: id)?.status {
      case nil: sent += 1
      case .full: refusals += 1
      case let other: Issue.record("\(String(describing: other))")
      }
      pair.network.run(for: 10 * millisecond)
    }
    // A megabyte of events and one in the library there, and one that is buffered here.
    #expect((250..<350).contains(sent) && refusals > 1000 && pair.a.connection.bufferedAmount(of: id) ?? 0 > 900_000)
    pair.a.connection.setLowThreshold(100_000, of: id)
    pair.network.run(for: 60 * second)
    pair.b.takesChannels = true
    pair.b.settle()
    pair.network.run(for: 30 * second) { pair.b.messages().count == sent }
    #expect(pair.b.messages().count == sent && pair.a.channels.contains(.bufferedAmountLow(id)))
    #expect(pair.a.lost.isEmpty)
  }

  /// An end that opens channels without end has those of the bound, and what others do goes on.
  @Test func aFloodOfChannelsIsRefused() throws {
    let network = PeerNetwork(seed: 1)
    var (generous, strict) = (DataChannelSettings(), DataChannelSettings())
    (generous.mostChannels, strict.mostChannels) = (65_535, 20)
    let a = try VirtualPeer(network, "192.0.2.1", data: generous)
    let b = try VirtualPeer(network, "192.0.2.2", isPolite: false, data: strict)
    a.connect(b)
    let good = try a.open("good")
    network.run(for: 5 * second) { b.opened.count == 1 }
    for round in 0..<20 {
      for number in 0..<400 {
        _ = try? a.connection.openChannel(DataChannelOptions(label: "\(round).\(number)"), now: network.now)
      }
      a.settle()
      network.run(for: second)
    }
    #expect(b.opened.count == 20 && b.connection.stats.channels?.channelsRefused ?? 0 > 5000)
    #expect(a.opened.count == b.opened.count && a.connection.state == .connected && b.connection.state == .connected)
    #expect(a.send([1], on: good) == nil)
    network.run(for: second)
    #expect(b.messages() == [[1]])
  }

  // MARK: The path

  /// Timers of SCTP rest without a path: a restart after minutes finds channels as they were.
  @Test func anOutageOfMinutesLosesNothing() throws {
    let pair = try VirtualPair()
    let id = try pair.a.open("chat")
    pair.network.run(for: 5 * second) { pair.b.opened.count == 1 }
    pair.a.send([1], on: id)
    pair.network.run(for: second)
    pair.network.isDown = true
    for number in 2..<50 {
      #expect(pair.a.send([UInt8(number)], on: id) == nil)
      pair.network.run(for: 5 * second)
    }
    guard case .failed = pair.a.connection.state else {
      Issue.record("\(pair.a.states)")
      return
    }
    pair.network.isDown = false
    pair.a.connection.restartICE()
    pair.a.settle()
    pair.network.run(for: 5 * second) { pair.isConnected }
    let begin = pair.network.now
    pair.network.run(for: 5 * second) { pair.b.messages().count == 49 }
    #expect(pair.b.messages() == (1..<50).map { [UInt8($0)] } && pair.a.lost.isEmpty && pair.b.lost.isEmpty)
    // At once, and not when a timer of the outage would have come.
    #expect(pair.network.now - begin < second, "\((pair.network.now - begin) / millisecond) ms")
  }

  @Test func anIdleChannelCostsNearlyNothing() throws {
    let pair = try VirtualPair()
    _ = try pair.a.open("idle")
    pair.network.run(for: 5 * second) { pair.b.opened.count == 1 }
    pair.network.run(for: 10 * second)
    let before = pair.network.sent
    pair.network.run(for: 3600 * second)
    // Consent of both each five seconds, with its answer, and a heartbeat of both each ten.
    #expect(Double(pair.network.sent - before) / 3600 < 1.5 && pair.a.lost.isEmpty, "\(pair.network.sent - before)")
  }

  // MARK: The end

  @Test func theOtherEndHearsOfTheEnd() throws {
    let pair = try VirtualPair()
    let id = try pair.a.open("chat")
    pair.network.run(for: 5 * second) { pair.b.opened.count == 1 }
    let theirs = try #require(pair.b.opened("chat")).id
    pair.a.close()
    pair.network.run(for: second)
    #expect(pair.b.closed(theirs).map { $0?.status } == [.io] && pair.b.lost.map(\.status) == [.io])
    #expect(failure { _ = try pair.a.open("late") }?.status == .closed && pair.a.send([1], on: id)?.status == .closed)
    #expect(failure { _ = try pair.b.open("late") }?.status == .closed)
  }

  @Test func aConnectionThatFailsClosesWhatWaits() throws {
    let pair = try VirtualPair()
    let wrong = "a=fingerprint:sha-256 " + (0..<32).map { _ in "AB" }.joined(separator: ":")
    pair.b.tamper = { $0.replacing(line: "a=fingerprint", by: wrong) }
    let id = try pair.a.open("chat")
    pair.network.run(for: 10 * second)
    #expect(pair.a.closed(id).map { $0?.status } == [.untrusted] && pair.a.lost.map(\.status) == [.untrusted])
    #expect(failure { _ = try pair.a.open("late") }?.status == .untrusted && pair.b.opened.isEmpty)
  }

  // MARK: Negotiations

  @Test func dataJoinMediaAndLeaveThem() throws {
    let pair = try VirtualPair()
    let video = try pair.a.add(.video)
    pair.network.run(for: 5 * second) { pair.isConnected }
    try pair.play([(pair.a, video)], for: second)
    let id = try pair.b.open("late")
    pair.b.send([1], on: id)
    try pair.play([(pair.a, video)], for: second)
    #expect(pair.a.messages() == [[1]] && pair.b.data?.mid == "1")
    // The other end takes the section away.
    pair.a.tamper = { text in text.replacing(line: "m=application 9", by: "m=application 0 UDP/DTLS/SCTP webrtc-datachannel") }
    let audio = try pair.a.add(.audio)
    try pair.play([(pair.a, video), (pair.a, audio)], for: second)
    #expect(pair.b.closed(id).map { $0?.status } == [.closed] && pair.b.data == nil && pair.b.lost.count == 1)
    #expect(pair.a.lost.map(\.status) == [.io] && pair.a.data == nil)
    // And another one comes, in its place, over the same DTLS.
    pair.a.tamper = nil
    let handshake = pair.a.connection.dtls
    let again = try pair.b.open("again")
    pair.b.send([2], on: again)
    try pair.play([(pair.a, video), (pair.a, audio)], for: 2 * second)
    pair.network.run(for: second)
    #expect(pair.a.messages() == [[1], [2]] && pair.a.connection.dtls === handshake && again > id)
    #expect(pair.a.connection.signalling.sections.count == 3 && pair.a.errors.isEmpty && pair.b.errors.isEmpty)
    #expect(pair.b.frames["0"] == Array(0..<(pair.a.numbers["0"] ?? 0)))
  }

  @Test func whoHasNoneRefusesThemAndMediaGoOn() throws {
    let network = PeerNetwork(seed: 1)
    let (a, b) = (try VirtualPeer(network, "192.0.2.1"), try VirtualPeer(network, "192.0.2.2", isPolite: false, data: nil))
    a.connect(b)
    let video = try a.add(.video)
    let id = try a.open("chat")
    network.run(for: 5 * second) { a.connection.state == .connected && b.connection.state == .connected }
    #expect(a.closed(id).map { $0?.status } == [.unsupported] && a.lost.map(\.status) == [.unsupported] && a.data == nil)
    try a.send(video)
    network.run(for: second)
    #expect(b.frames["0"] == [0] && failure { _ = try b.open("none") }?.status == .state)
  }

  /// An offer that is taken back leaves channels waiting, and the next one asks for them again.
  @Test func aRollbackLeavesChannelsWaiting() throws {
    let pair = try VirtualPair()
    pair.a.negotiates = false
    let id = try pair.a.open("chat")
    pair.a.send([1], on: id)
    _ = try pair.a.connection.setLocal(.offer, now: pair.network.now)
    _ = try pair.a.connection.setLocal(.rollback, now: pair.network.now)
    pair.network.run(for: 5 * second)
    #expect(pair.a.channels.isEmpty && pair.a.connection.signalling.needsNegotiation)
    pair.a.offer()
    pair.network.run(for: 5 * second)
    #expect(pair.b.messages() == [[1]] && pair.a.opened.map(\.id) == [id])
  }

  /// Offers with and without data collide; nothing that was opened is forgotten.
  @Test func offersCollide() throws {
    for seed in 1...20 {
      let pair = try VirtualPair(seed: UInt64(seed))
      (pair.a.signalDelay, pair.b.signalDelay) = (Int64(seed) * 7 % 60 * millisecond, Int64(seed) * 11 % 60 * millisecond)
      if seed % 3 == 0 { try pair.a.add(.audio) } else { _ = try pair.a.open("a") }
      pair.network.run(for: Int64(seed) * millisecond)
      if seed % 3 == 1 { try pair.b.add(.video) } else { _ = try pair.b.open("b") }
      pair.network.run(for: 5 * second)
      #expect(pair.isConnected && pair.a.lost.isEmpty && pair.b.lost.isEmpty, "seed \(seed)")
      #expect(pair.b.opened.count == (seed % 3 == 2 ? 2 : 1) && pair.a.opened.count == pair.b.opened.count, "seed \(seed)")
      #expect(pair.a.connection.signalling.sections.count { $0.isData } == 1)
    }
  }

  /// Without a port there is no association (RFC 8841, section 5.1), and another one is of another association.
  @Test func thePortOfTheOtherEndMayChange() throws {
    let pair = try VirtualPair()
    let id = try pair.a.open("chat")
    pair.network.run(for: 5 * second) { pair.b.opened.count == 1 }
    pair.b.tamper = { $0.replacing(line: "a=sctp-port", by: "a=sctp-port:0") }
    try pair.a.add(.audio)
    pair.network.run(for: second)
    #expect(pair.a.closed(id).map { $0?.status } == [.closed] && pair.a.data == nil)
  }
}
