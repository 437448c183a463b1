import MediaCore
import Testing

@testable import MediaSRTP

@Suite struct SealedPacketsTests {
  @Test func anIndexSealsOnePacketWhateverTheOrder() {
    for seed in UInt64(1)...5 {
      var random = SeededRandom(seed: seed)
      var middle = Int64.random(in: 0...70_000, using: &random)
      var sealed = SealedPackets(first: middle, 7)
      var known = [middle: UInt64(7)]
      for _ in 0..<20_000 {
        middle += Int64.random(in: 0...2, using: &random)
        if Int.random(in: 0..<1000, using: &random) == 0 { middle += Int64.random(in: 0...5000, using: &random) }
        let index = max(0, middle - Int64.random(in: -20...2500, using: &random))
        let tag = UInt64.random(in: 0...2, using: &random)
        let isAllowed = sealed.allows(tag, at: index)
        // 0 and 1 stand for the same: all that may be confused is one of 2^64.
        if isAllowed, let before = known[index] { #expect(max(before, 1) == max(tag, 1), "\(index) of seed \(seed)") }
        // What is near is never refused without need.
        if known[index] == nil, index > (known.keys.max() ?? 0) - 64 { #expect(isAllowed, "\(index) of seed \(seed)") }
        guard isAllowed else { continue }
        sealed.insert(tag, at: index)
        known[index] = tag
        if known.count > 5000, let most = known.keys.max() { known = known.filter { $0.key > most - 3000 } }
      }
    }
  }

  @Test func asManyAreKeptAsMayBeSentAgain() {
    var sealed = SealedPackets(first: 5, 1)
    for index in Int64(6)..<10_000 { sealed.insert(UInt64(index), at: index) }
    for index in 10_000 - Int64(SealedPackets.most)..<10_000 {
      #expect(sealed.allows(UInt64(index), at: index))
      #expect(!sealed.allows(1, at: index))
    }
    #expect(!sealed.reaches(9999 - Int64(SealedPackets.most)))
  }
}
