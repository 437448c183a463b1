/// What a full queue does with one more.
public enum QueuePolicy: UInt32, Sendable {
  case dropOldest = 0
  case dropNewest = 1
  case wait = 2
}

/// A ring of fixed capacity. It holds and orders; what a full one should do is its owner's to decide, who is told.
public struct BoundedQueue<Element> {
  fileprivate var slots: [Element?]
  private var head = 0
  /// From 0 to `capacity`.
  public private(set) var count = 0

  /// Of at least one element; less is taken for 1. All memory is allocated here.
  public init(capacity: Int) { self.init(capacity: capacity, initially: capacity) }

  /// The same with memory for so many elements at first, which doubles when it is full: for queues that are seldom filled.
  public init(capacity: Int, initially: Int) {
    self.capacity = max(1, capacity)
    slots = Array(repeating: nil, count: min(max(1, initially), self.capacity))
  }

  /// The largest number of elements, which never changes.
  public let capacity: Int
  /// Whether `pop` would return nil.
  public var isEmpty: Bool { count == 0 }
  /// Whether the next `push` displaces an element.
  public var isFull: Bool { count == capacity }
  /// The oldest element, which stays; nil when the queue is empty.
  public var first: Element? { isEmpty ? nil : slots[head] }

  /// Adds to the end; when full, the oldest makes room and is returned.
  public mutating func push(_ element: Element) -> Element? {
    let displaced = isFull ? pop() : nil
    if count == slots.count { grow() }
    slots[(head + count) % slots.count] = element
    count += 1
    return displaced
  }

  private mutating func grow() {
    var larger = [Element?](repeating: nil, count: min(slots.count * 2, capacity))
    for index in 0..<count { larger[index] = slots[(head + index) % slots.count] }
    (slots, head) = (larger, 0)
  }

  /// Removes the oldest element; nil when the queue is empty.
  public mutating func pop() -> Element? {
    guard count > 0, let element = slots[head] else { return nil }
    slots[head] = nil
    head = (head + 1) % slots.count
    count -= 1
    return element
  }

  /// All, the oldest first.
  public mutating func takeAll() -> [Element] {
    var taken: [Element] = []
    while let element = pop() { taken.append(element) }
    return taken
  }
}

extension BoundedQueue where Element: Comparable {
  /// Of all that are here.
  public var least: Element? {
    var least: Element?
    for case .some(let element) in slots where least.map({ element < $0 }) ?? true { least = element }
    return least
  }
}
