import Testing

@testable import MediaSDP

@Suite struct PayloadMatchingTests {
  @Test func profilesAndModesTellFormatsApart() {
    #expect(RTPMedia.Payload.vp8(96).allows(.vp8(100)) && !RTPMedia.Payload.vp8(96).allows(.vp9(96)))
    let h264 = RTPMedia.Payload.h264(102)
    #expect(h264.allows(.h264(125, profile: "42001f")) && h264.allows(.h264(125, profile: "42E034")))
    #expect(!h264.allows(.h264(102, mode: 0)) && !h264.allows(.h264(102, profile: "640c1f")))
    // Of what states neither: baseline, mode 0.
    #expect(RTPMedia.Payload.h264(102, mode: 0).allows(RTPMedia.Payload(96, "h264", clockRate: 90_000)))
    var vp9 = RTPMedia.Payload(98, "VP9", clockRate: 90_000)
    #expect(vp9.allows(.vp9(98)))
    vp9.parameters = [.init("profile-id", "2")]
    #expect(!vp9.allows(.vp9(98)))
    var av1 = RTPMedia.Payload(98, "AV1", clockRate: 90_000)
    av1.parameters = [.init("profile", "0"), .init("level-idx", "5")]
    #expect(av1.allows(.av1(45)))
    av1.parameters = [.init("profile", "1")]
    #expect(!av1.allows(.av1(45)))
  }

  @Test func anAnswerHasTheParametersOfTheOfferWhereTheyMustBeTheSame() {
    func media(_ payloads: [RTPMedia.Payload]) -> RTPMedia {
      var media = RTPMedia("video", port: 9)
      media.payloads = payloads
      return media
    }
    var again = RTPMedia.Payload.retransmission(99, of: 98)
    again.feedback = ["rrtr"]
    let offer = media([.h264(96, profile: "640c1f"), .h264(98, profile: "42001f"), again, .h264(100, mode: 0)])
    let answer = OfferAnswer.answer(to: offer, with: media([.h264(102), .retransmission(103, of: 102)]))
    #expect(answer.payloads.map(\.type) == [98, 99] && answer.payloads[0].parameter("profile-level-id") == "42001f")
    #expect(answer.payloads[1].feedback.isEmpty)
    #expect((try? OfferAnswer.outcome(of: media([.h264(102)]), answeredBy: media([.h264(102, mode: 0)]))) == nil)
  }
}
