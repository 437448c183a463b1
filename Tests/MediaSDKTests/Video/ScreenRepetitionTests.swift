import MediaCore
import Testing

@testable import MediaSDK

@Suite struct ScreenRepetitionTests {
  /// The reference is the test's, which keeps none of it.
  private func kept(_ sequence: UInt64, at time: Int64 = 0) throws -> ScreenRepetition.Kept {
    let frame = try VideoFrame.make(Make.format())
    defer { frame.release() }
    return ScreenRepetition.Kept(frame: frame, sequence: sequence, timestamp: time, acceptedAt: time)
  }

  private func standing() throws -> ScreenRepetition {
    var standing = ScreenRepetition()
    let former = standing.keep(try kept(1))
    #expect(former == nil)
    return standing
  }

  @Test func whatIsSharpIsLeftAlone() throws {
    var standing = try standing()
    #expect(standing.time == .max)
    standing.settle(1, .shown(isSharp: true), now: 0, interval: 0)
    #expect(standing.time == .max)
    #expect(standing.take(.max - 1) == nil)
  }

  @Test func whatIsNotSharpIsShownAgainForAWhile() throws {
    var standing = try standing()
    var now: Int64 = 0
    for _ in 0..<ScreenRepetition.mostRepeats {
      standing.settle(1, .shown(isSharp: false), now: now, interval: 0)
      #expect(standing.time == now + ScreenRepetition.spacing)
      now += ScreenRepetition.spacing
      #expect(standing.take(now - 1) == nil)
      #expect(standing.take(now)?.sequence == 1)
      #expect(standing.time == .max)
    }
    standing.settle(1, .shown(isSharp: false), now: now, interval: 0)
    #expect(standing.time == .max)
  }

  @Test func neverFasterThanTheRate() throws {
    var standing = try standing()
    standing.settle(1, .shown(isSharp: false), now: 5, interval: second)
    #expect(standing.time == second + 5)
  }

  @Test func whatWasLeftOutIsMadeGoodAndDoesNotCount() throws {
    var standing = try standing()
    for round in 0..<50 {
      standing.settle(1, round % 2 == 0 ? .leftOut : .refused, now: 0, interval: 0)
      #expect(standing.time == (round % 2 == 0 ? ScreenRepetition.spacing : ScreenRepetition.retry))
    }
    standing.settle(1, .unseen, now: 0, interval: 0)
    #expect(standing.time == .max)
  }

  /// Where nobody asks for a key frame, the first receivers are shown what stands all the same; once, and not if they asked.
  @Test func whatNobodySawIsShownToThoseWhoCome() throws {
    var standing = try standing()
    standing.receiversCame(0)
    #expect(standing.time == .max)
    standing.settle(1, .unseen, now: 0, interval: 0)
    standing.receiversCame(5)
    #expect(standing.time == ScreenRepetition.answerSpacing + 5)
    #expect(standing.take(standing.time)?.sequence == 1)
    standing.receiversCame(6)
    #expect(standing.time == .max)
    standing.settle(1, .unseen, now: 7, interval: 0)
    standing.receiversCame(8)
    standing.ask()
    #expect(standing.take(9 + ScreenRepetition.answerSpacing)?.sequence == 1)
    #expect(standing.time == .max)
    // Another one is on its way.
    standing.settle(1, .unseen, now: 10, interval: 0)
    _ = standing.keep(try kept(2))
    standing.receiversCame(11)
    #expect(standing.time == .max)
  }

  /// The worker finds nobody and rests before the first receiver counts; or they left while it was to be shown again.
  @Test func whatRestedUnseenIsShownToThoseWhoCome() throws {
    for outcome in [ScreenRepetition.Outcome.unseen, .leftOut, .shown(isSharp: false)] {
      var standing = try standing()
      standing.settle(1, outcome, now: 0, interval: 0)
      standing.rest()
      #expect(standing.time == .max)
      standing.receiversCame(5)
      #expect(standing.time == ScreenRepetition.answerSpacing + 5)
    }
    var standing = try standing()
    standing.settle(1, .shown(isSharp: true), now: 0, interval: 0)
    standing.rest()
    standing.receiversCame(5)
    #expect(standing.time == .max)
  }

  @Test func askedForAtOnceButNotWithoutEnd() throws {
    var standing = try standing()
    standing.ask()
    standing.ask()
    #expect(standing.take(0)?.sequence == 1)
    #expect(standing.take(0) == nil)
    standing.ask()
    #expect(standing.time == ScreenRepetition.answerSpacing)
    #expect(standing.take(ScreenRepetition.answerSpacing - 1) == nil)
    #expect(standing.take(ScreenRepetition.answerSpacing) != nil)
  }

  @Test func askingMakesItSharpAnew() throws {
    var standing = try standing()
    for _ in 0...ScreenRepetition.mostRepeats { standing.settle(1, .shown(isSharp: false), now: 0, interval: 0) }
    #expect(standing.time == .max)
    standing.ask()
    _ = standing.take(0)
    standing.settle(1, .shown(isSharp: false), now: 0, interval: 0)
    #expect(standing.time == ScreenRepetition.spacing)
  }

  @Test func aNewPictureOnItsWayIsTheAnswer() throws {
    var standing = try standing()
    standing.ask()
    let former = standing.keep(try kept(2))
    #expect(former != nil)
    #expect(standing.time == .max)
    standing.ask()
    _ = standing.keep(try kept(3), isOnItsWay: false)
    #expect(standing.take(0)?.sequence == 3)
  }

  @Test func whatWasReplacedIsOfNoInterest() throws {
    var standing = try standing()
    _ = standing.keep(try kept(2))
    standing.settle(1, .leftOut, now: 0, interval: 0)
    #expect(standing.time == .max)
    _ = standing.keep(nil)
    standing.settle(2, .leftOut, now: 0, interval: 0)
    standing.ask()
    #expect(standing.time == .max)
  }
}
