import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRTP
import MediaRuntime
import Testing

@testable import MediaTransport
@testable import MediaWebRTC
@testable import MediaWebRTCTransport

/// A session's program: it publishes, sends and receives by a transport, and writes down what happens. All on the thread that moves the clock.
class MediaEnd: TransportDelegate, EncodedSink, @unchecked Sendable {
  let house: WebRTCHouse
  let host: EmulatedHost
  let link: any Transport
  private(set) var events: [String] = []
  private(set) var ending: MediaError?
  private(set) var added: [StreamDescription] = []
  private(set) var streams: [StreamID] = []
  private(set) var frames: [UInt32: [FrameID]] = [:]
  private(set) var bytes: [UInt32: [[UInt8]]] = [:]
  private(set) var estimate: UInt64 = 0
  private(set) var keysWanted = 0
  private(set) var channels: [(id: MessageChannelID, options: MessageChannelOptions, isIncoming: Bool)] = []
  private(set) var closed: [MessageChannelID: [Status?]] = [:]
  private(set) var messages: [MessageChannelID: [ChannelMessage]] = [:]
  /// Whether messages are read as soon as there are some.
  var reads = true
  private let pool = BufferPool(limit: 256)
  /// Of each stream, and of each of its layers.
  private var numbers: [[UInt64]: FrameID] = [:]

  init(_ host: EmulatedHost, _ house: WebRTCHouse, _ link: any Transport) { (self.host, self.house, self.link) = (host, house, link) }

  func has(_ event: String) -> Bool { events.contains(event) }
  func count(_ event: String) -> Int { events.count { $0 == event } }
  /// What a program has to carry.
  func signal(_ event: SignallingEvent) {}

  // MARK: Events

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .signal(let event):
      signal(event)
      events.append("signal \("\(event)".prefix { $0 != "(" })")
    case .connected: events.append("connected")
    case .reconnecting: events.append("reconnecting")
    case .reconnected: events.append("reconnected")
    case .disconnected(let error):
      ending = error
      events.append("disconnected")
    case .joined(let member): events.append("joined \(member.userID)")
    case .left(let name): events.append("left \(name)")
    case .streamAdded(let stream):
      added.append(stream)
      events.append("added")
      transport.subscribe(to: stream.id, .encoded(self))
    case .streamRemoved: events.append("removed")
    case .keyFrameRequested: keysWanted += 1
    case .receivers(_, let count): events.append("receivers \(count)")
    case .publishFailed(_, let error): events.append("failed \(error.status)")
    case .estimate(let bits): estimate = bits
    case .channel(let id, .opened(let options, let isIncoming)): channels.append((id, options, isIncoming))
    case .channel(let id, .closed(let error)): closed[id, default: []].append(error?.status)
    case .channel(let id, .readable):
      events.append("readable")
      if reads { read(id) }
    case .channel(_, .bufferedAmountLow): events.append("low")
    default: events.append("\(event)")
    }
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    frames[frame.native.pointee.codec, default: []].append(id)
    bytes[frame.native.pointee.codec, default: []].append(Array(frame.bytes))
  }

  /// What there is.
  func read(_ id: MessageChannelID) {
    while case .message(let message)? = try? link.readMessage(of: id, upTo: .max) { messages[id, default: []].append(message) }
  }

  func received(_ codec: Int32) -> Int { frames[UInt32(codec)]?.count ?? 0 }

  // MARK: Media

  /// What it publishes by itself is sent after the others.
  func add(_ stream: StreamID) { streams.append(stream) }

  @discardableResult func publish(_ kind: Transceiver.Kind) throws -> StreamID {
    let id = link.makeStreamID()
    switch kind {
    case .video:
      try link.publish(
        id, codec: UInt32(MSDK_CODEC_VP8), format: .video(VideoFormat(.i420, width: 320, height: 240, frameRate: FrameRate(30)), kind: 1))
    case .audio:
      try link.publish(
        id, codec: UInt32(MSDK_CODEC_OPUS), format: .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: 1))
    }
    streams.append(id)
    return id
  }

  /// A frame of VP8, with the header of a key frame of 320x240 or of another (RFC 6386, section 9.1), or a packet of Opus of 20 ms.
  static func payload(_ size: Int, isKey: Bool, isAudio: Bool, seed: Int) -> [UInt8] {
    var bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed) }
    let head: [UInt8] = isAudio ? [31 << 3] : isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
    bytes.replaceSubrange(0..<min(size, head.count), with: head.prefix(size))
    return bytes
  }

  /// `layer`: of a stream in several.
  @discardableResult func send(
    _ place: Int = 0, layer: Int? = nil, isAudio: Bool = false, isKey: Bool = true, size: Int = 3_000
  ) -> SendResult {
    let stream = streams[place]
    let key = [stream.value, UInt64(layer ?? 0)]
    let number = (numbers[key] ?? 0) + 1
    numbers[key] = number
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(isAudio ? MSDK_CODEC_OPUS : MSDK_CODEC_VP8)
    attributes.flags = isKey ? UInt32(MSDK_ENCODED_KEY) : 0
    attributes.timestamp_ns = house.clock.now()
    attributes.duration_ns = isAudio ? 20_000_000 : 0
    attributes.level = 127
    let bytes = MediaEnd.payload(isAudio ? min(size, 100) : size, isKey: isKey, isAudio: isAudio, seed: Int(number))
    let frame = bytes.withUnsafeBytes { try? EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
    guard let frame else { return .queueFull }
    defer { frame.release() }
    return layer.map { link.send(frame, number, on: stream, layer: $0) } ?? link.send(frame, number, on: stream)
  }

  /// Of each thirtieth of a second a frame, and of each fiftieth a packet of audio.
  func call(for time: Int64, video: Int? = 0, audio: Int? = nil, alone: Bool = true) throws {
    let end = house.clock.now() + time
    var (nextVideo, nextAudio, count) = (house.clock.now(), house.clock.now(), 0)
    while house.clock.now() < end {
      if let video, house.clock.now() >= nextVideo {
        send(video, isKey: count % 30 == 0 || keysWanted > 0)
        (keysWanted, count) = (0, count + 1)
        nextVideo += second / 30
      }
      if let audio, house.clock.now() >= nextAudio {
        send(audio, isAudio: true)
        nextAudio += 20 * millisecond
      }
      try house.run(for: 5 * millisecond)
    }
  }
}
