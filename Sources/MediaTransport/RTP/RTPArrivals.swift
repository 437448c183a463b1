import CMediaSDK
import MediaCore
import MediaRTP
import MediaRuntime

/// What a leg's session made of what came, until it is handed on where nothing is locked.
final class RTPArrivals: RTPSessionDelegate {
  enum Arrival {
    /// With the size that its key frame said, and whether pictures before it are missing.
    case picture(SSRC, EncodedFrame, isAfterGap: Bool)
    case sound(SSRC, EncodedFrame)
    case lost(SSRC, Int)
    /// One that came, and for which there was no memory: the stream's share is in use.
    case dropped(SSRC)
    case event(RTPSessionEvent)
    /// Somebody spoke, where nobody was known.
    case answered

    var frame: EncodedFrame? {
      switch self {
      case .picture(_, let frame, _), .sound(_, let frame): frame
      case .lost, .dropped, .event, .answered: nil
      }
    }
  }

  /// Of one stream.
  private struct Incoming {
    var line: CaptureLine
    /// Of the last unit, the lost ones counted: what the sender's own number was the protocol has no place for.
    var sequence: UInt64 = 0
    /// Of its pictures.
    var width: UInt32 = 0
    var height: UInt32 = 0
    var color = HeaderExtensions.ColorSpace()
    /// Its own: whoever holds frames of one stream takes nothing from the others. Frames that a receiver was lent do not count in it.
    let pool = BufferPool(limit: RTPArrivals.share)

    init(_ stamp: Int64, at time: Int64) { line = CaptureLine(stamp, at: time) }

    mutating func next(after lost: Int = 0) -> UInt64 {
      sequence &+= UInt64(clamping: lost) &+ 1
      return sequence
    }
  }

  private(set) var waiting: [Arrival] = []
  private var incoming: [SSRC: Incoming] = [:]
  private let clock: any MediaClock
  /// Frames of a stream that may wait to be handed on or taken (`RTPBacklog`).
  static let share = 128

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
    if picture.isKeyFrame || picture.color != nil { state.color = picture.color ?? HeaderExtensions.ColorSpace() }
    let (time, sequence) = (state.line.time(stamp, captured: picture.captured, at: now), state.next(after: picture.isAfterGap ? 1 : 0))
    incoming[stream] = state
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(MSDK_CODEC_VP8)
    attributes.flags = picture.isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0
    (attributes.width, attributes.height) = (state.width, state.height)
    attributes.orientation = UInt32(picture.orientation & 7)
    state.color.tell(&attributes)
    (attributes.timestamp_ns, attributes.sequence) = (time, sequence)
    guard let frame = try? EncodedFrame.make(size: picture.size, attributes: attributes, from: state.pool, deadline: 0, fill: take) else {
      return waiting.append(.dropped(stream))
    }
    waiting.append(.picture(stream, frame, isAfterGap: picture.isAfterGap))
  }

  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {
    guard let toc = try? OpusTOC(parsing: sound) else { return }
    let (now, stamp) = (clock.now(), MediaTime.nanoseconds(fromUnits: stamp, rate: OpusTOC.clockRate))
    var state = incoming[stream] ?? Incoming(stamp, at: now)
    let (time, sequence) = (state.line.time(stamp, captured: captured, at: now), state.next())
    incoming[stream] = state
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(MSDK_CODEC_OPUS)
    (attributes.timestamp_ns, attributes.sequence) = (time, sequence)
    attributes.duration_ns = MediaTime.nanoseconds(fromUnits: Int64(toc.duration), rate: OpusTOC.clockRate)
    (attributes.sample_rate, attributes.channels, attributes.level) = (OpusTOC.clockRate, toc.isStereo ? 2 : 1, 127)
    guard let frame = try? EncodedFrame.make(copying: sound, attributes: attributes, from: state.pool, deadline: 0) else {
      return waiting.append(.dropped(stream))
    }
    waiting.append(.sound(stream, frame))
  }

  func session(lost packets: Int, duration: Int64, of stream: SSRC) {
    incoming[stream]?.sequence &+= UInt64(clamping: packets)
    waiting.append(.lost(stream, packets))
  }

  func session(did event: RTPSessionEvent) {
    if case .streamEnded(let stream) = event { incoming[stream] = nil }
    waiting.append(.event(event))
  }
}
