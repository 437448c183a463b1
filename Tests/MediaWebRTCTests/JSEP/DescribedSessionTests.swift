import MediaCore
import MediaSDP
import Testing

@testable import MediaWebRTC

/// Descriptions that are wrong, each with what is said of it.
@Suite struct DescribedSessionTests {
  private func said(_ text: String) -> String? {
    var end = SignalledEnd(9) { $0.data = DataMedia(port: 9, mid: nil) }
    return failure { _ = try end.session.setRemote(.offer, text) }?.text
  }

  @Test func wrongOffersAreRefusedWithWhatIsAccepted() {
    let offer = Fixtures.chromeOffer
    #expect(said(offer) == nil)
    let expected: [(String, String)] = [
      (offer.replacing(line: "a=group", by: "a=group:BUNDLE 0 7"), "SDP: a=group:BUNDLE names 7, and no m= line has that a=mid"),
      (offer.replacing(line: "a=group", by: "a=group:BUNDLE 0 0 1"), "SDP: a=group:BUNDLE names 0 twice; accepted: once"),
      (offer.replacing(line: "a=mid:1", by: "a=mid:0"), "SDP: a=mid:0 is there twice; accepted: each name once"),
      (
        offer.removing(lines: "a=fingerprint"),
        "SDP: m=audio (mid 0) has no a=fingerprint; accepted: one, there or in the session, as keys are agreed on by DTLS"
      ),
      (
        offer.replacing(line: "a=rtcp-rsize", by: "a=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
        "SDP: m=audio (mid 0) has a=crypto; accepted: keys by DTLS alone (a=fingerprint and a=setup), as RFC 8827, section 6.5, has it"
      ),
      (offer.replacing(line: "a=rtcp-mux"), "SDP: m=audio (mid 0) has no a=rtcp-mux; accepted: RTCP on the port of RTP alone"),
      (
        offer.replacing(line: "a=rtpmap:98", by: "a=rtpmap:111 VP9/90000").replacing(
          line: "m=video", by: "m=video 9 UDP/TLS/RTP/SAVPF 96 97 111"),
        "SDP: the payload type 111 is used for opus and for VP9; accepted: one codec for each"
      ),
      (
        offer.replacing(line: "a=extmap:14", by: "a=extmap:1 urn:ietf:params:rtp-hdrext:toffset"),
        "SDP: a=extmap:1 means two header extensions in one bundle; accepted: one for each id"
      ),
      (
        offer.replacing(line: "a=extmap:2", by: "a=extmap:1 urn:ietf:params:rtp-hdrext:toffset"),
        "SDP: a=extmap:1 has two meanings in m=audio; accepted: one for each id"
      ),
      (
        offer.replacing(line: "a=setup", by: "a=setup:holdconn"),
        "SDP: m=audio (mid 0) has a=setup:holdconn; accepted in an offer: actpass, active or passive"
      ),
      (offer.removing(lines: "a=setup"), "SDP: m=audio (mid 0) has no a=setup; accepted in an offer: actpass, active or passive"),
      (
        offer.removing(lines: "a=ice-ufrag"),
        "SDP: m=audio (mid 0) has no a=ice-ufrag and a=ice-pwd; accepted: both, there or in the session"
      ),
      (
        offer.replacing(line: "a=fingerprint", by: "a=fingerprint:sha-1 " + (0..<20).map { _ in "AA" }.joined(separator: ":")),
        "SDP: a=fingerprint:sha-1; accepted: sha-256, sha-384 or sha-512"
      ),
      ("v=0\no=- 1 1 IN IP4 192.0.2.1\ns=-\n", "SDP: the offer has no m= line; accepted: at least one"),
      (offer.replacing(line: "a=mid:1", by: "a=mid:a b"), "SDP: a=mid:a b; accepted: 1..255 characters of a token"),
      (
        offer.replacing(line: "a=simulcast", by: "a=simulcast:send h send m"),
        "SDP: a=simulcast:send h send m; accepted: send and recv, each once and with names between ; and ,"
      )
    ]
    for (text, reason) in expected { #expect(said(text) == reason) }
  }

  @Test func fiveHundredMediaAreRefusedTwoHundredAreNot() throws {
    func many(_ count: Int) -> String {
      let head = "v=0\r\no=- 1 1 IN IP4 192.0.2.1\r\ns=-\r\na=group:BUNDLE \((0..<count).map { "\($0)" }.joined(separator: " "))\r\n"
      let media = (0..<count).map { number in
        """
        m=video 9 UDP/TLS/RTP/SAVPF 96
        a=mid:\(number)
        a=ice-ufrag:user
        a=ice-pwd:passwordOfManyMedia12345
        a=fingerprint:sha-256 25:B4:2D:38:CF:1F:3B:4B:B8:D7:F2:EF:F0:A2:E6:8F:AA:11:11:8A:1F:09:CD:72:7B:53:91:07:67:7D:2E:D4
        a=setup:actpass
        a=rtcp-mux
        a=sendonly
        a=rtpmap:96 VP8/90000

        """
      }
      return head + media.joined()
    }
    #expect(said(many(500))?.hasSuffix("more than 256 media") == true)
    var end = SignalledEnd(1)
    let answer = try end.answer(to: many(200))
    #expect(answer.count("m=video 9") == 200 && end.media.count == 200 && end.media.allSatisfy { $0.direction == .receiveOnly })
    let tooLong = said("v=0\n" + String(repeating: "a=x\n", count: 300_000))
    #expect(tooLong == "a description of 1200004 bytes; accepted: at most 1048576")
  }

  @Test func whatAnAnswerSaysOfTheTransportIsTheSameInAllSections() throws {
    var (a, b) = (SignalledEnd(1), SignalledEnd(2))
    try a.add(.audio)
    try a.add(.video)
    let answer = try b.answer(to: try a.offer())
    let other = answer.replacing(line: "a=ice-ufrag:", by: "a=ice-ufrag:else")
    #expect(
      failure { _ = try a.session.setRemote(.answer, other) }?.text
        == "SDP: m=video (mid 1) has another a=ice-ufrag, a=ice-pwd, a=fingerprint or a=setup than m=audio (mid 0), and is in one bundle with it; accepted: the same"
    )
  }

  @Test func anOfferMayHaveATransportForEachSectionOfWhichTheFirstAcceptedCounts() throws {
    // The audio of the first section cannot be had here.
    let offer = Fixtures.chromeOffer.replacing(line: "a=ice-ufrag", by: "a=ice-ufrag:other").replacing(
      line: "a=rtpmap:111", by: "a=rtpmap:111 SILK/48000/2"
    ).replacing(line: "m=audio", by: "m=audio 9 UDP/TLS/RTP/SAVPF 111")
    var end = SignalledEnd(1)
    let answer = try end.answer(to: offer)
    #expect(answer.has("m=audio 0 UDP/TLS/RTP/SAVPF 111") && answer.has("a=group:BUNDLE 1"))
    #expect(end.session.negotiated?.transport?.credentials.user == "chro")
  }

  @Test func sectionsOutsideOfTheBundleAreRefused() throws {
    var end = SignalledEnd(1)
    let answer = try end.answer(to: Fixtures.chromeOffer.replacing(line: "a=group", by: "a=group:BUNDLE 1"))
    #expect(answer.count("m=audio 0 ") == 1 && answer.count("m=video 9 ") == 1 && answer.has("a=group:BUNDLE 1"))
    var other = SignalledEnd(1)
    let alone = try other.answer(to: Fixtures.chromeOffer.replacing(line: "a=group"))
    #expect(alone.count("m=audio 9 ") == 1 && alone.count("m=video 0 ") == 1 && alone.count("a=group") == 0)
  }
}
