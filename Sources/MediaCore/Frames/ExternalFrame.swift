import CMediaSDK

extension VideoFrame {
  /// A frame of the caller's memory, after every plane was checked: nothing is touched before that.
  public static func wrap(checking external: msdk_external_frame) throws(MediaError) -> VideoFrame {
    guard let nativeFormat = external.format else {
      throw MediaError(.invalid, "external.format is NULL; accepted: a msdk_video_format")
    }
    let format = try VideoFormat(checking: ForeignStruct.read(nativeFormat, argument: "external.format"), argument: "external.format")
    try ForeignStruct.checkReserved(external.reserved0, "external.reserved0")
    guard external.plane_count == UInt32(format.pixelFormat.planeCount) else {
      throw MediaError(
        .invalid,
        "external.plane_count is \(external.plane_count); \(format.pixelFormat.name) has \(format.pixelFormat.planeCount)")
    }
    guard external.orientation < 8 else {
      throw MediaError(.unsupported, "external.orientation is \(external.orientation); accepted: MSDK_ROTATE_* | MSDK_MIRROR, 0..7")
    }
    // Of all planes: those that the pixel format does not have are unknown input when they are not 0.
    try checkReserved(external.plane.0, index: 0)
    try checkReserved(external.plane.1, index: 1)
    try checkReserved(external.plane.2, index: 2)
    try checkReserved(external.plane.3, index: 3)
    try check(external.plane.0, index: 0, of: format)
    if format.pixelFormat.planeCount > 1 { try check(external.plane.1, index: 1, of: format) }
    if format.pixelFormat.planeCount > 2 { try check(external.plane.2, index: 2, of: format) }
    let frame = try wrap(format, planes: external.plane, release: external.release, opaque: external.user)
    frame.native.pointee.timestamp_ns = external.timestamp_ns
    frame.native.pointee.orientation = external.orientation
    return frame
  }

  private static func checkReserved(_ plane: msdk_plane, index: Int) throws(MediaError) {
    guard plane.reserved0 == 0, plane.reserved1 == 0 else {
      throw MediaError(.unsupported, "external.plane[\(index)].reserved0 or reserved1 is not 0; accepted: 0")
    }
  }

  private static func check(_ plane: msdk_plane, index: Int, of format: VideoFormat) throws(MediaError) {
    let rowBytes = format.pixelFormat.rowBytes(plane: index, width: Int(format.width))
    let rows = format.pixelFormat.rows(plane: index, height: Int(format.height))
    guard plane.data != nil else {
      throw MediaError(.invalid, "external.plane[\(index)].data is NULL; \(format) needs \(rows) rows of \(rowBytes) bytes there")
    }
    guard plane.stride >= rowBytes else {
      throw MediaError(
        .invalid, "external.plane[\(index)].stride is \(plane.stride); the row of \(format) has \(rowBytes) bytes, accepted: that or more")
    }
    let needed = UInt64(plane.stride) * UInt64(rows - 1) + UInt64(rowBytes)
    guard plane.size >= needed else {
      throw MediaError(
        .invalid, "external.plane[\(index)].size is \(plane.size); \(rows) rows of stride \(plane.stride) need \(needed) bytes")
    }
  }
}
