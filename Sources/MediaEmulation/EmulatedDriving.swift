import MediaCore
import MediaRuntime

/// Whom the network drives, as a `Reactor` does: what can be read is reported again and again until it is.
extension EmulatedState {
  /// Calls at one time from which on a driver is taken for one that never rests, and has to wait before each of them.
  private static let mostCalls = 1000
  private static let pause: Int64 = 1000

  mutating func add(_ driver: any NetworkDriver, of host: Int, _ descriptors: [Int32], at now: Int64) throws(MediaError) -> UInt64 {
    guard !hosts[host].isStopped else { throw MediaError(.closed, "the engine is destroyed") }
    let tag = nextTag
    nextTag += 1
    let entry = Entry(driver, host: host, descriptors)
    entries[tag] = entry
    for descriptor in descriptors { watchers[descriptor] = tag }
    setDeadline(now, of: entry, tag)
    return tag
  }

  /// Its driver, which may end where nothing is locked.
  mutating func remove(_ tag: UInt64) -> (any NetworkDriver)? {
    guard let entry = entries.removeValue(forKey: tag) else { return nil }
    for descriptor in entry.descriptors where watchers[descriptor] == tag { watchers[descriptor] = nil }
    return entry.driver
  }

  mutating func setDeadline(_ time: Int64, of entry: Entry, _ tag: UInt64) {
    guard time != entry.deadline else { return }
    entry.deadline = time
    if time != .max { schedule(.drive(tag, time), at: time) }
  }

  mutating func wake(_ tag: UInt64, at time: Int64, now: Int64) {
    guard let entry = entries[tag] else { return }
    if running == tag {
      entry.wanted = min(entry.wanted, time)
    } else {
      setDeadline(min(entry.deadline, max(time, now)), of: entry, tag)
    }
  }

  mutating func setFull(_ isFull: Bool, _ descriptor: Int32, of tag: UInt64, now: Int64) {
    guard let entry = entries[tag], entry.descriptors.contains(descriptor) else { return }
    if isFull { entry.full.insert(descriptor) } else { entry.full.remove(descriptor) }
    if isFull { look(descriptor, now: now) }
  }

  mutating func rest(_ tag: UInt64, until time: Int64, now: Int64) {
    guard let entry = entries[tag] else { return }
    entry.restsUntil = min(time, entry.restsUntil ?? .max)
    wake(tag, at: time, now: now)
  }

  mutating func endRest(_ tag: UInt64, now: Int64) {
    guard let entry = entries[tag], entry.restsUntil != nil else { return }
    entry.restsUntil = nil
    if isReady(entry) { wake(tag, at: now, now: now) }
  }

  /// Something has changed at a socket: whoever waits for it is driven.
  mutating func look(_ descriptor: Int32, now: Int64) {
    guard let tag = watchers[descriptor], let entry = entries[tag], isReady(entry) else { return }
    wake(tag, at: now, now: now)
  }

  private func isReadable(_ entry: Entry) -> Bool {
    entry.restsUntil == nil && entry.descriptors.contains { sockets[$0]?.isReadable == true }
  }

  private func isReady(_ entry: Entry) -> Bool {
    isReadable(entry) || entry.restsUntil == nil && entry.full.contains { sockets[$0]?.hasRoom == true }
  }

  mutating func begin(_ tag: UInt64, _ entry: Entry, at now: Int64) -> Outcome {
    if let end = entry.restsUntil, now >= end { entry.restsUntil = nil }
    (entry.deadline, running) = (.max, tag)
    (entry.calls, entry.lastCall) = (now &- entry.lastCall <= EmulatedState.pause ? entry.calls + 1 : 1, now)
    return .drives(tag, isReadable: isReadable(entry))
  }

  mutating func finish(_ tag: UInt64, next: Int64, at now: Int64) {
    running = nil
    guard let entry = entries[tag] else { return }
    var time = isReady(entry) ? now : max(now, min(next, entry.wanted, entry.restsUntil ?? .max))
    if time == now, entry.calls >= EmulatedState.mostCalls {
      busyCalls += 1
      time = now &+ EmulatedState.pause
    }
    entry.wanted = .max
    setDeadline(min(time, entry.deadline), of: entry, tag)
  }
}
