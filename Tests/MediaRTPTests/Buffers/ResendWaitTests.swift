import Testing

@testable import MediaRTP

@Suite struct ResendWaitTests {
  private let ms: Int64 = 1_000_000

  /// That knows its round trip.
  private func wait(_ roundTrip: Int64 = 80, most: Int64 = 1_000) -> ResendWait {
    var wait = ResendWait(most: most * ms)
    wait.roundTrip = roundTrip * ms
    return wait
  }

  @Test func oneLossNowAndThenIsConcealed() {
    var wait = wait()
    for second in Int64(0)..<10 {
      wait.concealed(now: 3_000 * second * ms)
      #expect(wait.wait(packet: 20 * ms, now: 3_000 * second * ms) == 0)
    }
  }

  @Test func whileLossesGoOnAResendIsWaitedFor() {
    var wait = wait()
    wait.concealed(now: 0)
    wait.concealed(now: 500 * ms)
    #expect(wait.wait(packet: 20 * ms, now: 500 * ms) == 110 * ms)
    wait.resent(now: 10_000 * ms)
    #expect(wait.wait(packet: 20 * ms, now: 19_000 * ms) == 110 * ms)
    #expect(wait.wait(packet: 20 * ms, now: 21_000 * ms) == 0)
    // It was over.
    wait.resent(now: 21_000 * ms)
    #expect(wait.wait(packet: 20 * ms, now: 21_000 * ms) == 0)
  }

  @Test(arguments: [(171, 1_000), (80, 60)] as [(Int64, Int64)]) func whatTakesTooLongIsNotWaitedFor(_ roundTrip: Int64, _ most: Int64) {
    var wait = wait(roundTrip, most: most)
    wait.concealed(now: 0)
    wait.concealed(now: 500 * ms)
    #expect(wait.wait(packet: 20 * ms, now: 500 * ms) == 0)
  }
}
