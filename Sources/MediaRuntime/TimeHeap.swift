/// A binary heap of elements by time, first come first served at the same time.
public struct TimeHeap<Element> {
  private var heap = SlotHeap()
  /// Of the elements by the heap's slots; nil: the slot is free.
  private var elements: [Element?] = []
  private var free: [Int] = []

  /// Without elements.
  public init() {}

  /// Elements of all times.
  public var count: Int { heap.entries.count }
  /// nil when there is no element.
  public var earliest: Int64? { heap.entries.first?.time }
  /// The earliest, which stays; nil when there is no element.
  var first: (time: Int64, element: Element)? {
    heap.entries.first.flatMap { entry in elements[entry.slot].map { (entry.time, $0) } }
  }

  /// Says whether it is now the earliest.
  public mutating func push(_ element: Element, at time: Int64) -> Bool {
    guard let slot = free.popLast() else {
      elements.append(element)
      return heap.push(elements.count - 1, at: time)
    }
    elements[slot] = element
    return heap.push(slot, at: time)
  }

  /// Removes the earliest element if its time is `now` or before; nil otherwise.
  public mutating func pop(dueAt now: Int64) -> Element? {
    guard let first = heap.entries.first, first.time <= now else { return nil }
    heap.removeFirst()
    free.append(first.slot)
    return elements[first.slot].take()
  }

  /// All elements, in no particular order.
  mutating func removeAll() -> [Element] {
    defer { self = TimeHeap() }
    return elements.compactMap { $0 }
  }
}

/// The heap itself: of numbers, so that no element moves.
private struct SlotHeap {
  struct Entry {
    let time: Int64
    let order: UInt64
    let slot: Int

    static func < (one: Entry, other: Entry) -> Bool { (one.time, one.order) < (other.time, other.order) }
  }

  private(set) var entries: [Entry] = []
  private var order: UInt64 = 0

  /// Says whether it is now the first.
  mutating func push(_ slot: Int, at time: Int64) -> Bool {
    order += 1
    entries.append(Entry(time: time, order: order, slot: slot))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child] < entries[parent] else { break }
      entries.swapAt(child, parent)
      child = parent
    }
    return child == 0
  }

  mutating func removeFirst() {
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < entries.count else { break }
      let right = left + 1
      let least = right < entries.count && entries[right] < entries[left] ? right : left
      guard entries[least] < entries[parent] else { break }
      entries.swapAt(least, parent)
      parent = least
    }
  }
}
