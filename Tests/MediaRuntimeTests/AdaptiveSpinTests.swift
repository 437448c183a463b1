import Glibc
import Testing

@testable import MediaRuntime

@Suite struct AdaptiveSpinTests {
  /// As a caller of an isolated plugin has it.
  private func forCalls() -> AdaptiveSpin { AdaptiveSpin(short: 100_000, longest: 100_000, mostSkipped: 512) }

  private let isPossible = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

  @Test func onlyQuickAnswersAreLookedFor() {
    let spin = forCalls()
    let first = spin.spins(here: 0, there: 1)
    spin.learn(waited: 20_000, spun: false, found: false)
    let second = spin.spins(here: 0, there: 1)
    spin.learn(waited: 5_000_000, spun: false, found: false)
    let third = spin.spins(here: 0, there: 1)
    #expect([first, second, third] == [false, isPossible, false])
  }

  @Test func whoLooksInVainLooksMoreRarely() {
    guard isPossible else { return }
    let spin = forCalls()
    spin.learn(waited: 20_000, spun: false, found: false)
    var gaps: [Int] = []
    for _ in 0..<10 {
      gaps.append(gap(spin))
      // Looked for as long as is allowed, and then woken at once.
      spin.learn(waited: 20_000, spun: true, found: false)
    }
    #expect(gaps == [0, 4, 12, 28, 60, 124, 252, 508, 512, 512])
    _ = gap(spin)
    spin.learn(waited: 20_000, spun: true, found: true)
    #expect(gap(spin) == 0)
  }

  @Test func whoSharesTheProcessorIsNotLookedFor() {
    let spin = forCalls()
    spin.learn(waited: 20_000, spun: false, found: false)
    let looks = spin.spins(here: 3, there: 3)
    #expect(!looks)
  }

  /// Calls until the next that looks.
  private func gap(_ spin: AdaptiveSpin) -> Int {
    for count in 0..<2_000 {
      if spin.spins(here: 0, there: 1) { return count }
      spin.learn(waited: 20_000, spun: false, found: false)
    }
    return -1
  }

  // MARK: Threads

  @Test func whoWaitedForLongSleepsAtOnce() {
    let spin = AdaptiveSpin()
    var looks = 0
    func look() -> Int {
      looks = 0
      spin.spin {
        looks += 1
        return false
      }
      return looks
    }
    #expect(look() == 0)
    spin.learn(waited: 49_999)
    #expect(look() > 1)
    spin.learn(waited: 50_000)
    #expect(look() == 0)
  }

  @Test func itEndsWhenThereIsSomething() {
    let spin = AdaptiveSpin(short: 50_000, longest: 3_600_000_000_000)
    spin.learn(waited: 0)
    var looks = 0
    spin.spin {
      looks += 1
      return looks == 100
    }
    #expect(looks == 100)
  }
}
