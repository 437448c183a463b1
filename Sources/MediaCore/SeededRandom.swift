/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", 2014): small, even, and the same everywhere for a seed.
public struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// The same seed gives the same numbers; every seed is good, 0 too.
  public init(seed: UInt64) {
    state = seed
  }

  /// A generator of its own for each name under a seed, so that the order in which names are served changes nothing.
  public init(seed: UInt64, name: String) {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
    for byte in name.utf8 {
      hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3
    }
    state = seed ^ hash
  }

  /// Of the whole range of 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}
