/// Samples that wait, interleaved, in a ring of fixed capacity. What is written beyond it displaces the oldest. Not synchronised.
public final class SampleRing: @unchecked Sendable {
  private let storage: UnsafeMutablePointer<Float>
  private let capacity: Int
  private var head = 0
  /// Samples of all channels.
  public private(set) var count = 0

  /// In samples of all channels; less than 1 is taken for 1. All memory is allocated here.
  public init(capacity: Int) {
    self.capacity = max(1, capacity)
    storage = .allocate(capacity: self.capacity)
    storage.initialize(repeating: 0, count: self.capacity)
  }

  deinit {
    storage.deallocate()
  }

  /// Says how many were displaced, or had no place at all.
  @discardableResult
  public func write(_ source: UnsafePointer<Float>, count added: Int) -> Int {
    let kept = min(added, capacity)
    let displaced = reserve(kept)
    let from = source + (added - kept)
    let tail = (head + count) % capacity
    let first = min(kept, capacity - tail)
    (storage + tail).update(from: from, count: first)
    storage.update(from: from + first, count: kept - first)
    count += kept
    return displaced + added - kept
  }

  /// Appends zeros, in samples of all channels; as with `write`, the oldest samples make room.
  public func writeSilence(count added: Int) {
    let kept = min(added, capacity)
    reserve(kept)
    let tail = (head + count) % capacity
    let first = min(kept, capacity - tail)
    (storage + tail).update(repeating: 0, count: first)
    storage.update(repeating: 0, count: kept - first)
    count += kept
  }

  @discardableResult
  private func reserve(_ added: Int) -> Int {
    let displaced = max(0, count + added - capacity)
    drop(displaced)
    return displaced
  }

  /// The oldest samples, in at most two stretches, which `body` is given one after the other; then they are gone. Says how many there were.
  @discardableResult
  public func read(_ most: Int, _ body: (UnsafePointer<Float>, Int) -> Void) -> Int {
    let taken = min(most, count)
    let first = min(taken, capacity - head)
    if first > 0 { body(UnsafePointer(storage + head), first) }
    if taken > first { body(UnsafePointer(storage), taken - first) }
    drop(taken)
    return taken
  }

  /// The oldest sample but `index`.
  public subscript(_ index: Int) -> Float {
    get { storage[(head + index) % capacity] }
    set { storage[(head + index) % capacity] = newValue }
  }

  /// The largest magnitude among the oldest samples.
  public func peak(_ most: Int) -> Float {
    let looked = min(most, count)
    let first = min(looked, capacity - head)
    var peak: Float = 0
    for index in 0..<first { peak = max(peak, storage[head + index].magnitude) }
    for index in 0..<looked - first { peak = max(peak, storage[index].magnitude) }
    return peak
  }

  /// Removes the oldest samples, of all channels together: all of them when there are fewer, none for a number below 0.
  public func drop(_ most: Int) {
    let dropped = min(max(0, most), count)
    head = (head + dropped) % capacity
    count -= dropped
  }
}
