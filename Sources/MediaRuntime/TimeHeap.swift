/// A binary heap of elements by time, first come first served at the same time.
public struct TimeHeap<Element> {
  private var entries: [(time: Int64, order: UInt64, element: Element)] = []
  private var order: UInt64 = 0

  public init() {}

  public var count: Int { entries.count }
  public var earliest: Int64? { entries.first?.time }
  public var first: (time: Int64, element: Element)? { entries.first.map { ($0.time, $0.element) } }

  /// Says whether it is now the earliest.
  public mutating func push(_ element: Element, at time: Int64) -> Bool {
    order += 1
    entries.append((time, order, element))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard isBefore(child, parent) else { break }
      entries.swapAt(child, parent)
      child = parent
    }
    return child == 0
  }

  public mutating func pop(dueAt now: Int64) -> Element? {
    guard let first = entries.first, first.time <= now else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < entries.count else { break }
      let right = left + 1
      let least = right < entries.count && isBefore(right, left) ? right : left
      guard isBefore(least, parent) else { break }
      entries.swapAt(least, parent)
      parent = least
    }
    return first.element
  }

  public mutating func removeAll() -> [Element] {
    defer { entries = [] }
    return entries.map(\.element)
  }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    (entries[one].time, entries[one].order) < (entries[other].time, entries[other].order)
  }
}
