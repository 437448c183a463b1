import MediaCore
import MediaSDP
import Testing

@testable import MediaWebRTC

@Suite struct JSEPSessionTests {
  @Test func statesFollowDescriptions() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    #expect(a.session.state == .stable && a.session.needsNegotiation)
    let offer = try a.offer()
    #expect(a.session.state == .haveLocalOffer && !a.session.needsNegotiation && a.session.negotiated == nil)
    #expect(try b.session.setRemote(.offer, offer) == .applied)
    #expect(b.session.state == .haveRemoteOffer)
    let answer = try b.answer()
    #expect(b.session.state == .stable && b.session.negotiated != nil)
    _ = try a.session.setRemote(.answer, answer)
    #expect(a.session.state == .stable && !a.session.needsNegotiation && !b.session.needsNegotiation)
    a.session.close()
    #expect(failure { _ = try a.offer() }?.status == .closed)
    #expect(failure { _ = try a.session.setRemote(.offer, offer) }?.status == .closed)
    #expect(failure { try a.add(.audio) }?.status == .closed)
  }

  @Test func whatComesAtTheWrongTimeIsRefusedAndChangesNothing() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    #expect(
      failure { _ = try a.answer() }
        == MediaError(.state, "WebRTC: an answer in the signalling state stable; accepted in have-remote-offer"))
    let offer = try a.offer()
    #expect(
      failure { _ = try b.session.setRemote(.answer, offer) }
        == MediaError(.state, "WebRTC: an answer in the signalling state stable; accepted in have-local-offer"))
    _ = try b.session.setRemote(.offer, offer)
    #expect(failure { _ = try b.offer() }?.text.hasSuffix("accepted in stable or have-local-offer") == true)
    let refused = failure { _ = try a.session.setRemote(.provisional, offer) }
    #expect(refused?.status == .unsupported && refused?.text.contains("pranswer") == true)
    #expect(failure { _ = try SignalledEnd(3).session.setRollback() }?.status == .state)
    let answer = try b.answer()
    #expect(failure { _ = try a.session.setRemote(.answer, answer.replacing(line: "a=setup")) }?.status == .invalid)
    #expect(a.session.state == .haveLocalOffer)
    _ = try a.session.setRemote(.answer, answer)
    #expect(a.session.state == .stable)
  }

  @Test func nothingToOfferSaysSo() {
    var a = SignalledEnd(1)
    #expect(failure { _ = try a.offer() }?.text == "WebRTC: there is nothing to offer; accepted after addTransceiver or requestData")
    a.session.requestRestart()
    #expect(a.session.state == .stable && !a.session.needsNegotiation)
  }

  @Test func rollbackOfAnOfferKeepsWhatWasAddedSince() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    let video = try a.add(.video)
    try a.negotiate(with: &b)
    let before = try #require(a.session.localDescription)
    let audio = try a.add(.audio)
    a.session.requestRestart()
    let credentials = a.session.credentials
    let offer = try a.offer()
    #expect(a.session.credentials != credentials && offer.count("m=") == 2)
    _ = try a.session.setLocal(.rollback, using: &a.random)
    #expect(a.session.state == .stable && a.session.credentials == credentials && a.session.localDescription == before)
    #expect(try a.transceiver(audio).mid == nil && a.transceiver(video).mid == "0" && a.session.needsNegotiation)
    // And it works the next time, with the restart that was asked for.
    let again = try a.negotiate(with: &b)
    #expect(again.offer.count("m=") == 2 && a.session.credentials != credentials)
    #expect(try a.transceiver(audio).currentDirection == .sendOnly)
  }

  @Test func rollbackOfAnOfferOfTheOtherEndTakesItsTransceiversAway() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    try a.add(.audio)
    _ = try b.session.setRemote(.offer, try a.offer())
    #expect(b.session.transceivers.count == 2)
    try b.session.setDirection(.sendReceive, of: b.session.transceivers[1].id)
    _ = try b.session.setRemote(.rollback, "")
    // The one that the program has taken for its own stays.
    #expect(b.session.transceivers.map(\.kind) == [.audio] && b.session.transceivers[0].mid == nil && b.session.state == .stable)
  }

  @Test func ofTwoOffersAtOnceThePoliteEndGivesItsOwnUp() throws {
    var (polite, impolite) = (SignalledEnd(1), SignalledEnd(2, isPolite: false))
    try polite.add(.video)
    try polite.negotiate(with: &impolite)
    let audio = try polite.add(.audio)
    let screen = try impolite.add(.video, .sendOnly)
    let (first, second) = (try polite.offer(), try impolite.offer())
    #expect(try impolite.session.setRemote(.offer, first) == .ignored)
    #expect(impolite.session.state == .haveLocalOffer)
    let answer = try polite.answer(to: second)
    _ = try impolite.session.setRemote(.answer, answer)
    #expect(try impolite.transceiver(screen).currentDirection == .sendOnly)
    #expect(try polite.transceiver(audio).mid == nil && polite.session.needsNegotiation)
    try polite.negotiate(with: &impolite)
    #expect(try polite.transceiver(audio).currentDirection == .sendOnly && !polite.session.needsNegotiation)
    #expect(polite.media.map(\.mid) == impolite.media.map(\.mid) && polite.media.count == 3)
  }

  @Test func aWrongOfferInACollisionLeavesTheOwnOneInPlace() throws {
    var a = SignalledEnd(1)
    try a.add(.video)
    _ = try a.offer()
    #expect(
      failure { _ = try a.session.setRemote(.offer, "v=0\r\no=- 1 1 IN IP4 1\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n") }?.status == .invalid)
    #expect(a.session.state == .haveLocalOffer && a.session.transceivers[0].mid == "0")
  }

  @Test func anOfferMayFollowAnotherBeforeItIsAnswered() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    _ = try b.session.setRemote(.offer, try a.offer())
    try a.add(.audio)
    _ = try b.session.setRemote(.offer, try a.offer())
    #expect(b.session.transceivers.map(\.kind) == [.video, .audio])
    _ = try a.session.setRemote(.answer, try b.answer())
    #expect(a.media.map(\.mid) == ["0", "1"])
  }

  @Test func candidatesAreInTheDescription() throws {
    var a = SignalledEnd(1)
    try a.add(.video)
    #expect(a.session.localDescription == nil)
    #expect(try a.offer().count("a=candidate:") == 0)
    a.session.add(Candidate(.host, foundation: "1", priority: 7, address: "192.0.2.1", port: 1000))
    a.session.endCandidates()
    let text = try #require(a.session.localDescription)
    #expect(text.has("a=candidate:1 1 udp 7 192.0.2.1 1000 typ host") && text.has("a=end-of-candidates"))
    #expect(a.session.hasSection(mid: "0", place: nil) && a.session.hasSection(mid: nil, place: 0))
    #expect(
      !a.session.hasSection(mid: "1", place: nil) && !a.session.hasSection(mid: nil, place: 1) && a.session.hasSection(mid: nil, place: nil)
    )
  }
}

extension JSEPSession {
  func setRollback() throws(MediaError) -> RemoteDescriptionOutcome {
    var copy = self
    return try copy.setRemote(.rollback, "")
  }
}
