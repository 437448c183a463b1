import Glibc
import MediaCore
import MediaRTP
import MediaSRTP

/// One session of RTP and the sockets that it goes over: opens and seals what passes, keeps to its other end's address, and holds what the kernel
/// has no room for just now. Has no thread: whoever drives it calls `receive` when a socket is readable, and `poll` when that said. One call at a
/// time.
public final class RTPLink {
  /// Both directions have a key of their own (RFC 4568). It outlives a link that is followed by another one under the same keys, so that no number is
  /// sealed twice and no packet is taken twice; one link at a time has it.
  public final class Protection: @unchecked Sendable {
    fileprivate let sender: SRTPSender
    fileprivate let receiver: SRTPReceiver

    public init(_ profile: SRTPProfile, own: SRTPKey, theirs: SRTPKey) throws(MediaError) {
      sender = try SRTPSender(profile, own)
      receiver = try SRTPReceiver(profile, theirs)
    }
  }

  /// Datagrams that went nowhere, by why.
  public struct Dropped: Sendable, Equatable {
    /// From another host than the other end's.
    public var foreign: UInt64 = 0
    /// Neither RTP nor RTCP (RFC 7983).
    public var unknown: UInt64 = 0
    public var forged: UInt64 = 0
    public var replayed: UInt64 = 0
    /// The socket's buffer stayed full.
    public var unsent: UInt64 = 0
    /// The network refused them, or the key is used up.
    public var failed: UInt64 = 0

    public init(unknown: UInt64 = 0) {
      self.unknown = unknown
    }
  }

  public let session: RTPSession
  private let media: Lane
  /// RTCP on a port of its own (RFC 3550, section 11); nil: with the rest (RFC 5761).
  private let control: Lane?
  private let protection: Protection?
  private let isSilent: Bool
  /// Nothing is sent or taken any more.
  private var isClosed = false
  private let incoming = DatagramRows()
  private let outlet = Outlet()
  private let plain = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
  public private(set) var dropped = Dropped()
  /// Is shown what goes and comes, all of it, whoever it is from.
  public var witness: (any PacketTap)?
  /// So long silent, whoever was the other end may speak from another port; and another one may speak in his place.
  private static let portSilence: Int64 = 1_000_000_000
  private static let hostSilence: Int64 = 10_000_000_000

  /// A socket, the other end's address, and what is to be sent there.
  final class Lane {
    let socket: DatagramSocket
    /// Where it is bound: for a witness.
    lazy var local = socket.localAddress
    /// nil: whoever speaks first, and, where packets are protected, has the key.
    var remote: SocketAddress?
    /// Whether the address was not given: then it follows the other end, when that is silent where it was.
    let isLearned: Bool
    var lastHeard: Int64?
    let batch = DatagramBatch()
    /// Of the batch, what went already.
    var first = 0

    init(_ socket: DatagramSocket, _ remote: SocketAddress?) {
      (self.socket, self.remote, isLearned) = (socket, remote, remote == nil)
    }

    func isSilent(since time: Int64) -> Bool { lastHeard.map { $0 < time } ?? true }
  }

  /// Of a multicast group whoever sends to it is heard. `isSilent`: nothing is sent, not even reports.
  public init(
    _ session: RTPSession, over socket: DatagramSocket, to remote: SocketAddress?,
    control: (socket: DatagramSocket, remote: SocketAddress?)? = nil,
    _ protection: Protection? = nil, isSilent: Bool = false
  ) {
    self.session = session
    self.isSilent = isSilent
    media = Lane(socket, remote)
    self.control = control.map { Lane($0.socket, $0.remote) }
    self.protection = protection
    outlet.link = self
  }

  deinit {
    plain.deallocate()
  }

  public var remote: SocketAddress? { media.remote }
  public var descriptors: [Int32] { [media.socket.descriptor] + (control.map { [$0.socket.descriptor] } ?? []) }

  // MARK: Driving it

  /// Takes what has come, to the last datagram of now.
  public func receive(now: Int64, _ delegate: any RTPSessionDelegate) {
    guard !isClosed else { return }
    outlet.delegate = delegate
    defer { outlet.delegate = nil }
    receive(media, now)
    if let control { receive(control, now) }
    flush()
  }

  /// Does what is due and says when it wants to be called again.
  public func poll(now: Int64, _ delegate: any RTPSessionDelegate) -> Int64 {
    outlet.delegate = delegate
    defer { outlet.delegate = nil }
    let deadline = session.poll(now: now, outlet)
    flush()
    // The kernel says nothing of when there is room.
    return isWaiting ? min(deadline, now &+ 1_000_000) : deadline
  }

  /// Says who is here before anything else is to be said, and asks how long the way is: by that the first frames are stamped.
  public func greet(now: Int64, _ delegate: any RTPSessionDelegate) {
    outlet.delegate = delegate
    defer { outlet.delegate = nil }
    session.report(now, outlet)
    flush()
  }

  /// Says goodbye, and is closed then.
  public func leave(now: Int64) {
    session.leave(now: now, outlet)
    flush()
    close()
  }

  /// What follows it may have its protection, and its sockets: they are not used any more.
  public func close() { isClosed = true }

  private var isWaiting: Bool { media.batch.count > 0 || (control?.batch.count ?? 0) > 0 }

  // MARK: In

  private func receive(_ lane: Lane, _ now: Int64) {
    // So many at most, that what is due is not kept waiting by a flood.
    for _ in 0..<8 {
      let count = lane.socket.receive(incoming) { bytes, address in take(bytes, from: address, lane, now) }
      if count < DatagramRows.capacity { return }
    }
  }

  private func take(_ datagram: UnsafeMutableRawBufferPointer, from address: SocketAddress, _ lane: Lane, _ now: Int64) {
    if let witness, !witness.seesPlain, let local = lane.local { witness.saw(UnsafeRawBufferPointer(datagram), from: address, to: local) }
    guard !isClosed, isHeard(address, lane, now) else {
      dropped.foreign &+= 1
      return
    }
    guard let first = datagram.first, (128...191).contains(first) else {
      dropped.unknown &+= 1
      return
    }
    let bytes = UnsafeRawBufferPointer(datagram)
    guard let opened = open(bytes) else { return }
    if let witness, witness.seesPlain, let local = lane.local { witness.saw(opened, from: address, to: local) }
    let refused = session.refusedPackets
    session.receive(opened, now: now, outlet)
    // What means nothing here is of nobody.
    if session.refusedPackets == refused { follow(address, lane, now) }
  }

  /// Of its host any port: whoever does not send from where he receives (RFC 4961) is common among the simple ones.
  private func isHeard(_ address: SocketAddress, _ lane: Lane, _ now: Int64) -> Bool {
    guard let remote = lane.remote ?? media.remote else { return true }
    if remote.isMulticast || remote.isSameHost(as: address) { return true }
    return media.isLearned && media.isSilent(since: now &- RTPLink.hostSilence)
      && control?.isSilent(since: now &- RTPLink.hostSilence) ?? true
  }

  /// One port may be spoken to from several; an answer goes to the first while that speaks.
  private func follow(_ address: SocketAddress, _ lane: Lane, _ now: Int64) {
    guard lane.isLearned else { return }
    if address != lane.remote {
      let isSameHost = lane.remote?.isSameHost(as: address) ?? true
      if lane.remote != nil, isSameHost, !lane.isSilent(since: now &- RTPLink.portSilence) { return }
      lane.remote = address
      if !isSameHost, lane === media, let control, control.isLearned { control.remote = nil }
    }
    lane.lastHeard = now
  }

  private func open(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard let protection else { return bytes }
    do throws(PacketError) {
      let isControl = RTPPacket.isRTCP(bytes)
      let size =
        isControl ? try protection.receiver.unprotectControl(bytes, into: plain) : try protection.receiver.unprotect(bytes, into: plain)
      return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(plain).prefix(size))
    } catch {
      if error == SRTPReceiver.replayed { dropped.replayed &+= 1 } else { dropped.forged &+= 1 }
      return nil
    }
  }

  // MARK: Out

  private func send(_ packet: UnsafeRawBufferPointer, isControl: Bool) {
    let lane = isControl ? control ?? media : media
    // Before anybody spoke there is nobody to send to. Reports go to the next port (RFC 3550, section 11) until some came from another one.
    guard !isSilent, !isClosed, let remote = lane.remote ?? media.remote.map({ $0.with(port: $0.port &+ 1) }) else { return }
    if lane.batch.count == DatagramBatch.capacity { flush(lane) }
    guard let slot = lane.batch.slot() else {
      dropped.unsent &+= 1
      return
    }
    var size = packet.count
    if let protection {
      let sealed =
        isControl ? try? protection.sender.protectControl(packet, into: slot) : try? protection.sender.protect(packet, into: slot)
      guard let sealed else {
        dropped.failed &+= 1
        return
      }
      size = sealed
    } else {
      guard packet.count <= slot.count else {
        dropped.failed &+= 1
        return
      }
      slot.copyMemory(from: packet)
    }
    let datagram = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(size))
    if let witness, let local = lane.local { witness.saw(witness.seesPlain ? packet : datagram, from: local, to: remote) }
    _ = lane.batch.add(datagram, to: remote)
  }

  private func flush() {
    guard !isClosed else { return }
    flush(media)
    if let control { flush(control) }
  }

  private func flush(_ lane: Lane) {
    switch lane.socket.send(lane.batch, from: lane.first) {
    case .some(let count):
      // What is left keeps its slots.
      lane.first += count
      return
    case .failed(let count, _): dropped.failed &+= UInt64(lane.batch.count - lane.first - count)
    case .all: break
    }
    lane.batch.begin()
    lane.first = 0
  }

  /// Between session and program: what is to be sent goes to the sockets.
  private final class Outlet: RTPSessionDelegate {
    unowned(unsafe) var link: RTPLink?
    var delegate: (any RTPSessionDelegate)?

    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { link?.send(packet, isControl: isControl) }
    func session(received picture: PictureBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
      delegate?.session(received: picture, of: stream, take: take)
    }
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {
      delegate?.session(received: sound, stamp: stamp, captured: captured, of: stream)
    }
    func session(lost packets: Int, duration: Int64, of stream: SSRC) { delegate?.session(lost: packets, duration: duration, of: stream) }
    func session(did event: RTPSessionEvent) { delegate?.session(did: event) }
  }
}
