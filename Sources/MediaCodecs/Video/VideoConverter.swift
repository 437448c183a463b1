import CMediaSDK
import MediaCore

/// Turns pictures of one pixel format and size into another, in one call: any of the nine formats, any sizes.
public enum VideoConverter {
  /// Converts into a frame whose format says what is wanted; its colour must be one that `check` accepts.
  public static func convert(
    _ source: UnsafePointer<msdk_video_frame>, into destination: UnsafeMutablePointer<msdk_video_frame>, scratch: ConversionScratch
  ) throws(MediaError) {
    let from = try Picture(source.pointee, argument: "the frame")
    let to = try Picture(destination.pointee, argument: "the destination")
    try check(from: from.videoFormat, wanted: to.videoFormat)
    if from.width == to.width && from.height == to.height {
      try PixelConversion.convert(from, into: to, scratch: scratch)
    } else {
      try ScalingConversion.convert(from, into: to, scratch: scratch)
    }
  }

  /// The same with scratch memory from a common stock.
  public static func convert(
    _ source: UnsafePointer<msdk_video_frame>, into destination: UnsafeMutablePointer<msdk_video_frame>
  ) throws(MediaError) {
    try ConversionScratch.withShared { scratch throws(MediaError) in
      try convert(source, into: destination, scratch: scratch)
    }
  }

  /// Straight from the decoder's memory; `color` is what the stream says of itself.
  static func convert(
    _ picture: DecodedFrame, color: ColorSpace, into destination: UnsafeMutablePointer<msdk_video_frame>, scratch: ConversionScratch
  ) throws(MediaError) {
    try picture.withFrame(color: color) { frame throws(MediaError) in
      try convert(frame, into: destination, scratch: scratch)
    }
  }
}
