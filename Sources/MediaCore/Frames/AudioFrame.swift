import CMediaSDK
import Glibc

/// A reference to a buffer of sound, counted by hand as `VideoFrame` is.
public struct AudioFrame: @unchecked Sendable, Equatable {
  /// The public struct, in its slot; valid while a reference is held.
  public let native: UnsafeMutablePointer<msdk_audio_frame>

  /// What stands behind the public struct in its slot.
  private struct Tail {
    var format: msdk_audio_format
    var plane: UnsafeMutablePointer<UInt8>?
    /// What the frame is, as the SDK made it: the public struct, and what it points to, can be changed by whoever has a pointer to it.
    var own: Own
  }

  private struct Own {
    var format: msdk_audio_format
    var plane: UnsafeMutablePointer<UInt8>?
    var sampleCount: UInt32
  }

  private static let tailOffset = (MemoryLayout<msdk_audio_frame>.size + 15) & ~15
  private static let table = SlotTable(payloadSize: tailOffset + MemoryLayout<Tail>.size, capacity: 65_536)

  /// Audio frames of the process with a reference left.
  public static var liveCount: Int { table?.liveCount ?? 0 }

  // MARK: Making

  /// A writable buffer of memory from the pool, its samples as they come; nil when the pool has none until the deadline.
  public static func make(
    _ format: AudioFormat, sampleCount: Int, from pool: BufferPool, deadline: Int64
  ) throws(MediaError) -> AudioFrame? {
    guard (1...Int(AudioFormat.mostSamples)).contains(sampleCount) else {
      throw MediaError(.range, "sample_count is \(sampleCount); accepted: 1..\(AudioFormat.mostSamples)")
    }
    guard let buffer = pool.take(capacity: sampleCount * format.stride, deadline: deadline), let memory = buffer.memory else { return nil }
    guard let payload = table?.allocate(SlotHeader(pool: Unmanaged.passRetained(pool), buffer: buffer)) else {
      pool.takeBack(buffer)
      Unmanaged.passUnretained(pool).release()
      throw MediaError(.noMemory, "65,536 audio frames are alive in this process; unref frames that are no longer needed")
    }
    return initialize(payload, format, sampleCount: sampleCount, at: memory.assumingMemoryBound(to: UInt8.self))
  }

  private static func initialize(
    _ payload: UnsafeMutableRawPointer, _ format: AudioFormat, sampleCount: Int, at plane: UnsafeMutablePointer<UInt8>?
  ) -> AudioFrame {
    let native = payload.bindMemory(to: msdk_audio_frame.self, capacity: 1)
    let tail = (payload + tailOffset).bindMemory(to: Tail.self, capacity: 1)
    let own = Own(format: format.foreign, plane: plane, sampleCount: UInt32(sampleCount))
    tail.initialize(to: Tail(format: own.format, plane: plane, own: own))
    var frame = msdk_audio_frame()
    frame.struct_size = UInt32(MemoryLayout<msdk_audio_frame>.size)
    frame.flags = UInt32(MSDK_FRAME_WRITABLE)
    frame.format = UnsafeRawPointer(tail).assumingMemoryBound(to: msdk_audio_format.self)
    frame.sample_count = UInt32(sampleCount)
    frame.plane_count = 1
    let planes = UnsafeMutableRawPointer(tail) + (MemoryLayout<Tail>.offset(of: \.plane) ?? 0)
    frame.planes = UnsafePointer(planes.assumingMemoryBound(to: UnsafeMutablePointer<UInt8>?.self))
    frame.duration_ns = format.duration(ofSamples: sampleCount)
    frame.level = AudioFrame.silentLevel
    native.pointee = frame
    return AudioFrame(native: native)
  }

  /// Another frame of the same memory, for somebody whose share that is; nil when they hold as many as they may.
  public func lent(to share: FrameShare) -> AudioFrame? {
    guard let payload = AudioFrame.table?.view(of: native, share: share) else { return nil }
    let frame = AudioFrame.initialize(payload, format, sampleCount: sampleCount, at: native.pointee.planes?.pointee)
    frame.native.pointee.duration_ns = native.pointee.duration_ns
    frame.copyIdentity(from: self)
    frame.setWritable(false)
    return frame
  }

  /// A writable, silent buffer of memory of its own.
  public static func make(_ format: AudioFormat, sampleCount: Int) throws(MediaError) -> AudioFrame {
    guard let frame = try make(format, sampleCount: sampleCount, from: BufferPool(limit: 1), deadline: 0) else {
      throw MediaError(.noMemory, "no memory for \(sampleCount) samples of \(format)")
    }
    frame.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    return frame
  }

  /// RFC 6464, section 3.
  public static let silentLevel: UInt32 = 127

  // MARK: References

  /// The frame that a foreign pointer names, with a reference for the caller to release.
  public static func retained(foreign pointer: UnsafePointer<msdk_audio_frame>?) throws(MediaError) -> AudioFrame {
    guard let pointer, let table, table.tryRetain(pointer) else {
      throw MediaError(.handle, "frame is \(pointer == nil ? "NULL" : "not a live audio frame"); accepted: a frame with a reference left")
    }
    return AudioFrame(native: UnsafeMutablePointer(mutating: pointer))
  }

  /// The same, of one that is to be read or written: refused when it is not what the SDK made any more.
  public static func checked(foreign pointer: UnsafePointer<msdk_audio_frame>?) throws(MediaError) -> AudioFrame {
    let frame = try retained(foreign: pointer)
    do throws(MediaError) {
      try frame.check()
    } catch {
      frame.release()
      throw error
    }
    return frame
  }

  /// Also when its maker wrote what this version does not know.
  public func check() throws(MediaError) {
    if let member = changedMember {
      throw MediaError(
        .invalid, "frame->\(member) was changed after the frame was made; accepted: a frame whose memory and format are as made")
    }
    try FrameBits.check(native.pointee.flags, argument: "frame")
    try ForeignStruct.checkReserved(native.pointee.reserved0, "frame->reserved0")
  }

  private var tail: UnsafeMutablePointer<Tail> {
    (UnsafeMutableRawPointer(native) + AudioFrame.tailOffset).assumingMemoryBound(to: Tail.self)
  }

  /// The first member of the public struct that is not as it was made, of those that say where the samples are.
  private var changedMember: StaticString? {
    let planes = UnsafeRawPointer(tail) + (MemoryLayout<Tail>.offset(of: \.plane) ?? 0)
    guard native.pointee.format.map(UnsafeRawPointer.init) == UnsafeRawPointer(tail) else { return "format" }
    guard memcmp(tail, &tail.pointee.own.format, MemoryLayout<msdk_audio_format>.size) == 0 else { return "format's members" }
    guard native.pointee.plane_count == 1 else { return "plane_count" }
    guard native.pointee.planes.map(UnsafeRawPointer.init) == planes else { return "planes" }
    guard tail.pointee.plane == tail.pointee.own.plane else { return "planes[0]" }
    return native.pointee.sample_count == tail.pointee.own.sampleCount ? nil : "sample_count"
  }

  /// Gives up one reference of a foreign pointer. False: it names no audio frame with a reference left.
  public static func release(foreign pointer: UnsafePointer<msdk_audio_frame>) -> Bool {
    table?.release(pointer) ?? false
  }

  /// 0 when the pointer names no audio frame with a reference left.
  public static func references(foreign pointer: UnsafePointer<msdk_audio_frame>) -> UInt32 {
    table?.count(of: pointer) ?? 0
  }

  /// One reference more, to be given up by `release()`. Any thread.
  public func retain() {
    _ = AudioFrame.table?.tryRetain(native)
  }

  /// Gives up one reference; with the last one the memory goes back to where it came from. Any thread.
  public func release() {
    _ = AudioFrame.table?.release(native)
  }

  /// Of all holders; others may change it at any moment unless it is 1.
  public var references: UInt32 { AudioFrame.references(foreign: native) }

  // MARK: Looking

  /// As the public struct says it; s16, 48,000 Hz, mono where that has no valid sample format. The expected delay is not carried.
  public var format: AudioFormat {
    guard let format = native.pointee.format?.pointee, let sampleFormat = SampleFormat(rawValue: format.sample_format) else {
      return AudioFormat(.s16, sampleRate: 48_000, channels: 1)
    }
    return AudioFormat(
      sampleFormat, sampleRate: format.sample_rate, channels: format.channels, samplesPerBuffer: format.frames_per_buffer)
  }

  /// Whether the holder may write to its samples (MSDK_FRAME_WRITABLE).
  public var isWritable: Bool { native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE) != 0 }

  /// Says whether the one who holds it may write to it.
  public func setWritable(_ isWritable: Bool) {
    let flag = UInt32(MSDK_FRAME_WRITABLE)
    native.pointee.flags = isWritable ? native.pointee.flags | flag : native.pointee.flags & ~flag
  }

  /// Copies what the samples do not say: when, which, what is missing before them.
  public func copyIdentity(from other: AudioFrame) {
    native.pointee.timestamp_ns = other.native.pointee.timestamp_ns
    native.pointee.sequence = other.native.pointee.sequence
    native.pointee.level = other.native.pointee.level
    let writable = UInt32(MSDK_FRAME_WRITABLE)
    native.pointee.flags = native.pointee.flags & writable | other.native.pointee.flags & ~writable
  }

  /// Per channel.
  public var sampleCount: Int { Int(native.pointee.sample_count) }

  /// The samples of all channels, interleaved; valid while a reference is held.
  public var bytes: UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(start: native.pointee.planes?.pointee, count: sampleCount * format.stride)
  }

  /// The samples of all channels, of a frame whose format is s16.
  public var s16: UnsafeMutableBufferPointer<Int16> {
    UnsafeMutableBufferPointer(start: bytes.baseAddress?.assumingMemoryBound(to: Int16.self), count: sampleCount * Int(format.channels))
  }

  /// The samples of all channels, of a frame whose format is f32.
  public var f32: UnsafeMutableBufferPointer<Float> {
    UnsafeMutableBufferPointer(start: bytes.baseAddress?.assumingMemoryBound(to: Float.self), count: sampleCount * Int(format.channels))
  }

  /// Says that it holds fewer samples than it was made for.
  public func shorten(to sampleCount: Int) {
    native.pointee.sample_count = UInt32(clamping: min(max(0, sampleCount), self.sampleCount))
    tail.pointee.own.sampleCount = native.pointee.sample_count
    native.pointee.duration_ns = format.duration(ofSamples: self.sampleCount)
  }

  /// Capture of the first sample, in nanoseconds of CLOCK_MONOTONIC.
  public var timestamp: Int64 { native.pointee.timestamp_ns }

  /// The index of the sample that was captured at a time: below 0 before the buffer, `sampleCount` or more behind it.
  public func position(of time: Int64) -> Int64 {
    let (distance, overflow) = time.subtractingReportingOverflow(timestamp)
    let clamped = overflow ? (time > timestamp ? Int64.max : Int64.min) : distance
    let rate = Int64(format.sampleRate)
    let (high, low) = clamped.multipliedFullWidth(by: rate)
    // Rounded down; beyond the range of the result everything is "far behind" or "far before".
    let billion: Int64 = 1_000_000_000
    guard high < billion / 2, high > -billion / 2 else { return clamped > 0 ? .max : .min }
    let (quotient, remainder) = billion.dividingFullWidth((high, low))
    return remainder < 0 ? quotient - 1 : quotient
  }
}
