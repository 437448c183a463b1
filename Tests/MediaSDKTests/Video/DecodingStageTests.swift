import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import Testing

@testable import MediaSDK

@Suite struct DecodingStageTests {
  /// Verdicts on a run of pictures: the number, whether it is a key frame, and when it comes.
  private func verdicts(_ run: [(picture: UInt64, isKey: Bool, now: Int64)]) throws -> [DecodingStage.Verdict] {
    let stage = DecodingStage(try Codecs.builtIn.video(UInt32(MSDK_CODEC_VP8)), of: Make.format(), events: { _ in })
    return try run.map { picture, isKey, now in
      let frame = try Make.encoded([0], isKey: isKey)
      defer { frame.release() }
      return stage.judge(frame, picture, now: now)
    }
  }

  @Test func aStreamBeginsWithAKeyFrame() throws {
    let all = try verdicts([(5, false, 0), (6, false, 1), (7, true, 2), (8, false, 3)])
    #expect(all.map(\.isUsable) == [false, false, true, true])
    #expect(all.map(\.asksForKeyFrame) == [true, false, false, false])
    // Nothing was shown yet, so nothing stands still, and nothing is missing.
    #expect(all.allSatisfy { !$0.beginsFreeze && !$0.isAfterGap })
  }

  @Test func aGapIsHealedByAKeyFrameOnly() throws {
    let all = try verdicts([(1, true, 0), (2, false, 1), (4, false, 2), (5, false, 3), (6, true, 4), (7, false, 5)])
    #expect(all.map(\.isUsable) == [true, true, false, false, true, true])
    #expect(all.map(\.beginsFreeze) == [false, false, true, false, false, false])
    #expect(all.map(\.isAfterGap) == [false, false, false, false, true, false])
  }

  @Test func aKeyFrameAfterAGapIsMarked() throws {
    let all = try verdicts([(1, true, 0), (9, true, 1), (10, true, 2)])
    #expect(all.map(\.isUsable) == [true, true, true])
    #expect(all.map(\.isAfterGap) == [false, true, false])
    #expect(all.allSatisfy { !$0.asksForKeyFrame && !$0.beginsFreeze })
  }

  @Test func requestsAreHalfASecondApart() throws {
    let times = [0, 499, 500, 999, 1000, 5000].map { Int64($0) * millisecond }
    let all = try verdicts(times.enumerated().map { (UInt64($0.offset + 1), false, $0.element) })
    #expect(all.map(\.asksForKeyFrame) == [true, false, true, false, true, true])
  }

  @Test func afterDamageAKeyFrameIsNeeded() throws {
    let stage = DecodingStage(try Codecs.builtIn.video(UInt32(MSDK_CODEC_VP8)), of: Make.format(), events: { _ in })
    let (key, delta) = (try Make.encoded([0], isKey: true), try Make.encoded([0]))
    defer {
      key.release()
      delta.release()
    }
    #expect(stage.judge(key, 1, now: 0).isUsable)
    #expect(stage.fail(MediaError(.corrupt, "damaged"), now: 0))
    // Asked for already; a decoder that is being started asks itself.
    #expect(!stage.fail(MediaError(.pluginDied, "gone"), now: 0))
    #expect(!stage.judge(delta, 2, now: 1).isUsable)
    let healed = stage.judge(key, 3, now: 2)
    #expect(healed.isUsable && healed.isAfterGap)
  }
}
