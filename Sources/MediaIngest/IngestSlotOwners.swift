/// Who has which slot of common memory: the feeder, or the session.
struct IngestSlotOwners: Sendable {
  private struct Slot {
    let size: UInt64
    var isHeld = false
  }

  private var slots = [Slot?](repeating: nil, count: IngestWire.slotCount)

  private func find(_ id: UInt32) throws(IngestRefusal) -> Slot {
    guard id < UInt32(slots.count), let slot = slots[Int(id)] else {
      throw IngestRefusal(.slot, "slot \(id) is not registered")
    }
    return slot
  }

  mutating func register(_ id: UInt32, size: UInt64, largest: Int) throws(IngestRefusal) {
    guard id < UInt32(slots.count) else { throw IngestRefusal(.slot, "slot \(id); accepted: 0..\(slots.count - 1)") }
    guard slots[Int(id)] == nil else { throw IngestRefusal(.slot, "slot \(id) is already registered") }
    // Whole pages, and huge ones.
    let most = UInt64(largest) + 1 << 21
    guard (1...most).contains(size) else { throw IngestRefusal(.tooLarge, "slot \(id) has \(size) bytes; accepted: 1..\(most)") }
    slots[Int(id)] = Slot(size: size)
  }

  /// From now on the session's.
  mutating func take(_ id: UInt32, for payloadSize: Int) throws(IngestRefusal) {
    var slot = try find(id)
    guard !slot.isHeld else { throw IngestRefusal(.slot, "slot \(id) has not been released") }
    guard UInt64(payloadSize) <= slot.size else {
      throw IngestRefusal(.slot, "slot \(id) has \(slot.size) bytes; the frame has \(payloadSize)")
    }
    slot.isHeld = true
    slots[Int(id)] = slot
  }

  /// Says whether the feeder is to be told.
  mutating func release(_ id: UInt32) -> Bool {
    guard id < UInt32(slots.count), slots[Int(id)]?.isHeld == true else { return false }
    slots[Int(id)]?.isHeld = false
    return true
  }

  mutating func forget(_ id: UInt32) throws(IngestRefusal) {
    guard try !find(id).isHeld else { throw IngestRefusal(.slot, "slot \(id) has not been released") }
    slots[Int(id)] = nil
  }
}
