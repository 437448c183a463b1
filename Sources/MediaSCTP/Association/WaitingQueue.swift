/// What waits to be taken, first in, first out; taking costs the same however much waits.
struct WaitingQueue<Element> {
  private var elements: [Element?] = []
  private var first = 0

  var count: Int { elements.count - first }
  var isEmpty: Bool { count == 0 }
  var next: Element? { isEmpty ? nil : elements[first] }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func take() -> Element? {
    guard !isEmpty else { return nil }
    let element = elements[first]
    elements[first] = nil
    first += 1
    if first == elements.count {
      elements.removeAll(keepingCapacity: first <= 64)
      first = 0
    } else if first > 64, first * 2 > elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }
}
