import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// What the library lends for a call, as the frames that the plugin sees.
extension PluginCalls {
  func inputFrame() throws(MediaError) -> VideoFrame {
    let header = try reader.get(VideoFrameHeader.self)
    guard let (memory, generation) = input, header.generation == generation, header.slot < memory.count else {
      throw MediaError(.corrupt, "there is no pool \(header.generation)")
    }
    let lease = InputLease(memory, generation, header.slot, events)
    let user = Unmanaged.passRetained(lease)
    let frame: VideoFrame
    do throws(MediaError) {
      frame = try header.wrap(memory.slot(header.slot), size: memory.slotSize, user: user.toOpaque()) { opaque in
        if let opaque { Unmanaged<InputLease>.fromOpaque(opaque).takeRetainedValue().end() }
      }
    } catch {
      user.release()
      throw error
    }
    frame.native.pointee.flags = header.flags
    frame.native.pointee.sequence = header.sequence
    self.lease = lease
    return frame
  }

  /// Says with the reply, or later, when the plugin does not refer to it any more.
  func giveBack(_ frame: VideoFrame) {
    frame.release()
    keepsSlot = lease?.isKeptAfterCall() ?? false
    lease = nil
  }

  func withPacket(
    _ body: (UnsafePointer<msdk_encoded_frame>) -> msdk_result?
  ) throws(MediaError) -> msdk_result? {
    let (header, bytes) = try packetBytes()
    guard let frame = try EncodedFrame.make(copying: bytes, attributes: header.native, from: packets, deadline: 0) else {
      throw MediaError(.again, "the plugin holds 64 encoded frames: it must release some (rule P4)")
    }
    defer { frame.release() }
    return body(frame.native)
  }

  /// Encoded data, in the message or in a slot; borrowed for the call.
  func packetBytes() throws(MediaError) -> (header: EncodedFrameHeader, bytes: UnsafeRawBufferPointer) {
    let header = try reader.get(EncodedFrameHeader.self)
    if header.slot == .max { return (header, try reader.getBytes()) }
    guard let (memory, generation) = input, header.generation == generation, header.slot < memory.count, header.size <= memory.slotSize
    else { throw MediaError(.corrupt, "there is no pool \(header.generation)") }
    return (header, UnsafeRawBufferPointer(start: memory.slot(header.slot), count: Int(header.size)))
  }
}

/// A slot that the library lent for a call; kept longer when the plugin keeps the frame.
final class InputLease: Sendable {
  private struct State {
    var isOver = false
    var isKept = false
  }

  private let memory: SharedMemory
  private let generation: UInt32
  private let slot: UInt32
  private let events: PluginEvents
  private let state = Monitor(State())

  init(_ memory: SharedMemory, _ generation: UInt32, _ slot: UInt32, _ events: PluginEvents) {
    (self.memory, self.generation, self.slot, self.events) = (memory, generation, slot, events)
  }

  /// The last reference is gone.
  func end() {
    let isKept = state.withLock { state in
      state.isOver = true
      return state.isKept
    }
    guard isKept else { return }
    events.say(.release) { writer in
      writer.put(generation)
      writer.put(UInt32(1) << slot)
    }
  }

  func isKeptAfterCall() -> Bool {
    state.withLock { state in
      state.isKept = !state.isOver
      return state.isKept
    }
  }
}
