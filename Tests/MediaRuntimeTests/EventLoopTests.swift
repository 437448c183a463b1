import MediaCore
import Testing

@testable import MediaRuntime

@Suite struct EventLoopTests {
  @Test func jobsAreDoneInOrderOfTime() throws {
    let clock = VirtualClock()
    let loop = EventLoop("loop", clock: clock)
    let done = Journal<String>()
    func job(_ name: String) -> EventLoop.Job {
      { done.add("\(name)@\(clock.now() - 1_000_000_000)") }
    }
    loop.schedule(at: clock.now() + 20, job("later"))
    loop.post(job("first"))
    loop.schedule(at: clock.now() + 10, job("soon"))
    loop.post(job("second"))
    loop.schedule(at: clock.now() + 10, job("soon too"))
    #expect(done.entries.isEmpty)
    try clock.advance(by: 0)
    #expect(done.entries == ["first@0", "second@0"])
    try clock.advance(by: 15)
    #expect(done.entries.suffix(2) == ["soon@10", "soon too@10"])
    try clock.advance(by: 15)
    #expect(done.entries.last == "later@20")
    loop.stop()
  }

  @Test func aJobMayPostAnother() throws {
    let clock = VirtualClock()
    let loop = EventLoop("loop", clock: clock)
    let done = Journal<Int64>()
    loop.post {
      loop.post { done.add(clock.now()) }
      loop.schedule(at: clock.now() + 5) { done.add(clock.now()) }
    }
    try clock.advance(by: 5)
    #expect(done.entries.map { $0 - 1_000_000_000 } == [0, 5])
    loop.stop()
  }

  @Test func afterStopNothingIsDoneAndNothingIsKept() throws {
    final class Thing: Sendable {}
    let clock = VirtualClock()
    let loop = EventLoop("loop", clock: clock)
    weak var weakThing: Thing?
    do {
      let thing = Thing()
      weakThing = thing
      loop.schedule(at: clock.now() + 1) { Issue.record("it was dropped, with \(thing)") }
      #expect(weakThing != nil)
    }
    loop.stop()
    #expect(weakThing == nil)
    loop.post { Issue.record("the loop has stopped") }
    try clock.advance(by: 10)
    loop.stop()
  }

  @Test func whatAJobKeepsMayUseTheLoopWhenItGoes() {
    /// Posts when it ends, which it does while the loop drops its jobs.
    final class Poster: Sendable {
      let loop: EventLoop
      init(_ loop: EventLoop) { self.loop = loop }
      deinit { loop.post {} }
    }
    let loop = EventLoop("loop", clock: VirtualClock())
    loop.schedule(at: .max) { [poster = Poster(loop)] in poster.loop.stop() }
    loop.stop()
  }

  @Test func theSystemClockDoesThemInTime() {
    let clock = SystemClock()
    let loop = EventLoop("loop", clock: clock)
    let done = Journal<Int64>()
    let due = clock.now() + 5_000_000
    loop.schedule(at: due) { done.add(clock.now()) }
    loop.schedule(at: .max) { Issue.record("never due") }
    loop.post { done.add(clock.now()) }
    #expect(done.wait(for: 2))
    #expect(done.entries.last ?? 0 >= due)
    loop.stop()
    #expect(clock.threadCount == 0)
  }
}
