/// The last packets of a stream, each in a slot that its number names: a newer packet takes the place of the one that lies a round before it.
/// There are few slots at first: a stream of few packets takes little memory, and that stays in the processor's cache. With a lifetime there are twice
/// as many whenever a packet would take the place of one that is younger; without one whenever its owner has them grow.
final class PacketRing {
  struct Entry {
    /// Unwrapped; below 0 nothing lies there.
    fileprivate(set) var number: Int64 = -1
    fileprivate(set) var size = 0
    fileprivate(set) var time: Int64 = 0
    var sendings: UInt8 = 0
    var lastSent: Int64 = 0
    /// Taken to be sent again, and not gone yet.
    fileprivate(set) var isLeaving = false
  }

  let slotSize: Int
  let capacity: Int
  private let lifetime: Int64?
  private var memory: UnsafeMutableRawBufferPointer
  private var entries: [Entry]
  static let fewest = 32

  /// The capacity is rounded up to a power of two, 32768 at most, half of the numbers there are.
  init(capacity: Int, slotSize: Int = 1500, lifetime: Int64? = nil) {
    var rounded = 16
    while rounded < min(capacity, 32_768) { rounded *= 2 }
    self.capacity = rounded
    self.slotSize = max(64, slotSize)
    self.lifetime = lifetime
    let slots = min(rounded, PacketRing.fewest)
    memory = .allocate(byteCount: slots * self.slotSize, alignment: 16)
    entries = [Entry](repeating: Entry(), count: slots)
  }

  deinit {
    memory.deallocate()
  }

  /// Slots that there are now.
  var slots: Int { entries.count }

  @inline(__always)
  private func index(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & (entries.count - 1) }

  private func slot(_ number: Int64) -> UnsafeMutableRawBufferPointer {
    let start = index(number) * slotSize
    return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + slotSize])
  }

  /// Twice the slots, below the capacity; what is here stays.
  func grow() {
    guard entries.count < capacity else { return }
    let (former, kept) = (memory, entries)
    memory = .allocate(byteCount: 2 * former.count, alignment: 16)
    entries = [Entry](repeating: Entry(), count: 2 * kept.count)
    for (place, entry) in kept.enumerated() where entry.number >= 0 {
      let start = place * slotSize
      slot(entry.number).copyMemory(from: UnsafeRawBufferPointer(rebasing: former[start..<start + entry.size]))
      entries[index(entry.number)] = entry
    }
    former.deallocate()
  }

  /// The slot of a packet that is to be written; what lay there is gone, and nothing borrowed holds. `keep` says how much of it is the packet.
  func begin(_ number: Int64, now: Int64) -> UnsafeMutableRawBufferPointer {
    while let lifetime, entries.count < capacity, case let entry = entries[index(number)], entry.number >= 0, entry.number != number,
      now &- entry.time < lifetime
    { grow() }
    entries[index(number)] = Entry()
    return slot(number)
  }

  func keep(_ number: Int64, size: Int, time: Int64) {
    guard number >= 0, size <= slotSize else { return }
    entries[index(number)] = Entry(number: number, size: size, time: time)
  }

  /// False when it is larger than a slot.
  func put(_ number: Int64, _ bytes: UnsafeRawBufferPointer, time: Int64) -> Bool {
    guard bytes.count <= slotSize else { return false }
    begin(number, now: time).copyMemory(from: bytes)
    keep(number, size: bytes.count, time: time)
    return true
  }

  func contains(_ number: Int64) -> Bool { number >= 0 && entries[index(number)].number == number }

  func entry(_ number: Int64) -> Entry? {
    contains(number) ? entries[index(number)] : nil
  }

  /// Borrowed until the slot is taken by another.
  func packet(_ number: Int64) -> UnsafeRawBufferPointer? {
    guard contains(number) else { return nil }
    return UnsafeRawBufferPointer(rebasing: slot(number).prefix(entries[index(number)].size))
  }

  /// A packet leaves: how long it may be asked for counts from now on, however long it waited.
  func left(_ number: Int64, at now: Int64) {
    if contains(number) { entries[index(number)].time = now }
  }

  func drop(_ number: Int64) {
    if contains(number) { entries[index(number)] = Entry() }
  }

  /// Whether a packet is kept that may be sent again, now or in a while.
  func isRepairable(_ number: Int64, now: Int64, longest: Int64, mostSendings: UInt8) -> Bool {
    entry(number).map { $0.sendings < mostSendings && now &- $0.time <= longest } ?? false
  }

  /// Whether a packet that is missed may be sent again now: not while it waits to leave, not again before the first answer could have come, and
  /// not without end. `leftAgain` says when it has left.
  func takeForResending(_ number: Int64, now: Int64, roundTrip: Int64, longest: Int64, mostSendings: UInt8)
    -> UnsafeRawBufferPointer?
  {
    guard contains(number) else { return nil }
    let place = index(number)
    let entry = entries[place]
    guard !entry.isLeaving, entry.sendings < mostSendings, now &- entry.time <= longest else { return nil }
    guard entry.sendings == 0 || now &- entry.lastSent >= roundTrip else { return nil }
    entries[place].sendings += 1
    entries[place].isLeaving = true
    return packet(number)
  }

  /// It was sent again before it was taken for resending this time.
  func isRepeated(_ number: Int64) -> Bool { entry(number).map { $0.sendings > 1 } ?? false }

  /// From now on it may be on its way. Without a time there was no room for it.
  func leftAgain(_ number: Int64, now: Int64?) {
    guard contains(number) else { return }
    let place = index(number)
    entries[place].isLeaving = false
    if let now { entries[place].lastSent = now } else { entries[place].sendings -= min(1, entries[place].sendings) }
  }
}
