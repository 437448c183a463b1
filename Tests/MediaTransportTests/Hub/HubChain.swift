import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import Testing

@testable import MediaTransport

/// A member who sends, the hub, and a member who receives, each by a virtual clock of their own, and network paths with delay, jitter and loss
/// between them. Steps are milliseconds.
final class HubChain {
  struct Path: Sendable {
    /// One way between a member and the hub, in milliseconds.
    var delay: Int64 = 20
    var jitter: Int64 = 0
    var loss = 0.0
  }

  struct Read {
    let isVideo: Bool
    let at: Int64
    /// The stamp less the time of the capture on the reader's clock.
    let error: Int64
    let sequence: UInt64
  }

  /// One end of one leg, with its socket.
  private final class End {
    let socket: InstantPort
    let address: SocketAddress
    let clock: VirtualClock
    let drift: Int64
    private let rows = DatagramRows()
    private let start: Int64
    /// On their way here: when they arrive, and from where.
    var coming: [(time: Int64, from: SocketAddress, bytes: [UInt8])] = []
    var media: HubMedia?

    init(_ network: InstantNetwork, _ clock: VirtualClock, drift: Int64, start: Int64) throws {
      socket = try network.makePort()
      address = socket.address
      (self.clock, self.drift, self.start) = (clock, drift, start)
    }

    /// What was sent here.
    func take() -> [[UInt8]] {
      var datagrams: [[UInt8]] = []
      while socket.receive(rows, { bytes, _ in datagrams.append(Array(bytes)) }) > 0 {}
      return datagrams
    }

    /// This end's clock at that true time.
    func local(_ milliseconds: Int64) -> Int64 { start + milliseconds * (1_000_000 + drift) }
  }

  private let path: Path
  private let (sender, hubIn, hubOut, reader): (End, End, End, End)
  private var random: SeededRandom
  private let pool = BufferPool(limit: 256)
  private let video = HubSlot.all(video: true)[0]
  private let sound = HubSlot.all(video: false)[0]
  /// The true times of all captures, and to which medium they belong.
  private var captures: [(isVideo: Bool, time: Int64)] = []
  private var pictures: [Bool: FrameID] = [:]
  private(set) var now: Int64 = 0
  private(set) var read: [Read] = []
  /// The reader has subscribed.
  var isForwarding = false

  init(_ path: Path, drift: (Int64, Int64), seed: UInt64) throws {
    self.path = path
    random = SeededRandom(seed: seed)
    let network = InstantNetwork()
    func end(_ clock: VirtualClock, _ drift: Int64) throws -> End { try End(network, clock, drift: drift, start: clock.now()) }
    let clocks = (VirtualClock(), VirtualClock(), VirtualClock())
    // Members' clocks began at another time.
    try clocks.0.advance(by: 5_000_000_000_000)
    try clocks.2.advance(by: 77_000_000_000)
    (sender, hubIn, hubOut, reader) = (try end(clocks.0, drift.0), try end(clocks.1, 0), try end(clocks.1, 0), try end(clocks.2, drift.1))
    for (base, hub, member) in [(0x1234_5600, hubIn, sender), (0x1234_5700, hubOut, reader)] as [(UInt32, End, End)] {
      let terms = try MediaParameters.make(port: hub.address.port, base: base, profile: .aesGCM)
      let rates = BandwidthEstimator.Limits(minimum: 1_000_000, start: 5_000_000, maximum: 5_000_000)
      hub.media = try HubMedia(terms, isHub: true, over: HubSocket(hub.socket), to: nil, bitrates: rates, clock: hub.clock, seed: seed)
      member.media = try HubMedia(
        terms, isHub: false, over: HubSocket(member.socket), to: hub.address, bitrates: rates, clock: member.clock,
        seed: seed &+ UInt64(base))
    }
  }

  /// Both members show the hub where they are.
  func meet() {
    while now < 3000, now < 1000 || hubIn.media?.remote == nil || hubOut.media?.remote == nil {
      if now % 100 == 0 { for end in [sender, reader] { end.media?.greet() } }
      step()
    }
  }

  /// A frame that was captured so many milliseconds ago.
  func send(video isVideo: Bool, age: Int64) throws {
    captures.append((isVideo, now - age))
    var attributes = msdk_encoded_frame()
    attributes.timestamp_ns = sender.local(now - age)
    attributes.codec = UInt32(isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS)
    if !isVideo { attributes.duration_ns = 20_000_000 }
    let head: [UInt8] = isVideo ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [31 << 3]
    let index = captures.count - 1
    let bytes = head + [UInt8(index >> 16), UInt8(index >> 8 & 255), UInt8(index & 255)]
    let made = try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
    let frame = try #require(made)
    defer { frame.release() }
    pictures[isVideo, default: 0] += 1
    try sender.media?.send(frame, pictures[isVideo] ?? 0, on: isVideo ? video : sound, isVoice: false, now: sender.clock.now())
  }

  func step() {
    for (hub, member) in [(hubIn, sender), (hubOut, reader)] {
      transfer(to: hub, from: member.address)
      transfer(to: member, from: hub.address)
    }
    for end in [sender, hubIn, hubOut, reader] { _ = end.media?.poll(now: end.clock.now()) }
    for (slot, frame) in hubIn.media?.takeFrames() ?? [] {
      defer { frame.release() }
      guard isForwarding else { continue }
      pictures[slot.isVideo, default: 0] += 1
      try? hubOut.media?.send(frame, pictures[slot.isVideo] ?? 0, on: slot, isVoice: false, now: hubOut.clock.now())
    }
    for (slot, frame) in reader.media?.takeFrames() ?? [] {
      defer { frame.release() }
      let index = frame.bytes.suffix(3).reduce(0) { $0 << 8 | Int($1) }
      guard captures.indices.contains(index), captures[index].isVideo == slot.isVideo else { continue }
      let error = frame.native.pointee.timestamp_ns - reader.local(captures[index].time)
      read.append(Read(isVideo: slot.isVideo, at: now, error: error, sequence: frame.native.pointee.sequence))
    }
    for end in [sender, hubOut, reader] { try? end.clock.advance(by: 1_000_000 + end.drift) }
    now += 1
  }

  /// What was sent to that end goes on its way, and what has come so far is received.
  private func transfer(to end: End, from address: SocketAddress) {
    for datagram in end.take() where Double.random(in: 0..<1, using: &random) >= path.loss {
      let jitter = path.jitter > 0 ? Int64.random(in: 0...path.jitter, using: &random) : 0
      let time = now + path.delay + jitter
      let place = end.coming.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
      end.coming.insert((time, address, datagram), at: place)
    }
    while let first = end.coming.first, first.time <= now {
      end.coming.removeFirst()
      first.bytes.withUnsafeBytes { _ = end.media?.receive($0, from: first.from, now: end.clock.now()) }
    }
  }
}

extension HubMedia {
  /// The frames that came, whose references are the caller's, and at which place.
  func takeFrames() -> [(slot: HubSlot, frame: EncodedFrame)] {
    var list: [PeerArrival] = []
    takeArrivals(&list)
    return list.compactMap { arrival in
      guard case .frame(let ssrc, let frame, _, _) = arrival else { return nil }
      guard let slot = slot(receiving: ssrc) else {
        frame.release()
        return nil
      }
      return (slot, frame)
    }
  }
}
