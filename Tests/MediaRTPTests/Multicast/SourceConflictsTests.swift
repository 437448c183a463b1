import Testing

@testable import MediaRTP

@Suite struct SourceConflictsTests {
  private static let second: Int64 = 1_000_000_000

  @Test func aSourceHasAnAddressForMediaAndOneForControl() {
    var conflicts = SourceConflicts<String>()
    #expect(conflicts.check(SSRC(1), .media, from: "a:1", at: 0) == .fine)
    #expect(conflicts.check(SSRC(1), .control, from: "a:2", at: 1) == .fine)
    #expect(conflicts.check(SSRC(1), .media, from: "a:1", at: 2) == .fine)
    #expect(conflicts.check(SSRC(1), .control, from: "a:1", at: 3) == .foreignCollision)
    #expect(conflicts.check(SSRC(1), .media, from: "b:1", at: 3) == .foreignCollision)
  }

  @Test func whoIsSilentForLongMayMove() {
    var conflicts = SourceConflicts<Int>()
    _ = conflicts.check(SSRC(1), .media, from: 1, at: 0)
    _ = conflicts.check(SSRC(1), .control, from: 2, at: 0)
    // The stranger's packets do not keep the first alive, nor move it.
    for second in 1..<10 as Range<Int64> {
      #expect(conflicts.check(SSRC(1), .media, from: 9, at: second * Self.second) == .foreignCollision)
    }
    #expect(conflicts.check(SSRC(1), .media, from: 9, at: 10 * Self.second) == .fine)
    #expect(conflicts.check(SSRC(1), .media, from: 1, at: 10 * Self.second) == .foreignCollision)
    // Its control port moved with it.
    #expect(conflicts.check(SSRC(1), .control, from: 8, at: 10 * Self.second) == .fine)
    conflicts.remove(SSRC(1))
    #expect(conflicts.check(SSRC(1), .media, from: 1, at: 10 * Self.second) == .fine)
  }

  @Test func onesOwnSSRCIsGivenUpOnceAndItsLoopIsDropped() {
    var conflicts = SourceConflicts<Int>()
    conflicts.add(own: SSRC(1))
    #expect(conflicts.check(SSRC(1), .media, from: 5, at: 0) == .ownCollision)
    conflicts.remove(own: SSRC(1))
    conflicts.add(own: SSRC(2))
    // The other goes on with the old one: a source like others.
    #expect(conflicts.check(SSRC(1), .media, from: 5, at: 1) == .fine)
    // The new one from the same address: a loop, and no end of collisions.
    for second in 1..<100 as Range<Int64> { #expect(conflicts.check(SSRC(2), .media, from: 5, at: second * Self.second) == .loop) }
    // Long after it has ceased it would be another collision.
    #expect(conflicts.check(SSRC(2), .media, from: 5, at: 200 * Self.second) == .ownCollision)
  }

  @Test func allOfOnesOwnThatCollideAreTold() {
    var conflicts = SourceConflicts<Int>()
    for ssrc in 1...3 as ClosedRange<UInt32> { conflicts.add(own: SSRC(ssrc)) }
    for ssrc in 1...2 as ClosedRange<UInt32> {
      #expect(conflicts.check(SSRC(ssrc), .media, from: 5, at: 0) == .ownCollision)
      #expect(conflicts.check(SSRC(ssrc), .media, from: 5, at: 1) == .loop)
    }
    conflicts.remove(own: SSRC(2))
    conflicts.add(own: SSRC(4))
    #expect(conflicts.check(SSRC(4), .media, from: 5, at: 2) == .loop)
    #expect(conflicts.check(SSRC(3), .media, from: 5, at: 3) == .ownCollision)
  }

  @Test func nobodyHasOneChangeItsSSRCWithoutEnd() {
    var conflicts = SourceConflicts<Int>()
    conflicts.add(own: SSRC(1))
    let verdicts = (0..<1000).map { conflicts.check(SSRC(1), .media, from: $0, at: Int64($0) * 1_000_000) }
    #expect(verdicts.filter { $0 == .ownCollision }.count == 8)
  }

  @Test func aFloodOfSourcesIsBounded() {
    var conflicts = SourceConflicts<Int>(limit: 100)
    for ssrc in 0..<10_000 as Range<UInt32> { _ = conflicts.check(SSRC(ssrc), .media, from: 1, at: 5) }
    #expect(conflicts.unchecked == 9900)
    #expect(conflicts.check(SSRC(50), .media, from: 2, at: 6) == .foreignCollision)
    // When they have gone silent there is room again.
    #expect(conflicts.check(SSRC(200_000), .media, from: 1, at: 20 * Self.second) == .fine)
    #expect(conflicts.unchecked == 9900)
    #expect(conflicts.check(SSRC(200_000), .media, from: 2, at: 20 * Self.second) == .foreignCollision)
  }
}
