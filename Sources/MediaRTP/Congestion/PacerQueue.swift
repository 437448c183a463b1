/// Packets that wait to be sent, first in first out, with a bound in number; its memory grows to what was needed and is kept.
struct PacerQueue<Payload: Sendable>: Sendable {
  struct Entry: Sendable {
    var payload: Payload
    var size: Int
    var since: Int64
    /// The first packet of what goes together.
    var isFirst = true
    /// Feedback will say whether it came.
    var isReported = true
  }

  static var capacity: Int { 4096 }

  private var entries: [Entry?] = []
  private var head = 0
  private(set) var count = 0
  private(set) var bytes = 0

  var isFull: Bool { count >= PacerQueue.capacity }
  var first: Entry? { count == 0 ? nil : entries[head] }

  mutating func append(_ entry: Entry) {
    if count == entries.count {
      var larger: [Entry?] = []
      larger.reserveCapacity(max(16, count * 2))
      for index in 0..<count { larger.append(entries[(head + index) & (entries.count - 1)]) }
      while larger.count < max(16, count * 2) { larger.append(nil) }
      (entries, head) = (larger, 0)
    }
    entries[(head + count) & (entries.count - 1)] = entry
    count += 1
    bytes += entry.size
  }

  /// The others keep their order.
  mutating func remove(_ isMeant: (Payload) -> Bool) {
    for _ in 0..<count {
      guard let entry = removeFirst() else { return }
      if !isMeant(entry.payload) { append(entry) }
    }
  }

  mutating func removeFirst() -> Entry? {
    guard count > 0, let entry = entries[head] else { return nil }
    entries[head] = nil
    head = (head + 1) & (entries.count - 1)
    count -= 1
    bytes -= entry.size
    return entry
  }
}
