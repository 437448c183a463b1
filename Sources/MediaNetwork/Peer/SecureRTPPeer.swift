import MediaCore
import MediaRTP
import MediaSRTP

/// One end of RTP with one other end, whatever carries it: an RTP session, what seals and opens its packets, and where they go. Bytes, addresses and
/// time in; datagrams, arrivals and the time of the next call out. It owns no socket, thread, lock or clock. The driver of a transport calls it, one
/// call at a time, and sends what a call left by `flush`.
public final class SecureRTPPeer {
  /// A socket of the driver's.
  public enum Lane: Sendable {
    case media
    /// RTCP on a port of its own (RFC 3550, section 11).
    case control
  }

  /// How packets are protected.
  public enum Security {
    case plain
    case protected(PacketProtection)
    /// Keys come later, by `install`: until then nothing leaves, and a few packets that come early wait for them.
    case awaited
  }

  /// Datagrams that went nowhere, by why.
  public struct Dropped: Sendable, Equatable {
    /// From another host than the other end's.
    public var foreign: UInt64 = 0
    /// Neither RTP nor RTCP (RFC 7983), or of another connection.
    public var unknown: UInt64 = 0
    /// Not authentic under the key, or no packets of SRTP or SRTCP.
    public var forged: UInt64 = 0
    /// Their number was received before or is too old (RFC 3711, section 3.3.2); that is found before they are authenticated.
    public var replayed: UInt64 = 0
    /// The socket's buffer stayed full.
    public var unsent: UInt64 = 0
    /// The network refused them, or the key is used up.
    public var failed: UInt64 = 0

    /// All are 0.
    public init() {}
  }

  /// What is put around sealed packets, in place: a path over a relay needs it.
  public struct Wrapping {
    let headRoom: Int
    let tailRoom: Int
    let wrap: (UnsafeMutableRawBufferPointer, Range<Int>) -> Range<Int>?

    /// So many bytes, at most 64 before and after together, are free around what `wrap` is given, which returns what is to be sent; nil: it is
    /// dropped.
    public init(headRoom: Int, tailRoom: Int, _ wrap: @escaping (UnsafeMutableRawBufferPointer, Range<Int>) -> Range<Int>?) {
      (self.headRoom, self.tailRoom, self.wrap) = (max(0, headRoom), max(0, tailRoom), wrap)
    }
  }

  private struct Early {
    let datagram: [UInt8]
    let address: SocketAddress
    let lane: Lane
    /// When it came: reports say what the other end's clock is by that.
    let time: Int64
  }

  /// The driver may use it between two calls of this object, for what has no function here.
  public let session: RTPSession
  private let output: PeerOutput
  private let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
  /// Of each stream that is sent, where its last frame ended, in units: an audio packet later than that begins a talkspurt, and a video frame of the
  /// same time as the one before, as where another layer takes over, stands there, so that no two have one timestamp.
  private var ends: [Int: Int64] = [:]
  private var early: [Early] = []
  private var isAwaitingKeys = false
  /// Nothing is sent or taken any more.
  private var isClosed = false
  static let mostEarly = 32
  /// While a socket has no room, it is offered the rest after so long.
  private static let retryPause: Int64 = 1_000_000

  /// `receiving`: the payload types that the other end may send. `isSilent`: nothing is sent, not even reports.
  public init(
    _ settings: RTPSettings, receiving types: [UInt8: RTPEncoding], _ security: Security = .plain, hasControl: Bool = false,
    isSilent: Bool = false, now: Int64
  ) {
    session = RTPSession(settings, receiving: types, now: now)
    output = PeerOutput(hasControl: hasControl, isSilent: isSilent, now: now)
    switch security {
    case .plain: break
    case .protected(let protection): output.protection = protection
    case .awaited: isAwaitingKeys = true
    }
  }

  deinit {
    plain.deallocate()
  }

  // MARK: Path and keys

  /// Where the other end is; nil: not known yet, and nothing is sent.
  public var remote: SocketAddress? { output.media.remote }

  /// What leaves the session from now on goes there. Datagrams that a socket had no room for keep the address that they were made for.
  public func select(_ remote: SocketAddress?, for lane: Lane = .media) {
    if lane == .media { output.media.remote = remote } else { output.control?.remote = remote }
  }

  /// What leaves from now on is wrapped so; nil: it is not. Headers of a relay are of no interest to `watch`.
  public func wrap(_ wrapping: Wrapping?) { output.wrapping = wrapping }

  /// The keys are agreed on: packets that came early are opened now. Keys that were installed before are not used any more.
  public func install(_ protection: PacketProtection, now: Int64) {
    output.protection = protection
    isAwaitingKeys = false
    for one in early { _ = one.datagram.withUnsafeBytes { receive($0, from: one.address, on: one.lane, now: one.time) } }
    early = []
  }

  /// Shows all packets that pass to somebody. `local`: the addresses of the sockets.
  public func watch(_ tap: (any PacketTap)?, local: SocketAddress?, control: SocketAddress? = nil) {
    output.tap = tap
    output.media.local = local
    output.control?.local = control
  }

  // MARK: In

  /// Whether a datagram was authentic, and meant something here. The caller has looked at whom it is from.
  @discardableResult
  public func receive(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress, on lane: Lane = .media, now: Int64) -> Bool {
    if isAwaitingKeys, !isClosed, DatagramKind(datagram) == .rtp {
      guard early.count < SecureRTPPeer.mostEarly, datagram.count <= plain.count else {
        output.dropped.unknown &+= 1
        return false
      }
      early.append(Early(datagram: Array(datagram), address: address, lane: lane, time: now))
      return false
    }
    guard let packet = open(datagram, from: address, on: lane) else { return false }
    return take(packet, now: now)
  }

  /// First part of `receive`: the packet as its sender made it, which lies here until the next call; nil: it is counted as dropped.
  public func open(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress, on lane: Lane = .media) -> UnsafeRawBufferPointer? {
    show(datagram, from: address, on: lane, isPlain: false)
    guard !isClosed, !isAwaitingKeys, DatagramKind(datagram) == .rtp else {
      output.dropped.unknown &+= 1
      return nil
    }
    guard let packet = unprotected(datagram) else { return nil }
    show(packet, from: address, on: lane, isPlain: true)
    return packet
  }

  private func unprotected(_ datagram: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let protection = output.protection else { return datagram }
    do throws(PacketError) {
      let size = try protection.open(datagram, into: plain)
      return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(plain).prefix(size))
    } catch {
      if error == SRTPReceiver.replayed { output.dropped.replayed &+= 1 } else { output.dropped.forged &+= 1 }
      return nil
    }
  }

  /// Second part: false for what means nothing in this session.
  public func take(_ packet: UnsafeRawBufferPointer, now: Int64) -> Bool {
    output.now = now
    let refused = session.refusedPackets
    session.receive(packet, now: now, output)
    return session.refusedPackets == refused
  }

  private func show(_ bytes: UnsafeRawBufferPointer, from address: SocketAddress, on lane: Lane, isPlain: Bool) {
    guard let tap = output.tap, tap.seesPlain == isPlain else { return }
    if let local = lane == .media ? output.media.local : output.control?.local { tap.saw(bytes, from: address, to: local) }
  }

  /// One that the caller did not let in, as it is from somebody else.
  public func countForeign(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress, on lane: Lane = .media) {
    show(datagram, from: address, on: lane, isPlain: false)
    output.dropped.foreign &+= 1
  }

  /// One that says to be of another connection.
  public func countUnknown(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress) {
    show(datagram, from: address, on: .media, isPlain: false)
    output.dropped.unknown &+= 1
  }

  /// A stream of the other end's is over, as is known from elsewhere: what has come of it is handed on, though it is not due yet.
  public func handOnRest(of stream: SSRC, now: Int64) {
    output.now = now
    session.handOnRest(of: stream, now: now, output)
  }

  /// Exchanges what arrived for an empty list that has room. References to frames are the taker's to release.
  public func takeArrivals(_ list: inout [PeerArrival]) { output.queue.take(&list) }
  /// Whether `takeArrivals` would return anything.
  public var hasArrivals: Bool { !output.queue.arrivals.isEmpty }
  /// Whose frames those of each stream are, by which a test knows whether all were released.
  package var framePools: [BufferPool] { output.queue.pools }

  // MARK: Out

  /// Enqueues an encoded frame, whole or not at all (`RTPSession.full`); `push` sends what of it may leave now. `number`: of a video frame, in its stream.
  /// `isVoice`: somebody speaks.
  public func send(_ frame: EncodedFrame, number: UInt16, on stream: Int, isVoice: Bool, now: Int64) throws(PacketError) {
    guard let encoding = session.settings(ofStream: stream)?.encoding else { throw PacketError("RTP: no such stream") }
    let attributes = frame.native.pointee
    let units = MediaTime.units(fromNanoseconds: attributes.timestamp_ns, rate: encoding.clockRate)
    guard !encoding.isVideo else {
      let least = ends[stream] ?? units
      // Further back than that, capture times began anew.
      let stamp = units < least && least &- units < Int64(encoding.clockRate) / 10 ? least : units
      ends[stream] = stamp &+ 1
      return try session.send(
        frame.bytes, number: number, units: stamp, orientation: UInt8(attributes.orientation & 7),
        color: .init(attributes), isDroppable: frame.isDroppable, capturedAt: attributes.timestamp_ns, on: stream, now: now)
    }
    let duration = MediaTime.units(fromNanoseconds: attributes.duration_ns, rate: encoding.clockRate)
    let isSpurt = ends[stream].map { units > $0 &+ duration / 2 } ?? true
    ends[stream] = units &+ duration
    let level = HeaderExtensions.AudioLevel(level: UInt8(min(127, attributes.level)), isVoice: isVoice)
    try session.send(
      sound: frame.bytes, units: units, marker: isSpurt, level: session.extensions.audioLevel != 0 ? level : nil,
      capturedAt: attributes.timestamp_ns,
      on: stream, now: now)
  }

  /// Changes what was agreed on while all of it runs (`RTPSession.apply`); a `poll` is to follow.
  public func apply(_ configuration: RTPSessionConfiguration, now: Int64) throws(PacketError) {
    output.now = now
    try session.apply(configuration, now: now, output)
    ends = ends.filter { session.settings(ofStream: $0.key) != nil }
  }

  /// Says goodbye for one stream with the next poll. It may be gone on with later.
  public func endStream(_ stream: Int) {
    session.endStream(stream)
    ends[stream] = nil
  }

  /// A packet of RTCP that the session knows nothing of, to an address that need not be the other end's.
  public func send(control packet: UnsafeRawBufferPointer, to address: SocketAddress) {
    guard !isClosed, !isAwaitingKeys else { return }
    output.add(packet, isControl: true, to: address)
  }

  /// Says who is here before anything else is to be said, and asks for the round-trip time: by that the first frames are stamped.
  public func greet(now: Int64) {
    guard !isClosed, !isAwaitingKeys else { return }
    output.now = now
    session.report(now, output)
  }

  /// Says goodbye. After a `flush` it is to be closed.
  public func leave(now: Int64) {
    guard !isClosed, !isAwaitingKeys else { return }
    output.now = now
    session.leave(now: now, output)
  }

  /// Nothing is sent or taken any more: what follows it may have its protection and its sockets.
  public func close() {
    isClosed = true
  }

  // MARK: Time

  /// Does what is due, sends it, and returns when it wants to be called again.
  public func poll(now: Int64, _ send: (Lane, DatagramBatch, Int) -> DatagramSending) -> Int64 {
    drive(now, send) { $0.poll(now: now, $1) }
  }

  /// The part of it that is for what was enqueued just now.
  public func push(now: Int64, _ send: (Lane, DatagramBatch, Int) -> DatagramSending) -> Int64 {
    drive(now, send) { $0.push(now: now, $1) }
  }

  private func drive(
    _ now: Int64, _ send: (Lane, DatagramBatch, Int) -> DatagramSending, _ step: (RTPSession, PeerOutput) -> Int64
  ) -> Int64 {
    guard !isClosed, !isAwaitingKeys else { return .max }
    output.now = now
    var deadline: Int64
    var hasStopped: Bool
    repeat {
      output.flush(send)
      deadline = step(session, output)
      hasStopped = !output.hasRoom
      output.flush(send)
      // What found no room waits in the session, and goes on as soon as the socket took the rest.
    } while hasStopped && output.isEmpty
    return output.isEmpty ? deadline : max(deadline, now &+ SecureRTPPeer.retryPause)
  }

  /// Offers what a call left to be sent, which keeps what the socket has no room for.
  public func flush(_ send: (Lane, DatagramBatch, Int) -> DatagramSending) {
    guard !isClosed else { return }
    output.flush(send)
  }

  /// Since the beginning; the numbers wrap around.
  public var dropped: Dropped { output.dropped }
}
