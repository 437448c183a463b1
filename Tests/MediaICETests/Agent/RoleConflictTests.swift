import MediaCore
import Testing

@testable import MediaICE

@Suite struct RoleConflictTests {
  @Test func theLargerNumberDecides() {
    func resolve(_ isControlling: Bool, _ controlling: UInt64?, _ controlled: UInt64?, isLite: Bool = false) -> RoleConflict.Outcome {
      RoleConflict.resolve(isControlling: isControlling, tieBreaker: 10, controlling: controlling, controlled: controlled, isLite: isLite)
    }
    #expect(resolve(true, nil, 99) == .none && resolve(false, 99, nil) == .none && resolve(true, nil, nil) == .none)
    #expect(resolve(true, 9, nil) == .refuse && resolve(true, 10, nil) == .refuse && resolve(true, 11, nil) == .yield)
    #expect(resolve(false, nil, 9) == .yield && resolve(false, nil, 10) == .yield && resolve(false, nil, 11) == .refuse)
    #expect(resolve(false, nil, 9, isLite: true) == .refuse)
  }

  @Test(arguments: [true, false]) func bothBelieveTheSameAndOneYields(isControlling: Bool) throws {
    for seed in 1...20 {
      let pair = try TestPair.plain(
        seed: UInt64(seed), ICESettings(isControlling: isControlling), ICESettings(isControlling: isControlling))
      pair.network.run(for: 5 * second) { pair.isCompleted }
      #expect(pair.isCompleted && pair.a.agent.isControlling != pair.b.agent.isControlling && pair.carriesData())
      #expect(pair.a.roles + pair.b.roles == 1)
    }
  }
}
