import CMediaSDK
import MediaCore
import MediaRTP

/// Which streams of a member a scripted way carries in packets, and what of each is under way. A place is one stream of RTP, which another stream
/// takes over when its own has ended.
final class ScriptedStreams {
  /// What a unit is beside its bytes, which are all that the packets carry.
  struct Sent {
    let stream: StreamID
    let picture: FrameID
    let attributes: msdk_encoded_frame
    /// Its bytes are followed by its metadata.
    let hasTrailer: Bool
    fileprivate let stamp: UInt32
  }

  /// What the room's end did without, and did about it.
  struct Missed {
    var packets: UInt64 = 0
    var leftOut: UInt64 = 0
    var requests: UInt64 = 0
  }

  private struct Place {
    let settings: OutgoingRTP
    var stream: StreamID?
    var line: StampLine
    /// In the order of sending. What was lost goes with the next that comes.
    var sent: [Sent] = []
    /// Of the stream that comes there, what was told.
    var told = Missed()
  }

  private var places: [Place] = []
  private var numbers: [StreamID: Int] = [:]
  /// Pictures that wait for a key frame to go over to packets, and when one is to be asked for.
  private var due: [StreamID: Int64] = [:]
  private static let patience: Int64 = 500_000_000
  /// Of one stream; as many as can be asked for again at the least.
  private static let mostSent = 2048
  /// What a packet has room for beside its headers.
  private static let largestSound = 1100
  static let types: [UInt8: RTPEncoding] = [96: .vp8, 97: .retransmission(of: 96), 111: .opus]

  /// What units of that kind are in packets; nil: there is no payload format for them.
  static func encoding(of frame: EncodedFrame) -> RTPEncoding? {
    switch frame.native.pointee.codec {
    case UInt32(MSDK_CODEC_VP8): .vp8
    case UInt32(MSDK_CODEC_OPUS): frame.bytes.count <= largestSound ? .opus : nil
    default: nil
    }
  }

  func place(of stream: StreamID) -> Int? { numbers[stream] }
  func ssrc(at place: Int) -> SSRC { places[place].settings.ssrc }
  func stream(sending ssrc: SSRC) -> StreamID? { place(of: ssrc).flatMap { places[$0].stream } }

  private func place(of ssrc: SSRC) -> Int? { places.firstIndex { $0.settings.ssrc == ssrc } }

  /// Whether a key frame is to be asked for, as none came by itself for a while: a stream of pictures goes over with one.
  func waits(_ stream: StreamID, now: Int64) -> Bool {
    guard let time = due[stream] else {
      due[stream] = now &+ ScriptedStreams.patience
      return false
    }
    guard now >= time else { return false }
    due[stream] = now &+ ScriptedStreams.patience
    return true
  }

  /// A place for a stream that begins, one that is free or one that `add` makes; nil: there is none.
  func open(_ stream: StreamID, _ encoding: RTPEncoding, add: (OutgoingRTP) -> Bool) -> Int? {
    due[stream] = nil
    if let free = places.firstIndex(where: { $0.stream == nil && $0.settings.encoding == encoding }) {
      (places[free].stream, numbers[stream]) = (stream, free)
      return free
    }
    let ssrc = UInt32(2 * places.count + 16)
    var settings = OutgoingRTP(encoding, ssrc: SSRC(ssrc), payloadType: encoding == .vp8 ? 96 : 111)
    if encoding == .vp8 { settings.retransmission = (SSRC(ssrc + 1), 97) }
    guard add(settings) else { return nil }
    places.append(Place(settings: settings, stream: stream, line: StampLine(rate: encoding.clockRate)))
    numbers[stream] = places.count - 1
    return places.count - 1
  }

  /// The place that it leaves free.
  func close(_ stream: StreamID) -> Int? {
    due[stream] = nil
    guard let place = numbers.removeValue(forKey: stream) else { return nil }
    places[place].stream = nil
    return place
  }

  // MARK: What is under way

  func stamp(at place: Int, captured: Int64, now: Int64) -> Int64 { places[place].line.units(captured: captured, now: now) }

  func sent(
    _ stream: StreamID, _ picture: FrameID, _ attributes: msdk_encoded_frame, hasTrailer: Bool = false, stamp: RTPTimestamp, at place: Int
  ) {
    if places[place].sent.count >= ScriptedStreams.mostSent { places[place].sent.removeFirst() }
    places[place].sent.append(
      Sent(stream: stream, picture: picture, attributes: attributes, hasTrailer: hasTrailer, stamp: stamp.rawValue))
  }

  /// Whose bytes came with that stamp: in the order of sending, so what was sent before it and did not come does not come any more.
  func arrived(_ ssrc: SSRC, stamp: Int64) -> Sent? {
    guard let place = place(of: ssrc) else { return nil }
    let stamp = UInt32(truncatingIfNeeded: stamp)
    guard let index = places[place].sent.firstIndex(where: { $0.stamp == stamp }) else { return nil }
    defer { places[place].sent.removeFirst(index + 1) }
    return places[place].sent[index]
  }

  /// What was not told yet.
  func news(in stats: InboundStreamStats, of ssrc: SSRC) -> Missed {
    guard let place = place(of: ssrc) else { return Missed() }
    let told = places[place].told
    func news(_ now: UInt64, _ before: UInt64) -> UInt64 { now > before ? now - before : 0 }
    let packets = max(UInt64(clamping: stats.packetsLost), told.packets)
    places[place].told = Missed(packets: packets, leftOut: stats.framesDropped, requests: stats.pliCount)
    return Missed(
      packets: packets - told.packets, leftOut: news(stats.framesDropped, told.leftOut), requests: news(stats.pliCount, told.requests))
  }

  /// The room's end counts from the beginning.
  func forgetTold(of ssrc: SSRC) {
    if let place = place(of: ssrc) { places[place].told = Missed() }
  }
}
