import CMediaSDK
import MediaCore
import MediaEmulation
import MediaRTP
import MediaRuntime
import Testing

@testable import MediaNetwork
@testable import MediaTransport

/// A process that hosts a room and opens it to the network, and the machines of those who come: all at the addresses of one machine, which is an
/// emulated one on a virtual clock, unless a test is of the kernel's sockets.
final class HubHouse {
  enum Surroundings {
    case emulated
    case kernel
  }

  let room: String
  let time: TestTime
  var clock: any MediaClock { time.clock }
  let loop: EventLoop
  let thread: any DriverLoop
  let network: any Network
  /// nil: the kernel's.
  let emulation: EmulatedNetwork?
  private(set) var hub: HubServer?
  private var witnesses: [HubWitness] = []

  /// Fast from the start, so that no test waits for a rate to be found.
  static let rates = BandwidthEstimator.Limits(minimum: 1_000_000, start: 20_000_000, maximum: 50_000_000)

  /// The seventh test's room is not the eighth's.
  init(
    _ name: String = #function, hosts: [String] = ["127.0.0.1"], in surroundings: Surroundings = .emulated,
    _ change: (inout HubServer.Options) -> Void = { _ in }, access: RoomAccess? = nil
  ) throws {
    room = "hub \(name)"
    switch surroundings {
    case .emulated:
      let emulation = EmulatedNetwork(clock: VirtualClock())
      let machine = try emulation.addHost("127.0.0.1", "127.0.0.2", "::1")
      (time, self.emulation, network, thread) = (TestTime(clock: emulation.clock), emulation, machine, machine)
    case .kernel:
      time = .real
      (emulation, network, thread) = (nil, SystemNetwork.shared, try Reactor(clock: time.clock))
    }
    loop = EventLoop("loop", clock: time.clock)
    if let access { try LoopbackTransport.setAccess(access, room: room, clock: clock) }
    var options = HubServer.Options(try hosts.map { try #require(SocketAddress($0, port: 0)) })
    options.bitrates = HubHouse.rates
    change(&options)
    hub = try HubServer(room: room, options: options, loop: loop, thread: thread, network: network)
  }

  var address: SocketAddress {
    get throws { try #require(hub?.addresses.first) }
  }

  func url(_ address: SocketAddress? = nil, fingerprint: String? = nil, suite: String? = nil, room: String? = nil) throws -> HubURL {
    let hub = try #require(hub)
    let address = try address ?? self.address
    return try HubURL(
      "hub://\(address)/\(room ?? self.room)?fingerprint=\(fingerprint ?? hub.fingerprint)\(suite.map { "&srtp=\($0)" } ?? "")",
      argument: "url")
  }

  /// A member of this process.
  func local(_ name: String, token: String = "") -> HubWitness {
    let member = Member(userID: name, displayName: name.uppercased())
    return witness(LoopbackTransport(room: room, member: member, token: AccessToken(token), loop: loop))
  }

  /// One who comes over the network; of the emulated network from a machine of their own, if they have one.
  func remote(_ name: String, token: String = "", url: HubURL? = nil, decodes: [UInt32]? = nil, on machine: EmulatedHost? = nil) throws
    -> HubWitness
  {
    let loop = EventLoop("remote", clock: clock)
    let own: (any DriverLoop)? = emulation == nil ? try Reactor(clock: clock) : nil
    var member = Member(userID: name, displayName: name.uppercased())
    member.decodes = decodes
    let transport = HubTransport(
      try url ?? self.url(), member: member, token: AccessToken(token), loop: loop, thread: machine ?? own ?? thread,
      network: machine ?? network, bitrates: HubHouse.rates)
    let witness = witness(transport)
    witness.ends = {
      own?.stop()
      machine?.stop()
      loop.stop()
    }
    return witness
  }

  private func witness(_ transport: any Transport) -> HubWitness {
    let witness = HubWitness(transport, time)
    witnesses.append(witness)
    transport.connect(witness)
    return witness
  }

  func isTrueSoon(_ body: () -> Bool) -> Bool { time.waits(body) }
  func run(milliseconds: Int64) { time.run(milliseconds: milliseconds) }

  /// A connection to the hub from that address of the emulated machine.
  func connect(from host: String) throws -> any StreamConnection {
    let own: SocketAddress = try #require(SocketAddress(host, port: 0))
    return try #require(network as? EmulatedHost).connect(to: address, from: own)
  }

  var peers: [HubPeer] { hub?.peers ?? [] }

  /// Until packets of all members have come.
  func waitForMedia() {
    let isHeard = isTrueSoon { peers.allSatisfy { peer in peer.guarded.withLock { $0.isHeard } } }
    #expect(isHeard)
  }

  func closeDoors() {
    waitForMedia()
    hub?.closeDoors()
  }

  func closeHub() {
    hub?.close()
    hub = nil
  }

  func close() {
    for witness in witnesses { witness.transport.disconnect() }
    closeHub()
    for witness in witnesses { witness.ends?() }
    thread.stop()
    loop.stop()
    LoopbackTransport.forgetSettings(of: clock)
    if let emulation { #expect(emulation.busyCalls == 0, "a driver never rests") }
  }
}

/// Writes down what a transport tells, and what it brings.
final class HubWitness: TransportDelegate, EncodedSink, @unchecked Sendable {
  struct Seen: Sendable {
    var events: [String] = []
    var errors: [MediaError] = []
    var streams: [StreamDescription] = []
    var members: [Member] = []
    var permissions: Permissions?
    var units: [[UInt8]] = []
    var pictures: [FrameID] = []
    var estimate: UInt64?
  }

  let transport: any Transport
  private let time: TestTime
  var ends: (@Sendable () -> Void)?
  let seen = Monitor(Seen())

  init(_ transport: any Transport, _ time: TestTime = .real) {
    (self.transport, self.time) = (transport, time)
  }

  private func note(_ event: String?, _ change: (inout Seen) -> Void = { _ in }) {
    seen.withLock { seen in
      change(&seen)
      if let event { seen.events.append(event) }
    }
  }

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected(let permissions): note("connected") { $0.permissions = permissions }
    case .reconnecting: note("reconnecting")
    case .reconnected: note("reconnected")
    case .disconnected(let error): note("disconnected \(error.map { "\($0.status)" } ?? "")") { if let error { $0.errors.append(error) } }
    case .joined(let member): note("joined \(member.userID)") { $0.members.append(member) }
    case .left(let userID): note("left \(userID)")
    case .streamAdded(let stream): note("added by \(stream.userID)") { $0.streams.append(stream) }
    case .streamRemoved(let id): note("removed") { $0.streams.removeAll { $0.id == id } }
    case .keyFrameRequested: note("key frame")
    case .attributeChanged(let userID, let key, let value, _): note("\(userID) \(key)=\(value ?? "nothing")")
    case .permissionsChanged(let userID, let permissions): note("permissions of \(userID) \(permissions.rawValue)")
    case .accessExpiring(let remaining): note("expires in \(remaining / 1_000_000) ms")
    case .accessRenewed(let error): note("renewed\(error.map { ": \($0.status)" } ?? "")")
    case .receivers(_, let count): note("receivers \(count)")
    case .wanted(_, let preference): note(preference.text)
    case .layers(_, let active, let bitrates): note("layers \(active) \(bitrates)")
    case .publishFailed(_, let error): note("publishing failed: \(error.status)")
    case .moderationFailed(let userID, let error): note("\(userID) is not moderated: \(error.status)")
    case .unreachable(_, let userID, let error): note("\(userID) is not sent it: \(error.status)")
    case .estimate(let bits): note(nil) { $0.estimate = bits }
    case .network: note("network")
    case .signal: note("signal")
    case .channel: note("channel")
    case .data(let userID, _): note("data of \(userID)")
    case .dataWritable: note("data writable")
    case .moderated(let userID, let moderation, let reason): note("\(moderation) by \(userID): \(reason)")
    case .streamMuted(_, let isMuted): note(isMuted ? "muted" : "unmuted")
    case .speaking(_, let userID, let isSpeaking, let level): note("\(userID) \(isSpeaking ? "speaks" : "is silent") at \(level)")
    }
  }

  func receive(_ frame: EncodedFrame, _ picture: FrameID) {
    let bytes = Array(frame.bytes)
    note(nil) { seen in
      seen.units.append(bytes)
      seen.pictures.append(picture)
    }
  }

  var events: [String] { seen.withLock { $0.events } }

  /// Waits until it holds, as long as `TestTime` does.
  func wait(_ body: (Seen) -> Bool) -> Bool { time.waits { seen.withLock { body($0) } } }

  /// Waits for an event, the so-manieth of its words.
  func sees(_ event: String, times: Int = 1) -> Bool { wait { $0.events.filter { $0 == event }.count >= times } }

  func stream(ofCodec codec: Int) throws -> StreamDescription {
    #expect(wait { $0.streams.contains { $0.codec == UInt32(codec) } })
    return try #require(seen.withLock { $0.streams.last { $0.codec == UInt32(codec) } })
  }

  // MARK: Doing something

  func publishVideo(kind: UInt32 = 1) throws -> StreamID {
    let id = transport.makeStreamID()
    let format = VideoFormat(.i420, width: 64, height: 48, frameRate: FrameRate(30))
    try transport.publish(id, codec: UInt32(MSDK_CODEC_VP8), format: .video(format, kind: kind))
    return id
  }

  func publishSound(kind: UInt32 = 1) throws -> StreamID {
    let id = transport.makeStreamID()
    try transport.publish(
      id, codec: UInt32(MSDK_CODEC_OPUS), format: .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: kind))
    return id
  }

  func send(_ bytes: [UInt8], _ picture: FrameID, on id: StreamID) throws -> SendResult {
    var attributes = msdk_encoded_frame()
    let isSound = bytes.first == HubMedium.toc
    attributes.codec = UInt32(isSound ? MSDK_CODEC_OPUS : MSDK_CODEC_VP8)
    attributes.flags = isSound || bytes[0] & 1 != 0 ? 0 : UInt32(MSDK_ENCODED_KEY)
    attributes.timestamp_ns = time.clock.now()
    attributes.duration_ns = isSound ? 20_000_000 : 0
    let made = try bytes.withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: attributes, from: BufferPool(limit: 1), deadline: 0)
    }
    let frame = try #require(made)
    defer { frame.release() }
    return transport.send(frame, picture, on: id)
  }
}

/// Units that are what they say only on the outside.
enum HubMedium {
  /// Opus: CELT, 20 ms, mono, one frame.
  static let toc: UInt8 = 0xF8

  static func picture(key: Bool, _ size: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    let head: [UInt8] = key ? [0x10, 0, 0, 0x9D, 0x01, 0x2A, 64, 0, 48, 0] : [0x11, 0, 0]
    return head + (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  static func sound(_ size: Int, seed: UInt64) -> [UInt8] {
    var random = SeededRandom(seed: seed)
    return [toc] + (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
}
