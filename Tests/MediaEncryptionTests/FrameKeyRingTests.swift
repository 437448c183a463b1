import MediaCore
import Testing

@testable import MediaEncryption

@Suite struct FrameKeyRingTests {
  private func key(_ byte: UInt8) throws -> FrameKey { try FrameKey([byte], argument: "key") }

  @Test func aKeyOfOnesOwnComesBeforeEverybodys() throws {
    let (ring, everybodys, theirs) = (FrameKeyRing(of: "me"), try key(1), try key(2))
    #expect(ring.opening("bob", index: 0).found == nil && ring.sealing().found == nil)
    try ring.set(everybodys, of: nil, index: 0)
    #expect(ring.opening("bob", index: 0).found?.key == everybodys && ring.sealing().found?.key == everybodys)
    try ring.set(theirs, of: "bob", index: 0)
    #expect(ring.opening("bob", index: 0).found?.key == theirs && ring.opening("eve", index: 0).found?.key == everybodys)
    try ring.set(theirs, of: "me", index: 0)
    #expect(ring.sealing().found?.key == theirs)
    try ring.set(nil, of: "bob", index: 0)
    #expect(ring.opening("bob", index: 0).found?.key == everybodys)
  }

  @Test func whatIsSelectedSeals() throws {
    let (ring, first, second) = (FrameKeyRing(of: "me"), try key(1), try key(2))
    try ring.set(first, of: nil, index: 0)
    try ring.set(second, of: nil, index: 15)
    let before = ring.sealing()
    #expect(before.found?.index == 0 && ring.isCurrent(before.generation))
    ring.select(15)
    #expect(!ring.isCurrent(before.generation) && ring.sealing().found?.key == second && ring.sealing().found?.index == 15)
    ring.select(3)
    #expect(ring.sealing().found == nil)
  }

  @Test func itGoesOnWithASender() throws {
    let (ring, first, other) = (FrameKeyRing(of: "me"), try key(1), try key(2))
    let (second, place) = (try first.ratcheted(), FrameKeyRing.Place(userID: nil, index: 0))
    try ring.set(first, of: nil, index: 0)
    for (next, expected) in [(second, second), (first, second), (try other.ratcheted(), second)] {
      ring.advance(to: next, at: place)
      #expect(try ring.key(setFor: nil, index: 0) == expected)
    }
    #expect(throws: MediaError.self) { _ = try ring.key(setFor: "bob", index: 0) }
  }

  @Test func keysAreBounded() throws {
    let (ring, one) = (FrameKeyRing(of: "me"), try key(1))
    for number in 0..<FrameKeyRing.most { try ring.set(one, of: "\(number)", index: 0) }
    let error = #expect(throws: MediaError.self) { try ring.set(one, of: "more", index: 0) }
    #expect(error?.status == .full)
    try ring.set(one, of: "7", index: 0)
    try ring.set(nil, of: "7", index: 0)
    try ring.set(one, of: "more", index: 0)
  }
}
