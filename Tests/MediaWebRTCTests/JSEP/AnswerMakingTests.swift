import MediaCore
import MediaRTP
import MediaSDP
import Testing

@testable import MediaWebRTC

/// Offers of real peers, answered.
@Suite struct AnswerMakingTests {
  private func end(_ change: (inout JSEPSettings) -> Void = { _ in }) throws -> SignalledEnd {
    var end = SignalledEnd(5) {
      $0.data = DataMedia(port: 9, mid: nil)
      change(&$0)
    }
    try end.add(.audio)
    try end.add(.video)
    return end
  }

  @Test func libwebrtc() throws {
    var end = try end()
    let answer = try end.answer(to: Fixtures.libwebrtcOffer)
    let media = try sections(answer)
    #expect(answer.has("a=group:BUNDLE 0 1 2") && media.map(\.port) == [9, 9, 9] && answer.count("a=setup:active") == 3)
    #expect(media[0].formats == ["111", "63"] && media[1].formats == ["96", "97"] && media.map(\.transport).last == DataMedia.transport)
    #expect(
      media[1].values("rtcp-fb") == ["96 goog-remb", "96 transport-cc", "96 ccm fir", "96 nack", "96 nack pli"])
    #expect(
      Set(media[1].values("extmap").map { $0.prefix { $0 != " " } }) == ["2", "13", "3", "8", "4", "10", "11"])
    #expect(
      media[0].values("rtcp-fb") == ["111 transport-cc"] && media.allSatisfy { $0.kind == "application" || $0.has("extmap-allow-mixed") })
    let negotiated = try #require(end.session.negotiated)
    #expect(negotiated.transport?.isClient == true && negotiated.transport?.credentials.user == "Mm8F")
    #expect(negotiated.data?.mostBytes == 262_144 && negotiated.data?.mid == "2")
    #expect(negotiated.rtp.hasTransportFeedback && negotiated.rtp.hasReducedSize && negotiated.rtp.extensions.mid == 4)
    let video = negotiated.rtp.media[1]
    #expect(video.receiving == [96: .vp8, 97: .retransmission(of: 96)])
    #expect(video.sources == [.init(SSRC(57_668_460), retransmission: SSRC(2_410_345_068))])
    #expect(video.sending.count == 1 && video.sending[0].payloadType == 96 && video.sending[0].retransmission?.payloadType == 97)
    #expect(video.sending[0].extensions?.audioLevel == 0 && negotiated.rtp.media[0].sending[0].extensions?.audioLevel == 1)
    #expect(negotiated.media[0].tracks == [.init("-", "e6f2d889-b19a-4da6-b862-ec3a4470aa2f")])
  }

  /// Of before RFC 8841, and over TCP: refused, in the words of the offer, and the rest goes on.
  @Test func otherFormsOfDataAreRefused() throws {
    let old = ["m=application 9 DTLS/SCTP 5000", "m=application 9 TCP/DTLS/SCTP webrtc-datachannel", "m=application 9 UDP/DTLS/SCTP bfcp"]
    for line in old {
      var end = try end()
      let answer = try end.answer(to: Fixtures.libwebrtcOffer.replacing(line: "m=application", by: line))
      #expect(answer.has(line.replacing(" 9 ", by: " 0 ")) && answer.has("a=group:BUNDLE 0 1") && end.session.negotiated?.data == nil)
    }
  }

  /// A port of 0 is the end of an association, whose section stays (RFC 8841, section 5.1).
  @Test func dataWithoutAPortAreNone() throws {
    var end = try end()
    let answer = try end.answer(to: Fixtures.libwebrtcOffer.replacing(line: "a=sctp-port", by: "a=sctp-port:0"))
    #expect(answer.has("a=group:BUNDLE 0 1 2") && end.session.negotiated?.data == nil)
  }

  /// What the other end takes away is not offered again by itself.
  @Test func dataThatAreTakenAwayAreNotWantedAnyLonger() throws {
    var end = try end()
    try end.session.requestData()
    _ = try end.answer(to: Fixtures.libwebrtcOffer)
    #expect(end.session.negotiated?.data != nil && end.session.wantsData)
    let without = Fixtures.libwebrtcOffer.replacing(line: "m=application", by: "m=application 0 UDP/DTLS/SCTP webrtc-datachannel")
    _ = try end.answer(to: without.replacing(line: "a=group:BUNDLE", by: "a=group:BUNDLE 0 1"))
    #expect(end.session.negotiated?.data == nil && !end.session.wantsData && !end.session.needsNegotiation)
  }

  @Test func chromeInThreeSizes() throws {
    var end = try end()
    let answer = try end.answer(to: Fixtures.chromeOffer)
    let video = try sections(answer)[1]
    #expect(video.values("rid") == ["h recv", "m recv", "l recv"] && video.value("simulcast") == "recv h;m;l" && video.has("recvonly"))
    #expect(end.media[1].receivedLayers == ["h", "m", "l"] && end.media[1].codec == nil && end.media[1].sources.isEmpty)
    #expect(end.media[0].codec?.parameter("useinbandfec") == "1" && end.media[0].tracks == [.init("stream", "microphone")])
    // Who does not want them gets one.
    var other = try self.end { $0.acceptsLayers = false }
    #expect(try other.answer(to: Fixtures.chromeOffer).count("a=simulcast") == 0)
  }

  @Test func chromeByOtherCodecs() throws {
    var end = try end { $0.video = [.h264(102), .h264(104, mode: 0), .vp9(98)] }
    let answer = try end.answer(to: Fixtures.chromeOffer)
    let video = try sections(answer)[1]
    #expect(video.formats == ["103", "104", "109", "114", "98", "99"])
    // The profiles and modes of the offer, not those that this end would offer.
    #expect(video.values("fmtp").contains("103 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42001f"))
    let receiving = try #require(end.session.negotiated?.rtp.media[1].receiving)
    #expect(receiving[103]?.format?.name == "H264" && receiving[103] != receiving[109] && receiving[98]?.format?.name == "VP9")
    #expect(receiving[104] == .retransmission(of: 103))
  }

  @Test func firefox() throws {
    var end = try end()
    let answer = try end.answer(to: Fixtures.firefoxOffer)
    let media = try sections(answer)
    #expect(media.map(\.port) == [9, 9] && media[0].formats == ["109"] && media[1].formats == ["120", "124"])
    #expect(answer.has("a=group:BUNDLE 0 1") && end.session.negotiated?.transport?.fingerprints.count == 1)
    #expect(end.media[0].codec?.parameter("maxplaybackrate") == "48000" && end.media[1].direction == .sendReceive)
  }

  @Test func safariWithoutACodecOfOurs() throws {
    var end = try end()
    let answer = try end.answer(to: Fixtures.safariOffer)
    #expect(answer.has("m=video 0 UDP/TLS/RTP/SAVPF 96 97 98 99 100 101") && answer.has("a=group:BUNDLE 0"))
    #expect(end.media.map(\.mid) == ["0"] && end.session.transceivers.map(\.kind) == [.audio])
    // Of two profiles of H.264, the one that is known.
    var other = try self.end { $0.video = [.h264(102)] }
    #expect(try sections(other.answer(to: Fixtures.safariOffer))[1].formats == ["98", "99"])
  }

  @Test func aiortc() throws {
    var end = try end()
    let answer = try end.answer(to: Fixtures.aiortcOffer)
    #expect(try sections(answer).map(\.port) == [9, 9, 9])
    let transport = try #require(end.session.negotiated?.transport)
    // Each section has candidates of its own, and the first section's is the transport.
    #expect(transport.candidates.map(\.port) == [51_576, 37_280] && transport.hasAllCandidates && transport.fingerprints.count == 3)
    #expect(end.session.negotiated?.rtp.hasTransportFeedback == false && end.session.negotiated?.rtp.hasReducedSize == false)
    #expect(end.session.negotiated?.rtp.media[1].sending[0].payloadType == 97)
  }

  @Test func janusToASubscriber() throws {
    var end = SignalledEnd(5)
    let answer = try end.answer(to: Fixtures.janusOffer)
    let media = try sections(answer)
    #expect(media.allSatisfy { $0.has("recvonly") && $0.values("ssrc").isEmpty } && answer.has("a=group:BUNDLE a1 v1"))
    #expect(end.media.map(\.mid) == ["a1", "v1"] && end.media.map { $0.tracks[0].id } == ["janusa1", "janusv1"])
    #expect(end.session.negotiated?.rtp.media[1].sources == [.init(SSRC(4002), retransmission: SSRC(4003))])
    #expect(end.session.transceivers.map(\.direction) == [.receiveOnly, .receiveOnly])
    // Another participant is offered in the next one, and one is not there any more.
    let more = Fixtures.janusOffer.replacing(line: "a=group", by: "a=group:BUNDLE v1").replacing(
      line: "m=audio", by: "m=audio 0 UDP/TLS/RTP/SAVPF 111")
    _ = try end.answer(to: more)
    #expect(end.media.map(\.mid) == ["v1"] && end.session.transceivers.count == 1)
  }

  @Test func gstreamer() throws {
    var end = try end()
    let answer = try end.answer(to: Fixtures.gstreamerOffer)
    let media = try sections(answer)
    #expect(media[0].formats == ["96"] && media[1].formats == ["97"] && media[0].values("extmap").isEmpty)
    #expect(media[0].values("ssrc").count == 1 && media[0].values("ssrc-group").isEmpty && media[0].values("rtcp-fb") == ["96 nack pli"])
    let video = try #require(end.session.negotiated?.rtp.media[0].sending[0])
    #expect(!video.hasNACK && video.retransmission == nil && end.session.negotiated?.rtp.hasTransportFeedback == false)
  }

  @Test func setupFollowsTheOffer() throws {
    func setup(_ offered: String) throws -> String? {
      var end = SignalledEnd(5)
      return try sections(
        end.answer(to: Fixtures.janusOffer.replacing(line: "a=setup", by: offered).replacing(line: "a=setup:actpass", by: offered)))[0]
        .value("setup")
    }
    #expect(try setup("a=setup:actpass") == "active" && setup("a=setup:active") == "passive" && setup("a=setup:passive") == "active")
  }

  @Test func theProfileOfTheOfferIsKept() throws {
    var end = try end()
    let offer = Fixtures.chromeOffer.split(separator: "UDP/TLS/RTP/SAVPF").joined(separator: "RTP/SAVPF")
    #expect(try sections(end.answer(to: offer)).map(\.transport) == ["RTP/SAVPF", "RTP/SAVPF"])
  }

  @Test func directionsMeet() throws {
    for wanted in RTPMedia.Direction.allCases {
      for offered in RTPMedia.Direction.allCases {
        var (a, b) = (SignalledEnd(1), SignalledEnd(2))
        let first = try a.add(.video)
        let second = try b.add(.video)
        try a.negotiate(with: &b)
        try a.session.setDirection(offered, of: first)
        try b.session.setDirection(wanted, of: second)
        try a.negotiate(with: &b)
        let sends = wanted.sends && offered.receives
        let receives = wanted.receives && offered.sends
        #expect(try b.transceiver(second).currentDirection == .init(sends: sends, receives: receives))
        #expect(try a.transceiver(first).currentDirection == .init(sends: receives, receives: sends))
        #expect(!a.session.needsNegotiation && !b.session.needsNegotiation)
      }
    }
  }

  @Test func aSectionIsAnsweredByWhatWaitsForIt() throws {
    var end = SignalledEnd(5)
    let waiting = try end.session.addTransceiver(.video, .sendOnly)
    let own = try end.session.addTransceiver(.audio, .sendReceive, answersOffers: false)
    _ = try end.answer(to: Fixtures.libwebrtcOffer)
    #expect(try end.transceiver(waiting).mid == "1" && end.transceiver(waiting).currentDirection == .sendOnly)
    #expect(try end.transceiver(own).mid == nil && end.session.needsNegotiation && end.session.transceivers.count == 3)
  }

  @Test func namesAreMadeWhereThereAreNone() throws {
    var end = try end()
    let offer = Fixtures.chromeOffer.removing(lines: "a=mid").removing(lines: "a=group")
    let answer = try end.answer(to: offer)
    #expect(answer.count("a=mid") == 0 && answer.count("m=audio 9") == 1 && end.media.count == 1)
  }
}
