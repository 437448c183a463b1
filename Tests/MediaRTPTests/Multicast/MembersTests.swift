import MediaCore
import Testing

@testable import MediaRTP

@Suite struct MembersTests {
  private static let second: Int64 = 1_000_000_000

  @Test func aSourceCountsWhenItWasHeardTwiceOrNamed() {
    var members = Members()
    #expect(members.count == 1)
    #expect(members.heard(SSRC(1), isMedia: true, at: 0) == .unconfirmed)
    #expect(members.count == 1 && members.senderCount == 0 && !members.contains(SSRC(1)))
    #expect(members.heard(SSRC(1), isMedia: true, at: 1) == .new)
    #expect(members.heard(SSRC(1), isMedia: true, at: 2) == .known)
    #expect(members.heard(SSRC(2), isMedia: false, isNamed: true, at: 2) == .new)
    #expect(members.count == 3 && members.senderCount == 1 && members.contains(SSRC(2)))
    // One that begins to send.
    #expect(members.heard(SSRC(2), isMedia: true, at: 2) == .known)
    #expect(members.senderCount == 2)
  }

  @Test func whoLeftIsNotBroughtBackByWhatWasUnderWay() {
    var members = Members()
    members.heard(SSRC(1), isMedia: true, isNamed: true, at: 0)
    let (first, second) = (members.left(SSRC(1), at: 1), members.left(SSRC(1), at: 1))
    #expect(first && !second && members.count == 1 && members.senderCount == 0)
    #expect(members.heard(SSRC(1), isMedia: true, isNamed: true, at: 2) == .unconfirmed)
    members.expire(at: 10 * Self.second, interval: 5 * Self.second)
    #expect(members.heard(SSRC(1), isMedia: false, isNamed: true, at: 11 * Self.second) == .new)
    #expect(members.count == 2)
  }

  @Test func silentOnesAreForgotten() {
    var members = Members()
    members.heard(SSRC(1), isMedia: true, isNamed: true, at: 0)
    members.heard(SSRC(2), isMedia: true, isNamed: true, at: 0)
    var gone: [SSRC] = []
    members.expire(at: 10 * Self.second, interval: 5 * Self.second) { gone.append($0) }
    #expect(members.senderCount == 2 && gone.isEmpty)
    members.heard(SSRC(2), isMedia: false, at: 11 * Self.second)
    members.expire(at: 11 * Self.second, interval: 5 * Self.second) { gone.append($0) }
    // They send nothing any more, but are there.
    #expect(members.senderCount == 0 && members.count == 3 && gone.isEmpty)
    members.expire(at: 26 * Self.second, interval: 5 * Self.second) { gone.append($0) }
    #expect(gone == [SSRC(1)] && members.count == 2)
  }

  @Test func aFloodOfSourcesIsBounded() {
    var members = Members(limit: 100)
    members.heard(SSRC(1), isMedia: true, isNamed: true, at: 0)
    for source in 1000..<20_000 as Range<UInt32> { members.heard(SSRC(source), isMedia: true, at: 1) }
    #expect(members.count == 2)
    // A newcomer in the midst of it that is heard twice gets in.
    #expect(members.heard(SSRC(2), isMedia: true, at: 2) == .unconfirmed)
    #expect(members.heard(SSRC(2), isMedia: true, at: 2) == .new)
    for source in 1000..<20_000 as Range<UInt32> { members.heard(SSRC(source), isMedia: false, isNamed: true, at: 3) }
    #expect(members.count == 101 && members.refused == 19_000 - 98)
    // Those within stay.
    #expect(members.heard(SSRC(1), isMedia: true, at: 4) == .known)
  }

  /// Against a plain account of the same.
  @Test func countsAddUpWhateverHappens() {
    var random = SeededRandom(seed: 9)
    var members = Members(limit: 20)
    var wrong = 0
    for step in 0..<4000 as Range<Int64> {
      let ssrc = SSRC(UInt32.random(in: 0..<40, using: &random))
      switch Int.random(in: 0..<20, using: &random) {
      case 0: members.left(ssrc, at: step)
      case 1: members.expire(at: step, interval: Int64.random(in: 0...30, using: &random))
      default: members.heard(ssrc, isMedia: Bool.random(using: &random), isNamed: Bool.random(using: &random), at: step)
      }
      if members.count - 1 != (0..<40).filter({ members.contains(SSRC($0)) }).count { wrong += 1 }
      if !(0..<members.count).contains(members.senderCount) { wrong += 1 }
    }
    #expect(wrong == 0)
    members.expire(at: 100_000, interval: 1)
    members.expire(at: 100_000, interval: 1)
    #expect(members.count == 1 && members.senderCount == 0)
    members.expire(at: .max, interval: .max)
  }
}
