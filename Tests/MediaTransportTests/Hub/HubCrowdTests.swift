import Testing

@testable import MediaTransport

/// Calls of many members over one hub, on an emulated network and a virtual clock.
@Suite(.serialized) struct HubCrowdTests {
  @Test func aThousandMembersMeet() throws {
    try HubCrowd(.init(members: 1000, publishers: 3, packets: 4, frames: 2, broken: 30, leaving: 10), seed: 1).run()
  }

  /// Whatever is random comes from the seed: what each member sees, and when, to the nanosecond.
  @Test func theSameSeedGivesTheSameCall() throws {
    func journal(seed: UInt64) throws -> [Int] {
      let crowd = try HubCrowd(.init(members: 20, publishers: 3, packets: 50, frames: 10, broken: 5, leaving: 3), seed: seed)
      try crowd.run()
      return crowd.journal
    }
    let first = try journal(seed: 1)
    let (again, other) = (try journal(seed: 1), try journal(seed: 2))
    #expect(again == first)
    #expect(zip(other, first).allSatisfy { $0 != $1 })
  }
}
