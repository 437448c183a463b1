import MediaCore

/// Memory for what lies between two steps of a conversion. It grows to what is needed and is then used again, so that converting the same
/// sizes over and over allocates nothing. For one conversion at a time.
public final class ConversionScratch: @unchecked Sendable {
  /// The buffers that may be in use at the same moment.
  enum Slot: Int {
    case picture, scaledPicture, band, chroma, scaledChroma, words, scaledWords, rows, columns, chromaRows, chromaColumns, upright, mirrored
  }

  private static let slots = 13
  private var buffers = [UnsafeMutableRawBufferPointer](repeating: UnsafeMutableRawBufferPointer(start: nil, count: 0), count: slots)

  /// What the table in a slot was made of.
  private var axes = [ScalingAxis?](repeating: nil, count: slots)

  /// Memory is allocated by the first conversion that needs it.
  public init() {}

  deinit {
    for buffer in buffers { buffer.deallocate() }
  }

  /// At least `size` bytes, contents unspecified, valid until the slot is taken again.
  func take(_ slot: Slot, _ size: Int) -> UnsafeMutablePointer<UInt8> {
    var buffer = buffers[slot.rawValue]
    if buffer.count < size || buffer.baseAddress == nil {
      buffer.deallocate()
      buffer = .allocate(byteCount: max(size, 64), alignment: 64)
      buffers[slot.rawValue] = buffer
    }
    return buffer.bindMemory(to: UInt8.self).baseAddress.unsafelyUnwrapped
  }

  /// Memory for the table of an axis, and whether it is still to be filled. A slot of tables is used for nothing else.
  func table(_ slot: Slot, _ axis: ScalingAxis, _ size: Int) -> (UnsafeMutablePointer<UInt8>, isNew: Bool) {
    let isNew = axes[slot.rawValue] != axis
    axes[slot.rawValue] = axis
    return (take(slot, size), isNew)
  }

  /// Lends one from a small common stock, for callers that have no place to keep their own.
  static func withShared<Result, Failure: Error>(
    _ body: (ConversionScratch) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let scratch = stock.withLock { $0.popLast() } ?? ConversionScratch()
    defer {
      stock.withLock { kept in
        if kept.count < 4 { kept.append(scratch) }
      }
    }
    return try body(scratch)
  }

  private static let stock = Monitor<[ConversionScratch]>([])
}
