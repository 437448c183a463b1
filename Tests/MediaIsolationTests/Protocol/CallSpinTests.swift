import Glibc
import Testing

@testable import IsolationProtocol

@Suite struct CallSpinTests {
  private let isPossible = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

  @Test func onlyQuickAnswersAreLookedFor() {
    var spin = CallSpin()
    let first = spin.spins(here: 0, there: 1)
    spin.learn(waited: 20_000, spun: false, found: false)
    let second = spin.spins(here: 0, there: 1)
    spin.learn(waited: 5_000_000, spun: false, found: false)
    let third = spin.spins(here: 0, there: 1)
    #expect([first, second, third] == [false, isPossible, false])
  }

  @Test func whoLooksInVainLooksMoreRarely() {
    guard isPossible else { return }
    var spin = CallSpin()
    spin.learn(waited: 20_000, spun: false, found: false)
    var gaps: [Int] = []
    for _ in 0..<10 {
      gaps.append(gap(&spin))
      // Looked for as long as is allowed, and then woken at once.
      spin.learn(waited: 20_000, spun: true, found: false)
    }
    #expect(gaps == [0, 4, 12, 28, 60, 124, 252, 508, 512, 512])
    _ = gap(&spin)
    spin.learn(waited: 20_000, spun: true, found: true)
    #expect(gap(&spin) == 0)
  }

  @Test func whoSharesTheProcessorIsNotLookedFor() {
    var spin = CallSpin()
    spin.learn(waited: 20_000, spun: false, found: false)
    let looks = spin.spins(here: 3, there: 3)
    #expect(!looks)
  }

  /// Calls until the next that looks.
  private func gap(_ spin: inout CallSpin) -> Int {
    for count in 0..<2_000 {
      if spin.spins(here: 0, there: 1) { return count }
      spin.learn(waited: 20_000, spun: false, found: false)
    }
    return -1
  }
}
