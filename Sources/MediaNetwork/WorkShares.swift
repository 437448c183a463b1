import MediaCore

/// Work that many ask for, of which so much is done in a second: who is next. Addresses alternate; of an address, whoever asked first is next.
/// So an address that asks for more than is done delays no other address by more than one piece of work at a time. A pure value: who holds it
/// locks it, and bounds how many ask (`AddressShares`).
public struct WorkShares<Key: Hashable> {
  private(set) var allowance: WorkAllowance
  /// Those of each address, the first to ask first; never empty.
  private var queues: [AddressPrefix: [Key]] = [:]
  /// The addresses of `queues`, the next one first.
  private var order: [AddressPrefix] = []
  private var prefixes: [Key: AddressPrefix] = [:]

  /// Nobody waits; all share that allowance.
  public init(_ allowance: WorkAllowance) {
    self.allowance = allowance
  }

  /// Those who wait.
  public var count: Int { prefixes.count }

  /// nil: it may begin now, and waits no longer. Otherwise when to ask again: at that time whoever is next, the others when they are woken.
  public mutating func ask(_ key: Key, from prefix: AddressPrefix, at now: Int64) -> Int64? {
    wait(key, from: prefix)
    guard let next = next(at: now), next.key == key else { return .max }
    guard allowance.available(at: now) > 0 else { return next.time }
    dequeue()
    return nil
  }

  /// Waits like one who asked, and asks later.
  public mutating func wait(_ key: Key, from prefix: AddressPrefix) {
    guard prefixes[key] == nil else { return }
    prefixes[key] = prefix
    queues[prefix, default: []].append(key)
    if queues[prefix]?.count == 1 { order.append(prefix) }
  }

  /// Some work was done; of whoever began and did nothing nothing is counted.
  public mutating func charge(_ amount: Int = 1, at now: Int64) { allowance.charge(amount, at: now) }

  /// Who is next, and when.
  public mutating func next(at now: Int64) -> (key: Key, time: Int64)? {
    guard let prefix = order.first, let key = queues[prefix]?.first else { return nil }
    return (key, allowance.time(at: now))
  }

  /// The address that was served comes after all others.
  private mutating func dequeue() {
    let prefix = order.removeFirst()
    guard var queue = queues.removeValue(forKey: prefix) else { return }
    prefixes[queue.removeFirst()] = nil
    guard !queue.isEmpty else { return }
    queues[prefix] = queue
    order.append(prefix)
  }

  /// It waits no longer.
  public mutating func remove(_ key: Key) {
    guard let prefix = prefixes.removeValue(forKey: key) else { return }
    queues[prefix]?.removeAll { $0 == key }
    guard queues[prefix]?.isEmpty == true else { return }
    queues[prefix] = nil
    order.removeAll { $0 == prefix }
  }
}
