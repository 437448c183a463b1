import CMediaSDK
import MediaCore

/// How much time an encoder may take. The raw values are MSDK_PRESET_* of outgoing_video.h.
public enum EncoderPreset: UInt32, CaseIterable, Sendable {
  case realtime = 0
  case fastest = 1
  case balanced = 2
  case quality = 3
}

public struct VideoEncoderSettings: Sendable, Equatable {
  public var width: UInt32
  public var height: UInt32
  /// The rate that is expected, for the budget of the first frames and for frames without a duration. Unknown is read as 30.
  public var frameRate: FrameRate
  public var threads: Int
  public var preset: EncoderPreset
  /// Bits a second.
  public var targetBitrate: UInt64
  /// Frames are left out when the rate control's buffer holds less than this per cent of its aim; 0: never.
  public var dropThreshold: UInt32
  /// Screens: text is to be sharp, and what stands still is to cost nothing.
  public var isScreen: Bool

  public init(
    width: UInt32, height: UInt32, frameRate: FrameRate, threads: Int = 1, preset: EncoderPreset = .realtime, targetBitrate: UInt64,
    dropThreshold: UInt32 = 30, isScreen: Bool = false
  ) {
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.threads = threads
    self.preset = preset
    self.targetBitrate = targetBitrate
    self.dropThreshold = dropThreshold
    self.isScreen = isScreen
  }
}

/// The bytes of one encoded picture, in memory of the encoder: valid inside the call that hands them out and no longer.
public struct EncodedPacket {
  public let data: UnsafeRawBufferPointer
  public let isKeyFrame: Bool
  /// No later frame refers to this one.
  public let isDroppable: Bool
}

/// Makes bytes of pictures. Used by one thread at a time, which may change.
public protocol VideoEncoder: AnyObject, Sendable {
  /// Encodes a frame of the encoder's size and hands the bytes to `body`; nil when the rate control left the frame out. Times are
  /// nanoseconds; they need not be even and steer the rate control only. A duration of 0 is read as one frame of the frame rate.
  func encode<Result>(
    _ frame: UnsafePointer<msdk_video_frame>, timestamp: Int64, duration: Int64, forceKeyFrame: Bool,
    body: (EncodedPacket) throws(MediaError) -> Result
  ) throws(MediaError) -> Result?

  /// Bits a second, from the next frame on.
  func setBitrate(_ bitsPerSecond: UInt64) throws(MediaError)

  /// The rate that is expected from the next frame on.
  func setFrameRate(_ frameRate: FrameRate) throws(MediaError)

  /// What a frame of a screen is to take at most, so that it leaves in time; nil: as much as it needs. From the next one on.
  func setLongestFrame(_ bytes: Int?)

  /// Whether the last frame was encoded so finely that text is sharp in it.
  var isSharp: Bool { get }
}

public struct VideoDecoderSettings: Sendable, Equatable {
  public var threads: Int
  /// The most pixels of a picture: what is received must not be able to make the decoder take any amount of memory.
  public var maximumPixels: UInt64

  public init(threads: Int = 1, maximumPixels: UInt64 = 4096 * 4096) {
    self.threads = threads
    self.maximumPixels = maximumPixels
  }
}

/// Makes pictures of bytes. Used by one thread at a time, which may change.
public protocol VideoDecoder: AnyObject, Sendable {
  /// True until the first key frame, and after data that could not be decoded until the next one: any other frame is then refused.
  var needsKeyFrame: Bool { get }

  /// The picture is in memory of the decoder, valid until the next call; nil for a frame that is not to be shown. Data that is no frame, or
  /// is damaged beyond decoding, is `.corrupt`; a frame that builds on one the decoder does not have, `.state`.
  func decode(_ data: UnsafeRawBufferPointer) throws(MediaError) -> DecodedPicture?
}

/// What the first bytes of an encoded picture tell.
public struct EncodedHeader: Sendable, Equatable {
  public var isKeyFrame: Bool
  public var isShown: Bool
  /// Of the picture; 0 where only key frames tell.
  public var width: UInt32
  public var height: UInt32

  public init(isKeyFrame: Bool, isShown: Bool, width: UInt32, height: UInt32) {
    self.isKeyFrame = isKeyFrame
    self.isShown = isShown
    self.width = width
    self.height = height
  }
}

/// A codec. To add one, write it in a file of its own and list it in `all`.
public struct VideoCodec: Sendable {
  public let fourcc: UInt32
  public let name: String
  /// What an encoder takes.
  public let inputFormats: [PixelFormat]
  /// The largest width and height.
  public let maximumDimension: UInt32
  public let makeEncoder: @Sendable (VideoEncoderSettings) throws(MediaError) -> any VideoEncoder
  public let makeDecoder: @Sendable (VideoDecoderSettings) throws(MediaError) -> any VideoDecoder
  public let parseHeader: @Sendable (UnsafeRawBufferPointer) throws(MediaError) -> EncodedHeader

  public static let all: [VideoCodec] = [.vp8]

  public static func named(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> VideoCodec {
    for codec in all where codec.fourcc == fourcc { return codec }
    let accepted = all.map(\.name).joined(separator: ", ")
    throw MediaError(.unsupported, "\(argument) is \(FourCC.text(fourcc)); accepted: \(accepted)")
  }
}
