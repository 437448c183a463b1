import MediaCore
import Testing

@testable import MediaTransport

@Suite struct ParticipantAttributesTests {
  @Test func onlyWhatChangesCounts() throws {
    var attributes = ParticipantAttributes()
    var changes: [Bool] = []
    for (key, value) in [("a", "1"), ("a", "1"), ("a", "2"), ("b", nil), ("a", nil), ("a", nil)] as [(String, String?)] {
      changes.append(try attributes.set(key, value))
    }
    #expect(changes == [true, false, true, false, true, false])
    #expect(attributes.revision == 3 && attributes.isEmpty)
    // Texts that look the same are not the same.
    #expect(try attributes.set("a", "\u{E9}"))
    let isChanged = try attributes.set("a", "e\u{301}")
    #expect(isChanged)
  }

  @Test func thereIsABound() throws {
    var attributes = ParticipantAttributes()
    for number in 0..<32 { _ = try attributes.set("\(number)", "") }
    #expect(failure { _ = try attributes.set("more", "") }?.status == .full)
    #expect(failure { _ = try attributes.set("31", "changed") } == nil)
    #expect(attributes.count == 32 && attributes["31"] == "changed")
  }

  @Test func keys() {
    let (good, bad) = (
      ["a", "0", "a.b_c-d", String(repeating: "k", count: 63)], ["", "A", "ä", "a b", "a/b", String(repeating: "k", count: 64)]
    )
    #expect(good.allSatisfy(ParticipantAttributes.isKey) && !bad.contains(where: ParticipantAttributes.isKey))
  }

  /// From as many as there can be to as many others, without one too many in between.
  @Test func changesLeadToTheOthers() throws {
    var (former, others) = (ParticipantAttributes(), ParticipantAttributes())
    for number in 0..<32 {
      _ = try former.set("\(number)", "x")
      _ = try others.set("\(number + 16)", number % 2 == 0 ? "x" : "y")
    }
    var reached = former
    for (key, value) in former.changes(to: others) { _ = try reached.set(key, value) }
    #expect(reached.changes(to: others).isEmpty && reached.keys == others.keys)
    #expect(former.changes(to: former).isEmpty)
  }
}
