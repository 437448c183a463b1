/// What became of a few packets, or of many of the same fate (draft-holmer-rmcat-transport-wide-cc-extensions-01, sections 3.1.3 and 3.1.4).
struct TransportFeedbackChunk: RawRepresentable, Equatable {
  let rawValue: UInt16

  /// Statuses, section 3.1.1. The number is how many bytes the delta of one takes.
  static let missing: UInt8 = 0
  static let small: UInt8 = 1
  static let large: UInt8 = 2

  static let longestRun = 0x1FFF
  static let narrowLength = 14
  static let wideLength = 7

  init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  static func run(of symbol: UInt8, _ length: Int) -> TransportFeedbackChunk {
    TransportFeedbackChunk(rawValue: UInt16(symbol & 3) << 13 | UInt16(truncatingIfNeeded: length) & 0x1FFF)
  }

  /// Of one bit each: at most 14, missing or with a small delta.
  static func narrow(_ symbols: ArraySlice<UInt8>) -> TransportFeedbackChunk {
    var (word, shift) = (0x8000 as UInt16, 13)
    for symbol in symbols.prefix(narrowLength) {
      word |= UInt16(symbol & 1) << UInt16(shift)
      shift -= 1
    }
    return TransportFeedbackChunk(rawValue: word)
  }

  /// Of two bits each: at most 7.
  static func wide(_ symbols: ArraySlice<UInt8>) -> TransportFeedbackChunk {
    var (word, shift) = (0xC000 as UInt16, 12)
    for symbol in symbols.prefix(wideLength) {
      word |= UInt16(symbol & 3) << UInt16(shift)
      shift -= 2
    }
    return TransportFeedbackChunk(rawValue: word)
  }

  private var isRun: Bool { rawValue & 0x8000 == 0 }
  private var isNarrow: Bool { rawValue & 0xC000 == 0x8000 }

  var isRunOfMissing: Bool { rawValue >> 13 == 0 }

  var length: Int {
    isRun ? Int(rawValue & 0x1FFF) : isNarrow ? TransportFeedbackChunk.narrowLength : TransportFeedbackChunk.wideLength
  }

  /// The index is below the length.
  func symbol(at index: Int) -> UInt8 {
    if isRun { return UInt8(truncatingIfNeeded: rawValue >> 13) }
    if isNarrow { return UInt8(truncatingIfNeeded: rawValue >> UInt16(truncatingIfNeeded: 13 - index)) & 1 }
    return UInt8(truncatingIfNeeded: rawValue >> UInt16(truncatingIfNeeded: 12 - 2 * index)) & 3
  }

  /// How many of the first so many arrived, and the bytes that their deltas take. Nothing: a status among them is reserved.
  func sizes(of count: Int) -> (received: Int, bytes: Int)? {
    if isRun {
      let symbol = symbol(at: 0)
      return symbol > TransportFeedbackChunk.large && count > 0 ? nil : (symbol == 0 ? 0 : count, Int(symbol) * count)
    }
    var (received, bytes) = (0, 0)
    for index in 0..<count {
      let symbol = symbol(at: index)
      if symbol > TransportFeedbackChunk.large { return nil }
      received += symbol == 0 ? 0 : 1
      bytes += Int(symbol)
    }
    return (received, bytes)
  }
}
