import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore

/// Shared memory that the library fills and the plugin reads. A slot is lent for a call, and for longer when the plugin keeps the frame.
final class InputPool: Sendable {
  let generation: UInt32
  let memory: SharedMemory
  /// A bit for each slot that nobody reads.
  private let free: Monitor<UInt32>
  private let allSlots: UInt32

  init(_ memory: SharedMemory, generation: UInt32) {
    self.memory = memory
    self.generation = generation
    allSlots = UInt32.max >> (32 - memory.count)
    free = Monitor(allSlots)
  }

  /// Waits so many milliseconds, as what was given back may not have been reported yet.
  func take(timeout: UInt32 = 0) -> UInt32? {
    free.wait(until: timeout == 0 ? 0 : Deadline.after(milliseconds: timeout)) { free in
      guard free != 0 else { return nil }
      let slot = UInt32(free.trailingZeroBitCount)
      free &= ~(1 << slot)
      return slot
    }
  }

  /// False for slots that were not lent.
  func giveBack(_ slots: UInt32) -> Bool {
    let isGood = free.withLock { free in
      guard slots & ~allSlots == 0, slots & free == 0 else { return false }
      free |= slots
      return true
    }
    free.notify()
    return isGood
  }

  static func capacity(for frame: VideoFrame) throws(MediaError) -> Int {
    let format = frame.format
    return try FrameLayout(format.pixelFormat, width: format.width, height: format.height, alignment: 64).size
  }

  /// Copies a frame into a slot.
  func put(_ frame: VideoFrame, in slot: UInt32) throws(MediaError) -> VideoFrameHeader {
    let format = frame.format
    let layout = try FrameLayout(format.pixelFormat, width: format.width, height: format.height, alignment: 64)
    guard layout.size <= memory.slotSize else { throw MediaError(.noMemory, "the frame is larger than its slot") }
    var header = VideoFrameHeader(of: frame)
    (header.generation, header.slot) = (generation, slot)
    let base = memory.slot(slot)
    for (index, plane) in layout.planes.enumerated() {
      let source = frame.plane(index)
      if Int(source.stride) == plane.stride {
        memcpy(base + plane.offset, source.data, plane.stride * (plane.rows - 1) + plane.rowBytes)
      } else {
        for row in 0..<plane.rows {
          memcpy(base + plane.offset + row * plane.stride, source.data + row * Int(source.stride), plane.rowBytes)
        }
      }
      header.setPlane(index, offset: plane.offset, stride: Int32(plane.stride))
    }
    return header
  }

  /// Copies what the plugin has drawn into a slot out into a frame of the same format.
  func copy(_ header: VideoFrameHeader, into frame: VideoFrame) {
    let format = frame.format
    guard let layout = try? FrameLayout(format.pixelFormat, width: format.width, height: format.height, alignment: 64),
      layout.size <= memory.slotSize
    else { return }
    let base = memory.slot(header.slot)
    for (index, plane) in layout.planes.enumerated() {
      let destination = frame.plane(index)
      for row in 0..<plane.rows {
        memcpy(destination.data + row * Int(destination.stride), base + plane.offset + row * plane.stride, plane.rowBytes)
      }
    }
  }
}
