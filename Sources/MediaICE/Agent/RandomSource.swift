/// The generator that was handed in, for all parts of an agent.
final class RandomSource {
  private var generator: any RandomNumberGenerator

  init(_ generator: any RandomNumberGenerator) {
    self.generator = generator
  }

  func next() -> UInt64 { generator.next() }

  func credentials() -> ICECredentials { ICECredentials(using: &generator) }

  func transaction() -> TransactionID { TransactionID(high: UInt32(truncatingIfNeeded: next()), low: next()) }

  func time(in range: ClosedRange<Int64>) -> Int64 { range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1)) }

  /// Those that credentials may have (RFC 8839, section 5.4); six bits each.
  static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
