import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore

/// Shared memory that the plugin fills. The library alone counts: the plugin may name a slot that it was granted, once.
final class OutputPool: @unchecked Sendable {
  private struct State {
    /// What the plugin may name.
    var granted: UInt32
    /// What came back and was not granted again yet.
    var free: UInt32 = 0
  }

  /// What a frame's release finds its slot by.
  private struct Ticket {
    unowned(unsafe) let pool: OutputPool
    let slot: UInt32
  }

  let generation: UInt32
  let memory: SharedMemory
  private let state = Monitor(State(granted: Wire.allSlots))
  private let tickets = UnsafeMutablePointer<Ticket>.allocate(capacity: Int(Wire.slotCount))
  /// Slots are granted again at once, of a producer that is not asked; else with the next call.
  private let events: PacketSocket?

  init(_ memory: SharedMemory, generation: UInt32, events: PacketSocket?) {
    self.memory = memory
    self.generation = generation
    self.events = events
    for slot in 0..<Wire.slotCount { (tickets + Int(slot)).initialize(to: Ticket(pool: self, slot: slot)) }
  }

  deinit {
    tickets.deinitialize(count: Int(Wire.slotCount))
    tickets.deallocate()
  }

  /// Slots that are granted from now on.
  func takeFree() -> UInt32 {
    state.withLock { state in
      defer { state.free = 0 }
      state.granted |= state.free
      return state.free
    }
  }

  private func giveBack(_ slot: UInt32) {
    state.withLock { $0.free |= 1 << slot }
    guard let events else { return }
    let free = takeFree()
    var writer = WireWriter()
    writer.put(DowncallHeader(.grant, id: 0, generation: generation, number: free))
    // No room: with the next call, or the next slot.
    if free != 0, !events.send(writer, waits: false) {
      state.withLock { state in
        state.granted &= ~free
        state.free |= free
      }
    }
  }

  /// The slot may be named once for each time that it was granted.
  private func claim(_ generation: UInt32, _ slot: UInt32) throws(MediaError) {
    guard generation == self.generation, slot < Wire.slotCount else {
      throw MediaError(.corrupt, "it named slot \(slot) of pool \(generation), which it was not granted")
    }
    let isTaken = state.withLock { state in
      guard state.granted & 1 << slot != 0 else { return false }
      state.granted &= ~(1 << slot)
      return true
    }
    guard isTaken else { throw MediaError(.corrupt, "it named slot \(slot), which it was not granted") }
  }

  /// Bytes that the plugin has written into a slot, for the call only: the slot comes back after it. The plugin may write there meanwhile: they are to be
  /// copied, once, before anything is made of what they say.
  func withBytes(_ header: EncodedFrameHeader, _ body: (UnsafeRawBufferPointer) -> Void) throws(MediaError) {
    try claim(header.generation, header.slot)
    defer { giveBack(header.slot) }
    guard header.size <= UInt64(memory.slotSize) else {
      throw MediaError(.corrupt, "its encoded frame has \(header.size) bytes, in a slot of \(memory.slotSize)")
    }
    body(UnsafeRawBufferPointer(start: memory.slot(header.slot), count: Int(header.size)))
  }

  /// A frame of what the plugin has written into a slot: with one reference, the caller's. The slot comes back with the last.
  func frame(_ header: VideoFrameHeader) throws(MediaError) -> VideoFrame {
    try claim(header.generation, header.slot)
    do throws(MediaError) {
      return try wrap(header)
    } catch {
      giveBack(header.slot)
      throw error
    }
  }

  private func wrap(_ header: VideoFrameHeader) throws(MediaError) -> VideoFrame {
    let ticket = UnsafeMutableRawPointer(tickets + Int(header.slot))
    let frame = try header.wrap(memory.slot(header.slot), size: memory.slotSize, user: ticket) { opaque in
      guard let ticket = opaque?.assumingMemoryBound(to: Ticket.self).pointee else { return }
      let pool = Unmanaged.passUnretained(ticket.pool)
      ticket.pool.giveBack(ticket.slot)
      pool.release()
    }
    _ = Unmanaged.passRetained(self)
    frame.native.pointee.flags = header.flags & UInt32(MSDK_FRAME_END | MSDK_FRAME_CORRUPT | MSDK_FRAME_DISCONTINUITY)
    return frame
  }
}
