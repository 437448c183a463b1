import MediaCore
import MediaEmulation
import Testing

@testable import MediaServer

/// A session behind a path that is long and loses much, in both directions.
@Suite struct LiveKitLossTests {
  /// The longest time between two frames that Anna got of the bot, of a call of 20 s.
  private func longestStandstill(seed: UInt64) throws -> Int64 {
    let house = try ServerHouse(seed: seed)
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try house.session("anna", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { anna.added.count == 2 })
    var bad = EmulatedNetwork.Conditions()
    (bad.delay, bad.jitter, bad.loss) = (100 * millisecond, 10 * millisecond, 50_000)
    anna.host?.setConditions(up: bad, down: bad)
    try bot.call(for: 2 * second)
    let begin = house.clock.now()
    try bot.call(for: 20 * second)
    let arrivals = (anna.arrivals[WebMember.codec(isVideo: true)] ?? []).filter { $0 > begin } + [house.clock.now()]
    try house.close()
    return zip(arrivals, arrivals.dropFirst()).map { $1 - $0 }.max() ?? .max
  }

  /// Of what is lost, one in ten is lost again: it, or the request for it. Then twice as much is done for it.
  @Test func fewCallsStandStillForTwoRoundTrips() throws {
    let longest = try (1...UInt64(16)).map { try longestStandstill(seed: $0) / millisecond }
    #expect(longest.count { $0 >= 300 } <= 4 && longest.allSatisfy { $0 < 500 }, "\(longest)")
  }
}
