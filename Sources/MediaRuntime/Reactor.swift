import CLinux
import Glibc
import MediaCore

/// One thread for the kernel's sockets. An engine has one, `msdk-network`, for all of its sessions; where whoever is driven may take long, such as a
/// local ingest, it has one of its own. The thread runs while there is anybody to drive.
public final class Reactor: DriverLoop {
  /// Under the lock. A class: to change a value inside of a dictionary costs memory each time.
  private final class Entry {
    let driver: any NetworkDriver
    let descriptors: [Int32]
    var deadline = Int64.max
    /// Wanted while it ran.
    var wanted = Int64.max
    var isReadable = false
    /// It is to be driven before sockets and times are looked at again.
    var isDue = false
    /// Those on which there was no room to write.
    var full: Set<Int32> = []
    /// Until then nobody looks at its descriptors.
    var restsUntil: Int64?

    init(_ driver: any NetworkDriver, _ descriptors: [Int32]) {
      (self.driver, self.descriptors) = (driver, descriptors)
    }
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    /// When entries are due, by their tags. What an entry was to be driven at before is still in it, and counts for nothing.
    var deadlines = TimeHeap<UInt64>()
    var due: [UInt64] = []
    var next: UInt64 = 1
    var running: UInt64?
    var thread: pthread_t?
    /// Until when it sleeps; in the past while it is awake.
    var sleepsUntil = Int64.min
    var isStopped = false

    mutating func setDeadline(_ time: Int64, of entry: Entry, _ tag: UInt64) {
      guard time != entry.deadline else { return }
      entry.deadline = time
      guard time != .max else { return }
      _ = deadlines.push(tag, at: time)
      guard deadlines.count > 64 + 4 * entries.count else { return }
      deadlines = TimeHeap()
      for (tag, entry) in entries where entry.deadline != .max { _ = deadlines.push(tag, at: entry.deadline) }
    }

    mutating func setDue(_ tag: UInt64) {
      guard let entry = entries[tag], !entry.isDue else { return }
      entry.isDue = true
      due.append(tag)
    }

    /// When one is due next.
    mutating func soonest() -> Int64 {
      while let (time, tag) = deadlines.first {
        if entries[tag]?.deadline == time { return time }
        _ = deadlines.pop(dueAt: .max)
      }
      return .max
    }

    /// Moves those whose time has come to `due`.
    mutating func collect(at now: Int64) {
      while let tag = deadlines.pop(dueAt: now) {
        guard let entry = entries[tag], entry.deadline <= now else { continue }
        entry.deadline = .max
        setDue(tag)
      }
    }
  }

  private static let waker: UInt64 = 0
  private let epoll: Int32
  private let bell: Int32
  /// Of all times that are given and returned. A `SystemClock` outside tests, since the thread sleeps in the kernel.
  public let clock: any MediaClock
  private let state = Monitor(State())
  private let worker = Monitor<(any Worker)?>(nil)

  /// `name`: of its thread.
  public init(_ name: String = "msdk-network", clock: any MediaClock) throws(MediaError) {
    self.clock = clock
    (epoll, bell) = (msdk_epoll_create(), msdk_waker_create())
    guard epoll >= 0, bell >= 0 else {
      // The end of this closes what is open.
      throw MediaError(.noMemory, "out of file descriptors for the thread \(name): \(String(cString: strerror(errno)))")
    }
    msdk_epoll_add(epoll, bell, UInt32(MSDK_POLL_IN), Reactor.waker)
    let worker = clock.makeWorker(name) { [weak self] in self?.run() ?? .max }
    self.worker.withLock { $0 = worker }
  }

  deinit {
    worker.withLock { $0 }?.stop()
    for descriptor in [epoll, bell] where descriptor >= 0 { close(descriptor) }
  }

  /// `.closed`: after `stop`. `.io`: the kernel cannot watch a descriptor; then none is watched. Descriptors stay the caller's, who calls
  /// `remove` before they are closed.
  public func add(_ driver: any NetworkDriver, _ descriptors: [Int32]) throws(MediaError) -> UInt64 {
    let tag: UInt64 = try state.withLock { state throws(MediaError) in
      guard !state.isStopped else { throw MediaError(.closed, "the engine is destroyed") }
      let tag = state.next
      for (count, descriptor) in descriptors.enumerated() {
        guard msdk_epoll_add(epoll, descriptor, UInt32(MSDK_POLL_IN), tag) != 0 else { continue }
        let error = MediaError(.io, "the network thread cannot watch another socket: \(String(cString: strerror(errno)))")
        for added in descriptors.prefix(count) { msdk_epoll_remove(epoll, added) }
        throw error
      }
      state.next += 1
      let entry = Entry(driver, descriptors)
      state.entries[tag] = entry
      state.setDeadline(.min, of: entry, tag)
      return tag
    }
    msdk_waker_set(bell)
    worker.withLock { $0 }?.poke()
    return tag
  }

  /// Waits for the end of a running call of the driver, except on the reactor's own thread and in foreign code; then releases the driver.
  public func remove(_ tag: UInt64) {
    let (driver, isInside): ((any NetworkDriver)?, Bool) = state.withLock { state in
      let entry = state.entries.removeValue(forKey: tag)
      for descriptor in entry?.descriptors ?? [] { msdk_epoll_remove(epoll, descriptor) }
      return (entry?.driver, state.thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false)
    }
    if driver != nil { msdk_waker_set(bell) }
    guard !isInside, !ForeignCode.isRunning else { return }
    state.wait(until: .max) { $0.running == tag ? nil : () }
    // It may end here, where nothing is locked.
    _ = driver
  }

  /// The earliest time asked for counts. A tag that is not driven any more is ignored, here and in the other functions.
  public func wake(_ tag: UInt64, at time: Int64) {
    let isAsleep = state.withLock { state in
      guard let entry = state.entries[tag] else { return false }
      if state.running == tag {
        entry.wanted = min(entry.wanted, time)
      } else {
        state.setDeadline(min(entry.deadline, time), of: entry, tag)
      }
      return time < state.sleepsUntil
    }
    if isAsleep { msdk_waker_set(bell) }
  }

  /// A descriptor that was not added with the tag is ignored.
  public func setFull(_ isFull: Bool, _ descriptor: Int32, of tag: UInt64) {
    state.withLock { state in
      guard let entry = state.entries[tag], entry.descriptors.contains(descriptor), entry.full.contains(descriptor) != isFull else {
        return
      }
      if isFull { entry.full.insert(descriptor) } else { entry.full.remove(descriptor) }
      if entry.restsUntil == nil { msdk_epoll_change(epoll, descriptor, Reactor.events(isFull: isFull), tag) }
    }
  }

  private static func events(isFull: Bool) -> UInt32 { UInt32(MSDK_POLL_IN) | (isFull ? UInt32(MSDK_POLL_OUT) : 0) }

  /// The kernel does not watch its descriptors until then. Of two times that are given the earlier counts.
  public func rest(_ tag: UInt64, until time: Int64) {
    state.withLock { state in
      guard let entry = state.entries[tag] else { return }
      if entry.restsUntil == nil {
        for descriptor in entry.descriptors { msdk_epoll_remove(epoll, descriptor) }
      }
      (entry.restsUntil, entry.isReadable) = (min(time, entry.restsUntil ?? .max), false)
      state.setDeadline(min(entry.deadline, time), of: entry, tag)
    }
  }

  /// What the kernel refuses to watch just now is tried again with the driver's next call.
  public func endRest(_ tag: UInt64) {
    state.withLock { state in
      guard let entry = state.entries[tag], entry.restsUntil != nil else { return }
      entry.restsUntil = .min
      endRest(of: entry, tag)
    }
  }

  /// Under the lock. What cannot be looked at now is tried again.
  private func endRest(of entry: Entry, _ tag: UInt64) {
    let now = clock.now()
    guard let end = entry.restsUntil, now >= end else { return }
    entry.restsUntil = nil
    for descriptor in entry.descriptors {
      let events = Reactor.events(isFull: entry.full.contains(descriptor))
      if msdk_epoll_add(epoll, descriptor, events, tag) != 0, errno != EEXIST { entry.restsUntil = now &+ Reactor.restAgain }
    }
  }

  private static let restAgain: Int64 = 100_000_000

  /// Releases all drivers, and waits for the end of the thread, except on that thread and in foreign code. `add` is refused from then on.
  public func stop() {
    let drivers = state.withLock { state in
      state.isStopped = true
      defer { state.entries = [:] }
      for entry in state.entries.values {
        for descriptor in entry.descriptors { msdk_epoll_remove(epoll, descriptor) }
      }
      return state.entries.values.map(\.driver)
    }
    msdk_waker_set(bell)
    worker.withLock { $0 }?.stop()
    _ = drivers
  }

  // MARK: The thread

  /// A step of the worker's: as long as there is anything to drive.
  private func run() -> Int64 {
    state.withLock { $0.thread = pthread_self() }
    defer { state.withLock { $0.thread = nil } }
    var due: [UInt64] = []
    var hasLooked = false
    while let now = wait(&hasLooked) {
      state.withLock { state in
        state.collect(at: now)
        swap(&due, &state.due)
      }
      for tag in due { drive(tag) }
      due.removeAll(keepingCapacity: true)
    }
    return .max
  }

  private func drive(_ tag: UInt64) {
    guard let next = call(tag) else { return }
    state.withLock { state in
      state.running = nil
      guard let entry = state.entries[tag] else { return }
      state.setDeadline(min(next, entry.wanted, entry.restsUntil ?? .max), of: entry, tag)
      entry.wanted = .max
    }
    state.notify()
  }

  /// When it wants to be called again; nil when it was removed. Whoever waits for its end is to find its sockets closed: no reference stays here.
  private func call(_ tag: UInt64) -> Int64? {
    var isReadable = false
    let driver: (any NetworkDriver)? = state.withLock { state in
      guard let entry = state.entries[tag] else { return nil }
      endRest(of: entry, tag)
      (isReadable, entry.isReadable, entry.isDue) = (entry.isReadable, false, false)
      state.running = tag
      return entry.driver
    }
    return driver?.drive(isReadable: isReadable)
  }

  /// Sleeps until there is something to do, and says when that is; nil when there is nothing to drive. What has come due since it looked at the
  /// sockets is done before it looks again.
  private func wait(_ hasLooked: inout Bool) -> Int64? {
    let now = clock.now()
    let soonest: Int64? = state.withLock { state in
      guard !state.entries.isEmpty, !state.isStopped else { return nil }
      let soonest = state.soonest()
      if soonest > now { state.sleepsUntil = soonest }
      return soonest
    }
    guard let soonest else { return nil }
    let isDue = soonest <= now
    hasLooked = !(hasLooked && isDue)
    guard hasLooked else { return now }
    let timeout = isDue ? 0 : soonest == .max ? -1 : soonest - now
    withUnsafeTemporaryAllocation(of: msdk_ready.self, capacity: 32) { ready in
      let count = msdk_epoll_wait(epoll, ready.baseAddress, 32, timeout)
      state.withLock { state in
        state.sleepsUntil = .min
        for event in ready.prefix(max(0, Int(count))) where event.tag != Reactor.waker {
          if event.events & ~UInt32(MSDK_POLL_OUT) != 0 { state.entries[event.tag]?.isReadable = true }
          state.setDue(event.tag)
        }
      }
      if ready.prefix(max(0, Int(count))).contains(where: { $0.tag == Reactor.waker }) { msdk_waker_clear(bell) }
    }
    return clock.now()
  }
}
