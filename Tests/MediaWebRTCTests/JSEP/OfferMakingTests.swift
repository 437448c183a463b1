import MediaCore
import MediaSDP
import Testing

@testable import MediaWebRTC

@Suite struct OfferMakingTests {
  @Test func anOfferSaysAllThatThisEndCanDo() throws {
    var a = SignalledEnd(1) {
      $0.data = DataMedia(port: 9, mid: nil)
      $0.video = JSEPSettings.carriedVideo
    }
    try a.add(.audio)
    try a.add(.video, .sendOnly)
    try a.session.requestData()
    let offer = try a.offer()
    #expect(offer.has("a=group:BUNDLE 0 1 2"))
    #expect(offer.count("a=rtcp-mux-only") == 2 && offer.count("a=rtcp-mux") == 4 && offer.count("a=rtcp-rsize") == 2)
    #expect(offer.count("a=setup:actpass") == 3 && offer.count("a=ice-options:trickle") == 3 && offer.count("a=extmap-allow-mixed") == 2)
    let media = try sections(offer)
    #expect(media.map(\.port) == [9, 9, 9] && media.map { $0.value("mid") } == ["0", "1", "2"])
    #expect(media[0].formats == ["111", "63"] && media[1].formats == ["96", "97", "102", "103", "104", "105", "98", "99", "45", "46"])
    #expect(media[1].values("fmtp").contains("97 apt=96") && media[1].values("fmtp").contains("46 apt=45"))
    #expect(
      media[1].values("rtcp-fb").filter { $0.hasPrefix("96 ") }
        == ["96 goog-remb", "96 transport-cc", "96 ccm fir", "96 nack", "96 nack pli"])
    #expect(media[1].values("rtcp-fb").allSatisfy { !$0.hasPrefix("97 ") })
    #expect(media[0].values("msid") == ["stream audio0"] && media[1].values("msid") == ["stream video1"])
    #expect(media[0].values("ssrc").count == 1 && media[1].values("ssrc").count == 2 && media[1].values("ssrc-group").count == 1)
    let extensions = ["sdes:mid", "ssrc-audio-level", "abs-send-time", "transport-wide-cc", "abs-capture-time"]
    for name in extensions { #expect(media[0].values("extmap").contains { $0.contains(name) }, "\(name)") }
    for name in ["video-orientation", "color-space", "sdes:rtp-stream-id", "sdes:repaired-rtp-stream-id"] {
      #expect(
        media[1].values("extmap").contains { $0.contains(name) } && !media[0].values("extmap").contains { $0.contains(name) }, "\(name)")
    }
    #expect(media[2].value("sctp-port") == "5000")
  }

  @Test func opusSaysWhatItWantsToReceive() throws {
    var a = SignalledEnd(1) { $0.audio = [JSEPSettings.opusWithPauses] }
    try a.add(.audio)
    #expect(try a.offer().has("a=fmtp:111 minptime=10;useinbandfec=1;stereo=1;sprop-stereo=1;usedtx=1"))
  }

  @Test func whatCannotBeCarriedIsNotOffered() throws {
    var a = SignalledEnd(1) { $0.video = [.init(35, "H265", clockRate: 90_000), .vp8(96)] }
    try a.add(.video)
    #expect(try sections(a.offer())[0].formats == ["96", "97"])
  }

  @Test func onlyTheFirstHasAPortIfItIsAskedFor() throws {
    var (a, b) = (SignalledEnd(1) { $0.offersBundleOnly = true }, SignalledEnd(2))
    try a.add(.audio)
    try a.add(.video)
    let (offer, answer) = try a.negotiate(with: &b)
    #expect(try sections(offer).map(\.port) == [9, 0] && offer.count("a=bundle-only") == 1 && offer.count("a=ice-ufrag") == 1)
    #expect(try sections(answer).map(\.port) == [9, 9] && a.media.count == 2 && b.media.count == 2)
    // From then on it is known that they share it.
    try a.add(.video)
    #expect(try sections(a.offer()).map(\.port) == [9, 9, 0])
  }

  @Test func sectionsStayAndPlacesOfStoppedOnesAreUsedAgain() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    let audio = try a.add(.audio)
    try a.add(.video)
    try a.negotiate(with: &b)
    try a.session.stop(audio)
    #expect(a.session.needsNegotiation)
    let (offer, answer) = try a.negotiate(with: &b)
    #expect(try sections(offer).map(\.port) == [0, 9] && offer.has("a=group:BUNDLE 1") && sections(answer).map(\.port) == [0, 9])
    #expect(a.session.transceivers.map(\.kind) == [.video] && b.session.transceivers.map(\.kind) == [.video])
    #expect(a.media.map(\.mid) == ["1"] && b.media.map(\.mid) == ["1"] && !a.session.needsNegotiation)
    // The other end may have it, with another kind and name.
    let screen = try b.add(.video, .sendOnly)
    let next = try b.negotiate(with: &a)
    #expect(next.offer.count("m=") == 2 && b.media.count == 2)
    let mid = try #require(try b.transceiver(screen).mid)
    #expect(mid != "0" && a.media.map(\.mid) == [mid, "1"] && a.media[0].direction == .receiveOnly)
    // Nothing is left: a third section comes after them.
    try a.add(.audio)
    #expect(try a.negotiate(with: &b).offer.count("m=") == 3)
  }

  @Test func twoHundredMediaOfBothEnds() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    for _ in 0..<100 {
      try a.add(.video)
      try b.add(.video)
    }
    try a.negotiate(with: &b)
    #expect(a.media.count == 100 && a.media.allSatisfy { $0.direction == .sendReceive } && b.media.count == 100)
    for _ in 0..<100 { try b.add(.video, .sendOnly) }
    let (offer, _) = try b.negotiate(with: &a)
    #expect(offer.count("m=video 9") == 200 && a.media.count == 200 && b.media.count == 200)
    let ssrcs = (a.media + b.media).flatMap { $0.sources.map(\.ssrc) }
    #expect(ssrcs.count == 300 && Set(ssrcs).count == 300)
    #expect(a.session.negotiated?.rtp.mostStreams == 200)
    for _ in 0..<56 { try a.add(.audio) }
    #expect(failure { try a.add(.audio) }?.status == .limit)
  }

  @Test func idsAndPayloadTypesOfTheOtherEndAreKeptInLaterOffers() throws {
    var b = SignalledEnd(2) { $0.video = JSEPSettings.carriedVideo }
    try b.add(.audio)
    try b.add(.video)
    _ = try b.answer(to: Fixtures.firefoxOffer)
    try b.add(.video)
    let media = try sections(b.offer())
    // VP8, then H.264 in mode 1 as the other end numbered them; mode 0 and AV1 find types that mean nothing there.
    for section in [media[1], media[2]] {
      let names = section.values("rtpmap")
      for expected in ["120 VP8/90000", "126 H264/90000", "121 VP9/90000", "124 rtx/90000", "127 rtx/90000", "45 AV1/90000"] {
        #expect(names.contains(expected), "\(expected)")
      }
      let extensions = section.values("extmap")
      #expect(extensions.contains("3 urn:ietf:params:rtp-hdrext:sdes:mid"))
      #expect(extensions.contains("4 http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"))
      #expect(extensions.contains("7 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"))
      // 5 is of a URI that means nothing here: the capture time, which has it by preference, gets another.
      #expect(!extensions.contains { $0.hasPrefix("5 ") || $0.hasPrefix("6 ") })
      #expect(extensions.contains { $0.hasSuffix("abs-capture-time") })
      #expect(Set(extensions.map { $0.prefix { $0 != " " } }).count == extensions.count)
    }
  }

  @Test func bandwidthAndPreferencesAreDescribed() throws {
    var a = SignalledEnd(1) { $0.video = JSEPSettings.carriedVideo }
    let video = try a.add(.video)
    try a.session.setBandwidth(2_000_000, of: video)
    try a.session.setCodecs([.vp9(98), .vp8(96)], of: video)
    try a.session.setTracks([.init("-", "camera")], of: video)
    let offer = try a.offer()
    #expect(offer.has("b=TIAS:2000000") && offer.has("a=msid:- camera"))
    #expect(try sections(offer)[0].formats == ["98", "99", "96", "97"])
  }
}
