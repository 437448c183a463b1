import CMediaSDK
import Glibc

/// A reference to a picture, spelled out: whoever keeps one past the call it was given in says `retain()`, and `release()` when done. Automatic
/// counting would cost an object per frame; the leak tests watch `VideoFrame.liveCount` instead.
public struct VideoFrame: @unchecked Sendable, Equatable {
  /// The public struct, in its slot; valid while a reference is held.
  public let native: UnsafeMutablePointer<msdk_video_frame>

  private static let formatOffset = (MemoryLayout<msdk_video_frame>.size + 15) & ~15
  private static let ownOffset = (formatOffset + MemoryLayout<msdk_video_format>.size + 15) & ~15
  private static let metadataOffset = ownOffset + MemoryLayout<Own>.size
  private static let payloadSize = metadataOffset + FrameTrailer.most
  private static let table = SlotTable(payloadSize: payloadSize, capacity: 65_536)

  /// What the frame is, as the SDK made it: the public struct can be changed by whoever has a pointer to it.
  private struct Own {
    var format = msdk_video_format()
    var planes: Planes
    var planeCount: UInt32
    var byteCount = 0
    /// Bytes of the metadata after it; 0: there is none.
    var metadataSize = 0
  }

  /// Video frames of the process with a reference left.
  public static var liveCount: Int { table?.liveCount ?? 0 }

  // MARK: Making

  /// A writable frame of memory from the pool; nil when the pool has none until the deadline.
  public static func make(_ format: VideoFormat, from pool: BufferPool, deadline: Int64) throws(MediaError) -> VideoFrame? {
    let layout = try PooledLayout(format)
    guard let buffer = pool.take(capacity: layout.capacity, deadline: deadline), let memory = buffer.memory else { return nil }
    guard let frame = allocate(format, SlotHeader(pool: Unmanaged.passRetained(pool), buffer: buffer)) else {
      pool.takeBack(buffer)
      Unmanaged.passUnretained(pool).release()
      throw tableFull
    }
    layout.place(in: memory, of: frame)
    frame.native.pointee.flags = UInt32(MSDK_FRAME_WRITABLE)
    frame.seal()
    return frame
  }

  /// A writable frame of memory of its own.
  public static func make(_ format: VideoFormat) throws(MediaError) -> VideoFrame {
    guard let frame = try make(format, from: BufferPool(limit: 1), deadline: 0) else {
      throw MediaError(.noMemory, "no memory for a frame of \(format)")
    }
    return frame
  }

  typealias Planes = (msdk_plane, msdk_plane, msdk_plane, msdk_plane)

  /// A frame of somebody else's memory, whose planes were checked.
  static func wrap(
    _ format: VideoFormat, planes: Planes, release: (@convention(c) (UnsafeMutableRawPointer?) -> Void)?,
    opaque: UnsafeMutableRawPointer?
  ) throws(MediaError) -> VideoFrame {
    guard let frame = allocate(format, SlotHeader(release: release, opaque: opaque)) else { throw tableFull }
    let count = format.pixelFormat.planeCount
    frame.native.pointee.plane_count = UInt32(count)
    frame.native.pointee.plane.0 = planes.0
    if count > 1 { frame.native.pointee.plane.1 = planes.1 }
    if count > 2 { frame.native.pointee.plane.2 = planes.2 }
    frame.seal()
    return frame
  }

  /// Another frame of the same memory, to bear another timestamp and sequence. Keeps this one.
  public func view() throws(MediaError) -> VideoFrame {
    guard let payload = VideoFrame.table?.view(of: native) else { throw VideoFrame.tableFull }
    return sibling(at: payload)
  }

  /// The same for somebody whose share that is; nil when they hold as many as they may.
  public func lent(to share: FrameShare) -> VideoFrame? {
    VideoFrame.table?.view(of: native, share: share).map(sibling)
  }

  /// All of a frame is in its slot, and is copied at once.
  private func sibling(at payload: UnsafeMutableRawPointer) -> VideoFrame {
    payload.copyMemory(from: native, byteCount: VideoFrame.metadataOffset + own.pointee.metadataSize)
    let frame = VideoFrame(native: payload.bindMemory(to: msdk_video_frame.self, capacity: 1))
    let format = (payload + VideoFrame.formatOffset).bindMemory(to: msdk_video_format.self, capacity: 1)
    frame.native.pointee.format = UnsafePointer(format)
    frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
    return frame
  }

  static func allocate(_ format: VideoFormat, _ header: SlotHeader) -> VideoFrame? {
    table?.allocate(header).map { initialize($0, format) }
  }

  private static func initialize(_ payload: UnsafeMutableRawPointer, _ format: VideoFormat) -> VideoFrame {
    let native = payload.bindMemory(to: msdk_video_frame.self, capacity: 1)
    let nativeFormat = (payload + formatOffset).bindMemory(to: msdk_video_format.self, capacity: 1)
    nativeFormat.pointee = format.foreign
    var frame = msdk_video_frame()
    frame.struct_size = UInt32(MemoryLayout<msdk_video_frame>.size)
    frame.format = UnsafePointer(nativeFormat)
    native.pointee = frame
    return VideoFrame(native: native)
  }

  static let tableFull = MediaError(.noMemory, "65,536 frames are alive in this process; unref frames that are no longer needed")

  // MARK: References

  /// The frame that a foreign pointer names, with a reference for the caller to release.
  public static func retained(
    foreign pointer: UnsafePointer<msdk_video_frame>?, argument: StaticString = "frame"
  ) throws(MediaError) -> VideoFrame {
    guard let pointer, let table, table.tryRetain(pointer) else {
      throw MediaError(
        .handle, "\(argument) is \(pointer == nil ? "NULL" : "not a live video frame"); accepted: a frame with a reference left")
    }
    return VideoFrame(native: UnsafeMutablePointer(mutating: pointer))
  }

  /// The same, of one that is to be read or written: refused when it is not what the SDK made any more.
  public static func checked(
    foreign pointer: UnsafePointer<msdk_video_frame>?, argument: StaticString = "frame"
  ) throws(MediaError) -> VideoFrame {
    let frame = try retained(foreign: pointer, argument: argument)
    do throws(MediaError) {
      try frame.check(argument: argument)
    } catch {
      frame.release()
      throw error
    }
    return frame
  }

  /// Also when its maker wrote what this version does not know.
  public func check(argument: StaticString = "frame") throws(MediaError) {
    if let member = changedMember {
      throw MediaError(
        .invalid, "\(argument)->\(member) was changed after the frame was made; accepted: a frame whose memory and format are as made")
    }
    try FrameBits.check(native.pointee.flags, argument: argument)
    try FrameBits.check(orientation: native.pointee.orientation, argument: argument)
  }

  private var own: UnsafeMutablePointer<Own> {
    (UnsafeMutableRawPointer(native) + VideoFrame.ownOffset).assumingMemoryBound(to: Own.self)
  }

  /// Keeps what the frame is. To be called when its maker has filled the public struct.
  func seal() {
    own.initialize(to: Own(planes: native.pointee.plane, planeCount: native.pointee.plane_count))
    sealFormat()
  }

  private func sealFormat() {
    guard let format = native.pointee.format else { return }
    own.pointee.format = format.pointee
    own.pointee.byteCount = VideoFrame.byteCount(format.pointee)
  }

  /// The first member of the public struct that is not as it was made, of those that say where the pixels are.
  private var changedMember: StaticString? {
    let format = UnsafeMutableRawPointer(native) + VideoFrame.formatOffset
    guard native.pointee.format.map(UnsafeRawPointer.init) == UnsafeRawPointer(format) else { return "format" }
    guard memcmp(format, own, MemoryLayout<msdk_video_format>.size) == 0 else { return "format's members" }
    guard native.pointee.plane_count == own.pointee.planeCount else { return "plane_count" }
    return memcmp(&native.pointee.plane, &own.pointee.planes, MemoryLayout<Planes>.size) == 0 ? nil : "plane"
  }

  /// Gives up one reference of a foreign pointer. False: it names no video frame with a reference left.
  public static func release(foreign pointer: UnsafePointer<msdk_video_frame>) -> Bool {
    table?.release(pointer) ?? false
  }

  /// 0 when the pointer names no video frame with a reference left.
  public static func references(foreign pointer: UnsafePointer<msdk_video_frame>) -> UInt32 {
    table?.count(of: pointer) ?? 0
  }

  /// One reference more, to be given up by `release()`. Any thread.
  public func retain() {
    _ = VideoFrame.table?.tryRetain(native)
  }

  /// Gives up one reference; with the last one the memory goes back to where it came from. Any thread.
  public func release() {
    _ = VideoFrame.table?.release(native)
  }

  /// Of all holders; 0 after the last was given up. Others may change it at any moment unless it is 1.
  public var references: UInt32 { VideoFrame.references(foreign: native) }

  // MARK: Metadata

  /// What its sender sends with it, as a `FrameTrailer`; empty: nothing. Valid while a reference is held.
  public var metadata: UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: UnsafeRawPointer(native) + VideoFrame.metadataOffset, count: own.pointee.metadataSize)
  }

  /// A trailer, or nothing. For its maker, before anybody else has it.
  public func setMetadata(_ trailer: UnsafeRawBufferPointer) {
    own.pointee.metadataSize = trailer.count
    guard let source = trailer.baseAddress else { return }
    (UnsafeMutableRawPointer(native) + VideoFrame.metadataOffset).copyMemory(from: source, byteCount: trailer.count)
  }

  // MARK: Looking

  /// As the public struct says it; GRAY8 of one pixel where that has no valid pixel format.
  public var format: VideoFormat {
    guard let format = native.pointee.format?.pointee, let pixelFormat = PixelFormat(rawValue: format.pixel_format) else {
      return VideoFormat(.gray8, width: 1, height: 1)
    }
    return VideoFormat(
      pixelFormat, width: format.width, height: format.height, frameRate: FrameRate(format.fps_num, format.fps_den),
      color: ColorSpace(
        primaries: format.color_primaries, transfer: format.color_transfer, matrix: format.color_matrix,
        fullRange: format.color_full_range == 1), contentHint: format.content_hint, expectedDelay: format.expected_delay_ns)
  }

  /// Whether it is of that pixel format and size, which is what a frame sender asks.
  public func fits(_ format: VideoFormat) -> Bool {
    guard let own = native.pointee.format else { return false }
    return own.pointee.width == format.width && own.pointee.height == format.height
      && own.pointee.pixel_format == format.pixelFormat.rawValue
  }

  /// Whether the holder may write to its pixels (MSDK_FRAME_WRITABLE).
  public var isWritable: Bool { native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE) != 0 }

  /// Whether its memory is not the SDK's, but was wrapped.
  public var isForeign: Bool { VideoFrame.table?.isForeign(native) ?? false }

  /// Whether its memory is of a pool of ours, and not somebody else's or another frame's.
  public var isPooled: Bool { VideoFrame.table?.isPooled(native) ?? false }

  /// Says whether the one who holds it may write to it.
  public func setWritable(_ isWritable: Bool) {
    let flag = UInt32(MSDK_FRAME_WRITABLE)
    native.pointee.flags = isWritable ? native.pointee.flags | flag : native.pointee.flags & ~flag
  }

  /// As the public struct has it: 0, 1 or 2. Any other index is that of the fourth plane, which no format uses.
  public func plane(_ index: Int) -> msdk_plane {
    switch index {
    case 0: native.pointee.plane.0
    case 1: native.pointee.plane.1
    case 2: native.pointee.plane.2
    default: native.pointee.plane.3
    }
  }

  /// Bytes of pixels, without padding. Of a sealed frame.
  public var byteCount: Int { own.pointee.byteCount }

  private static func byteCount(_ format: msdk_video_format) -> Int {
    guard let pixelFormat = PixelFormat(rawValue: format.pixel_format) else { return 0 }
    let (width, height) = (Int(format.width), Int(format.height))
    var sum = 0
    for plane in 0..<pixelFormat.planeCount {
      sum += pixelFormat.rowBytes(plane: plane, width: width) * pixelFormat.rows(plane: plane, height: height)
    }
    return sum
  }

  /// Says what the pixels of a writable frame have become.
  public func setColor(_ color: ColorSpace) {
    guard let format = UnsafeMutablePointer(mutating: native.pointee.format) else { return }
    format.pointee.color_primaries = color.primaries
    format.pointee.color_transfer = color.transfer
    format.pointee.color_matrix = color.matrix
    format.pointee.color_full_range = color.fullRange ? 1 : 0
    sealFormat()
  }

  /// Leaves the last columns and rows out: of a view of one's own, at most as large as it is.
  public func cut(to format: VideoFormat) {
    guard let own = UnsafeMutablePointer(mutating: native.pointee.format) else { return }
    own.pointee.width = min(own.pointee.width, format.width)
    own.pointee.height = min(own.pointee.height, format.height)
    sealFormat()
  }

  /// Copies the pixels of a frame of the same format and size, row by row.
  public func copyPixels(from other: VideoFrame) throws(MediaError) {
    let format = self.format
    guard other.fits(format) else { throw MediaError(.format, "a frame of \(other.format) cannot be copied into one of \(format)") }
    for index in 0..<format.pixelFormat.planeCount {
      let (source, destination) = (other.plane(index), plane(index))
      let rowBytes = format.pixelFormat.rowBytes(plane: index, width: Int(format.width))
      for row in 0..<format.pixelFormat.rows(plane: index, height: Int(format.height)) {
        memcpy(destination.data + row * Int(destination.stride), source.data + row * Int(source.stride), rowBytes)
      }
    }
  }

  /// Copies what the pixels do not say: when, which, how rotated, what is missing before it, whether it is the last, and the metadata.
  public func copyIdentity(from other: VideoFrame) {
    native.pointee.timestamp_ns = other.native.pointee.timestamp_ns
    native.pointee.duration_ns = other.native.pointee.duration_ns
    native.pointee.sequence = other.native.pointee.sequence
    native.pointee.orientation = other.native.pointee.orientation
    let carried = UInt32(MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_CORRUPT | MSDK_FRAME_END)
    native.pointee.flags = native.pointee.flags & ~carried | other.native.pointee.flags & carried
    if self != other { setMetadata(other.metadata) }
  }
}

/// The rows of a pooled picture. Debug builds pad each row by 64 bytes more than alignment asks, so that code which takes the stride for the
/// width fails at once.
private struct PooledLayout {
  let layout: FrameLayout
  let capacity: Int

  init(_ format: VideoFormat) throws(MediaError) {
    layout = try FrameLayout(format.pixelFormat, width: format.width, height: format.height, alignment: 64)
    capacity = layout.size + PooledLayout.padding * layout.planes.reduce(0) { $0 + $1.rows }
  }

  #if DEBUG
    private static let padding = 64
  #else
    private static let padding = 0
  #endif

  func place(in memory: UnsafeMutableRawPointer, of frame: VideoFrame) {
    frame.native.pointee.plane_count = UInt32(layout.planes.count)
    var offset = 0
    withUnsafeMutableBytes(of: &frame.native.pointee.plane) { bytes in
      for (index, plane) in layout.planes.enumerated() {
        let stride = plane.stride + PooledLayout.padding
        let native = msdk_plane(
          data: (memory + offset).assumingMemoryBound(to: UInt8.self), size: UInt64(stride * plane.rows), stride: Int32(stride),
          reserved0: 0,
          reserved1: 0)
        bytes.storeBytes(of: native, toByteOffset: index * MemoryLayout<msdk_plane>.stride, as: msdk_plane.self)
        offset += stride * plane.rows
      }
    }
  }
}
