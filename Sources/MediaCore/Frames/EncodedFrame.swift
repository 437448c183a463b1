import CMediaSDK
import Glibc

/// A reference to an encoded picture, counted by hand as `VideoFrame` is.
public struct EncodedFrame: @unchecked Sendable, Equatable {
  /// The public struct, in its slot; valid while a reference is held.
  public let native: UnsafeMutablePointer<msdk_encoded_frame>

  private static let ownOffset = (MemoryLayout<msdk_encoded_frame>.size + 15) & ~15
  private static let table = SlotTable(payloadSize: ownOffset + MemoryLayout<Own>.size, capacity: 65_536)

  private struct Own {
    /// What the frame is, as the SDK made it: the public struct can be changed by whoever has a pointer to it.
    var native: msdk_encoded_frame
    /// Bytes of the metadata, which follows the data in memory; 0: there is none.
    var metadataSize = 0
  }

  /// Bytes of the data: 16 MiB.
  public static let largest = 16 << 20
  /// Encoded frames of the process with a reference left.
  public static var liveCount: Int { table?.liveCount ?? 0 }

  /// A frame with a copy of `data` in memory from the pool; nil when the pool has none until the deadline. `attributes` says all the rest.
  public static func make(
    copying data: UnsafeRawBufferPointer, attributes: msdk_encoded_frame, from pool: BufferPool, deadline: Int64
  ) throws(MediaError) -> EncodedFrame? {
    try make(size: data.count, attributes: attributes, from: pool, deadline: deadline) { memory in
      memory.copyMemory(from: data)
      return true
    }
  }

  /// The same with what `fill` writes; nil when that says false.
  public static func make(
    size: Int, attributes: msdk_encoded_frame, from pool: BufferPool, deadline: Int64, fill: (UnsafeMutableRawBufferPointer) -> Bool
  ) throws(MediaError) -> EncodedFrame? {
    guard (1...largest).contains(size) else { throw MediaError(.invalid, "an encoded frame has \(size) bytes; accepted: 1..\(largest)") }
    // Room for the metadata, and to spare, so that a buffer serves frames of somewhat different sizes.
    let capacity = (size + FrameTrailer.most + 4095) & ~4095
    guard let buffer = pool.take(capacity: capacity, deadline: deadline), let memory = buffer.memory else { return nil }
    guard fill(UnsafeMutableRawBufferPointer(start: memory, count: size)) else {
      pool.takeBack(buffer)
      return nil
    }
    guard let payload = table?.allocate(SlotHeader(pool: Unmanaged.passRetained(pool), buffer: buffer)) else {
      pool.takeBack(buffer)
      Unmanaged.passUnretained(pool).release()
      throw MediaError(.noMemory, "65,536 encoded frames are alive in this process; unref frames that are no longer needed")
    }
    let native = payload.bindMemory(to: msdk_encoded_frame.self, capacity: 1)
    native.pointee = attributes
    native.pointee.struct_size = UInt32(MemoryLayout<msdk_encoded_frame>.size)
    native.pointee.data = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
    native.pointee.size = UInt64(size)
    let frame = EncodedFrame(native: native)
    frame.own.initialize(to: Own(native: native.pointee))
    return frame
  }

  /// Another frame of the same memory, for somebody whose share that is; nil when they hold as many as they may.
  public func lent(to share: FrameShare) -> EncodedFrame? {
    guard let payload = EncodedFrame.table?.view(of: native, share: share) else { return nil }
    let frame = EncodedFrame(native: payload.bindMemory(to: msdk_encoded_frame.self, capacity: 1))
    frame.native.initialize(to: native.pointee)
    frame.own.initialize(to: Own(native: native.pointee, metadataSize: own.pointee.metadataSize))
    return frame
  }

  /// The frame that a foreign pointer names, with a reference for the caller to release. `.handle`: it names none with a reference left.
  public static func retained(foreign pointer: UnsafePointer<msdk_encoded_frame>?) throws(MediaError) -> EncodedFrame {
    guard let pointer, let table, table.tryRetain(pointer) else {
      throw MediaError(.handle, "frame is \(pointer == nil ? "NULL" : "not a live encoded frame"); accepted: one with a reference left")
    }
    return EncodedFrame(native: UnsafeMutablePointer(mutating: pointer))
  }

  /// Refuses one that is not what the SDK made any more.
  /// Also when its maker wrote what this version does not know.
  public func check() throws(MediaError) {
    if let member = changedMember {
      throw MediaError(
        .invalid, "frame->\(member) was changed after the frame was made; accepted: a frame whose data and description are as made")
    }
    try FrameBits.check(encoded: native.pointee.flags, argument: "frame->flags")
    try FrameBits.check(orientation: native.pointee.orientation, argument: "frame")
    guard native.pointee.color_full_range <= 1 else {
      throw MediaError(.unsupported, "frame->color_full_range is \(native.pointee.color_full_range); accepted: 0, 1")
    }
    try ForeignStruct.checkReserved(native.pointee.reserved0, "frame->reserved0")
  }

  private var own: UnsafeMutablePointer<Own> {
    (UnsafeMutableRawPointer(native) + EncodedFrame.ownOffset).assumingMemoryBound(to: Own.self)
  }

  // MARK: Metadata

  /// What its sender sends with it, as a `FrameTrailer`; empty: nothing. Valid while a reference is held.
  public var metadata: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: withMetadata.dropFirst(Int(own.pointee.native.size)))
  }

  /// The data and the metadata after it.
  private var withMetadata: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: own.pointee.native.data, count: Int(own.pointee.native.size) + own.pointee.metadataSize)
  }

  /// A trailer, or nothing. For its maker, before anybody else has it.
  public func setMetadata(_ trailer: UnsafeRawBufferPointer) {
    own.pointee.metadataSize = trailer.count
    guard let source = trailer.baseAddress, let data = own.pointee.native.data else { return }
    UnsafeMutableRawPointer(mutating: data + Int(own.pointee.native.size)).copyMemory(from: source, byteCount: trailer.count)
  }

  /// The trailer at the end of the data becomes metadata, and is no part of the data any more; without one nothing changes. For who receives the
  /// frame, before anybody else has it.
  public func takeTrailer() {
    guard own.pointee.metadataSize == 0 else { return }
    let size = FrameTrailer.size(atEndOf: bytes)
    native.pointee.size -= UInt64(size)
    own.pointee.metadataSize = size
    own.pointee.native.size = native.pointee.size
  }

  /// Another frame of the same memory, whose data ends with the metadata; nil where there is none.
  public func withTrailer() -> EncodedFrame? {
    guard own.pointee.metadataSize > 0, let payload = EncodedFrame.table?.view(of: native) else { return nil }
    let frame = EncodedFrame(native: payload.bindMemory(to: msdk_encoded_frame.self, capacity: 1))
    frame.native.initialize(to: native.pointee)
    frame.native.pointee.size = UInt64(withMetadata.count)
    frame.own.initialize(to: Own(native: frame.native.pointee))
    return frame
  }

  /// The frame is what `attributes` say, with its own data. For its maker, before anybody else has it.
  public func describe(as attributes: msdk_encoded_frame) {
    let (data, size) = (native.pointee.data, native.pointee.size)
    native.pointee = attributes
    (native.pointee.struct_size, native.pointee.data, native.pointee.size) = (UInt32(MemoryLayout<msdk_encoded_frame>.size), data, size)
    seal()
  }

  /// Keeps what the frame is. To be called by who describes it after it was made.
  public func seal() {
    own.pointee.native = native.pointee
  }

  /// The first member of the public struct that is not as it was made, of those that say where and of what kind the data is.
  private var changedMember: StaticString? {
    let (now, made) = (native.pointee, own.pointee.native)
    guard now.data == made.data else { return "data" }
    guard now.size == made.size else { return "size" }
    guard now.codec == made.codec else { return "codec" }
    guard (now.flags ^ made.flags) & UInt32(MSDK_ENCODED_KEY) == 0 else { return "flags" }
    // Of others the data says nothing, and who made the frame may.
    return !isKeyFrame || now.width == made.width && now.height == made.height ? nil : "width or height"
  }

  /// Gives up one reference of a foreign pointer. False: it names no encoded frame with a reference left.
  public static func release(foreign pointer: UnsafePointer<msdk_encoded_frame>) -> Bool {
    table?.release(pointer) ?? false
  }

  /// One reference more, to be given up by `release()`. Any thread.
  public func retain() {
    _ = EncodedFrame.table?.tryRetain(native)
  }

  /// Gives up one reference; with the last one the memory goes back to its pool. Any thread.
  public func release() {
    _ = EncodedFrame.table?.release(native)
  }

  /// Of all holders; 0 after the last was given up. Others may change it at any moment unless it is 1.
  public var references: UInt32 { EncodedFrame.table?.count(of: native) ?? 0 }

  /// The encoded data; valid while a reference is held.
  public var bytes: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: native.pointee.data, count: Int(native.pointee.size))
  }

  /// Whether decoding can begin with it (MSDK_ENCODED_KEY).
  public var isKeyFrame: Bool { native.pointee.flags & UInt32(MSDK_ENCODED_KEY) != 0 }
  /// Whether no later frame is predicted from it (MSDK_ENCODED_DROPPABLE).
  public var isDroppable: Bool { native.pointee.flags & UInt32(MSDK_ENCODED_DROPPABLE) != 0 }
}
