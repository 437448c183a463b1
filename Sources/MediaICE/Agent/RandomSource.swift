/// The generator that was handed in, for all parts of an agent.
final class RandomSource {
  private var generator: any RandomNumberGenerator

  init(_ generator: any RandomNumberGenerator) {
    self.generator = generator
  }

  func next() -> UInt64 { generator.next() }

  func transaction() -> TransactionID { TransactionID(high: UInt32(truncatingIfNeeded: next()), low: next()) }

  func time(in range: ClosedRange<Int64>) -> Int64 { range.lowerBound + Int64(next() % UInt64(range.upperBound - range.lowerBound + 1)) }

  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// Six bits each, of the letters that credentials may have (RFC 8839, section 5.4).
  func text(_ count: Int) -> String {
    String(decoding: (0..<count).map { _ in RandomSource.letters[Int(next() >> 58)] }, as: UTF8.self)
  }
}
