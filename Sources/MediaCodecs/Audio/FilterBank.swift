import CResampler
import MediaCore

/// The coefficients with which `AudioResampler` changes the rate by one ratio: a windowed sinc, at so many places between two samples. They
/// never change; all resamplers of a ratio share them, on any thread.
final class FilterBank: @unchecked Sendable {
  /// Of the lower rate, between two of its samples. The line from one place to the next is off by less than -120 dB at 0.4 of that rate. A
  /// multiple of what the usual rates need, so that most of their outputs fall on a place.
  private static let leastPhases = 480
  /// Banks that nobody uses and that are kept all the same, since making one takes as long as resampling seconds of audio; 280 kB each, at most.
  private static let mostKept = 4

  /// Input samples that are needed after the one before an output.
  let after: Int
  let phases: Int
  let taps: Int
  /// `phases` + 1 times `taps`.
  let rows: UnsafePointer<Float>

  /// In lowest terms.
  private struct Ratio: Equatable {
    var input: Int
    var output: Int

    /// Where the output is no lower, the filter depends on the input alone: all of these have the bank of equal rates.
    init(input: Int, output: Int) {
      var (divisor, rest) = (input, min(input, output))
      let output = rest
      while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
      self.input = input / divisor
      self.output = output / divisor
    }
  }

  private init(_ ratio: Ratio) {
    let (input, output) = (ratio.input, ratio.output)
    after = (Int(CRESAMPLER_REACH) * input + output - 1) / output
    let lanes = Int(CRESAMPLER_LANES)
    taps = (2 * after + lanes - 1) / lanes * lanes
    // Outputs lie at multiples of 1 / output between two samples: on rows, where that does not take many more of them.
    let least = (FilterBank.leastPhases * output + input - 1) / input
    let whole = (least + output - 1) / output * output
    phases = whole * 2 <= least * 3 ? whole : least
    let room = UnsafeMutableRawPointer.allocate(byteCount: (phases + 1) * taps * MemoryLayout<Float>.stride, alignment: 64)
    let rows = room.bindMemory(to: Float.self, capacity: (phases + 1) * taps)
    cresampler_fill(rows, Int32(phases), Int32(taps), Int32(after), Double(output) / Double(input))
    self.rows = UnsafePointer(rows)
  }

  deinit { UnsafeMutableRawPointer(mutating: rows).deallocate() }

  // MARK: Sharing

  private struct Entry {
    var ratio: Ratio
    weak var bank: FilterBank?
  }

  private struct Known {
    var entries: [Entry] = []
    /// The last ones that were wanted, the newest at the end.
    var kept: [FilterBank] = []

    mutating func find(_ ratio: Ratio) -> FilterBank? {
      guard let bank = entries.first(where: { $0.ratio == ratio })?.bank else { return nil }
      keep(bank)
      return bank
    }

    mutating func add(_ bank: FilterBank, _ ratio: Ratio) {
      keep(bank)
      entries.removeAll { $0.bank == nil }
      entries.append(Entry(ratio: ratio, bank: bank))
    }

    private mutating func keep(_ bank: FilterBank) {
      kept.removeAll { $0 === bank }
      kept.append(bank)
      if kept.count > FilterBank.mostKept { kept.removeFirst() }
    }
  }

  private static let known = Monitor(Known())

  /// For the rates given, in Hz.
  static func shared(from input: UInt32, to output: UInt32) -> FilterBank {
    let ratio = Ratio(input: Int(input), output: Int(output))
    if let bank = known.withLock({ $0.find(ratio) }) { return bank }
    // Outside of the lock, which others want for a moment only.
    let bank = FilterBank(ratio)
    return known.withLock { known in
      if let theirs = known.find(ratio) { return theirs }
      known.add(bank, ratio)
      return bank
    }
  }
}
