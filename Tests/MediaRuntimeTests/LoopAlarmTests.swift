import MediaCore
import Testing

@testable import MediaRuntime

@Suite struct LoopAlarmTests {
  /// However often it is set, and whatever the job asks for then.
  @Test func theSoonestTimeCountsOnce() throws {
    let clock = VirtualClock()
    let loop = EventLoop("loop", clock: clock)
    let (alarm, begin, done) = (LoopAlarm(loop), clock.now(), Journal<Int64>())
    @Sendable func ask(_ times: Int) {
      let next = clock.now() + 10
      for _ in 0..<times {
        alarm.set(at: next) {
          done.add(clock.now() - begin)
          ask(3)
        }
      }
    }
    ask(100)
    try clock.advance(by: 55)
    #expect(done.entries == [10, 20, 30, 40, 50])
    // A sooner one; what was set before comes once more at most.
    ask(1)
    alarm.set(at: clock.now() + 1) { done.add(-1) }
    try clock.advance(by: 1)
    #expect(done.entries.last == -1)
    loop.stop()
  }
}
