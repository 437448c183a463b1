import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

/// What negotiators make of what receivers want.
@Suite struct WantedFormatsTests {
  private let large = Make.format(1280, 720, 30)
  private let slow = Make.format(1280, 720, 15)
  private let middle = Make.format(640, 360, 30)
  private let small = Make.format(320, 180, 15)

  private func wish(_ width: UInt32 = 0, _ height: UInt32 = 0, _ rate: UInt32? = nil) -> VideoPreference {
    VideoPreference(width: width, height: height, frameRate: rate.map { FrameRate($0) })
  }

  @Test func theSmallestThatCoversAndAllBelow() {
    let formats = [large, slow, middle, small]
    #expect(wish().allowed(of: formats) == formats)
    #expect(wish(320, 180).allowed(of: formats) == [small])
    #expect(wish(321, 180).allowed(of: formats) == [middle, small])
    #expect(wish(180, 321).allowed(of: formats) == [middle, small])
    #expect(wish(640, 361).allowed(of: formats) == formats)
    #expect(wish(4000, 3000).allowed(of: formats) == formats)
    #expect(wish(0, 0, 15).allowed(of: formats) == [slow, middle, small])
    #expect(wish(0, 0, 16).allowed(of: formats) == [large, slow, middle, small])
    #expect(wish(640, 360, 5).allowed(of: formats) == [middle, small])
    // Of two sizes of as many pixels the one that covers it; and 29.97 is 30.
    let square = Make.format(480, 480, 30)
    #expect(wish(640, 360).allowed(of: [middle, square, small]) == [middle, small])
    var ntsc = middle
    ntsc.frameRate = FrameRate(30000, 1001)
    let fast = Make.format(640, 360, 60)
    #expect(wish(640, 360, 30).allowed(of: [fast, ntsc]) == [ntsc])
    #expect(wish(640, 360, 30).pace(of: ntsc) == nil && wish(640, 360, 30).pace(of: fast) == FrameRate(30))
  }

  @Test func itIsLessAtOnceAndMoreAtOnce() {
    var negotiator = FormatNegotiator(formats: [large, middle, small], isEncoded: true)
    _ = negotiator.update(estimate: 0, now: 0)
    negotiator.wanted = wish(640, 360, 10)
    let step1 = negotiator.update(estimate: 0, now: 1)
    #expect(step1)
    #expect(negotiator.current == middle && negotiator.pace == FrameRate(10))
    #expect(negotiator.need(of: middle) == 640 * 360 * 10 * 0.03)
    #expect(abs(negotiator.wantedPart - 1.0 / 12) < 1e-9)
    negotiator.wanted = wish(1280, 720)
    let step2 = negotiator.update(estimate: 0, now: 2)
    #expect(step2)
    #expect(negotiator.current == large && negotiator.pace == nil && negotiator.wantedPart == 1)
    // The same size faster is another format if there is one.
    negotiator.wanted = wish(100, 100)
    _ = negotiator.update(estimate: 0, now: 3)
    #expect(negotiator.current == small)
  }

  /// What the estimate does not carry is not made for a wish; what it carries is not waited for, now and for five seconds.
  @Test func moreWithinTheEstimate() {
    var negotiator = FormatNegotiator(formats: [large, middle, small], isEncoded: true)
    negotiator.wanted = wish(320, 180)
    _ = negotiator.update(estimate: 300_000, now: 0)
    #expect(negotiator.current == small)
    negotiator.wanted = .any
    // No quarter to spare, as at a start.
    let step3 = negotiator.update(estimate: 207_360, now: second)
    #expect(step3)
    #expect(negotiator.current == middle)
    let step4 = negotiator.update(estimate: 1_036_799, now: 2 * second)
    #expect(!step4)
    let step5 = negotiator.update(estimate: 1_036_800, now: 6 * second - 1)
    #expect(step5)
    #expect(negotiator.current == large)
    let step6 = negotiator.update(estimate: 300_000, now: 6 * second - 1)
    #expect(step6)
    #expect(negotiator.current == middle)
    // Then it is waited for as ever.
    let step7 = negotiator.update(estimate: 2_000_000, now: 6 * second)
    #expect(!step7)
    let step8 = negotiator.update(estimate: 2_000_000, now: 11 * second - 1)
    #expect(!step8)
    let step9 = negotiator.update(estimate: 2_000_000, now: 11 * second)
    #expect(step9)
    #expect(negotiator.current == large)
  }

  @Test func aWishThatShrinksAndAnEstimateThatFalls() {
    var negotiator = FormatNegotiator(formats: [large, middle, small], isEncoded: true)
    _ = negotiator.update(estimate: 0, now: 0)
    negotiator.wanted = wish(640, 360)
    let step10 = negotiator.update(estimate: 100_000, now: 1)
    #expect(step10)
    #expect(negotiator.current == small)
    // The wish did not grow: the network is waited for.
    negotiator.wanted = wish(600, 300)
    let step11 = negotiator.update(estimate: 0, now: 2)
    #expect(!step11)
    #expect(negotiator.current == small && negotiator.nextCheck == 2 + 5 * second)
  }

  @Test func aScreenKeepsTheSizeThatIsWanted() {
    let sizes = [Make.format(1920, 1080, 30), Make.format(1920, 1080, 5), Make.format(960, 540, 30)]
    var negotiator = ScreenNegotiator(formats: sizes, isEncoded: true)
    _ = negotiator.update(estimate: 0, now: 0)
    negotiator.wanted = wish(961, 540, 4)
    let step12 = negotiator.update(estimate: 0, now: 1)
    #expect(step12)
    #expect(negotiator.current == sizes[1] && negotiator.pace == FrameRate(4))
    negotiator.wanted = wish(960, 540, 4)
    let step13 = negotiator.update(estimate: 0, now: 2)
    #expect(step13)
    #expect(negotiator.current == sizes[2] && negotiator.pace == FrameRate(4))
    // What the estimate affords is less than that.
    let step14 = negotiator.update(estimate: 31_104, now: 3)
    #expect(!step14)
    #expect(negotiator.pace == FrameRate(20, 10))
    negotiator.wanted = .any
    let step15 = negotiator.update(estimate: 62_208 * 5, now: 4)
    #expect(step15)
    #expect(negotiator.current == sizes[1] && negotiator.pace == nil)
  }

  @Test func sharesAreOfWhatIsWanted() throws {
    var options = Make.vp8(large, middle, small)
    func bits(_ wanted: VideoPreference) -> UInt64 { options.wish(options.bitrate, options.formats, isEncoded: true, wanted: wanted).bits }
    #expect(bits(.any) == 2_211_840)
    #expect(bits(wish(640, 360)) == 552_960)
    #expect(bits(wish(640, 360, 10)) == 184_320)
    // A target is for all of it.
    options.bitrate.target = 1_200_000
    #expect(bits(.any) == 1_200_000)
    #expect(bits(wish(640, 360)) == 300_000)
    #expect(options.bitrate.bitrate(for: middle, estimate: 0, part: 0.25) == 300_000)
    #expect(options.bitrate.bitrate(for: small, estimate: 0, part: 0.0001) == options.bitrate.least)
    var screen = Make.screen(Make.format(1920, 1080, 30), Make.format(960, 540, 30))
    screen.codec = options.codec
    #expect(screen.wish(screen.bitrate, screen.formats, isEncoded: true, wanted: wish(960, 540)).need == 15_552)
  }
}
