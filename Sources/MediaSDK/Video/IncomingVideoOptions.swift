import MediaCore

/// How somebody else's video is wanted; nil and 0 stand for "as it comes" and for the defaults of incoming_video.h.
public struct IncomingVideoOptions: Sendable {
  /// On which thread the frame callback is called. The raw values are MSDK_DELIVERY_* of handles.h.
  public enum Delivery: UInt32, Sendable {
    case queued = 0
    case direct = 1
  }

  /// Which frames are queued to be read. The raw values are MSDK_OUTPUT_* of handles.h.
  public enum Output: UInt32, Sendable {
    case raw = 0
    case encoded = 1
    case both = 2
  }

  /// To which frames are converted; nil: as received, I420 from VP8.
  public var pixelFormat: PixelFormat?
  /// In pixels, to which frames are scaled; 0 with a `height` of 0: as received.
  public var width: UInt32 = 0
  /// In pixels; set together with `width`.
  public var height: UInt32 = 0
  /// On which thread the frame callback is called.
  public var delivery = Delivery.queued
  /// Which frames are queued to be read. Raw streams have no encoded ones.
  public var output = Output.raw
  /// Of raw frames, 3 when it is 0, and of encoded ones, 60.
  public var queueCapacity = 0
  /// Encoded frames that may be queued to be read, 1 to 1,024; 0: 60.
  public var encodedQueueCapacity = 0
  /// Which frame is dropped when a queue is full; `.wait` is refused with `.unsupported`.
  public var queuePolicy = QueuePolicy.dropOldest

  /// Raw frames as received, with the default queues. `IncomingVideo.start` checks the values.
  public init() {}

  func check() throws(MediaError) {
    if width != 0 || height != 0 { try Dimensions.check(width: width, height: height, argument: "the requested size") }
    guard queuePolicy != .wait else {
      throw MediaError(.unsupported, "options.queue_policy is MSDK_POLICY_WAIT; accepted: MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST")
    }
    guard (0...64).contains(queueCapacity) else {
      throw MediaError(.range, "options.queue_capacity is \(queueCapacity); accepted: 1..64, or 0 for 3")
    }
    guard (0...1024).contains(encodedQueueCapacity) else {
      throw MediaError(.range, "options.encoded_queue_capacity is \(encodedQueueCapacity); accepted: 1..1024, or 0 for 60")
    }
  }

  var rawCapacity: Int { queueCapacity == 0 ? 3 : queueCapacity }
  var encodedCapacity: Int { encodedQueueCapacity == 0 ? 60 : encodedQueueCapacity }

  /// Of the frames as they come: those that may wait, for the stream's thread and to be read, and 32 in the program's hands.
  func mostFrames(isRaw: Bool) -> Int {
    let inHand = 32
    guard !isRaw else { return 2 * rawCapacity + inHand }
    return IncomingVideo.inboundCapacity + max(60, encodedCapacity) + inHand
  }

  /// Whether a frame may have to be converted.
  var changesFrames: Bool { pixelFormat != nil || width != 0 }

  /// What a picture of that format is to become.
  func wanted(from format: VideoFormat) -> VideoFormat {
    var wanted = format
    if let pixelFormat { wanted.pixelFormat = pixelFormat }
    if width != 0 {
      wanted.width = width
      wanted.height = height
    }
    return wanted
  }
}
