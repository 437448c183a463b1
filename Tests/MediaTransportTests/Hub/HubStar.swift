import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import Testing

@testable import MediaTransport

/// A member who shares a screen, the hub, and members who watch, all by one virtual clock, with a link of its own for each of them. The
/// encoder is a stand-in: it makes a key frame of one size when it is asked for one, and a few frames more until the page is sharp. Steps are of
/// two milliseconds.
final class HubStar {
  struct Link {
    /// In bits a second.
    var rate = 20_000_000
    var delay: Int64 = 30
    /// The longest queue, in milliseconds.
    var queue: Int64 = 300
    var loss = 0.0
    /// When it is free, in nanoseconds.
    var freeAt: Int64 = 0
  }

  struct Shown {
    let at: Int64
    let isKeyFrame: Bool
    /// Which frame of the encoder it is.
    let index: Int
  }

  /// One end of one leg, with its socket.
  fileprivate final class End {
    let socket: InstantPort
    let address: SocketAddress
    private let rows = DatagramRows()
    /// On their way here: when they arrive, and from where.
    var coming: [(time: Int64, bytes: [UInt8])] = []

    init(_ network: InstantNetwork) throws {
      socket = try network.makePort()
      address = socket.address
    }

    /// What was sent here.
    func take() -> [[UInt8]] {
      var datagrams: [[UInt8]] = []
      while socket.receive(rows, { bytes, _ in datagrams.append(Array(bytes)) }) > 0 {}
      return datagrams
    }
  }

  /// Between a member and the hub.
  final class Leg {
    fileprivate let (hub, end): (End, End)
    fileprivate let media: HubMedia
    var peer = HubPeer.Guarded()
    var (up, down): (Link, Link)
    /// Of the shared stream, at those who watch.
    fileprivate var number: UInt32 = 0
    fileprivate(set) var shown: [Shown] = []
    /// Key frames that were handed to this leg at the hub: when, and which.
    fileprivate(set) var forwarded: [(at: Int64, index: Int)] = []
    init(_ base: UInt32, _ up: Link, _ down: Link, _ clock: VirtualClock, start: Int, seed: UInt64) throws {
      let network = InstantNetwork()
      (hub, end, self.up, self.down) = (try End(network), try End(network), up, down)
      let terms = try MediaParameters.make(port: hub.address.port, base: base, profile: .aesGCM)
      let rates = BandwidthEstimator.Limits(minimum: 30_000, start: start, maximum: 20_000_000)
      peer.media = try HubMedia(terms, isHub: true, over: HubSocket(hub.socket), to: nil, bitrates: rates, clock: clock, seed: seed)
      media = try HubMedia(
        terms, isHub: false, over: HubSocket(end.socket), to: hub.address, bitrates: rates, clock: clock, seed: seed &+ 1)
    }

    /// When a key frame that was handed to this leg, or something of later, was shown.
    func shown(_ key: (at: Int64, index: Int)) -> Int64? { shown.first { $0.index >= key.index }?.at }

    /// The most key frames that were on their way at once.
    var mostInFlight: Int {
      forwarded.map { key in forwarded.count { $0.at <= key.at && (shown($0) ?? .max) > key.at } }.max() ?? 0
    }
  }

  private let clock = VirtualClock()
  private var random: SeededRandom
  private let pool = BufferPool(limit: 256)
  private let slot = HubSlot.all(video: true)[0]
  private let stream = StreamID.next()
  let publisher: Leg
  let watchers: [Leg]
  private(set) var now: Int64 = 0

  // Of the encoder.
  var keySize = 290_000
  var refinement = (size: 20_000, count: 12)
  private var wantsKeyFrame = false
  private var refined = Int.max
  private var nextRefinement: Int64 = 0
  private var picture: FrameID = 0
  /// The frames of the encoder: when each was made, and whether it was a key frame.
  private(set) var made: [(at: Int64, isKeyFrame: Bool)] = []
  var keyFramesMade: Int { made.count { $0.isKeyFrame } }
  /// Requests on their way to the encoder.
  private var requests: [Int64] = []

  init(watchers links: [Link], start: Int = 300_000, seed: UInt64) throws {
    random = SeededRandom(seed: seed)
    publisher = try Leg(0x1234_5600, Link(), Link(), clock, start: 5_000_000, seed: seed)
    let codec = UInt32(MSDK_CODEC_VP8)
    var legs: [Leg] = []
    for (place, link) in links.enumerated() {
      let leg = try Leg(0x2234_5600 + UInt32(place) * 256, Link(), link, clock, start: start, seed: seed &+ UInt64(place) * 100)
      leg.number = leg.peer.streams.offer(stream, codec: codec, isScreen: true)
      let isReceived = leg.peer.streams.receive(leg.number, at: slot, now: clock.now())
      try #require(isReceived)
      legs.append(leg)
    }
    watchers = legs
    let isPublished = publisher.peer.streams.publish(1, .init(id: stream, slot: slot, codec: codec))
    try #require(isPublished)
  }

  /// All members show the hub where they are.
  func meet() throws {
    while now < 1000 {
      if now % 100 == 0 { for leg in [publisher] + watchers { leg.media.greet() } }
      try step()
    }
    for leg in [publisher] + watchers { try #require(leg.peer.media?.remote != nil) }
  }

  /// Another page, which the encoder makes a key frame of.
  func turnPage() { wantsKeyFrame = true }

  func run(_ milliseconds: Int64) throws {
    let end = now + milliseconds
    while now < end { try step() }
  }

  private func step() throws {
    for leg in [publisher] + watchers {
      transfer(to: leg.hub, over: &leg.up) { _ = leg.peer.media?.receive($0, from: leg.end.address, now: clock.now()) }
      transfer(to: leg.end, over: &leg.down) { _ = leg.media.receive($0, from: leg.hub.address, now: clock.now()) }
    }
    try encode()
    for leg in [publisher] + watchers { try follow(leg) }
    try clock.advance(by: 2_000_000)
    now += 2
  }

  private func follow(_ leg: Leg) throws {
    _ = leg.media.poll(now: clock.now())
    for frame in leg.media.takeFrames() {
      defer { frame.frame.release() }
      leg.shown.append(Shown(at: now, isKeyFrame: frame.frame.isKeyFrame, index: HubStar.index(frame.frame)))
    }
    let arrivals = leg.peer.hand(clock.now())
    for unit in arrivals.units {
      defer { unit.frame.release() }
      for watcher in watchers { forward(unit.frame, unit.picture, to: watcher) }
    }
    for _ in arrivals.wanted { request() }
  }

  private func forward(_ frame: EncodedFrame, _ picture: FrameID, to watcher: Leg) {
    let outcome = watcher.peer.forward(frame, picture, of: watcher.number, now: clock.now())
    if frame.isKeyFrame, outcome.isSent { watcher.forwarded.append((now, HubStar.index(frame))) }
    if outcome.wanted != nil { request() }
  }

  private static func index(_ frame: EncodedFrame) -> Int { frame.bytes.suffix(3).reduce(0) { $0 << 8 | Int($1) } }

  /// What the room's member at the other end of the publisher's leg is notified of.
  private func request() {
    guard publisher.peer.streams.isToBeAsked(for: stream, now: clock.now()) else { return }
    requests.append(now + publisher.down.delay)
  }

  private func encode() throws {
    while let first = requests.first, first <= now {
      requests.removeFirst()
      if !publisher.media.isKeyFrameUnderWay(on: slot, isSure: true, at: clock.now()) { wantsKeyFrame = true }
    }
    guard publisher.media.backlog(at: clock.now()) <= 300_000_000 else { return }
    if wantsKeyFrame {
      wantsKeyFrame = false
      (refined, nextRefinement) = (0, now + 250)
      try send(keySize, isKeyFrame: true)
    } else if refined < refinement.count, now >= nextRefinement {
      (refined, nextRefinement) = (refined + 1, now + 250)
      try send(refinement.size, isKeyFrame: false)
    }
  }

  private func send(_ size: Int, isKeyFrame: Bool) throws {
    var attributes = msdk_encoded_frame()
    attributes.timestamp_ns = clock.now()
    attributes.codec = UInt32(MSDK_CODEC_VP8)
    attributes.flags = isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0
    let head: [UInt8] = isKeyFrame ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x00, 5, 0xD0, 2] : [0x51, 2, 0]
    let index = made.count
    made.append((now, isKeyFrame))
    let tail = [UInt8(index >> 16), UInt8(index >> 8 & 255), UInt8(index & 255)]
    let bytes = head + [UInt8](repeating: 0x5A, count: size - head.count - 3) + tail
    let frame = try #require(
      try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) })
    defer { frame.release() }
    picture += 1
    try publisher.media.send(frame, picture, on: slot, isVoice: false, now: clock.now())
  }

  /// What was sent to that end goes on its way, and what has come so far is received.
  private func transfer(to end: End, over link: inout Link, _ receive: (UnsafeRawBufferPointer) -> Void) {
    let time = now * 1_000_000
    for datagram in end.take() {
      let start = max(time, link.freeAt)
      guard start - time <= link.queue * 1_000_000 else { continue }
      link.freeAt = start + Int64(datagram.count + 28) * 8_000_000_000 / Int64(link.rate)
      guard link.loss == 0 || Double.random(in: 0..<1, using: &random) >= link.loss else { continue }
      end.coming.append((link.freeAt + link.delay * 1_000_000, datagram))
    }
    while let first = end.coming.first, first.time <= time {
      end.coming.removeFirst()
      first.bytes.withUnsafeBytes(receive)
    }
  }
}
