import CMediaSDK
import MediaCore
import MediaRTP

/// Makes encoded frames of what an RTP session hands on, and keeps them until they are handled where nothing is locked. Used by one `SecureRTPPeer`.
struct ArrivalQueue {
  /// Of one stream.
  private struct Incoming {
    var line: CaptureLine
    /// Of the last frame, the lost ones counted: the protocol has no place for the sender's own number.
    var sequence: UInt64 = 0
    var width: UInt32 = 0
    var height: UInt32 = 0
    var color = HeaderExtensions.ColorSpace()
    /// Its own: whoever holds frames of one stream takes nothing from the others. Frames that a receiver was lent do not count in it.
    let pool = BufferPool(limit: ArrivalQueue.share)

    init(_ stamp: Int64, at time: Int64) { line = CaptureLine(stamp, at: time) }

    mutating func next(after lost: Int = 0) -> UInt64 {
      sequence &+= UInt64(clamping: lost) &+ 1
      return sequence
    }
  }

  private(set) var arrivals: [PeerArrival] = []
  private var incoming: [SSRC: Incoming] = [:]
  /// Frames of a stream that may wait to be handled.
  static let share = 128

  /// Of the frames of each stream.
  var pools: [BufferPool] { incoming.values.map(\.pool) }

  /// Exchanges what waits for an empty list that has room.
  mutating func take(_ list: inout [PeerArrival]) {
    swap(&list, &arrivals)
  }

  mutating func append(_ picture: FrameBuffer.Picture, of stream: SSRC, now: Int64, fill: (UnsafeMutableRawBufferPointer) -> Bool) {
    let stamp = MediaTime.nanoseconds(fromUnits: picture.timestamp, rate: 90_000)
    var state = incoming[stream] ?? Incoming(stamp, at: now)
    if picture.isKeyFrame { (state.width, state.height) = (UInt32(picture.width), UInt32(picture.height)) }
    if picture.isKeyFrame || picture.color != nil { state.color = picture.color ?? HeaderExtensions.ColorSpace() }
    var attributes = msdk_encoded_frame()
    attributes.timestamp_ns = state.line.time(stamp, captured: picture.captured, at: now)
    attributes.sequence = state.next(after: picture.isAfterGap ? 1 : 0)
    incoming[stream] = state
    attributes.codec = picture.codec
    attributes.flags = UInt32((picture.isKeyFrame ? MSDK_ENCODED_KEY : 0) | (picture.isDroppable ? MSDK_ENCODED_DROPPABLE : 0))
    (attributes.width, attributes.height) = (state.width, state.height)
    attributes.orientation = UInt32(picture.orientation & 7)
    state.color.tell(&attributes)
    let frame = try? EncodedFrame.make(size: picture.size, attributes: attributes, from: state.pool, deadline: 0, fill: fill)
    append(frame, of: stream, stamp: picture.timestamp, isAfterGap: picture.isAfterGap)
  }

  mutating func append(sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC, now: Int64) {
    guard let toc = try? OpusTOC(parsing: sound) else { return lose(1, of: stream) }
    let time = MediaTime.nanoseconds(fromUnits: stamp, rate: OpusTOC.clockRate)
    var state = incoming[stream] ?? Incoming(time, at: now)
    var attributes = msdk_encoded_frame()
    (attributes.timestamp_ns, attributes.sequence) = (state.line.time(time, captured: captured, at: now), state.next())
    incoming[stream] = state
    attributes.codec = UInt32(MSDK_CODEC_OPUS)
    attributes.duration_ns = MediaTime.nanoseconds(fromUnits: Int64(toc.duration), rate: OpusTOC.clockRate)
    (attributes.sample_rate, attributes.channels, attributes.level) = (OpusTOC.clockRate, toc.isStereo ? 2 : 1, 127)
    let frame = try? EncodedFrame.make(copying: sound, attributes: attributes, from: state.pool, deadline: 0)
    append(frame, of: stream, stamp: stamp, isAfterGap: false)
  }

  private mutating func append(_ frame: EncodedFrame?, of stream: SSRC, stamp: Int64, isAfterGap: Bool) {
    arrivals.append(frame.map { .frame(stream, $0, stamp: stamp, isAfterGap: isAfterGap) } ?? .dropped(stream))
  }

  mutating func lose(_ packets: Int, of stream: SSRC) {
    incoming[stream]?.sequence &+= UInt64(clamping: packets)
    arrivals.append(.lost(stream, packets))
  }

  mutating func append(_ event: RTPSessionEvent) {
    if case .streamEnded(let stream) = event { incoming[stream] = nil }
    arrivals.append(.event(event))
  }
}
