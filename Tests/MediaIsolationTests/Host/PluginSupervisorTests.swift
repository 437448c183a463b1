import Testing

@testable import IsolationProtocol
@testable import MediaIsolation

@Suite struct PluginSupervisorTests {
  @Test func restartsComeLaterEachTime() {
    var backoff = Backoff()
    let delays = (0..<7).map { _ in backoff.next(livedFor: 0).delay / 1_000_000 }
    #expect(delays == [0, 100, 400, 1_600, 6_400, 10_000, 10_000])
    #expect(backoff.deaths == 7)
    #expect(backoff.next(livedFor: Backoff.life) == (1, 0))
  }
}
