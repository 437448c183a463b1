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

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

/// The error that the body throws; nil when it throws none, or one of another type.
func failure(_ body: () throws -> Void) -> MediaError? {
  do {
    try body()
    return nil
  } catch {
    return error as? MediaError
  }
}

/// Machines, a loop of events and time, which goes on as a test says.
final class WebRTCHouse {
  let clock = VirtualClock()
  let network: EmulatedNetwork
  let loop: EventLoop
  private(set) var ends: [WebRTCEnd] = []

  init(seed: UInt64 = 1) {
    network = EmulatedNetwork(clock: clock, seed: seed)
    loop = EventLoop("events", clock: clock)
  }

  deinit { loop.stop() }

  /// One that a program has connected, on a machine of its own.
  func end(_ url: String = "webrtc:", at address: String, polite: Bool = true, publishes: [Transceiver.Kind] = []) throws -> WebRTCEnd {
    let host = try network.addHost(address)
    return try end(url + (url.contains("?") ? "&" : "?") + "polite=\(polite ? 1 : 0)", on: host, publishes: publishes)
  }

  func end(_ url: String, on host: EmulatedHost, publishes: [Transceiver.Kind] = []) throws -> WebRTCEnd {
    let end = try WebRTCEnd(url, host, self)
    ends.append(end)
    end.transport.connect(end)
    for kind in publishes { try end.publish(kind) }
    return end
  }

  func run(for time: Int64) throws { try clock.advance(by: time) }

  /// Whether it becomes so in that time.
  func run(for time: Int64, until isDone: () -> Bool) throws -> Bool {
    let end = clock.now() + time
    while clock.now() < end {
      if isDone() { return true }
      try clock.advance(by: 5 * millisecond)
    }
    return isDone()
  }

  func close() throws {
    for end in ends { end.transport.disconnect() }
    try run(for: second)
  }
}

/// A session's program: it carries descriptions and candidates to the other end, and writes down what happens. All on the thread that moves the clock.
final class WebRTCEnd: TransportDelegate, EncodedSink, @unchecked Sendable {
  let house: WebRTCHouse
  let host: EmulatedHost
  let target: WebRTCTarget
  let transport: WebRTCTransport
  unowned(unsafe) var other: WebRTCEnd?
  /// Offers when something is to be negotiated.
  var negotiates = true
  var restarts = true
  var signalDelay: Int64 = 30 * millisecond
  /// Changes descriptions on their way.
  var tamper: ((String) -> String)?
  private(set) var events: [String] = []
  private(set) var errors: [MediaError] = []
  private(set) var ending: MediaError?
  private(set) var added: [StreamDescription] = []
  private(set) var streams: [StreamID] = []
  private(set) var frames: [UInt32: [FrameID]] = [:]
  private(set) var bytes: [UInt32: [[UInt8]]] = [:]
  private(set) var ignored = 0
  private(set) var candidates: [String] = []
  private(set) var isComplete = false
  private(set) var servers: [String] = []
  private(set) var restartsWanted = 0
  private(set) var estimate: UInt64 = 0
  private(set) var keysWanted = 0
  private var described: String?
  private let pool = BufferPool(limit: 256)
  private var numbers: [StreamID: FrameID] = [:]

  init(_ url: String, _ host: EmulatedHost, _ house: WebRTCHouse) throws {
    (self.house, self.host) = (house, host)
    target = try WebRTCTarget(url, argument: "url", network: host)
    let made = try target.makeTransport(
      TransportContext(
        member: Member(userID: "me", displayName: "me"), token: AccessToken(""), loop: house.loop, thread: { () throws(MediaError) in host }
      ))
    transport = try #require(made as? WebRTCTransport)
  }

  func joins(_ other: WebRTCEnd) { (self.other, other.other) = (other, self) }

  func has(_ event: String) -> Bool { events.contains(event) }
  func count(_ event: String) -> Int { events.count { $0 == event } }
  var isConnected: Bool { has("connected") && transport.state.withLock { $0.phase == .here } }

  // MARK: Signalling

  private func later(_ body: @escaping @Sendable (WebRTCEnd) -> Void) {
    guard let other else { return }
    house.loop.schedule(at: house.clock.now() + signalDelay) { body(other) }
  }

  private func attempt(_ body: () throws -> Void) {
    do { try body() } catch { if let error = error as? MediaError { errors.append(error) } }
  }

  /// Makes the next description, and sends it when it has all that it is to have.
  func describe() {
    attempt {
      described = try target.describe().rawValue
      isComplete = false
      if transport.options.trickles { try send() }
    }
  }

  private func send() throws {
    guard let kind = described else { return }
    described = nil
    let text = try target.localDescription()
    let sent = tamper?(text) ?? text
    later { $0.receive(kind, sent) }
  }

  func receive(_ kind: String, _ text: String) {
    attempt {
      let kind = try #require(DescriptionKind(rawValue: kind))
      switch try target.setRemote(kind, text) {
      case .ignored: ignored += 1
      case .applied: if kind == .offer { describe() }
      }
    }
  }

  private func signal(_ event: SignallingEvent) {
    switch event {
    case .negotiationNeeded: if negotiates { describe() }
    case .localCandidate(let text, let mid, _):
      candidates.append(text)
      later { end in end.attempt { try end.target.addRemote(candidate: text, mid: mid) } }
    case .candidatesComplete:
      isComplete = true
      if transport.options.trickles {
        later { end in end.attempt { try end.target.addRemote(candidate: "", mid: nil) } }
      } else {
        attempt { try send() }
      }
    case .restartWanted:
      restartsWanted += 1
      if restarts { attempt { try target.restartICE() } }
    case .serverFailed(let server, _, let text): servers.append("\(server): \(text)")
    }
  }

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
    default: events.append("\(event)")
    }
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    frames[frame.native.pointee.codec, default: []].append(id)
    bytes[frame.native.pointee.codec, default: []].append(Array(frame.bytes))
  }

  func received(_ codec: Int32) -> Int { frames[UInt32(codec)]?.count ?? 0 }

  // MARK: Media

  @discardableResult func publish(_ kind: Transceiver.Kind) throws -> StreamID {
    let id = transport.makeStreamID()
    switch kind {
    case .video:
      try transport.publish(
        id, codec: UInt32(MSDK_CODEC_VP8), format: .video(VideoFormat(.i420, width: 320, height: 240, frameRate: FrameRate(30)), kind: 1))
    case .audio:
      try transport.publish(
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

  @discardableResult func send(_ place: Int = 0, isAudio: Bool = false, isKey: Bool = true, size: Int = 3_000) -> SendResult {
    let stream = streams[place]
    numbers[stream, default: 0] += 1
    let number = numbers[stream] ?? 1
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(isAudio ? MSDK_CODEC_OPUS : MSDK_CODEC_VP8)
    attributes.flags = isKey ? UInt32(MSDK_ENCODED_KEY) : 0
    attributes.timestamp_ns = house.clock.now()
    attributes.duration_ns = isAudio ? 20_000_000 : 0
    attributes.level = 127
    let bytes = WebRTCEnd.payload(isAudio ? min(size, 100) : size, isKey: isKey, isAudio: isAudio, seed: Int(number))
    let frame = bytes.withUnsafeBytes { try? EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
    guard let frame else { return .queueFull }
    defer { frame.release() }
    return transport.send(frame, number, on: stream)
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
