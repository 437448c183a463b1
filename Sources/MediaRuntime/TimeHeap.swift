/// A binary heap of elements by time, first come first served at the same time.
public struct TimeHeap<Element> {
  private struct Key {
    let time: Int64
    let order: UInt64

    static func < (one: Key, other: Key) -> Bool { (one.time, one.order) < (other.time, other.order) }
  }

  /// Beside the elements: to compare two of them no element is copied.
  private var keys: [Key] = []
  private var elements: [Element] = []
  private var order: UInt64 = 0

  /// Without elements.
  public init() {}

  /// Elements of all times.
  public var count: Int { keys.count }
  /// nil when there is no element.
  public var earliest: Int64? { keys.first?.time }
  /// The earliest, which stays; nil when there is no element.
  var first: (time: Int64, element: Element)? { keys.isEmpty ? nil : (keys[0].time, elements[0]) }

  /// Says whether it is now the earliest.
  public mutating func push(_ element: Element, at time: Int64) -> Bool {
    order += 1
    keys.append(Key(time: time, order: order))
    elements.append(element)
    var child = keys.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard keys[child] < keys[parent] else { break }
      swap(child, parent)
      child = parent
    }
    return child == 0
  }

  /// Removes the earliest element if its time is `now` or before; nil otherwise.
  public mutating func pop(dueAt now: Int64) -> Element? {
    guard let first = keys.first, first.time <= now else { return nil }
    swap(0, keys.count - 1)
    keys.removeLast()
    let element = elements.removeLast()
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < keys.count else { break }
      let right = left + 1
      let least = right < keys.count && keys[right] < keys[left] ? right : left
      guard keys[least] < keys[parent] else { break }
      swap(least, parent)
      parent = least
    }
    return element
  }

  /// All elements, in no particular order.
  mutating func removeAll() -> [Element] {
    defer { (keys, elements) = ([], []) }
    return elements
  }

  private mutating func swap(_ one: Int, _ other: Int) {
    keys.swapAt(one, other)
    elements.swapAt(one, other)
  }
}
