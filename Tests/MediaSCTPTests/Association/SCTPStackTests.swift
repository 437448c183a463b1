import MediaCore
import Testing

@testable import MediaSCTP

@Suite struct SCTPStackTests {
  /// Each has a time of its own: what is a day for one is a second for another.
  @Test func timesOfOtherAssociationsChangeNothing() throws {
    let early = try DataTalk(now: 0)
    let late = try DataTalk(now: 86_400_000_000_000)
    early.run(for: 100_000_000)
    late.run(for: 100_000_000)
    #expect(early.areUp && late.areUp)
    let before = early.client.nextDeadline
    late.run(for: 86_400_000_000_000)
    #expect(late.error(of: 0) == nil)
    #expect(early.client.nextDeadline == before)
    early.run(for: 1_000_000_000)
    #expect(early.error(of: 0) == nil && early.error(of: 1) == nil)
  }

  @Test func threadsMayUseItAtTheSameTime() async throws {
    let results = try await withThrowingTaskGroup(of: Bool.self) { group in
      for seed in 0..<8 {
        group.addTask {
          let talk = try DataTalk(seed: UInt64(seed))
          talk.lost = 5
          let (id, _) = try talk.channel()
          for number in 0..<20 { try talk.client.send(DataTalk.message(number, size: 5000), isText: false, on: id, now: talk.now) }
          talk.run(for: 30 * DataTalk.second)
          return talk.messages(1) == (0..<20).map { DataTalk.message($0, size: 5000) }
        }
      }
      return try await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(results == Array(repeating: true, count: 8))
  }
}
