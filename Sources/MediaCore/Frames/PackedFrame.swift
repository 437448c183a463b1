import CMediaSDK

/// Frames whose planes follow one another without gaps, with rows of strides that the caller has checked.
extension VideoFrame {
  /// Bytes of all planes.
  public static func packedSize(_ format: VideoFormat, strides: SIMD4<UInt32>) -> Int {
    (0..<format.pixelFormat.planeCount).reduce(0) { $0 + packedSize($1, format, strides) }
  }

  /// A writable one; nil when the pool has no memory until the deadline.
  public static func make(
    _ format: VideoFormat, strides: SIMD4<UInt32>, from pool: BufferPool, deadline: Int64
  ) throws(MediaError) -> VideoFrame? {
    guard let buffer = pool.take(capacity: packedSize(format, strides: strides), deadline: deadline), let memory = buffer.memory else {
      return nil
    }
    guard let frame = allocate(format, SlotHeader(pool: Unmanaged.passRetained(pool), buffer: buffer)) else {
      pool.takeBack(buffer)
      Unmanaged.passUnretained(pool).release()
      throw tableFull
    }
    frame.place(format, strides, in: memory)
    frame.native.pointee.flags = UInt32(MSDK_FRAME_WRITABLE)
    return frame
  }

  /// One of somebody else's memory, who is told when the last reference goes. On failure `release` is not called.
  public static func wrap(
    _ format: VideoFormat, strides: SIMD4<UInt32>, at memory: UnsafeMutableRawPointer, opaque: UnsafeMutableRawPointer?,
    release: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) throws(MediaError) -> VideoFrame {
    guard let frame = allocate(format, SlotHeader(release: release, opaque: opaque)) else { throw tableFull }
    frame.place(format, strides, in: memory)
    return frame
  }

  private static func packedSize(_ plane: Int, _ format: VideoFormat, _ strides: SIMD4<UInt32>) -> Int {
    Int(strides[plane]) * format.pixelFormat.rows(plane: plane, height: Int(format.height))
  }

  private func place(_ format: VideoFormat, _ strides: SIMD4<UInt32>, in memory: UnsafeMutableRawPointer) {
    let count = format.pixelFormat.planeCount
    native.pointee.plane_count = UInt32(count)
    var offset = 0
    withUnsafeMutableBytes(of: &native.pointee.plane) { planes in
      for plane in 0..<count {
        let bytes = VideoFrame.packedSize(plane, format, strides)
        let native = msdk_plane(
          data: (memory + offset).assumingMemoryBound(to: UInt8.self), size: UInt64(bytes), stride: Int32(strides[plane]), reserved0: 0,
          reserved1: 0)
        planes.storeBytes(of: native, toByteOffset: plane * MemoryLayout<msdk_plane>.stride, as: msdk_plane.self)
        offset += bytes
      }
    }
    seal()
  }
}
