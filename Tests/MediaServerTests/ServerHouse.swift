import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import MediaSDP
import MediaSignalling
import MediaTLS
import Testing

@testable import MediaServer
@testable import MediaTransport
@testable import MediaWebRTCTransport

let millisecond: Int64 = 1_000_000
let second: Int64 = 1_000_000_000

/// A web server on an emulated machine, members of its room in its process, and clients on others. Time goes on as a test says.
final class ServerHouse {
  private static let count = Monitor(0)
  private static let bytes = (0..<262_144).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  /// What fills that frame of a stream.
  static func bytes(_ size: Int, _ number: FrameID) -> [UInt8] {
    let first = Int(number & 255)
    return Array(bytes[first..<first + size])
  }

  let clock = VirtualClock()
  let network: EmulatedNetwork
  let loop: EventLoop
  let host: EmulatedHost
  let room: String
  private(set) var changes: [String] {
    get { noted.withLock { $0 } }
    set { noted.withLock { $0 = newValue } }
  }
  private let noted = Monitor<[String]>([])
  private var server: WebServer?
  private var ends: [RoomEnd] = []
  var web: WebServer { server! }

  init(seed: UInt64 = 1, _ configure: (inout WebServer.Options) -> Void = { _ in }) throws {
    network = EmulatedNetwork(clock: clock, seed: seed)
    loop = EventLoop("events", clock: clock)
    host = try network.addHost("10.0.9.1", "127.0.0.1")
    room = "room-\(ServerHouse.count.withLock { $0 += 1; return $0 })"
    var options = WebServer.Options([try #require(SocketAddress("10.0.9.1", port: 443))])
    let noted = noted
    options.watch = { change in
      noted.withLock { noted in
        switch change {
        case .entered(let member): noted.append("entered \(member.userID)")
        case .left(let user, let error): noted.append("left \(user)\(error.map { " \($0.status)" } ?? "")")
        case .refused(let user, _, let error): noted.append("refused \(user) \(error.status)")
        }
      }
    }
    configure(&options)
    server = try WebServer(room: room, options: options, loop: loop, thread: host, network: host)
  }

  deinit {
    loop.stop()
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

  /// A member of this process.
  func member(_ name: String, publishes: [Bool] = [], encrypts: Bool = false) throws -> RoomEnd {
    var member = Member(userID: name, displayName: name)
    member.encrypts = encrypts
    member.permissions = .all
    let end = RoomEnd(self, LoopbackTransport(room: room, member: member, loop: loop))
    ends.append(end)
    end.link.connect(end)
    try run(for: 10 * millisecond)
    for isVideo in publishes { try end.publish(isVideo: isVideo) }
    return end
  }

  /// A session by WHIP or WHEP from a machine of its own.
  func client(
    _ kind: String, _ path: String = "", at address: String, token: String = "", options: String = "", publishes: [Bool] = []
  ) throws -> RoomEnd {
    let host = try network.addHost(address)
    let url = "\(kind)+https://10.0.9.1/\(kind)/\(room)\(path)#fingerprint=\(web.fingerprint ?? "")\(options)"
    let target = WHIPTarget(url: try WHIPURL(url, scheme: "\(kind)+https", argument: "url"), network: host)
    let made = try target.makeTransport(
      TransportContext(
        member: Member(userID: "me", displayName: "me"), token: AccessToken(token), loop: loop, thread: { () throws(MediaError) in host }))
    let end = RoomEnd(self, made)
    end.host = host
    ends.append(end)
    made.connect(end)
    for isVideo in publishes { try end.publish(isVideo: isVideo) }
    return end
  }

  /// A session by LiveKit's protocol from a machine of its own. It publishes when it is in the room. Without API keys.
  func session(_ identity: String, at address: String, token: String = "", room: String? = nil, publishes: [Bool] = []) throws -> RoomEnd {
    try session(identity, at: address, token: token, url: "&room=\(room ?? self.room)", publishes: publishes)
  }

  /// `url`: what follows the fingerprint. `network`: of that machine, where it is not as it is.
  func session(
    _ identity: String, at address: String, token: String, url: String, publishes: [Bool],
    through network: (EmulatedHost) -> any Network = { $0 }
  ) throws -> RoomEnd {
    let host = try self.network.addHost(address)
    let url = "livekit+wss://10.0.9.1#fingerprint=\(web.fingerprint ?? "")\(url)"
    let target = LiveKitTarget(url: try LiveKitURL(url, scheme: "livekit+wss", argument: "url"), network: network(host))
    let made = try target.makeTransport(
      TransportContext(
        member: Member(userID: identity, displayName: identity), token: AccessToken(token), loop: loop,
        thread: { () throws(MediaError) in host }))
    let end = RoomEnd(self, made)
    end.host = host
    made.connect(end)
    guard !publishes.isEmpty else { return end }
    #expect(try run(for: 5 * second) { end.isHere }, "\(end.events) \(String(describing: end.ending))")
    for isVideo in publishes { try end.publish(isVideo: isVideo) }
    return end
  }

  /// A connection by hand, from a machine of its own or another's.
  func wire(at address: String) throws -> WireClient { try wire(from: try network.addHost(address)) }

  func wire(from host: EmulatedHost) throws -> WireClient {
    try WireClient(to: try #require(web.addresses.first), fingerprint: web.fingerprint, from: host)
  }

  /// A page in the room.
  func page(_ name: String, at address: String, token: String = "") throws -> WireClient {
    let page = try wire(at: address)
    try page.openWebSocket("/ws/\(room)")
    #expect(try run(for: 2 * second) { page.last?.status == 101 })
    try page.say(#"{"type":"join","user":"\#(name)","name":"\#(name.uppercased())","token":"\#(token)"}"#)
    return page
  }

  /// A frame of VP8 in a layer. Of a key frame the smallest is 320x240, and each twice the one before (RFC 6386, section 9.1).
  func frame(_ number: FrameID, of layer: Int, bytes size: Int, isKey: Bool, isDroppable: Bool = false, from pool: BufferPool) throws
    -> EncodedFrame?
  {
    var attributes = msdk_encoded_frame()
    attributes.codec = WebMember.codec(isVideo: true)
    attributes.flags = UInt32((isKey ? MSDK_ENCODED_KEY : 0) | (isDroppable ? MSDK_ENCODED_DROPPABLE : 0))
    (attributes.width, attributes.height) = (320 << UInt32(layer), 240 << UInt32(layer))
    (attributes.timestamp_ns, attributes.level) = (clock.now(), 127)
    var bytes = ServerHouse.bytes(size, number)
    let sides = [attributes.width, attributes.height].flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    let head: [UInt8] = isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A] + sides : [0x31, 1, 0]
    bytes.replaceSubrange(0..<head.count, with: head)
    return try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
  }

  func close() throws {
    for end in ends { end.link.disconnect() }
    web.close()
    try run(for: 10 * second)
    server = nil
  }
}

/// Somebody with a transport, who receives all there is and writes down what happens. All on the thread that moves the clock.
final class RoomEnd: TransportDelegate, EncodedSink, @unchecked Sendable {
  unowned let house: ServerHouse
  let link: any Transport
  var host: EmulatedHost?
  private(set) var events: [String] = []
  private(set) var permissions: Permissions?
  private(set) var ending: MediaError?
  private(set) var added: [StreamDescription] = []
  private(set) var streams: [StreamID] = []
  private(set) var frames: [UInt32: [FrameID]] = [:]
  private(set) var bytes: [UInt32: [[UInt8]]] = [:]
  private(set) var times: [UInt32: [Int64]] = [:]
  /// When frames came.
  private(set) var arrivals: [UInt32: [Int64]] = [:]
  private(set) var keysWanted = 0
  private(set) var keyFrameRequests = 0
  private(set) var keysReceived = 0
  /// Which layers of a stream of its own are to be sent, as it was told last.
  private(set) var layers: [Bool] = []
  /// Channels of data that the other end has opened.
  private(set) var readable: [MessageChannelID] = []
  /// Data of others: who sent it, what, and how.
  private(set) var data: [String] = []
  /// And of parts of calls.
  private(set) var calls: [String] = []
  /// And of streams of data.
  private(set) var dataStreams: [String] = []
  /// The metadata of each frame of video that came, and what the next ones that are sent have.
  private(set) var metadata: [[UInt8]] = []
  var trailer: [UInt8] = []
  var subscribes = true
  /// Who is in the room, as it was told last.
  private(set) var others: Set<String> = []
  /// Writes down who comes and goes.
  var notesOthers = true
  /// Of the audio that it sends (RFC 6464).
  var level: UInt32 = 127
  private let pool = BufferPool(limit: 256)
  private var numbers: [StreamID: FrameID] = [:]

  init(_ house: ServerHouse, _ link: any Transport) { (self.house, self.link) = (house, link) }

  func has(_ event: String) -> Bool { events.contains(event) }
  var isHere: Bool { has("connected") && ending == nil }
  func received(isVideo: Bool) -> Int { frames[WebMember.codec(isVideo: isVideo)]?.count ?? 0 }

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected(let permissions):
      self.permissions = permissions
      events.append("connected")
    case .disconnected(let error):
      ending = error
      events.append("disconnected")
    case .joined(let member):
      others.insert(member.userID)
      if notesOthers { events.append("joined \(member.userID)") }
    case .left(let name):
      others.remove(name)
      if notesOthers { events.append("left \(name)") }
    case .streamAdded(let stream):
      added.append(stream)
      events.append("added \(stream.isVideo ? "video" : "audio") \(stream.userID)")
      if subscribes { transport.subscribe(to: stream.id, .encoded(self)) }
    case .streamRemoved(let id):
      added.removeAll { $0.id == id }
      events.append("removed")
    case .streamMuted(_, let isMuted): events.append(isMuted ? "muted" : "unmuted")
    case .keyFrameRequested: (keysWanted, keyFrameRequests) = (keysWanted + 1, keyFrameRequests + 1)
    case .layers(_, let active, _): layers = active
    case .receivers(_, let count): events.append("receivers \(count)")
    case .wanted(_, let wish): events.append("wanted \(wish.width)x\(wish.height) at \(wish.frameRate?.description ?? "any rate")")
    case .channel(let channel, .opened(_, isIncoming: true)): readable.append(channel)
    case .unreachable(_, let user, let error): events.append("unreachable \(user) \(error.status)")
    case .publishFailed(_, let error): events.append("failed \(error.status)")
    case .moderated(let user, let moderation, let reason): events += ["\(moderation)", "\(moderation) by \(user): \(reason)"]
    case .accessRenewed(let error): events.append(error.map { "renewed \($0.status)" } ?? "renewed")
    case .accessExpiring(let remaining): events.append("expires in \(remaining / millisecond) ms")
    case .moderationFailed(let user, let error): events.append("\(user) is not moderated: \(error.status)")
    case .retrying(let error, _): events.append("retrying: \(error.status)")
    case .attributeChanged(let user, let key, let value, _): events.append("\(user) says \(key)=\(value ?? "nil")")
    case .speaking(_, let user, let isSpeaking, _): events.append("\(user) \(isSpeaking ? "speaks" : "is silent")")
    case .permissionsChanged(let user, let permissions): events.append("\(user) may \(permissions.rawValue)")
    case .reconnecting: events.append("reconnecting")
    case .reconnected: events.append("reconnected")
    case .data(let user, let message):
      switch message.content {
      case .user: break
      case .call(let part): return calls.append("\(user): \(part) \(message.bytes)")
      case .stream(let part): return dataStreams.append("\(user): \(part) \(message.bytes)")
      case .sealed(let nonce, let index):
        return data.append("\(user): sealed \(nonce) \(index) \(message.bytes)\(message.isLossy ? " lossy" : "")")
      }
      data.append("\(user): \(String(decoding: message.bytes, as: UTF8.self)) \(message.topic)\(message.isLossy ? " lossy" : "")")
    case .dataWritable: events.append("data writable")
    default: break
    }
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    let codec = frame.native.pointee.codec
    frames[codec, default: []].append(id)
    bytes[codec, default: []].append(Array(frame.bytes))
    times[codec, default: []].append(frame.native.pointee.timestamp_ns)
    arrivals[codec, default: []].append(house.clock.now())
    if codec == WebMember.codec(isVideo: true) { metadata.append(Array(frame.metadata)) }
    if frame.isKeyFrame, codec == WebMember.codec(isVideo: true) { keysReceived += 1 }
  }

  func publish(_ format: StreamFormat) throws -> StreamID {
    let id = link.makeStreamID()
    let isVideo = if case .video = format { true } else { false }
    try link.publish(id, codec: WebMember.codec(isVideo: isVideo), format: format)
    streams.append(id)
    return id
  }

  @discardableResult func publish(isVideo: Bool, codec: UInt32? = nil, kind: UInt32 = 1, carriesMetadata: Bool = false) throws -> StreamID {
    let id = link.makeStreamID()
    let format: StreamFormat =
      isVideo
      ? .video(VideoFormat(.i420, width: 320, height: 240, frameRate: FrameRate(30)), kind: kind)
      : .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: kind)
    try link.publish(
      id, codec: codec ?? WebMember.codec(isVideo: isVideo), format: format, layers: .one, carriesMetadata: carriesMetadata)
    streams.append(id)
    return id
  }

  /// A video in three layers.
  func publishLayers() throws {
    let id = link.makeStreamID()
    let format = VideoFormat(.i420, width: 1_280, height: 960, frameRate: FrameRate(30))
    try link.publish(id, codec: WebMember.codec(isVideo: true), format: .video(format, kind: 1), layers: StreamLayers(count: 3))
    streams.append(id)
  }

  /// A frame of so many bytes in each layer of that which is to be sent.
  func sendLayers(_ sizes: [Int], isKey: Bool) throws {
    let stream = try #require(streams.last)
    let number = (numbers[stream] ?? 0) + 1
    numbers[stream] = number
    for (layer, size) in sizes.enumerated() where layers.isEmpty || layers[layer] {
      let made = try #require(try house.frame(number, of: layer, bytes: size, isKey: isKey, from: pool))
      defer { made.release() }
      _ = link.send(made, number, on: stream, layer: layer)
    }
  }

  /// A frame of VP8 with the header of a key frame of 320x240 or of another (RFC 6386, section 9.1), or a packet of Opus of 20 ms.
  /// `ending`: its last bytes.
  @discardableResult func send(
    _ place: Int, isVideo: Bool, isKey: Bool = true, size: Int = 3_000, ending: [UInt8] = []
  ) -> SendResult {
    let stream = streams[place]
    numbers[stream, default: 0] += 1
    let number = numbers[stream] ?? 1
    var attributes = msdk_encoded_frame()
    attributes.codec = WebMember.codec(isVideo: isVideo)
    attributes.flags = isKey ? UInt32(MSDK_ENCODED_KEY) : 0
    (attributes.width, attributes.height, attributes.channels) = isVideo ? (320, 240, 0) : (0, 0, 1)
    attributes.timestamp_ns = house.clock.now()
    attributes.duration_ns = isVideo ? 0 : 20_000_000
    attributes.level = level
    let size = isVideo ? size : 100
    var bytes = ServerHouse.bytes(size, number)
    let head: [UInt8] = !isVideo ? [31 << 3] : isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
    bytes.replaceSubrange(0..<head.count, with: head)
    bytes += ending
    let frame = bytes.withUnsafeBytes { try? EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
    guard let frame else { return .queueFull }
    defer { frame.release() }
    if isVideo { trailer.withUnsafeBytes { frame.setMetadata($0) } }
    return link.send(frame, number, on: stream)
  }

  /// Of each thirtieth of a second a frame, a key frame each two seconds and when one is wanted, and of each fiftieth a packet of audio.
  func call(for time: Int64, video: Int? = 0, audio: Int? = 1, size: Int = 3_000, keyInterval: Int = 60) throws {
    let end = house.clock.now() + time
    var (nextVideo, nextAudio, count) = (house.clock.now(), house.clock.now(), 0)
    while house.clock.now() < end {
      if let video, house.clock.now() >= nextVideo {
        send(video, isVideo: true, isKey: count % keyInterval == 0 || keysWanted > 0, size: size)
        (keysWanted, count) = (0, count + 1)
        nextVideo += second / 30
      }
      if let audio, house.clock.now() >= nextAudio {
        send(audio, isVideo: false)
        nextAudio += 20 * millisecond
      }
      try house.run(for: 5 * millisecond)
    }
  }
}
