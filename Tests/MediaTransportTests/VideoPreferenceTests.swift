import MediaCore
import Testing

@testable import MediaTransport

@Suite struct VideoPreferenceTests {
  private func size(_ width: UInt32, _ height: UInt32, _ rate: UInt32? = nil) -> VideoPreference {
    VideoPreference(width: width, height: height, frameRate: rate.map { FrameRate($0) })
  }

  @Test func theUnionSatisfiesBoth() {
    #expect(size(640, 360, 15).union(size(320, 180, 30)) == size(640, 360, 30))
    #expect(size(640, 100).union(size(320, 480)) == size(640, 320))
    // A side is the longer or the shorter one, of a rotated view too.
    #expect(size(360, 640).union(size(640, 360)) == size(640, 360))
    #expect(size(360, 640).union(size(180, 320)) == size(360, 640))
    // Each of the two may be anything.
    #expect(size(640, 360, 15).union(.any) == .any)
    #expect(size(640, 360).union(size(320, 180, 15)) == size(640, 360))
    #expect(VideoPreference(frameRate: FrameRate(5)).union(size(320, 180, 15)) == VideoPreference(frameRate: FrameRate(15)))
    #expect(
      VideoPreference(frameRate: FrameRate(30000, 1001)).union(VideoPreference(frameRate: FrameRate(30)))
        == VideoPreference(frameRate: FrameRate(30)))
  }

  @Test func prioritiesAreInOrder() {
    typealias Priority = VideoPreference.Priority
    #expect(Priority.allCases.sorted() == Priority.allCases && Priority.high > .medium)
    #expect(VideoPreference.any.priority == .medium)
    #expect(VideoPreference(width: 640, height: 360, priority: .low) != size(640, 360))
  }

  /// A priority is between the streams of one receiver, so that the sender's is the same whatever receivers have.
  @Test func aPriorityIsNothingToTheSender() {
    let (low, high) = (VideoPreference(width: 320, height: 180, priority: .low), VideoPreference(width: 640, height: 360, priority: .high))
    #expect(low.union(high) == size(640, 360) && high.ofSender == size(640, 360))
    #expect(VideoPreference(priority: .high).ofSender == .any)
  }

  @Test func whatIsAccepted() throws {
    for good in [.any, size(1, 1), size(16_384, 1), VideoPreference(frameRate: FrameRate(1, 10)), size(640, 360, .max)] {
      try good.check(argument: "it")
    }
    let rates = [FrameRate(0), FrameRate(1, 11), FrameRate(30, 0), FrameRate(1, .max)].map { VideoPreference(frameRate: $0) }
    for bad in [size(0, 1), size(640, 0), size(16_385, 1)] + rates {
      let error = #expect(throws: MediaError.self) { try bad.check(argument: "it") }
      #expect(error?.status == .range && error?.text.contains("it ") == true)
    }
  }
}

/// When a sender gets to know what receivers want.
@Suite struct PreferenceHoldTests {
  private static let second: Int64 = 1_000_000_000
  private let small = VideoPreference(width: 320, height: 180)
  private let large = VideoPreference(width: 1280, height: 720)

  /// Of receivers, each with its wish.
  private struct Receivers {
    var hold = PreferenceHold()
    var wishes: [String: VideoPreference] = [:]
    var news: [VideoPreference] = []
    var asked = 0

    mutating func set(_ name: String, _ wish: VideoPreference?, _ now: Int64) {
      hold.note(wish, insteadOf: wishes[name], now: now)
      wishes[name] = wish
      look(now)
    }

    mutating func look(_ now: Int64) {
      var asked = 0
      let all = { () -> VideoPreference? in
        asked += 1
        return wishes.values.first.map { first in wishes.values.reduce(first) { $0.union($1) } }
      }
      if let one = hold.news(now: now, all) { news.append(one) }
      self.asked += asked
    }
  }

  @Test func lessIsNewsAfterTwoSeconds() {
    var receivers = Receivers()
    receivers.set("anna", small, 10 * Self.second)
    #expect(receivers.hold.due == 12 * Self.second)
    receivers.look(12 * Self.second - 1)
    #expect(receivers.news.isEmpty)
    receivers.look(12 * Self.second)
    #expect(receivers.news == [small])
    #expect(receivers.hold.due == .max)
  }

  @Test func moreIsNewsAtOnce() {
    var receivers = Receivers()
    receivers.set("anna", small, 0)
    receivers.look(2 * Self.second)
    receivers.set("bert", large, 3 * Self.second)
    #expect(receivers.news == [small, large])
    receivers.set("carl", .any, 4 * Self.second)
    #expect(receivers.news == [small, large, .any])
    // And less again two seconds after the last of them goes.
    receivers.set("carl", nil, 7 * Self.second)
    receivers.set("bert", nil, 8 * Self.second)
    for tick in 70...120 { receivers.look(Int64(tick) * Self.second / 10) }
    #expect(receivers.news.dropFirst(3) == [large, small])
  }

  /// What was wanted until just now is kept for its two seconds, whoever else wants less before.
  @Test func eachWishIsHeld() {
    var receivers = Receivers()
    receivers.set("anna", .any, 0)
    receivers.set("bert", large, 0)
    receivers.look(2 * Self.second)
    receivers.set("anna", small, 10 * Self.second)
    receivers.set("bert", small, 11_900_000_000)
    receivers.look(12 * Self.second)
    #expect(receivers.news == [large])
    receivers.look(13_899_999_999)
    #expect(receivers.news == [large])
    receivers.look(14 * Self.second)
    #expect(receivers.news == [large, small])
  }

  /// 200 times a second, for a minute.
  @Test func whoTogglesChangesNothing() {
    var receivers = Receivers()
    receivers.set("anna", small, 0)
    receivers.set("bert", small, 0)
    receivers.look(2 * Self.second)
    for step in 0..<12_000 { receivers.set("bert", step.isMultiple(of: 2) ? large : small, (10_000 + 5 * Int64(step)) * 1_000_000) }
    #expect(receivers.news == [small, large])
    // Nor does it cost what all receivers cost.
    #expect(receivers.asked <= 32)
  }

  @Test func growthIsNewsFourTimesASecond() {
    var receivers = Receivers()
    receivers.set("anna", small, 0)
    receivers.look(2 * Self.second)
    for step in 1...400 {
      receivers.set("anna", VideoPreference(width: 400 + UInt32(step), height: 200), 10 * Self.second + Int64(step) * 5_000_000)
    }
    #expect((8...10).contains(receivers.news.count), "\(receivers.news.count) in two seconds")
    receivers.look(receivers.hold.due)
    #expect(receivers.news.last?.width == 800)
  }

  @Test func withoutReceiversItStaysAsItWas() {
    var receivers = Receivers()
    receivers.set("anna", small, 0)
    receivers.look(2 * Self.second)
    receivers.set("anna", nil, 3 * Self.second)
    receivers.look(5 * Self.second)
    #expect(receivers.hold.due == .max)
    receivers.set("anna", small, 60 * Self.second)
    receivers.look(62 * Self.second)
    #expect(receivers.news == [small])
  }
}
