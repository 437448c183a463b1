import Testing

@testable import MediaSDK

@Suite struct RefusalLogTests {
  private static let ms: Int64 = 1_000_000

  @Test func tenInASecondAreLoggedAndTheRestCounted() {
    var log = RefusalLog()
    let first = (0..<100).compactMap { log.note(at: Int64($0) * Self.ms) }
    #expect(first == [Int](repeating: 0, count: 10))
    #expect(log.note(at: 1000 * Self.ms) == 90)
    #expect(log.note(at: 1001 * Self.ms) == 0)
    #expect(log.note(at: 5000 * Self.ms) == 0)
  }
}
