import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// What the library lends for a call, as the frames that the plugin sees.
extension PluginCalls {
  func inputFrame(_ header: VideoFrameHeader) throws(MediaError) -> VideoFrame {
    guard let (memory, generation) = lent, header.generation == generation, header.slot < memory.count else {
      throw MediaError(.corrupt, "there is no pool \(header.generation)")
    }
    let native = header.format.native
    let format = try VideoFormat(checking: native, argument: "the frame's format")
    let base = memory.slot(header.slot)
    var external = msdk_external_frame()
    external.struct_size = UInt32(MemoryLayout<msdk_external_frame>.size)
    external.plane_count = UInt32(format.pixelFormat.planeCount)
    external.orientation = header.orientation
    external.timestamp_ns = header.timestamp
    func plane(_ offset: UInt64, _ stride: Int32) -> msdk_plane {
      let isInside = offset < UInt64(memory.slotSize)
      return msdk_plane(
        data: (base + (isInside ? Int(offset) : 0)).assumingMemoryBound(to: UInt8.self),
        size: isInside ? UInt64(memory.slotSize) - offset : 0, stride: stride, reserved0: 0, reserved1: 0)
    }
    external.plane.0 = plane(header.offsets.0, header.strides.0)
    external.plane.1 = plane(header.offsets.1, header.strides.1)
    external.plane.2 = plane(header.offsets.2, header.strides.2)
    let loan = InputLease(memory, generation, header.slot, events)
    external.user = Unmanaged.passRetained(loan).toOpaque()
    external.release = { opaque in
      if let opaque { Unmanaged<InputLease>.fromOpaque(opaque).takeRetainedValue().end() }
    }
    let frame = try withUnsafePointer(to: native) { format throws(MediaError) in
      external.format = format
      return try VideoFrame.wrap(checking: external)
    }
    frame.native.pointee.flags = header.flags
    frame.native.pointee.duration_ns = header.duration
    frame.native.pointee.sequence = header.sequence
    present = loan
    return frame
  }

  /// Says with the reply, or later, when the plugin does not refer to it any more.
  func giveBack(_ frame: VideoFrame) {
    frame.release()
    keepsSlot = present?.isKeptAfterCall() ?? false
    present = nil
  }

  func withPacket(
    _ reader: inout WireReader, _ body: (UnsafePointer<msdk_encoded_frame>) -> msdk_result
  ) throws(MediaError) -> msdk_result {
    let (header, bytes) = try packetBytes(&reader)
    guard let frame = try EncodedFrame.make(copying: bytes, attributes: header.native, from: packets, deadline: 0) else {
      throw MediaError(.again, "the plugin holds 64 encoded frames: it must release some (rule P4)")
    }
    defer { frame.release() }
    return body(frame.native)
  }

  /// Encoded data, in the message or in a slot; borrowed for the call.
  func packetBytes(_ reader: inout WireReader) throws(MediaError) -> (header: EncodedFrameHeader, bytes: UnsafeRawBufferPointer) {
    let header = try reader.get(EncodedFrameHeader.self)
    if header.slot == .max { return (header, try reader.getBytes()) }
    guard let (memory, generation) = lent, header.generation == generation, header.slot < memory.count, header.size <= memory.slotSize
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
