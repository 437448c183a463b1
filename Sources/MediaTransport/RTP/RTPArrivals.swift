import CMediaSDK
import MediaCore
import MediaRTP

/// What a leg's session made of what came, until it is handed on where nothing is locked.
final class RTPArrivals: RTPSessionDelegate {
  enum Arrival {
    /// With the size that its key frame said, and whether pictures before it are missing.
    case picture(SSRC, EncodedFrame, isAfterGap: Bool)
    case sound(SSRC, EncodedFrame)
    case lost(SSRC, Int)
    case event(RTPSessionEvent)
    /// Somebody spoke, where nobody was known.
    case answered

    var frame: EncodedFrame? {
      switch self {
      case .picture(_, let frame, _), .sound(_, let frame): frame
      case .lost, .event, .answered: nil
      }
    }
  }

  /// Of one stream: where its stamps lie on the clock here, and the size of its pictures.
  private struct Incoming {
    private var origin: (stamp: Int64, time: Int64)
    private var last: Int64 = .min
    var width: UInt32 = 0
    var height: UInt32 = 0

    init(_ stamp: Int64, at time: Int64) { origin = (stamp, time) }

    /// As the sender's reports say, else from its first arrival on; never back, but where a stamp that leads far away from now begins another
    /// time line.
    mutating func time(_ stamp: Int64, captured: Int64?, at now: Int64) -> Int64 {
      if let captured { origin = (stamp, captured) }
      var time = origin.time &+ (stamp &- origin.stamp)
      if (time &- now).magnitude > RTPArrivals.furthest {
        origin = (stamp, now)
        (time, last) = (now, .min)
      }
      last = max(time, last == .min ? time : last &+ 1)
      return last
    }
  }

  private(set) var waiting: [Arrival] = []
  private var incoming: [SSRC: Incoming] = [:]
  private let pool = BufferPool(limit: 256)
  private let clock: any MediaClock
  private static let furthest: UInt64 = 10_000_000_000

  init(clock: any MediaClock) {
    self.clock = clock
  }

  deinit {
    for arrival in waiting { arrival.frame?.release() }
  }

  /// Gives what waits for an empty list that has room.
  func take(_ list: inout [Arrival]) {
    swap(&list, &waiting)
  }

  // MARK: Of the session

  func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {}

  func session(received picture: PictureBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
    let stamp = MediaTime.nanoseconds(fromUnits: picture.timestamp, rate: 90_000)
    let now = clock.now()
    var state = incoming[stream] ?? Incoming(stamp, at: now)
    if picture.isKeyFrame { (state.width, state.height) = (UInt32(picture.width), UInt32(picture.height)) }
    let time = state.time(stamp, captured: picture.captured, at: now)
    incoming[stream] = state
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(MSDK_CODEC_VP8)
    attributes.flags = picture.isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0
    (attributes.width, attributes.height) = (state.width, state.height)
    attributes.orientation = UInt32(picture.orientation & 7)
    attributes.timestamp_ns = time
    guard let frame = try? EncodedFrame.make(size: picture.size, attributes: attributes, from: pool, deadline: 0, fill: take) else {
      // All frames are in use: to whoever takes the next, this one is lost.
      return waiting.append(.lost(stream, 1))
    }
    waiting.append(.picture(stream, frame, isAfterGap: picture.isAfterGap))
  }

  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, of stream: SSRC) {
    session(received: sound, stamp: stamp, captured: nil, of: stream)
  }

  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {
    guard let toc = try? OpusTOC(parsing: sound) else { return }
    let (now, stamp) = (clock.now(), MediaTime.nanoseconds(fromUnits: stamp, rate: OpusTOC.clockRate))
    var state = incoming[stream] ?? Incoming(stamp, at: now)
    let time = state.time(stamp, captured: captured, at: now)
    incoming[stream] = state
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(MSDK_CODEC_OPUS)
    attributes.timestamp_ns = time
    attributes.duration_ns = MediaTime.nanoseconds(fromUnits: Int64(toc.duration), rate: OpusTOC.clockRate)
    (attributes.sample_rate, attributes.channels, attributes.level) = (OpusTOC.clockRate, toc.isStereo ? 2 : 1, 127)
    guard let frame = try? EncodedFrame.make(copying: sound, attributes: attributes, from: pool, deadline: 0) else {
      return waiting.append(.lost(stream, 1))
    }
    waiting.append(.sound(stream, frame))
  }

  func session(lost packets: Int, duration: Int64, of stream: SSRC) {
    waiting.append(.lost(stream, packets))
  }

  func session(did event: RTPSessionEvent) {
    if case .streamEnded(let stream) = event { incoming[stream] = nil }
    waiting.append(.event(event))
  }
}
