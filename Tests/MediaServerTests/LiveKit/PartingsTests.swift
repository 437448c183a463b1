import Testing

@testable import MediaServer

@Suite struct PartingsTests {
  @Test func theFirstOneIsFollowedAndEachIsToldOnce() {
    var partings = Partings()
    #expect(partings.add("anna", mark: 3, now: second) && !partings.add("bob", mark: 5, now: 2 * second))
    #expect(partings.all.map(\.userID) == ["anna", "bob"] && partings.all.map(\.mark) == [3, 5])
    #expect(partings.all.map(\.end) == [second + Partings.patience, 2 * second + Partings.patience])
    #expect(partings.remove("anna") && !partings.remove("anna") && !partings.remove("carol"))
    #expect(partings.remove("bob") && partings.all.isEmpty && partings.add("bob", mark: 0, now: 0))
  }

  /// Who came again and left again is told of once.
  @Test func whoLeavesTwiceIsRemovedAtOnce() {
    var partings = Partings()
    _ = (partings.add("anna", mark: 1, now: 0), partings.add("anna", mark: 2, now: second))
    #expect(partings.remove("anna") && partings.all.isEmpty)
  }
}
