import CMediaSDK
import Glibc
import MediaCore

/// Pictures, both ways: the host counts its frames, the library its own, and neither knows the other's.
extension HostedInstance {
  /// One of the library's, if the host has room for one.
  func picture(_ format: VideoFormat) throws(MediaError) -> VideoFrame {
    var native = format.foreign
    try checkRoom(&native)
    guard let frame = try VideoFrame.make(format, from: pictures, deadline: 0) else {
      throw MediaError(.again, "all \(pictures.limit) frames of the instance's pool are in use")
    }
    return frame
  }

  /// The host says how many frames may be out.
  private func checkRoom(_ format: UnsafePointer<msdk_video_format>) throws(MediaError) {
    var probe: UnsafeMutablePointer<msdk_video_frame>?
    let result = host.video_frame_acquire?(context, format, 0, &probe) ?? msdk_result(MSDK_E_UNSUPPORTED)
    guard result >= 0 else { throw MediaError(Status(foreign: result), "the host has no room for a frame") }
    host.video_frame_unref?(probe)
  }

  /// A frame of the host's over the memory of one of the library's, whose reference it takes whatever comes of it.
  func hostFrame(from pointer: UnsafeMutablePointer<msdk_video_frame>?) throws(MediaError) -> UnsafeMutablePointer<msdk_video_frame> {
    let frame = try VideoFrame.retained(foreign: pointer)
    frame.release()
    do throws(MediaError) {
      return try wrapped(frame)
    } catch {
      frame.release()
      throw error
    }
  }

  private func wrapped(_ frame: VideoFrame) throws(MediaError) -> UnsafeMutablePointer<msdk_video_frame> {
    let native = frame.native.pointee
    guard let format = native.format else { throw MediaError(.abi, "a frame without a format") }
    try checkRoom(format)
    var external = msdk_external_frame()
    external.struct_size = UInt32(MemoryLayout<msdk_external_frame>.size)
    external.format = format
    external.plane_count = native.plane_count
    external.plane = native.plane
    external.orientation = native.orientation
    external.timestamp_ns = native.timestamp_ns
    external.user = UnsafeMutableRawPointer(frame.native)
    external.release = { opaque in
      if let opaque { _ = VideoFrame.release(foreign: opaque.assumingMemoryBound(to: msdk_video_frame.self)) }
    }
    var made: UnsafeMutablePointer<msdk_video_frame>?
    let result = host.video_frame_wrap?(context, &external, &made) ?? msdk_result(MSDK_E_UNSUPPORTED)
    guard result >= 0, let made else { throw MediaError(Status(foreign: result), "the host does not wrap a frame") }
    made.pointee.flags = native.flags & ~UInt32(MSDK_FRAME_WRITABLE)
    made.pointee.duration_ns = native.duration_ns
    made.pointee.sequence = native.sequence
    return made
  }

  /// A frame of the library's over the memory of one of the host's, to which it refers.
  func frame(of pointer: UnsafePointer<msdk_video_frame>?) throws(MediaError) -> VideoFrame {
    guard let pointer, let format = pointer.pointee.format else { throw MediaError(.invalid, "frame is NULL, or has no format") }
    var external = msdk_external_frame()
    external.struct_size = UInt32(MemoryLayout<msdk_external_frame>.size)
    external.format = format
    external.plane_count = pointer.pointee.plane_count
    external.plane = pointer.pointee.plane
    external.orientation = pointer.pointee.orientation
    external.timestamp_ns = pointer.pointee.timestamp_ns
    let borrowed = Unmanaged.passRetained(Borrowed(self, pointer))
    external.user = borrowed.toOpaque()
    external.release = { opaque in
      if let opaque { Unmanaged<Borrowed>.fromOpaque(opaque).release() }
    }
    let frame: VideoFrame
    do throws(MediaError) {
      frame = try VideoFrame.wrap(checking: external)
    } catch {
      borrowed.release()
      throw error
    }
    frame.native.pointee.flags = pointer.pointee.flags
    frame.native.pointee.duration_ns = pointer.pointee.duration_ns
    frame.native.pointee.sequence = pointer.pointee.sequence
    return frame
  }

  /// Calls with such a frame, borrowed.
  func withFrame(
    _ pointer: UnsafePointer<msdk_video_frame>?, _ body: (UnsafeMutablePointer<msdk_video_frame>) throws(MediaError) -> msdk_result
  ) throws(MediaError) -> msdk_result {
    let frame = try frame(of: pointer)
    defer { frame.release() }
    return try body(frame.native)
  }
}

/// A reference to a frame of the host's.
private final class Borrowed {
  private let instance: HostedInstance
  private let frame: UnsafePointer<msdk_video_frame>

  init(_ instance: HostedInstance, _ frame: UnsafePointer<msdk_video_frame>) {
    (self.instance, self.frame) = (instance, frame)
    instance.host.video_frame_ref?(frame)
  }

  deinit {
    instance.host.video_frame_unref?(frame)
  }
}
