import MediaCore
import MediaRTP
import MediaSRTP

/// What a `SecureRTPPeer` gives to its driver: sealed datagrams for the sockets, and arrivals. The session of the peer fills it.
final class PeerOutput: RTPSessionDelegate {
  /// Datagrams of one socket, and where they go.
  struct Lane {
    var remote: SocketAddress?
    let batch = DatagramBatch()
    /// Of the batch, what was sent already.
    var first = 0
    /// Of the socket, for whoever watches the packets.
    var local: SocketAddress?
  }

  var media = Lane()
  /// RTCP on a port of its own (RFC 3550, section 11); nil: with the rest (RFC 5761).
  var control: Lane?
  var queue = ArrivalQueue()
  /// nil: packets leave as they are.
  var protection: PacketProtection?
  /// nil: sealed packets leave as they are.
  var wrapping: SecureRTPPeer.Wrapping?
  var dropped = SecureRTPPeer.Dropped()
  var tap: (any PacketTap)?
  /// Nothing is sent, not even reports.
  private let isSilent: Bool
  /// Of the call that runs.
  var now: Int64
  /// Slots that reports may take beside media.
  private static let reserve = 8

  init(hasControl: Bool, isSilent: Bool, now: Int64) {
    (control, self.isSilent, self.now) = (hasControl ? Lane() : nil, isSilent, now)
  }

  deinit {
    for arrival in queue.arrivals { arrival.frame?.release() }
  }

  var isEmpty: Bool { media.batch.count == 0 && control?.batch.count ?? 0 == 0 }

  // MARK: Out

  func add(_ packet: UnsafeRawBufferPointer, isControl: Bool, to address: SocketAddress? = nil) {
    // Before the other end is known nothing can be sent. Reports go to the next port (RFC 3550, section 11) until some came from another one.
    let isOnControl = isControl && control != nil
    let chosen = isOnControl ? control?.remote ?? media.remote.map { $0.with(port: $0.port &+ 1) } : media.remote
    guard !isSilent, let remote = address ?? chosen else { return }
    let lane = isOnControl ? control ?? media : media
    guard let slot = lane.batch.slot() else {
      dropped.unsent &+= 1
      return
    }
    let front = wrapping?.headRoom ?? 0
    let room = UnsafeMutableRawBufferPointer(rebasing: slot[front..<(slot.count - (wrapping?.tailRoom ?? 0))])
    guard let size = seal(packet, isControl: isControl, into: room) else {
      dropped.failed &+= 1
      return
    }
    let datagram = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(room).prefix(size))
    if let tap, let local = lane.local { tap.saw(tap.seesPlain ? packet : datagram, from: local, to: remote) }
    guard let wrapping else {
      _ = lane.batch.add(datagram, to: remote)
      return
    }
    guard let range = wrapping.wrap(slot, front..<(front + size)) else {
      dropped.failed &+= 1
      return
    }
    _ = lane.batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot)[range]), to: remote)
  }

  private func seal(_ packet: UnsafeRawBufferPointer, isControl: Bool, into slot: UnsafeMutableRawBufferPointer) -> Int? {
    if let protection { return try? protection.seal(packet, isControl: isControl, into: slot) }
    guard packet.count <= slot.count else { return nil }
    slot.copyMemory(from: packet)
    return packet.count
  }

  /// Gives each lane's batch to its socket, and keeps what that has no room for.
  func flush(_ send: (SecureRTPPeer.Lane, DatagramBatch, Int) -> DatagramSending) {
    dropped.failed &+= media.flush { send(.media, $0, $1) }
    if control != nil { dropped.failed &+= control?.flush { send(.control, $0, $1) } ?? 0 }
  }

  // MARK: Of the session

  var hasRoom: Bool { media.batch.count < DatagramBatch.capacity - PeerOutput.reserve }

  func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { add(packet, isControl: isControl) }
  func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
    queue.append(picture, of: stream, now: now, fill: take)
  }
  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {
    queue.append(sound: sound, stamp: stamp, captured: captured, of: stream, now: now)
  }
  func session(lost packets: Int, duration: Int64, of stream: SSRC) { queue.lose(packets, of: stream) }
  func session(did event: RTPSessionEvent) { queue.append(event) }
}

extension PeerOutput.Lane {
  /// How many datagrams the network refused.
  fileprivate mutating func flush(_ send: (DatagramBatch, Int) -> DatagramSending) -> UInt64 {
    guard batch.count > 0 else { return 0 }
    var failed = 0
    switch send(batch, first) {
    case .some(let count):
      // What is left keeps its slots.
      first += count
      return 0
    case .failed(let count, _): failed = batch.count - first - count
    case .all: break
    }
    batch.begin()
    first = 0
    return UInt64(failed)
  }
}
