import MediaCore
import MediaRuntime
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct EventQueueTests {
  private func bits(_ event: StampedEvent) -> UInt64? {
    if case .estimate(let bits) = event.event { return bits }
    return nil
  }

  @Test func eventsComeInOrderWithTheirTime() throws {
    let clock = VirtualClock()
    let queue = EventQueue(capacity: 16, clock: clock)
    queue.push(.estimate(1))
    try clock.advance(by: 50)
    queue.push(.estimate(2))
    let (first, second) = (try queue.next(deadline: 0), try queue.next(deadline: 0))
    #expect([bits(first), bits(second)] == [1, 2])
    #expect(second.timestamp - first.timestamp == 50)
    #expect(!first.isAfterLoss && !second.isAfterLoss)
    #expect(failure { _ = try queue.next(deadline: 0) }?.status == .timeout)
    queue.close()
  }

  @Test func theOldestIsDroppedAndTheNextOneSaysSo() throws {
    let queue = EventQueue(capacity: 3, clock: VirtualClock())
    for bits in 1...5 as ClosedRange<UInt64> { queue.push(.estimate(bits)) }
    #expect(queue.counts.queued == 5)
    #expect(queue.counts.dropped == 2)
    let all = try (0..<3).map { _ in try queue.next(deadline: 0) }
    #expect(all.map(bits) == [3, 4, 5])
    #expect(all.map(\.isAfterLoss) == [true, false, false])
    queue.push(.estimate(6))
    #expect(try queue.next(deadline: 0).isAfterLoss == false)
    queue.close()
  }

  @Test func theDescriptorIsReadableWhileEventsWait() throws {
    let queue = EventQueue(capacity: 16, clock: VirtualClock())
    queue.push(.estimate(1))
    let descriptor = try queue.descriptor()
    #expect(isReadable(descriptor))
    queue.push(.estimate(2))
    _ = try queue.next(deadline: 0)
    #expect(isReadable(descriptor))
    _ = try queue.next(deadline: 0)
    #expect(!isReadable(descriptor))
    queue.push(.estimate(3))
    #expect(isReadable(descriptor))
    _ = try queue.next(deadline: 0)
    queue.close()
    // Whoever polls learns that it is over.
    #expect(isReadable(descriptor))
    #expect(failure { _ = try queue.next(deadline: .max) }?.status == .closed)
  }

  @Test func closingWakesWhoWaits() {
    let queue = EventQueue(capacity: 16, clock: VirtualClock())
    let errors = Journal<Status?>()
    let reader = OSThread { errors.add(failure { _ = try queue.next(deadline: .max) }?.status) }
    queue.close()
    reader.join()
    #expect(errors.entries == [.closed])
  }

  @Test func anEventWakesWhoWaits() {
    let queue = EventQueue(capacity: 16, clock: SystemClock())
    let events = Journal<Bool>()
    let reader = OSThread { events.add((try? queue.next(deadline: .max)) != nil) }
    queue.push(.estimate(1))
    reader.join()
    #expect(events.entries == [true])
    queue.close()
  }

  @Test func aCallbackTakesWhatWaitsAndWhatComes() throws {
    let clock = VirtualClock()
    let queue = EventQueue(capacity: 16, clock: clock)
    queue.push(.estimate(1))
    let seen = Journal<UInt64?>()
    queue.setCallback { event in
      seen.add({ if case .estimate(let bits) = event.event { bits } else { nil } }())
      #expect(ForeignCode.isRunning)
    }
    queue.push(.estimate(2))
    #expect(seen.entries.isEmpty)
    #expect(failure { _ = try queue.next(deadline: 0) }?.status == .state)
    try clock.advance(by: 0)
    #expect(seen.entries == [1, 2])
    queue.push(.estimate(3))
    queue.setCallback(nil)
    try clock.advance(by: 0)
    #expect(seen.entries == [1, 2])
    #expect(bits(try queue.next(deadline: 0)) == 3)
    queue.setCallback { _ in Issue.record("the queue is closed") }
    queue.push(.estimate(4))
    queue.close()
    try clock.advance(by: 0)
  }

  @Test func aCallbackMayChangeTheCallbackAndClose() throws {
    let clock = VirtualClock()
    let queue = EventQueue(capacity: 16, clock: clock)
    let seen = Journal<Int>()
    queue.setCallback { [unowned queue] _ in
      seen.add(1)
      queue.setCallback { [unowned queue] _ in
        seen.add(2)
        queue.close()
      }
    }
    for bits in 1...3 as ClosedRange<UInt64> { queue.push(.estimate(bits)) }
    try clock.advance(by: 0)
    #expect(seen.entries == [1, 2])
  }

  @Test func closingAndReplacingWaitForARunningCallback() {
    for isClosed in [false, true] {
      let queue = EventQueue(capacity: 16, clock: SystemClock())
      let visit = Visit()
      queue.setCallback { _ in visit.stay() }
      queue.push(.estimate(1))
      visit.waitUntilInside()
      expectToWait(for: visit) {
        if isClosed { queue.close() } else { queue.setCallback(nil) }
      }
      queue.close()
    }
  }

  /// What the thread has taken for a callback goes to that one or to the next.
  @Test func noEventIsLostWhenTheCallbackIsReplaced() {
    let count = UInt64(3_000)
    let queue = EventQueue(capacity: Int(count), clock: SystemClock())
    let seen = Monitor<[UInt64]>([])
    let pusher = OSThread {
      for bits in 1...count { queue.push(.estimate(bits)) }
    }
    func isAll() -> Bool { seen.withLock { UInt64($0.count) } == count }
    let isSeen = eventually {
      for _ in 0..<50 {
        queue.setCallback { event in
          if case .estimate(let bits) = event.event { seen.withLock { $0.append(bits) } }
        }
      }
      return isAll()
    }
    pusher.join()
    #expect(isSeen)
    #expect(seen.withLock { $0 } == Array(1...count))
    queue.close()
  }

  @Test func noThreadIsLeftBehind() {
    let clock = SystemClock()
    let queue = EventQueue(capacity: 16, clock: clock)
    queue.setCallback { _ in }
    queue.push(.estimate(1))
    queue.close()
    #expect(clock.threadCount == 0)
    // Too late: nothing will call it, and no thread waits to.
    queue.setCallback { _ in Issue.record("the queue is closed") }
    queue.push(.estimate(2))
    #expect(clock.threadCount == 0)
  }
}
