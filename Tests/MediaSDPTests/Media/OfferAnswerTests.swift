import MediaCore
import MediaRTP
import Testing

@testable import MediaSDP

@Suite struct OfferAnswerTests {
  private func video(_ port: UInt16, types: (UInt8, UInt8) = (96, 97)) -> RTPMedia {
    var media = RTPMedia("video", port: port)
    var vp8 = RTPMedia.Payload(types.0, "VP8", clockRate: 90_000)
    vp8.feedback = ["nack", "nack pli", "transport-cc"]
    var again = RTPMedia.Payload(types.1, "rtx", clockRate: 90_000)
    again.parameters = [.init("apt", "\(types.0)")]
    media.payloads = [vp8, again]
    media.isMultiplexed = true
    media.extensions.transportSequence = 3
    media.extensions.orientation = 4
    return media
  }

  private func protected(_ media: RTPMedia, _ suites: [(UInt32, String)], _ key: UInt8) -> RTPMedia {
    var media = media
    media.isProtected = true
    media.keys = suites.map { .init(tag: $0.0, suite: $0.1, key: [UInt8](repeating: key, count: 30)) }
    return media
  }

  @Test func theAnswerSpeaksInTheOffersNumbers() throws {
    var offer = video(5000, types: (120, 121))
    offer.payloads.insert(.init(98, "H264", clockRate: 90_000), at: 0)
    offer.payloads[1].feedback = ["nack", "ccm fir"]
    offer.extensions.transportSequence = 7
    (offer.mid, offer.direction) = ("v", .sendOnly)
    var mine = video(6000)
    mine.extensions.orientation = 0
    mine.sources = [.init(SSRC(5))]
    let answer = OfferAnswer.answer(to: offer, with: mine)
    #expect(answer.port == 6000 && answer.mid == "v" && answer.direction == .receiveOnly && answer.isMultiplexed)
    #expect(answer.payloads.map(\.type) == [120, 121] && answer.payloads[0].feedback == ["nack"] && answer.payloads[1].associated == 120)
    #expect(answer.extensions.transportSequence == 7 && answer.extensions.orientation == 0)
    // It sends nothing.
    #expect(answer.sources.isEmpty)
    let outcome = try OfferAnswer.outcome(of: offer, answeredBy: answer)
    #expect(outcome == .agreed(payload: answer.payloads[0], theirKey: nil, direction: .sendOnly))
  }

  @Test func nothingInCommonIsRefused() throws {
    var offer = video(5000)
    offer.payloads = [.init(98, "H264", clockRate: 90_000)]
    let answer = OfferAnswer.answer(to: offer, with: video(6000))
    #expect(answer.port == 0 && answer.payloads.map(\.type) == [98])
    #expect(try OfferAnswer.outcome(of: offer, answeredBy: answer) == .refused)
    // Retransmissions of nothing are nothing.
    offer.payloads = [video(1).payloads[1]]
    #expect(OfferAnswer.answer(to: offer, with: video(6000)).port == 0)
    #expect(OfferAnswer.answer(to: video(0), with: video(6000)).port == 0)
  }

  @Test func theFirstSuiteThatBothKnowIsTaken() throws {
    let offer = protected(video(5000), [(1, "F8_128_HMAC_SHA1_80"), (2, "AEAD_AES_128_GCM"), (3, "AES_CM_128_HMAC_SHA1_80")], 1)
    let mine = protected(video(6000), [(9, "AES_CM_128_HMAC_SHA1_80"), (8, "AEAD_AES_128_GCM")], 2)
    let answer = OfferAnswer.answer(to: offer, with: mine)
    #expect(answer.keys == [.init(tag: 2, suite: "AEAD_AES_128_GCM", key: [UInt8](repeating: 2, count: 30))])
    guard case .agreed(_, let key, _) = try OfferAnswer.outcome(of: offer, answeredBy: answer) else { return #expect(Bool(false)) }
    #expect(key?.key.first == 2)
  }

  @Test func whatIsToBeProtectedIsNotSentInTheClear() {
    let mine = protected(video(6000), [(1, "AES_CM_128_HMAC_SHA1_80")], 2)
    #expect(OfferAnswer.answer(to: video(5000), with: mine).port == 0)
    #expect(OfferAnswer.answer(to: protected(video(5000), [(1, "F8_128_HMAC_SHA1_80")], 1), with: mine).port == 0)
    #expect(OfferAnswer.answer(to: protected(video(5000), [], 1), with: mine).port == 0)
  }

  @Test func keysByTLSAreAnsweredByTLS() throws {
    var (offer, mine) = (video(9), video(9))
    (offer.isProtected, offer.isKeyedByTLS, mine.tracks) = (true, true, [.init("stream", "track")])
    #expect(OfferAnswer.answer(to: offer, with: mine).port == 0)
    (mine.isProtected, mine.isKeyedByTLS) = (true, true)
    let answer = OfferAnswer.answer(to: offer, with: mine)
    #expect(answer.port == 9 && answer.media.transport == "UDP/TLS/RTP/SAVPF" && answer.keys.isEmpty && answer.tracks == mine.tracks)
    #expect(
      try OfferAnswer.outcome(of: offer, answeredBy: answer) == .agreed(payload: answer.payloads[0], theirKey: nil, direction: .sendReceive)
    )
    let other = protected(video(6000), [(1, "AES_CM_128_HMAC_SHA1_80")], 1)
    #expect(
      failure { _ = try OfferAnswer.outcome(of: offer, answeredBy: other) }?.text
        == "SDP: the answer to UDP/TLS/RTP/SAVP(F) has another transport")
    #expect(OfferAnswer.answer(to: other, with: mine).port == 0)
  }

  @Test func answersThatDoNotAnswerAreRefused() {
    let offer = protected(video(5000), [(1, "AES_CM_128_HMAC_SHA1_80")], 1)
    func said(_ answer: RTPMedia, to offer: RTPMedia) -> String? {
      failure { _ = try OfferAnswer.outcome(of: offer, answeredBy: answer) }?.text
    }
    #expect(said(video(6000), to: offer) == "SDP: the answer to RTP/SAVP(F) has another transport")
    #expect(
      said(protected(video(6000), [(2, "AES_CM_128_HMAC_SHA1_80")], 1), to: offer) == "SDP: the answer's a=crypto is not among the offer's")
    #expect(said(protected(video(6000), [], 1), to: offer) == "SDP: the answer's a=crypto is not among the offer's")
    #expect(said(video(6000, types: (100, 101)), to: video(5000)) == "SDP: the answer has none of the offer's payload types")
  }

  @Test func whatIsRefusedIsRepeatedWithoutAPort() throws {
    var lines = SessionDescription.Media("application", port: 9, transport: "UDP/DTLS/SCTP", formats: ["webrtc-datachannel"])
    lines.attributes = [.init("mid", "2"), .init("sctp-port", "5000")]
    var answer = SessionDescription(id: 2, address: "192.0.2.2")
    answer.media = [lines.refused, video(5000).media.refused]
    #expect(
      answer.text.hasSuffix(
        "m=application 0 UDP/DTLS/SCTP webrtc-datachannel\r\na=mid:2\r\na=inactive\r\nm=video 0 RTP/AVPF 96 97\r\na=inactive\r\n"))
    #expect(try SessionDescription(parsing: answer.text) == answer)
  }

  @Test func anAnswerIsTakenAsFarAsItWasOffered() {
    let offer = video(5000)
    var answer = video(6000)
    (answer.hasReducedSize, answer.extensions.orientation, answer.extensions.mid) = (true, 9, 5)
    answer.payloads[0].feedback.append("goog-remb")
    answer.payloads.append(.vp8(100))
    let limited = answer.limited(to: offer)
    #expect(limited.payloads == offer.payloads && limited.isMultiplexed && !limited.hasReducedSize)
    #expect(limited.extensions.transportSequence == 3 && limited.extensions.orientation == 0 && limited.extensions.mid == 0)
    answer.payloads[1].parameters = [.init("apt", "100")]
    answer.isMultiplexed = false
    #expect(answer.limited(to: offer).payloads == [offer.payloads[0]] && !answer.limited(to: offer).isMultiplexed)
  }
}
