import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore

/// The plugin's side of `OutputPool`: which slots may be filled, and which frames lie in them.
final class OutputSlots: Sendable {
  private struct State {
    var memory: SharedMemory?
    var generation: UInt32 = 0
    /// May be named to the library.
    var granted: UInt32 = 0
    /// A frame of ours lies there, delivered or not.
    var held: UInt32 = 0
    /// Pools of before, in which frames still lie.
    var former: [(generation: UInt32, memory: SharedMemory, held: UInt32)] = []
  }

  struct Slot {
    let memory: UnsafeMutableRawPointer
    let size: Int
    let generation: UInt32
    let index: UInt32
  }

  private let state = Monitor(State())

  func grant(_ slots: UInt32, generation: UInt32) {
    guard slots != 0 else { return }
    state.withLock { if $0.generation == generation { $0.granted |= slots } }
    state.notify()
  }

  func adopt(_ memory: SharedMemory, generation: UInt32) {
    state.withLock { state in
      if let old = state.memory, state.held != 0 { state.former.append((state.generation, old, state.held)) }
      state.memory = memory
      state.generation = generation
      (state.granted, state.held) = (Wire.allSlots, 0)
    }
    state.notify()
  }

  var slotSize: Int { state.withLock { $0.memory?.slotSize ?? 0 } }

  func take(deadline: Int64, leaving spare: Int = 0) -> Slot? {
    state.wait(until: deadline) { state in
      let usable = state.granted & ~state.held
      guard usable.nonzeroBitCount > spare, let memory = state.memory else { return nil }
      let index = UInt32(usable.trailingZeroBitCount)
      state.held |= 1 << index
      return Slot(memory: memory.slot(index), size: memory.slotSize, generation: state.generation, index: index)
    }
  }

  /// The last reference to the frame in it is gone.
  func release(_ generation: UInt32, _ index: UInt32) {
    state.withLock { state in
      if generation == state.generation {
        state.held &= ~(1 << index)
        return
      }
      guard let place = state.former.firstIndex(where: { $0.generation == generation }) else { return }
      state.former[place].held &= ~(1 << index)
      if state.former[place].held == 0 { state.former.remove(at: place) }
    }
    state.notify()
  }

  /// The slot in which the whole frame lies, if it may be named now: from here on it may not be again.
  func name(_ frame: VideoFrame) -> VideoFrameHeader? {
    let planes = frame.format.pixelFormat.planeCount
    return state.withLock { state in
      guard let memory = state.memory, let first = frame.plane(0).data else { return nil }
      let offset = UInt(bitPattern: first) &- UInt(bitPattern: memory.base)
      let index = UInt32(clamping: offset / UInt(memory.slotSize))
      guard index < Wire.slotCount, state.granted & 1 << index != 0 else { return nil }
      var header = VideoFrameHeader(of: frame)
      (header.generation, header.slot) = (state.generation, index)
      let base = UInt(bitPattern: memory.slot(index))
      for number in 0..<planes {
        let plane = frame.plane(number)
        let start = UInt(bitPattern: plane.data) &- base
        guard start < UInt(memory.slotSize), plane.size <= UInt64(UInt(memory.slotSize) - start) else { return nil }
        header.setPlane(number, offset: Int(start), stride: plane.stride)
      }
      state.granted &= ~(1 << index)
      return header
    }
  }

  /// It is named to the library with what was written there, and nothing of ours lies in it any more.
  func nameTaken(_ slot: Slot) {
    state.withLock { state in
      guard slot.generation == state.generation else { return }
      state.granted &= ~(1 << slot.index)
      state.held &= ~(1 << slot.index)
    }
  }

  // MARK: Frames

  /// A writable frame in a slot, of which there must be room for.
  func makeFrame(_ format: VideoFormat, deadline: Int64, leaving spare: Int = 0) throws(MediaError) -> VideoFrame? {
    let layout = try FrameLayout(format.pixelFormat, width: format.width, height: format.height, alignment: 64)
    guard let slot = take(deadline: deadline, leaving: spare) else { return nil }
    guard OutputSlots.capacity(layout) <= slot.size else {
      release(slot.generation, slot.index)
      return nil
    }
    var external = msdk_external_frame.sized
    external.plane_count = UInt32(layout.planes.count)
    var offset = 0
    for (index, plane) in layout.planes.enumerated() {
      let stride = plane.stride + OutputSlots.padding
      let native = msdk_plane(
        data: (slot.memory + offset).assumingMemoryBound(to: UInt8.self), size: UInt64(stride * plane.rows), stride: Int32(stride),
        reserved0: 0,
        reserved1: 0)
      switch index {
      case 0: external.plane.0 = native
      case 1: external.plane.1 = native
      default: external.plane.2 = native
      }
      offset += stride * plane.rows
    }
    // No address: what the slot is found by.
    external.user = UnsafeMutableRawPointer(bitPattern: UInt(slot.generation) << 8 | UInt(slot.index) + 1)
    external.release = { opaque in
      let bits = UInt(bitPattern: opaque)
      PluginEvents.shared?.slots.release(UInt32(truncatingIfNeeded: bits >> 8), UInt32(truncatingIfNeeded: bits & 0xFF) &- 1)
    }
    let native = format.foreign
    let frame = try withUnsafePointer(to: native) { format throws(MediaError) in
      external.format = format
      return try VideoFrame.wrap(checking: external)
    }
    frame.native.pointee.flags = UInt32(MSDK_FRAME_WRITABLE)
    return frame
  }

  // As BufferPool's frames, so that a plugin that takes the stride for the width fails in debug builds.
  #if DEBUG
    private static let padding = 64
  #else
    private static let padding = 0
  #endif

  static func capacity(_ layout: FrameLayout) -> Int {
    layout.planes.reduce(0) { $0 + ($1.stride + padding) * $1.rows }
  }
}
