import MediaCore
import Testing

@testable import MediaSRTP

@Suite struct ReplayWindowTests {
  @Test func eachIndexIsNewOnce() {
    for seed in UInt64(1)...5 {
      var random = SeededRandom(seed: seed)
      let window = ReplayWindow()
      var received: Set<Int64> = []
      var middle: Int64 = 0
      for _ in 0..<5000 {
        middle += Int64.random(in: 0...3, using: &random)
        if Int.random(in: 0..<200, using: &random) == 0 { middle += Int64.random(in: 0...3000, using: &random) }
        let index = max(0, middle + Int64.random(in: -1500...50, using: &random))
        let expected = !received.contains(index) && index > (received.max() ?? -1) - ReplayWindow.size
        guard window.isNew(index) == expected else { return #expect(Bool(false), "\(index) of seed \(seed)") }
        if expected {
          window.insert(index)
          received.insert(index)
          if received.count > 3000, let most = received.max() { received = received.filter { $0 > most - 2000 } }
        }
      }
    }
  }

  @Test func theIndexIsTheNearestToTheHighest() {
    let window = ReplayWindow()
    #expect(window.index(of: 65_000) == 65_000)
    window.insert(65_530)
    #expect(window.index(of: 3) == 65_539)
    #expect(window.index(of: 65_000) == 65_000)
    window.insert(65_539)
    #expect(window.index(of: 65_535) == 65_535)
    window.insert(3 * 65_536 + 100)
    #expect(window.index(of: 200) == 3 * 65_536 + 200)
    #expect(window.index(of: 65_500) == 2 * 65_536 + 65_500)
    // Before the first round there is nothing.
    let early = ReplayWindow()
    early.insert(5)
    #expect(early.index(of: 65_530) == 65_530)
  }
}
