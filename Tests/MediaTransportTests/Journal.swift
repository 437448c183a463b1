import MediaCore

/// What happened, in order, from whichever thread.
final class Journal<Entry: Sendable>: Sendable {
  private let monitor = Monitor<[Entry]>([])

  func add(_ entry: Entry) {
    monitor.withLock { $0.append(entry) }
    monitor.notify()
  }

  var entries: [Entry] { monitor.withLock { $0 } }

  /// Waits in real time until there are so many; false after twenty seconds, which a test that fails takes alone.
  func wait(for count: Int) -> Bool {
    monitor.wait(until: Deadline.after(milliseconds: 20_000)) { $0.count >= count ? true : nil } ?? false
  }
}
