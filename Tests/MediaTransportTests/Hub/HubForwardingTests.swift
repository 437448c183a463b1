import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// Which streams a member is sent while his way does not carry them all.
@Suite struct HubForwardingTests {
  private static let millisecond: Int64 = 1_000_000
  private var streams = HubStreams()
  private let large: UInt32
  private let small: UInt32
  private let sound: UInt32

  init() throws {
    large = streams.offer(StreamID.next(), codec: UInt32(MSDK_CODEC_VP8))
    small = streams.offer(StreamID.next(), codec: UInt32(MSDK_CODEC_VP8))
    sound = streams.offer(StreamID.next(), codec: UInt32(MSDK_CODEC_OPUS))
    for (number, place) in [(large, 3), (small, 4), (sound, 30)] as [(UInt32, UInt8)] {
      let isTaken = streams.receive(number, at: try #require(HubSlot(index: place)), now: 0)
      try #require(isTaken)
    }
  }

  /// A second of all three, 20 units each: whether each went out the last time, and how often a key frame of it was asked for.
  private mutating func second(_ number: Int64, delay: Int64, target: Int, keys: Bool = false) -> (out: [Bool], asked: [Int]) {
    var (out, asked) = ([false, false, false], [0, 0, 0])
    for unit in 0..<20 as Range<Int64> {
      let now = (number * 1000 + unit * 50) * Self.millisecond
      for (place, (stream, size)) in [(large, 2500), (small, 400), (sound, 80)].enumerated() {
        let (slot, wants) = streams.leave(
          stream, size: size, isKeyFrame: keys && unit == 0, delay: delay * Self.millisecond, target: target, now: now)
        out[place] = slot != nil
        if wants { asked[place] += 1 }
      }
    }
    return (out, asked)
  }

  @Test mutating func whoTakesMostGivesWayFirst() {
    var seen = second(0, delay: 0, target: 2_000_000, keys: true)
    #expect(seen.out == [true, true, true])
    seen = second(1, delay: 0, target: 2_000_000)
    #expect(seen.out == [true, true, true])
    // A little behind, for as long as one stream's giving way takes to show.
    for stream in [large, small] {
      _ = streams.leave(stream, size: 400, isKeyFrame: false, delay: 600 * Self.millisecond, target: 200_000, now: 2000 * Self.millisecond)
    }
    seen = second(2, delay: 100, target: 200_000)
    #expect(seen.out == [false, true, true])
    // There is room for the other one only, whatever comes.
    for number in 3..<8 as Range<Int64> {
      seen = second(number, delay: 0, target: 200_000, keys: true)
      #expect(seen.out == [false, true, true] && seen.asked == [0, 0, 0])
      // All three take 20 times 2500, 400 and 80 bytes a second, and their headers.
      #expect(streams.wanted > 500_000 && streams.wanted < 700_000, "\(streams.wanted)")
    }
    seen = second(8, delay: 0, target: 2_000_000)
    #expect(seen.asked == [1, 0, 0])
    seen = second(9, delay: 0, target: 2_000_000, keys: true)
    #expect(seen.out == [true, true, true])
    #expect(streams.wanted == 0)
  }

  /// Though the way carries neither by what was measured, and the other one's key frame comes first.
  @Test mutating func whoTakesLeastIsTriedFirst() {
    _ = second(0, delay: 0, target: 2_000_000, keys: true)
    for stream in [large, small] {
      _ = streams.leave(stream, size: 400, isKeyFrame: false, delay: 3000 * Self.millisecond, target: 50_000, now: 1000 * Self.millisecond)
    }
    let seen = second(2, delay: 0, target: 50_000, keys: true)
    #expect(seen.out == [false, true, true])
  }

  @Test mutating func allGiveWayToSoundIfTheyMust() {
    _ = second(0, delay: 0, target: 2_000_000, keys: true)
    let seen = second(1, delay: 600, target: 30_000)
    #expect(seen.out == [false, false, true])
  }

  @Test mutating func farBehindAllGiveWayAtOnce() {
    _ = second(0, delay: 0, target: 2_000_000, keys: true)
    for stream in [small, large] {
      let slot = streams.leave(
        stream, size: 400, isKeyFrame: true, delay: 3000 * Self.millisecond, target: 30_000, now: 1000 * Self.millisecond
      ).slot
      #expect(slot == nil)
    }
  }

  /// A page that stands still: its last picture did not go out, and no other one comes by which it would show that there is room again.
  @Test mutating func whatNothingFollowsIsAskedForAllTheSame() {
    _ = second(0, delay: 0, target: 2_000_000, keys: true)
    #expect(streams.asks(delay: 0, target: 2_000_000, now: 1000 * Self.millisecond).next == .max)
    let slot = streams.leave(
      large, size: 400, isKeyFrame: false, delay: 3000 * Self.millisecond, target: 2_000_000, now: 1000 * Self.millisecond
    ).slot
    #expect(slot == nil)
    var (asked, now, next) = ([Int64](), 1000 as Int64, Int64.min)
    while now < 10_000, next != .max {
      // The network path is behind by less and less.
      let asks = streams.asks(delay: max(0, 4000 - now) * Self.millisecond, target: 2_000_000, now: now * Self.millisecond)
      asked += asks.streams.map { _ in now }
      next = asks.next
      #expect(next == .max || next > now * Self.millisecond)
      now = next == .max ? now : next / Self.millisecond
    }
    // Once there is room, once, and not again before another one is missing.
    #expect(asked.count == 1 && asked.allSatisfy { $0 > 3900 && $0 < 4400 }, "\(asked)")
    let key = streams.leave(large, size: 400, isKeyFrame: true, delay: 0, target: 2_000_000, now: 4500 * Self.millisecond).slot
    #expect(key != nil)
    #expect(streams.asks(delay: 0, target: 2_000_000, now: 9000 * Self.millisecond).next == .max)
  }

  // MARK: A key frame on its way

  private mutating func leave(
    _ stream: UInt32, _ size: Int, key: Bool = false, waiting: Int = 0, delay: Int64 = 5000, target: Int = 500_000, isUnderWay: Bool,
    at time: Int64
  ) -> Bool {
    streams.leave(
      stream, size: size, isKeyFrame: key, delay: delay * Self.millisecond, waiting: waiting, target: target, isUnderWay: isUnderWay,
      now: time * Self.millisecond
    ).slot != nil
  }

  /// However many the publisher makes, one at a time goes out; and none is requested meanwhile.
  @Test mutating func onlyOneKeyFrameIsOnItsWay() {
    var isOut = leave(large, 290_000, key: true, delay: 0, isUnderWay: false, at: 0)
    #expect(isOut)
    isOut = leave(large, 290_000, key: true, waiting: 200_000, isUnderWay: true, at: 2500)
    #expect(!isOut)
    for delay in [0, 3000] as [Int64] {
      let asks = streams.asks(delay: delay * Self.millisecond, target: 500_000, now: 3000 * Self.millisecond) { _ in true }
      #expect(asks.streams.isEmpty && asks.next < .max)
    }
    // What builds on the second one is of no use.
    isOut = leave(large, 400, delay: 0, isUnderWay: true, at: 3000)
    #expect(!isOut)
    let asks = streams.asks(delay: 0, target: 5_000_000, now: 5000 * Self.millisecond) { _ in false }
    #expect(asks.streams.count == 1)
    isOut = leave(large, 290_000, key: true, delay: 0, target: 5_000_000, isUnderWay: false, at: 5100)
    #expect(isOut)
  }

  /// Of a source that makes nothing else, or where the network path is fast, none delays another.
  @Test mutating func smallKeyFramesFollowEachOther() {
    for time in 0..<10 as Range<Int64> {
      let isOut = leave(large, 30_000, key: true, delay: 400, isUnderWay: time > 0, at: time * 100)
      #expect(isOut)
    }
    let isOut = leave(large, 290_000, key: true, delay: 400, target: 5_000_000, isUnderWay: true, at: 1100)
    #expect(isOut)
  }

  /// Behind a large key frame of a screen as much may wait as the next one would take; of a camera half a second.
  @Test mutating func whatFollowsALargeKeyFrameWaitsBehindIt() throws {
    let screen = streams.offer(StreamID.next(), codec: UInt32(MSDK_CODEC_VP8), isScreen: true)
    let isTaken = streams.receive(screen, at: try #require(HubSlot(index: 5)), now: 0)
    try #require(isTaken)
    for (stream, most) in [(screen, 640_250), (large, 335_750)] {
      var isOut = leave(stream, 290_000, key: true, delay: 0, isUnderWay: false, at: 0)
      #expect(isOut)
      isOut = leave(stream, 1000, waiting: most - 1000, isUnderWay: true, at: 250)
      #expect(isOut)
      // Also when that has come, and they still wait.
      isOut = leave(stream, 1000, waiting: most - 1000, isUnderWay: false, at: 5000)
      #expect(isOut)
      isOut = leave(stream, 1001, waiting: most - 1000, isUnderWay: true, at: 5250)
      #expect(!isOut)
    }
  }

  @Test mutating func onceTheQueueIsShortAgainTheUsualBoundHolds() {
    var isOut = leave(large, 290_000, key: true, delay: 0, isUnderWay: false, at: 0)
    isOut = leave(large, 1000, waiting: 100_000, delay: 2000, isUnderWay: false, at: 1000)
    #expect(isOut)
    isOut = leave(large, 1000, waiting: 10_000, delay: 400, isUnderWay: false, at: 3000)
    #expect(isOut)
    isOut = leave(large, 1000, waiting: 40_000, delay: 600, isUnderWay: false, at: 3250)
    #expect(!isOut)
  }

  @Test mutating func whoLostAPictureIsSentNothingButAKeyFrame() throws {
    let slot = try #require(HubSlot(index: 3))
    _ = second(0, delay: 0, target: 2_000_000, keys: true)
    var asked = streams.lose(receivedAt: slot, delay: 100, target: 2_000_000, now: 1000 * Self.millisecond)
    #expect(asked != nil)
    var isOut = leave(large, 400, delay: 0, isUnderWay: false, at: 1010)
    #expect(!isOut)
    // It is repeated until one comes; that costs the publisher nothing.
    asked = streams.lose(receivedAt: slot, delay: 100, target: 2_000_000, now: 1200 * Self.millisecond)
    #expect(asked == nil)
    isOut = leave(large, 4000, key: true, delay: 0, isUnderWay: false, at: 1250)
    #expect(isOut)
  }

  /// One that was requested and has not come is for all who ask meanwhile.
  @Test mutating func requestsOfSeveralReceiversAreOne() throws {
    let (id, slot) = (StreamID.next(), try #require(HubSlot(index: 9)))
    let isPublished = streams.publish(1, .init(id: id, slot: slot, codec: UInt32(MSDK_CODEC_VP8)))
    try #require(isPublished)
    var asks: [Bool] = []
    for time in [0, 10, 900] as [Int64] { asks.append(streams.isToBeAsked(for: id, now: time * Self.millisecond)) }
    _ = streams.arrived(slot, UInt32(MSDK_CODEC_VP8), isKeyFrame: false)
    asks.append(streams.isToBeAsked(for: id, now: 950 * Self.millisecond))
    _ = streams.arrived(slot, UInt32(MSDK_CODEC_VP8), isKeyFrame: true)
    for time in [1000, 1010, 3100] as [Int64] { asks.append(streams.isToBeAsked(for: id, now: time * Self.millisecond)) }
    #expect(asks == [true, false, false, false, true, false, true])
  }
}
