import Testing

@testable import MediaCore

@Suite struct SeededRandomTests {
  @Test func isSplitMix64() {
    // The first outputs for the seed 1234567, as published with the algorithm.
    var random = SeededRandom(seed: 1_234_567)
    #expect((0..<3).map { _ in random.next() } == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
  }

  @Test func namesUnderOneSeedAreApart() {
    func first(_ name: String, seed: UInt64 = 1) -> [UInt64] {
      var random = SeededRandom(seed: seed, name: name)
      return (0..<4).map { _ in random.next() }
    }
    #expect(first("anna") == first("anna"))
    #expect(first("anna") != first("bert"))
    #expect(first("anna") != first("anna", seed: 2))
  }
}
