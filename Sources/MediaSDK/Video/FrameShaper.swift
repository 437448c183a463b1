import CMediaSDK
import MediaCodecs
import MediaCore

/// Gives a receiver the pixel format and size that he asked for; a frame that is so already passes as it is.
final class FrameShaper: Sendable {
  private let pool = BufferPool(limit: 32)

  /// With a reference for the caller.
  func shape(_ frame: VideoFrame, _ options: IncomingVideoOptions) throws(MediaError) -> VideoFrame {
    let format = frame.format
    var wanted = options.wanted(from: format)
    guard wanted.pixelFormat != format.pixelFormat || wanted.width != format.width || wanted.height != format.height else {
      frame.retain()
      return frame
    }
    wanted.color = VideoConverter.resultColor(from: format, to: wanted.pixelFormat)
    let shaped = try make(wanted)
    do throws(MediaError) {
      try VideoConverter.convert(frame.native, into: shaped.native)
    } catch {
      shaped.release()
      throw error
    }
    shaped.copyIdentity(from: frame)
    shaped.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
    return shaped
  }

  private func make(_ format: VideoFormat) throws(MediaError) -> VideoFrame {
    guard let frame = try VideoFrame.make(format, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "32 converted frames of this stream are in use; unref frames that are no longer needed")
    }
    return frame
  }
}
