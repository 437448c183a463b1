import CMediaSDK
import MediaCore

/// Makes of a stream's frames what an encoder takes: gives them its pixel format, and does to the pixels what cannot be carried beside
/// them, which is to rotate them upright, and to make them BT.601 in limited range, as decoders assume. Used by one thread at a time.
public final class FrameNormalizer {
  private let composer: ViewComposer
  private let pool: BufferPool
  private let scratch = ConversionScratch()

  /// `limit`: frames that may be in use at once. 4 are enough for an encoder that keeps one.
  public init(limit: Int = 4) {
    composer = ViewComposer(limit: limit)
    pool = BufferPool(limit: limit)
  }

  /// The pixel format that frames of another one get for who takes these, the best first.
  public static func target(for pixelFormat: PixelFormat, among accepted: [PixelFormat]) -> PixelFormat {
    accepted.contains(pixelFormat) ? pixelFormat : accepted.first ?? pixelFormat
  }

  /// With a reference for the caller: the frame itself where there is nothing to do. Of pixel formats other than I420 and NV12 the colour
  /// stays. `.noMemory` when all frames of the pool are in use.
  public func normalize(
    _ frame: VideoFrame, for accepted: [PixelFormat], carriesColor: Bool, carriesOrientation: Bool
  ) throws(MediaError) -> VideoFrame {
    let turns = !carriesOrientation && frame.native.pointee.orientation != 0
    let target = FrameNormalizer.target(for: frame.format.pixelFormat, among: accepted)
    let color = VideoConverter.resultColor(from: frame.format, to: target)
    let converts = !carriesColor && (target == .i420 || target == .nv12) && !ColorConversion.isAssumed(color)
    frame.retain()
    var result = frame
    do throws(MediaError) {
      if turns { try replace(&result) { frame throws(MediaError) in try composer.stand(frame) } }
      if converts || result.format.pixelFormat != target {
        try replace(&result) { frame throws(MediaError) in try copy(frame, as: target, converts: converts) }
      }
    } catch {
      result.release()
      throw error
    }
    return result
  }

  /// In another pixel format only; with a reference for the caller.
  public func convert(_ frame: VideoFrame, to pixelFormat: PixelFormat) throws(MediaError) -> VideoFrame {
    try normalize(frame, for: [pixelFormat], carriesColor: true, carriesOrientation: true)
  }

  private func replace(_ frame: inout VideoFrame, _ body: (VideoFrame) throws(MediaError) -> VideoFrame) throws(MediaError) {
    let made = try body(frame)
    frame.release()
    frame = made
  }

  private func copy(_ frame: VideoFrame, as pixelFormat: PixelFormat, converts: Bool) throws(MediaError) -> VideoFrame {
    var format = frame.format
    format.pixelFormat = pixelFormat
    format.color = converts ? ColorConversion.assumed : VideoConverter.resultColor(from: frame.format, to: pixelFormat)
    guard let made = try VideoFrame.make(format, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "\(pool.limit) converted frames of this stream are in use")
    }
    do throws(MediaError) {
      let (from, to) = (try Picture(frame.native.pointee, argument: "the frame"), try Picture(made.native.pointee, argument: "the copy"))
      var source = from
      if from.format != to.format {
        try PixelConversion.convert(from, into: to, scratch: scratch)
        source = to
        source.color = from.color
      }
      if converts { ColorConversion.toAssumed(source, into: to) }
    } catch {
      made.release()
      throw error
    }
    made.copyIdentity(from: frame)
    return made
  }
}
