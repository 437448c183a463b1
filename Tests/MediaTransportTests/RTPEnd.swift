import CMediaSDK
import Glibc
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSRTP

@testable import MediaTransport

/// What a sink was given.
struct Received: Sendable, Equatable {
  let bytes: [UInt8]
  let picture: FrameID
  let isKeyFrame: Bool
  let width: UInt32
  let codec: UInt32
  let time: Int64
}

/// Takes the units of a stream, and writes them down.
final class Collector: EncodedSink {
  let units = Journal<Received>()
  let onUnit: @Sendable (Received) -> Void

  init(_ onUnit: @escaping @Sendable (Received) -> Void = { _ in }) {
    self.onUnit = onUnit
  }

  func receive(_ frame: EncodedFrame, _ picture: FrameID) {
    let native = frame.native.pointee
    let unit = Received(
      bytes: Array(frame.bytes), picture: picture, isKeyFrame: frame.isKeyFrame, width: native.width, codec: native.codec,
      time: native.timestamp_ns)
    units.add(unit)
    onUnit(unit)
  }

  var bytes: [[UInt8]] { units.entries.map(\.bytes) }
}

extension Transport {
  /// By who takes encoded frames only.
  func subscribe(to stream: StreamID, _ sink: any EncodedSink) { subscribe(to: stream, .encoded(sink)) }
}

/// One end of a session of RTP that writes down its events and collects all streams that come.
final class RTPEnd: TransportDelegate {
  let transport: RTPTransport
  let events = Journal<String>()
  let added = Journal<StreamDescription>()
  let estimates = Journal<UInt64>()
  let errors = Journal<String>()
  let video = Collector()
  let audio = Collector()
  let time: TestTime
  private let subscribes: Bool
  private let onEvent: @Sendable (RTPEnd, TransportEvent) -> Void
  private let pool = BufferPool(limit: 8)
  /// Of the frames that it sends, and of those of each stream that comes now. What lives in the whole process says nothing of one test.
  var pools: [BufferPool] { [pool] + transport.state.withLock { $0.legs }.flatMap(\.framePools) }

  init(
    _ configuration: RTPConfiguration, _ sockets: [RTPSockets], _ room: RTPRoom, subscribes: Bool = true,
    onEvent: @escaping @Sendable (RTPEnd, TransportEvent) -> Void = { _, _ in }
  ) {
    transport = RTPTransport(configuration, sockets: sockets, thread: room.thread, network: room.network, loop: room.loop)
    (self.subscribes, self.onEvent, time) = (subscribes, onEvent, room.time)
  }

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected: events.add("connected")
    case .disconnected(let error):
      errors.add(error.map { "\($0.status) \($0.text)" } ?? "")
      events.add("disconnected")
    case .joined: events.add("joined")
    case .left: events.add("left")
    case .streamAdded(let stream):
      added.add(stream)
      if case .video = stream.format {
        if subscribes { transport.subscribe(to: stream.id, video) }
        events.add("video")
      } else {
        if subscribes { transport.subscribe(to: stream.id, audio) }
        events.add("audio")
      }
    case .streamRemoved: events.add("removed")
    case .keyFrameRequested: events.add("key frame")
    case .receivers(_, let count): events.add("receivers \(count)")
    case .estimate(let bits): estimates.add(bits)
    default: events.add("\(event)")
    }
    onEvent(self, event)
  }

  func count(_ event: String) -> Int { events.entries.filter { $0 == event }.count }

  func publish(_ kind: RTPConfiguration.Medium.Kind) throws -> StreamID {
    let id = transport.makeStreamID()
    let format: StreamFormat =
      switch kind {
      case .video: .video(VideoFormat(.i420, width: 320, height: 240, frameRate: FrameRate(30)), kind: 1)
      case .audio: .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 1), kind: 1)
      }
    try transport.publish(id, codec: UInt32(kind == .video ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS), format: format)
    return id
  }

  @discardableResult
  func send(_ bytes: [UInt8], _ picture: FrameID, at time: Int64, audio: Bool = false, on stream: StreamID) -> SendResult {
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(audio ? MSDK_CODEC_OPUS : MSDK_CODEC_VP8)
    attributes.timestamp_ns = time
    attributes.duration_ns = audio ? 20_000_000 : 0
    let frame = bytes.withUnsafeBytes { try? EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: .max) }
    guard let frame else { return .queueFull }
    defer { frame.release() }
    return transport.send(frame, picture, on: stream)
  }

  /// A picture of VP8 of so many bytes, with the header of a key frame of 320x240 or of another (RFC 6386, section 9.1).
  static func picture(_ size: Int, isKey: Bool, seed: Int = 0) -> [UInt8] {
    var bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ seed) }
    let head: [UInt8] = isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
    bytes.replaceSubrange(0..<min(size, head.count), with: head.prefix(size))
    return bytes
  }

  /// A packet of Opus of 20 ms.
  static func sound(_ size: Int, seed: Int = 0) -> [UInt8] {
    [31 << 3] + (1..<max(1, size)).map { UInt8(truncatingIfNeeded: $0 &* 3 &+ seed) }.prefix(size - 1)
  }
}

/// A clock, a loop and a network for the ends of a test: the kernel's, or an emulated machine on a virtual clock.
final class RTPRoom: Sendable {
  enum Surroundings {
    case emulated
    case kernel
  }

  let time: TestTime
  var clock: any MediaClock { time.clock }
  let loop: EventLoop
  let thread: any DriverLoop
  let network: any Network

  init(in surroundings: Surroundings = .kernel) throws {
    switch surroundings {
    case .emulated:
      let emulation = EmulatedNetwork(clock: VirtualClock())
      let machine = try emulation.addHost("127.0.0.1", "127.0.0.2", "::1")
      (time, thread, network) = (TestTime(clock: emulation.clock), machine, machine)
    case .kernel:
      time = TestTime(clock: SystemClock())
      (thread, network) = (try Reactor(clock: time.clock), SystemNetwork.shared)
    }
    loop = EventLoop("events", clock: time.clock)
  }

  func close(_ ends: RTPEnd...) {
    for end in ends { end.transport.disconnect() }
    thread.stop()
    loop.stop()
  }

  deinit {
    thread.stop()
    loop.stop()
  }
}

/// How two ends are joined, and their configurations.
struct RTPWay: Sendable {
  var host = "127.0.0.1"
  var isMultiplexed = true
  /// Sound on a leg of its own.
  var isApart = false
  var profile: SRTPProfile?
  var hasFeedback = false
  var isThereKnown = true
  var bitrates = BandwidthEstimator.Limits(minimum: 100_000, start: 20_000_000, maximum: 50_000_000)
  var hasNACK = true
  var hasRetransmission = true

  func medium(_ kind: RTPConfiguration.Medium.Kind) -> RTPConfiguration.Medium {
    var medium = RTPConfiguration.Medium(kind)
    switch kind {
    case .video:
      medium.sending = (96, .vp8)
      medium.receiving = [96: .vp8]
      if hasRetransmission {
        medium.retransmission = 97
        medium.receiving[97] = .retransmission(of: 96)
      }
    case .audio:
      medium.sending = (111, .opus)
      medium.receiving = [111: .opus]
    }
    medium.hasNACK = hasNACK
    return medium
  }

  func key(_ value: UInt8) throws -> SRTPKey? {
    try profile.map { try SRTPKey([UInt8](repeating: value, count: $0.keySize + $0.saltSize), $0) }
  }

  func configuration(_ name: String, own: UInt8 = 1, theirs: UInt8 = 2) throws -> RTPConfiguration {
    guard let any = SocketAddress(host, port: 0) else { throw MediaError(.invalid, host) }
    var configuration = RTPConfiguration(cname: name)
    configuration.bitrates = bitrates
    for kinds in isApart ? [[.video], [.audio]] : [[RTPConfiguration.Medium.Kind.video, .audio]] {
      var leg = RTPConfiguration.Leg(local: any, remote: nil)
      leg.localControl = isMultiplexed ? nil : any
      leg.media = kinds.map(medium)
      leg.hasTransportFeedback = hasFeedback
      leg.hasReducedSize = true
      if hasFeedback { leg.extensions.transportSequence = 3 }
      if let profile, let own = try key(own), let theirs = try key(theirs) { leg.keys = .init(profile, own: own, theirs: theirs) }
      configuration.legs.append(leg)
    }
    return configuration
  }

  /// Binds what it says, and tells where.
  static func bind(_ configuration: RTPConfiguration, _ room: RTPRoom? = nil) throws -> [RTPSockets] {
    try configuration.legs.map { try RTPSockets($0, on: room?.network ?? SystemNetwork.shared) }
  }

  static func point(_ configuration: inout RTPConfiguration, at sockets: [RTPSockets]) {
    for index in configuration.legs.indices {
      configuration.legs[index].remote = sockets[index].media.localAddress
      configuration.legs[index].remoteControl = sockets[index].control?.localAddress
    }
  }

  /// Two ends that know each other, or of which the second knows nobody.
  func ends(_ room: RTPRoom, theirKey: UInt8 = 2, subscribes: Bool = true) throws -> (RTPEnd, RTPEnd) {
    var (here, there) = (try configuration("here", own: 1, theirs: theirKey), try configuration("there", own: 2, theirs: 1))
    let (mine, theirs) = (try RTPWay.bind(here, room), try RTPWay.bind(there, room))
    RTPWay.point(&here, at: theirs)
    if isThereKnown { RTPWay.point(&there, at: mine) }
    let ends = (RTPEnd(here, mine, room), RTPEnd(there, theirs, room, subscribes: subscribes))
    ends.0.transport.connect(ends.0)
    ends.1.transport.connect(ends.1)
    return ends
  }
}

extension RTPEnd {
  /// Two that are connected with each other, with the same extensions.
  static func pair(_ change: (inout ExtensionMap) -> Void) throws -> (RTPRoom, RTPEnd, RTPEnd) {
    let room = try RTPRoom()
    let way = RTPWay()
    var (here, there) = (try way.configuration("here", own: 1, theirs: 2), try way.configuration("there", own: 2, theirs: 1))
    change(&here.legs[0].extensions)
    change(&there.legs[0].extensions)
    let (mine, theirs) = (try RTPWay.bind(here), try RTPWay.bind(there))
    RTPWay.point(&here, at: theirs)
    RTPWay.point(&there, at: mine)
    let ends = (RTPEnd(here, mine, room), RTPEnd(there, theirs, room, subscribes: false))
    ends.0.transport.connect(ends.0)
    ends.1.transport.connect(ends.1)
    return (room, ends.0, ends.1)
  }
}
