import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct FilterBankTests {
  static func bytes(_ bank: FilterBank) -> Int { (bank.phases + 1) * bank.taps * MemoryLayout<Float>.stride }

  /// Whatever the ratio: also of rates that have no common divisor, and the steepest ones.
  @Test func itHasABound() {
    var random = SeededRandom(seed: 11)
    var rates: [UInt32] = [8000, 8001, 11025, 16000, 22050, 44100, 48000, 96000, 191_999, 192_000]
    rates += (0..<10).map { _ in 8000 + UInt32(random.next() % 184_001) }
    for from in rates {
      for to in rates {
        let bank = FilterBank.shared(from: from, to: to)
        #expect(FilterBankTests.bytes(bank) <= 280_000, "\(from) to \(to): \(FilterBankTests.bytes(bank))")
      }
    }
  }

  @Test func oneRatioHasOne() {
    let banks = (0..<50).map { _ in FilterBank.shared(from: 48000, to: 44100) }
    #expect(banks.allSatisfy { $0 === banks[0] })
    #expect(FilterBank.shared(from: 96000, to: 88200) === banks[0])
    #expect(FilterBank.shared(from: 48000, to: 44101) !== banks[0])
    // Nothing is to be removed: one for all.
    let bank = FilterBank.shared(from: 44100, to: 48000)
    #expect(FilterBank.shared(from: 8000, to: 192_000) === bank && FilterBank.shared(from: 48000, to: 48000) === bank)
  }

  /// A few that nobody uses are kept, no more.
  @Test func thoseOfThePastAreFreed() {
    weak let bank = FilterBank.shared(from: 48000, to: 47963)
    for rate in 47950..<47955 as Range<UInt32> { _ = FilterBank.shared(from: 48000, to: rate) }
    #expect(bank == nil)
    let held = FilterBank.shared(from: 48000, to: 47963)
    for rate in 47950..<47955 as Range<UInt32> { _ = FilterBank.shared(from: 48000, to: rate) }
    #expect(FilterBank.shared(from: 48000, to: 47963) === held)
  }

  @Test func manyThreadsGetTheSame() async {
    let banks = await withTaskGroup(of: [FilterBank].self) { group in
      for task in 0..<8 {
        group.addTask { (0..<24).map { FilterBank.shared(from: 47000, to: 46990 + UInt32((task + $0) % 8)) } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(banks.map { ObjectIdentifier($0) }).count == 8)
  }

  /// An impulse is answered by the same samples before and after it.
  @Test(arguments: [(44100, 48000), (48000, 44100), (48000, 16000), (44100, 32000)] as [(UInt32, UInt32)])
  func itsRowsMirrorEachOther(from: UInt32, to: UInt32) {
    let bank = FilterBank.shared(from: from, to: to)
    withExtendedLifetime(bank) {
      let middle = bank.taps - 1 - bank.after
      for phase in 0...bank.phases {
        let row = bank.rows + phase * bank.taps
        let mirrored = bank.rows + (bank.phases - phase) * bank.taps
        #expect(abs((0..<bank.taps).reduce(0.0) { $0 + Double(row[$1]) } - 1) < 1e-6)
        for tap in max(0, 2 * middle + 2 - bank.taps)..<bank.taps {
          guard abs(row[tap] - mirrored[2 * middle + 1 - tap]) < 1e-7 else {
            Issue.record("row \(phase), tap \(tap)")
            return
          }
        }
      }
    }
  }
}
