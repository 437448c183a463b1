import Glibc
import Testing

@testable import MediaIsolation

@Suite struct EagernessTests {
  private let isPossible = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

  @Test func onlyQuickAnswersAreLookedFor() {
    var eagerness = Eagerness()
    let first = eagerness.looks(here: 0, there: 1)
    eagerness.learn(waited: 20_000, looked: false, found: false)
    let second = eagerness.looks(here: 0, there: 1)
    eagerness.learn(waited: 5_000_000, looked: false, found: false)
    let third = eagerness.looks(here: 0, there: 1)
    #expect([first, second, third] == [false, isPossible, false])
  }

  @Test func whoLooksInVainLooksMoreRarely() {
    guard isPossible else { return }
    var eagerness = Eagerness()
    eagerness.learn(waited: 20_000, looked: false, found: false)
    var gaps: [Int] = []
    for _ in 0..<10 {
      gaps.append(gap(&eagerness))
      // Looked for as long as is allowed, and then woken at once.
      eagerness.learn(waited: 20_000, looked: true, found: false)
    }
    #expect(gaps == [0, 4, 12, 28, 60, 124, 252, 508, 512, 512])
    _ = gap(&eagerness)
    eagerness.learn(waited: 20_000, looked: true, found: true)
    #expect(gap(&eagerness) == 0)
  }

  @Test func whoSharesTheProcessorIsNotLookedFor() {
    var eagerness = Eagerness()
    eagerness.learn(waited: 20_000, looked: false, found: false)
    let looks = eagerness.looks(here: 3, there: 3)
    #expect(!looks)
  }

  /// Calls until the next that looks.
  private func gap(_ eagerness: inout Eagerness) -> Int {
    for count in 0..<2_000 {
      if eagerness.looks(here: 0, there: 1) { return count }
      eagerness.learn(waited: 20_000, looked: false, found: false)
    }
    return -1
  }
}
