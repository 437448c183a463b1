import CMediaSDK
import MediaCodecs
import MediaCore

/// What a filter of pictures takes and gives, and pictures of the pixel format that it takes. Used inside the instance's turn only.
final class FilterAdapter: @unchecked Sendable {
  /// Of a filter: the longest queue of pictures, and 32 in the hands of the program.
  static let frames = 96
  private static let preference: [PixelFormat] = [.nv12, .i420, .bgra, .rgba, .argb, .abgr, .rgb24, .bgr24, .gray8]

  private let pool = BufferPool(limit: FilterAdapter.frames)
  private let scratch = ConversionScratch()
  private var asked: VideoFormat?
  private var offered: VideoFormat?
  /// What the filter gives.
  private(set) var agreed: VideoFormat?

  func reset() {
    asked = nil
  }

  /// Agrees on a format anew when other pictures come. `ask` gives what would come out, nil when the filter does not take that.
  func agree(on format: VideoFormat, _ ask: (VideoFormat) throws(MediaError) -> VideoFormat?) throws(MediaError) {
    guard asked != format else { return }
    asked = nil
    let others = FilterAdapter.preference.filter { $0 != format.pixelFormat }
    for candidate in [format.pixelFormat] + others {
      var offer = format
      if candidate != format.pixelFormat {
        offer.pixelFormat = candidate
        offer.color = VideoConverter.resultColor(from: format, to: candidate)
      }
      guard let result = try ask(offer) else { continue }
      (asked, offered, agreed) = (format, offer, result)
      return
    }
    throw MediaError(.format, "the filter accepts no pixel format at \(format.width)x\(format.height)")
  }

  /// The frame in the format that was offered, of its own; nil when it is of that already.
  func converted(_ frame: VideoFrame) throws(MediaError) -> VideoFrame? {
    guard let offered, offered.pixelFormat != frame.format.pixelFormat else { return nil }
    return try FilterAdapter.convert(frame, to: offered, pool, scratch)
  }

  static func convert(
    _ frame: VideoFrame, to format: VideoFormat, _ pool: BufferPool, _ scratch: ConversionScratch
  ) throws(MediaError) -> VideoFrame {
    guard let converted = try VideoFrame.make(format, from: pool, deadline: 0) else {
      throw MediaError(.again, "all \(pool.limit) converted frames are in use")
    }
    do throws(MediaError) {
      try VideoConverter.convert(frame.native, into: converted.native, scratch: scratch)
    } catch {
      converted.release()
      throw error
    }
    converted.copyIdentity(from: frame)
    return converted
  }
}
