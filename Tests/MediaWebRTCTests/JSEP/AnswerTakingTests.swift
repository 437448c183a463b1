import MediaCore
import MediaRTP
import MediaSDP
import Testing

@testable import MediaWebRTC

@Suite struct AnswerTakingTests {
  @Test func liveKitToAPublisher() throws {
    var end = SignalledEnd(5) { $0.data = DataMedia(port: 9, mid: nil) }
    try end.add(.audio, .sendOnly)
    try end.add(.video, .sendOnly, layers: ["q", "h", "f"])
    try end.session.requestData()
    let offer = try end.offer()
    #expect(offer.has("a=simulcast:send q;h;f") && offer.has("a=rid:f send") && offer.count("a=ssrc:") == 1)
    _ = try end.session.setRemote(.answer, Fixtures.liveKitAnswer)
    let negotiated = try #require(end.session.negotiated)
    let video = negotiated.rtp.media[1]
    #expect(
      video.sending.map(\.rid) == ["q", "h", "f"]
        && video.sending.allSatisfy { $0.mid == "1" && $0.isActive && $0.retransmission?.payloadType == 97 })
    #expect(Set(video.sending.flatMap { [$0.ssrc, $0.retransmission?.ssrc ?? $0.ssrc] }).count == 6 && video.receiving.isEmpty)
    #expect(negotiated.media[1].sources.map(\.rid) == ["q", "h", "f"] && negotiated.media[0].direction == .sendOnly)
    let transport = try #require(negotiated.transport)
    #expect(transport.isLite && transport.isClient && transport.candidates.count == 2 && transport.hasAllCandidates)
    #expect(negotiated.data?.mostBytes == 65_535 && negotiated.rtp.hasTransportFeedback)
    // What the answer leaves out nobody takes.
    #expect(negotiated.rtp.extensions.captureTime == 0 && negotiated.rtp.extensions.orientation == 0)
  }

  /// What `libwebrtcAnswer` and `aiortcAnswer` answer.
  private func manyCodecs() throws -> SignalledEnd {
    var end = SignalledEnd(5) {
      $0.data = DataMedia(port: 9, mid: nil)
      $0.video = JSEPSettings.carriedVideo
    }
    try end.add(.audio)
    try end.add(.video)
    try end.add(.video, .sendOnly, layers: ["q", "h", "f"])
    try end.session.requestData()
    _ = try end.offer()
    return end
  }

  @Test func libwebrtc() throws {
    var end = try manyCodecs()
    _ = try end.session.setRemote(.answer, Fixtures.libwebrtcAnswer)
    let negotiated = try #require(end.session.negotiated)
    #expect(negotiated.media.map(\.direction) == [.sendOnly, .sendOnly, .sendOnly] && negotiated.media.map(\.sources.count) == [1, 1, 1])
    #expect(negotiated.media[1].codecs.map(\.encoding) == ["VP8", "VP9", "AV1"] && negotiated.transport?.isClient == false)
    #expect(negotiated.rtp.extensions == JSEPSettings.standardExtensions && negotiated.rtp.hasTransportFeedback)
  }

  @Test func aiortc() throws {
    var end = try manyCodecs()
    _ = try end.session.setRemote(.answer, Fixtures.aiortcAnswer)
    let negotiated = try #require(end.session.negotiated)
    #expect(negotiated.media.map(\.direction) == [.sendReceive, .sendReceive, .sendOnly])
    #expect(negotiated.media[1].codecs.map(\.encoding) == ["VP8", "H264"] && !negotiated.rtp.hasTransportFeedback)
    #expect(negotiated.rtp.media[1].sources.count == 1 && negotiated.rtp.media[1].sources[0].retransmission != nil)
    // What it says of sources where it only receives means nothing.
    #expect(negotiated.rtp.media[2].sources.isEmpty && negotiated.rtp.media[2].receiving.isEmpty)
    #expect(negotiated.rtp.extensions.mid == 4 && negotiated.rtp.extensions.rid == 0)
  }

  @Test func aServerThatTakesOneSizeGetsOne() throws {
    var end = SignalledEnd(5) { $0.data = DataMedia(port: 9, mid: nil) }
    try end.add(.audio, .sendOnly)
    let video = try end.add(.video, .sendOnly, layers: ["q", "h", "f"])
    try end.session.requestData()
    _ = try end.offer()
    _ = try end.session.setRemote(.answer, Fixtures.liveKitAnswer.removing(lines: "a=simulcast").removing(lines: "a=rid"))
    #expect(end.media[1].sources.count == 1 && end.media[1].sources[0].rid == nil)
    #expect(try end.transceiver(video).currentDirection == .sendOnly)
  }

  @Test func aLayerThatIsPausedIsNotSent() throws {
    var end = SignalledEnd(5) { $0.data = DataMedia(port: 9, mid: nil) }
    try end.add(.audio, .sendOnly)
    try end.add(.video, .sendOnly, layers: ["q", "h", "f"])
    try end.session.requestData()
    _ = try end.offer()
    _ = try end.session.setRemote(.answer, Fixtures.liveKitAnswer.replacing(line: "a=simulcast", by: "a=simulcast:recv q;~f"))
    #expect(end.session.negotiated?.rtp.media[1].sending.map(\.rid) == ["q", "f"])
    #expect(end.session.negotiated?.rtp.media[1].sending.map(\.isActive) == [true, false])
  }

  @Test func wrongAnswersAreRefusedWithWhatIsAccepted() throws {
    var end = SignalledEnd(5) { $0.data = DataMedia(port: 9, mid: nil) }
    try end.add(.audio, .sendOnly)
    try end.add(.video, .sendOnly)
    try end.session.requestData()
    _ = try end.offer()
    let answer = Fixtures.liveKitAnswer
    let wrong: [(String, String)] = [
      (answer.replacing(line: "m=audio", by: "m=video 9 UDP/TLS/RTP/SAVPF 111"), "SDP: the answer has m=video where m=audio was offered"),
      (
        answer.replacing(line: "a=mid:1", by: "a=mid:x").replacing(line: "a=group", by: "a=group:BUNDLE 0 x 2"),
        "SDP: the answer has a=mid:x where 1 was offered"
      ),
      (
        answer.replacing(line: "a=group", by: "a=group:BUNDLE 0 1"),
        "SDP: the answer has m=application (mid 2) outside of a=group:BUNDLE; accepted: all sections that it does not refuse in one group"
      ),
      (answer.replacing(line: "a=recvonly", by: "a=sendrecv"), "SDP: the answer has a=sendrecv for m=audio (mid 0), offered as sendonly"),
      (answer.replacing(line: "a=rtpmap:111", by: "a=rtpmap:111 SILK/48000/2"), "SDP: the answer has none of the offer's payload types"),
      (
        answer.replacing(line: "a=setup:passive", by: "a=setup:actpass"),
        "SDP: m=audio (mid 0) has a=setup:actpass; accepted in an answer: active or passive"
      ),
      (
        String(answer[..<(answer.range(of: "m=application"))]).replacing(line: "a=group", by: "a=group:BUNDLE 0 1"),
        "SDP: the answer has 2 m= lines; accepted: 3, as offered"
      )
    ]
    for (text, reason) in wrong {
      #expect(failure { _ = try end.session.setRemote(.answer, text) }?.text == reason)
      #expect(end.session.state == .haveLocalOffer && end.session.negotiated == nil)
    }
    _ = try end.session.setRemote(.answer, answer)
  }

  @Test func aRefusedSectionIsOverAndItsPlaceIsFree() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2) { $0.video = [.h264(102)] })
    try a.add(.audio)
    let video = try a.add(.video)
    try a.negotiate(with: &b)
    #expect(a.media.map(\.mid) == ["0"] && a.session.transceiver(video) == nil && !a.session.needsNegotiation)
    try a.add(.audio)
    #expect(try a.negotiate(with: &b).offer.count("m=") == 2)
    #expect(a.media.map(\.kind) == [.audio, .audio] && b.media.count == 2)
  }

  @Test func dataThatAreRefusedAreNotOfferedForever() throws {
    var (a, b) = (SignalledEnd(1) { $0.data = DataMedia(port: 9, mid: nil) }, SignalledEnd(2))
    try a.add(.audio)
    try a.session.requestData()
    try a.negotiate(with: &b)
    #expect(a.session.negotiated?.data == nil && !a.session.wantsData && !a.session.needsNegotiation)
    #expect(failure { try b.session.requestData() }?.status == .state)
  }

  @Test func anAnswerBeginsNoGenerationOfICEByItself() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    try a.negotiate(with: &b)
    let offer = try a.offer()
    let answer = try b.answer(to: offer).replacing(line: "a=ice-ufrag", by: "a=ice-ufrag:newer")
    #expect(
      failure { _ = try a.session.setRemote(.answer, answer) }?.text
        == "SDP: the answer has another a=ice-ufrag than before, and the offer did not restart ICE; accepted: the same")
  }

  @Test func aRestartChangesTheCredentialsOfBothEnds() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    try a.negotiate(with: &b)
    let before = (a.session.credentials, b.session.credentials, a.session.negotiated?.transport?.isClient)
    a.session.requestRestart()
    #expect(a.session.needsNegotiation)
    try a.negotiate(with: &b)
    #expect(a.session.credentials != before.0 && b.session.credentials != before.1 && !a.session.needsNegotiation)
    #expect(
      a.session.negotiated?.transport?.credentials == b.session.credentials
        && b.session.negotiated?.transport?.credentials == a.session.credentials)
    // An offer of the other end afterwards keeps them, and the roles of DTLS.
    let now = (a.session.credentials, b.session.credentials)
    try b.negotiate(with: &a)
    #expect(a.session.credentials == now.0 && b.session.credentials == now.1)
    #expect(a.session.negotiated?.transport?.isClient == before.2 && b.session.negotiated?.transport?.isClient != before.2)
  }

  @Test func theTransportStaysWhatItWas() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    try a.negotiate(with: &b)
    let offer = try a.offer()
    let other = offer.replacing(line: "a=fingerprint", by: "a=fingerprint:sha-256 " + (0..<32).map { _ in "AA" }.joined(separator: ":"))
    #expect(failure { _ = try b.session.setRemote(.offer, other) }?.status == .unsupported)
    // The answerer has been the client.
    #expect(failure { _ = try b.session.setRemote(.offer, offer.replacing(line: "a=setup", by: "a=setup:active")) }?.status == .unsupported)
    #expect(try sections(b.answer(to: offer.replacing(line: "a=setup", by: "a=setup:passive")))[0].value("setup") == "active")
  }

  @Test func sectionsKeepTheirKindAndName() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.video)
    try a.add(.audio)
    try a.negotiate(with: &b)
    let offer = try a.offer()
    func said(_ text: String) -> String? { failure { _ = try b.session.setRemote(.offer, text) }?.text }
    #expect(
      said(offer.replacing(line: "a=mid:1", by: "a=mid:7").replacing(line: "a=group", by: "a=group:BUNDLE 0 7"))
        == "SDP: m= line 2 has a=mid:7 and had 1; accepted: the same name")
    #expect(
      said(offer.replacing(line: "m=audio", by: "m=video 9 UDP/TLS/RTP/SAVPF 111"))?.hasPrefix(
        "SDP: m= line 2 is of video and was of audio") == true)
    #expect(
      said(String(offer[..<(offer.range(of: "m=audio"))]).replacing(line: "a=group", by: "a=group:BUNDLE 0"))
        == "SDP: the offer has 1 m= lines, and the description before had 2; accepted: at least as many, as sections are not removed")
    let id = offer.split(separator: "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid").joined(separator: "a=extmap:4 urn:other")
    #expect(said(id) == "SDP: a=extmap:4 means another header extension than before in the session; accepted: each id for one alone")
  }
}
