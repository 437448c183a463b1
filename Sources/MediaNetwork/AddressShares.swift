/// Who waits for something of which there is a bounded number, such as connections whose other end has not said who it is: a share for each
/// address, and of an address one for each stage, the step of a handshake that was reached. When it is full, one of the address that has most
/// is dropped; of that address one of the stage that has most, where who is a stage further counts half as much; of that stage the oldest.
///
/// So one address takes no place of another's, however fast it comes; and who takes a step soon enough passes a flood from their own address
/// that does not take it, or that takes it and waits. A pure value: who holds it locks it, and drops what it returns.
public struct AddressShares<Key: Hashable, Element> {
  private struct Entry {
    let element: Element
    let prefix: AddressPrefix
    var stage: Int
    /// When it reached its stage, in the order of all that happened here.
    var since: UInt64
  }

  let capacity: Int
  /// Of one address; the same rule says who is dropped.
  let capacityOfAddress: Int
  private var entries: [Key: Entry] = [:]
  private var counts: [AddressPrefix: [Int]] = [:]
  private let stages: Int
  private var events: UInt64 = 0

  /// Stages go from 0 to `stages` - 1.
  public init(capacity: Int, ofAddress: Int = .max, stages: Int = 1) {
    (self.capacity, capacityOfAddress, self.stages) = (max(1, capacity), max(1, ofAddress), max(1, min(stages, 16)))
  }

  /// Of all addresses together, at most `capacity` outside a call.
  public var count: Int { entries.count }
  /// In no particular order.
  public var elements: [Element] { entries.values.map(\.element) }
  /// nil: nothing waits under that key.
  public subscript(key: Key) -> Element? { entries[key]?.element }
  /// Whether something waits under that key.
  public func contains(_ key: Key) -> Bool { entries[key] != nil }
  /// Of that address.
  func count(of prefix: AddressPrefix) -> Int { counts[prefix]?.reduce(0, +) ?? 0 }

  /// One more; whoever is to be dropped for it, which may be itself.
  public mutating func add(_ element: Element, as key: Key, from prefix: AddressPrefix, stage: Int = 0) -> Element? {
    remove(key)
    events += 1
    let stage = max(0, min(stage, stages - 1))
    entries[key] = Entry(element: element, prefix: prefix, stage: stage, since: events)
    counts[prefix, default: [Int](repeating: 0, count: stages)][stage] += 1
    if count(of: prefix) > capacityOfAddress { return dropOne(of: prefix) }
    return entries.count > capacity ? dropOne() : nil
  }

  /// It reached a further stage.
  public mutating func advance(_ key: Key, to stage: Int) {
    guard var entry = entries[key], stage > entry.stage, stage < stages else { return }
    events += 1
    counts[entry.prefix]?[entry.stage] -= 1
    counts[entry.prefix]?[stage] += 1
    (entry.stage, entry.since) = (stage, events)
    entries[key] = entry
  }

  /// What waited under that key; nil for nothing, as when it was dropped before.
  @discardableResult
  public mutating func remove(_ key: Key) -> Element? {
    guard let entry = entries.removeValue(forKey: key) else { return nil }
    counts[entry.prefix]?[entry.stage] -= 1
    if counts[entry.prefix]?.allSatisfy({ $0 == 0 }) == true { counts[entry.prefix] = nil }
    return entry.element
  }

  /// Takes out who is to go first, by the same rule; nil: nobody is here.
  public mutating func dropOne() -> Element? {
    // Of addresses that have as many, the one whose stages weigh more: who said nothing goes before who did.
    let most = counts.max { one, other in
      let (few, many) = (one.value.reduce(0, +), other.value.reduce(0, +))
      return (few, heaviest(one.value).weight) < (many, heaviest(other.value).weight)
    }
    guard let most else { return nil }
    let (total, weight) = (most.value.reduce(0, +), heaviest(most.value).weight)
    return dropOldest(at: counts.filter { $0.value.reduce(0, +) == total }.mapValues(heaviest).filter { $0.value.weight == weight })
  }

  /// Takes out one of an address that has more than one more than that one; nil: there is none.
  public mutating func dropOne(for prefix: AddressPrefix) -> Element? {
    let most = counts.values.map { $0.reduce(0, +) }.max() ?? 0
    return most > count(of: prefix) + 1 ? dropOne() : nil
  }

  private mutating func dropOne(of prefix: AddressPrefix) -> Element? {
    dropOldest(at: counts[prefix].map { [prefix: heaviest($0)] } ?? [:])
  }

  /// Of those who are at such a stage of such an address.
  private mutating func dropOldest(at places: [AddressPrefix: (stage: Int, weight: Int)]) -> Element? {
    var oldest: (key: Key, since: UInt64)?
    for (key, entry) in entries where places[entry.prefix]?.stage == entry.stage {
      if entry.since < oldest?.since ?? .max { oldest = (key, entry.since) }
    }
    return oldest.flatMap { remove($0.key) }
  }

  private func heaviest(_ counts: [Int]) -> (stage: Int, weight: Int) {
    var found = (stage: 0, weight: 0)
    for (stage, count) in counts.enumerated() where count << (stages - 1 - stage) > found.weight {
      found = (stage, count << (stages - 1 - stage))
    }
    return found
  }
}
