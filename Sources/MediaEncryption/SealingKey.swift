import MediaCore
import MediaSRTP

/// The key that a session seals with, looked up again whenever it is another, and the nonces of one sealer. A value; not for two threads at once.
struct SealingKey: @unchecked Sendable {
  private var found: (cipher: CipherContext, index: Int)?
  private var generation: UInt64 = 0
  private var random: any RandomNumberGenerator
  private var prefix: UInt64 = 0
  private var count: UInt32 = .max

  init(random: any RandomNumberGenerator) { self.random = random }

  /// nil: there is no key.
  mutating func next(of ring: FrameKeyRing) throws(MediaError) -> (cipher: CipherContext, index: Int, nonce: (UInt64, UInt32))? {
    if !ring.isCurrent(generation) {
      let (key, generation) = ring.sealing()
      found = try key.map { (key) throws(MediaError) in (try CipherContext(gcm: key.key.cipherKey), key.index) }
      self.generation = generation
    }
    return found.map { ($0.cipher, $0.index, nextNonce()) }
  }

  /// Never twice with a key: of 64 random bits, which nobody else who has the key has, and a number.
  private mutating func nextNonce() -> (UInt64, UInt32) {
    if count == .max { (prefix, count) = (random.next(), 0) }
    defer { count += 1 }
    return (prefix, count)
  }
}
