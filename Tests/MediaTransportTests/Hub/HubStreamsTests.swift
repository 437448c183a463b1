import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// Which streams a member is sent while his way does not carry them all.
@Suite struct HubStreamsTests {
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
      let slot = streams.leave(stream, size: 400, isKeyFrame: true, delay: 3000 * Self.millisecond, target: 30_000, now: 1000 * Self.millisecond).slot
      #expect(slot == nil)
    }
  }

  /// A page that stands still: its last picture did not go out, and no other one comes by which it would show that there is room again.
  @Test mutating func whatNothingFollowsIsAskedForAllTheSame() {
    _ = second(0, delay: 0, target: 2_000_000, keys: true)
    #expect(streams.asks(delay: 0, target: 2_000_000, now: 1000 * Self.millisecond).next == .max)
    let slot = streams.leave(large, size: 400, isKeyFrame: false, delay: 3000 * Self.millisecond, target: 2_000_000, now: 1000 * Self.millisecond).slot
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
}
