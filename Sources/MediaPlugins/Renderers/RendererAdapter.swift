import CMediaSDK
import MediaCodecs
import MediaCore

/// Gives a renderer pictures of a pixel format that it takes. Used inside the instance's turn only.
final class RendererAdapter: @unchecked Sendable {
  private static let preference: [PixelFormat] = [.nv12, .i420, .bgra, .rgba, .argb, .abgr, .rgb24, .bgr24, .gray8]

  private let pool = BufferPool(limit: 8)
  private let scratch = ConversionScratch()
  /// Of who wants frames to stand upright.
  private let composer = ViewComposer(limit: 8)
  private var asked: VideoFormat?
  private var answer: PixelFormat?

  func reset() {
    asked = nil
  }

  /// The frame, or for who wants that one that stands upright; with a reference for the caller.
  func stand(_ frame: VideoFrame, if wantsUpright: Bool) throws(MediaError) -> VideoFrame {
    guard !wantsUpright || frame.native.pointee.orientation == 0 else { return try composer.stand(frame) }
    frame.retain()
    return frame
  }

  /// The frame, or a converted one; with a reference for the caller.
  func adapt(_ frame: VideoFrame, accepts: (VideoFormat) -> Bool) throws(MediaError) -> VideoFrame {
    let format = frame.format
    if asked != format {
      answer = try choose(format, accepts: accepts)
      asked = format
    }
    guard let answer, answer != format.pixelFormat else {
      frame.retain()
      return frame
    }
    guard let converted = try VideoFrame.make(RendererAdapter.format(format, as: answer), from: pool, deadline: 0) else {
      throw MediaError(.again, "the renderer holds all of its 8 frames: it must release some (rule P4)")
    }
    do throws(MediaError) {
      try VideoConverter.convert(frame.native, into: converted.native, scratch: scratch)
    } catch {
      converted.release()
      throw error
    }
    converted.copyIdentity(from: frame)
    converted.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
    return converted
  }

  private func choose(_ format: VideoFormat, accepts: (VideoFormat) -> Bool) throws(MediaError) -> PixelFormat {
    if accepts(format) { return format.pixelFormat }
    for candidate in RendererAdapter.preference where candidate != format.pixelFormat {
      if accepts(RendererAdapter.format(format, as: candidate)) { return candidate }
    }
    throw MediaError(.format, "the renderer accepts no pixel format at \(format.width)x\(format.height)")
  }

  /// What may be asked of a renderer for pictures of that size.
  static func formats(width: UInt32, height: UInt32) -> [VideoFormat] {
    preference.map { VideoFormat($0, width: width, height: height) }
  }

  private static func format(_ format: VideoFormat, as pixelFormat: PixelFormat) -> VideoFormat {
    var result = format
    result.pixelFormat = pixelFormat
    result.color = VideoConverter.resultColor(from: format, to: pixelFormat)
    return result
  }
}
