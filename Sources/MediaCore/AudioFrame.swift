import CMediaSDK
import Glibc

/// A reference to a buffer of sound, counted by hand as `VideoFrame` is.
public struct AudioFrame: @unchecked Sendable, Equatable {
  public let native: UnsafeMutablePointer<msdk_audio_frame>

  /// What stands behind the public struct in its slot.
  private struct Tail {
    var format: msdk_audio_format
    var plane: UnsafeMutablePointer<UInt8>?
  }

  private static let tailOffset = (MemoryLayout<msdk_audio_frame>.size + 15) & ~15
  private static let table = SlotTable(payloadSize: tailOffset + MemoryLayout<Tail>.size, capacity: 65_536)

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
      throw MediaError(.noMemory, "65,536 audio frames are alive in this process; unref frames that are done with")
    }
    let native = payload.bindMemory(to: msdk_audio_frame.self, capacity: 1)
    let tail = (payload + tailOffset).bindMemory(to: Tail.self, capacity: 1)
    tail.pointee = Tail(format: format.foreign, plane: memory.assumingMemoryBound(to: UInt8.self))
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

  public static func release(foreign pointer: UnsafePointer<msdk_audio_frame>) -> Bool {
    table?.release(pointer) ?? false
  }

  public static func references(foreign pointer: UnsafePointer<msdk_audio_frame>) -> UInt32 {
    table?.count(of: pointer) ?? 0
  }

  public func retain() {
    _ = AudioFrame.table?.tryRetain(native)
  }

  public func release() {
    _ = AudioFrame.table?.release(native)
  }

  public var references: UInt32 { AudioFrame.references(foreign: native) }

  // MARK: Looking

  public var format: AudioFormat {
    guard let format = native.pointee.format?.pointee, let sampleFormat = SampleFormat(rawValue: format.sample_format) else {
      return AudioFormat(.s16, sampleRate: 48_000, channels: 1)
    }
    return AudioFormat(
      sampleFormat, sampleRate: format.sample_rate, channels: format.channels, samplesPerBuffer: format.frames_per_buffer)
  }

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
    native.pointee.duration_ns = format.duration(ofSamples: self.sampleCount)
  }

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
