import CMediaSDK
import MediaCore
import MediaRTP
import MediaSRTP
import Testing

@testable import MediaNetwork

/// Two peers, and a network path of 5 ms between them, on a clock that the test moves.
final class PeerPair {
  struct Datagram {
    let time: Int64
    let lane: SecureRTPPeer.Lane
    let address: SocketAddress
    var bytes: [UInt8]
  }

  final class End {
    let peer: SecureRTPPeer
    let address: SocketAddress
    /// On their way to the other end.
    var sent: [Datagram] = []
    /// The socket takes so many datagrams at a time; nil: all.
    var room: Int?
    var frames: [(bytes: [UInt8], isVideo: Bool, time: Int64)] = []
    /// What the last one says beside its bytes.
    var attributes = msdk_encoded_frame()
    var events: [RTPSessionEvent] = []

    init(_ peer: SecureRTPPeer, _ address: SocketAddress) { (self.peer, self.address) = (peer, address) }

    func put(_ now: Int64) -> (SecureRTPPeer.Lane, DatagramBatch, Int) -> DatagramSending {
      { lane, batch, first in
        var taken = 0
        batch.forEach(from: first) { bytes, address in
          guard taken < self.room ?? .max else { return }
          taken += 1
          self.sent.append(Datagram(time: now + 5_000_000, lane: lane, address: address, bytes: Array(bytes)))
        }
        return taken == batch.count - first ? .all : .some(taken)
      }
    }

    func take() {
      var list: [PeerArrival] = []
      peer.takeArrivals(&list)
      for arrival in list {
        switch arrival {
        case .frame(_, let frame, _, _):
          attributes = frame.native.pointee
          frames.append((Array(frame.bytes), frame.native.pointee.codec == UInt32(MSDK_CODEC_VP8), frame.native.pointee.timestamp_ns))
          frame.release()
        case .event(let event): events.append(event)
        case .lost, .dropped: break
        }
      }
    }

    var hasStream: Bool { events.contains { if case .streamBegan = $0 { true } else { false } } }
  }

  static let types: [UInt8: RTPEncoding] = [96: .vp8, 97: .retransmission(of: 96), 111: .opus]
  let (here, there): (End, End)
  let video: Int
  let audio: Int
  var now: Int64 = 1_000_000_000
  private var frames = 0
  private let pool = BufferPool(limit: 256)

  static func address(_ port: UInt16) throws -> SocketAddress { try #require(SocketAddress("192.0.2.1", port: port)) }

  static func protection(_ profile: SRTPProfile, _ own: UInt8, _ theirs: UInt8) throws -> PacketProtection {
    func key(_ value: UInt8) throws -> SRTPKey {
      try SRTPKey([UInt8](repeating: value, count: profile.keySize + profile.saltSize), profile)
    }
    return try PacketProtection(profile, own: key(own), theirs: key(theirs))
  }

  init(_ own: SecureRTPPeer.Security = .plain, _ theirs: SecureRTPPeer.Security = .plain, hasControl: Bool = false, rate: Int = 8_000_000)
    throws
  {
    var settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: now), seed: 3)
    (settings.extensions.transportSequence, settings.extensions.audioLevel) = (3, 4)
    settings.bitrates = .init(minimum: 100_000, start: rate, maximum: max(rate, 20_000_000))
    let sender = SecureRTPPeer(settings, receiving: PeerPair.types, own, hasControl: hasControl, now: now)
    var stream = OutgoingRTP(.vp8, ssrc: SSRC(7), payloadType: 96)
    stream.retransmission = (SSRC(8), 97)
    video = try sender.session.addStream(stream)
    audio = try sender.session.addStream(OutgoingRTP(.opus, ssrc: SSRC(9), payloadType: 111))
    (settings.cname, settings.seed) = ("there", 4)
    let receiver = SecureRTPPeer(settings, receiving: PeerPair.types, theirs, hasControl: hasControl, now: now)
    (here, there) = (End(sender, try PeerPair.address(1000)), End(receiver, try PeerPair.address(2000)))
    sender.select(there.address)
    receiver.select(here.address)
  }

  /// Encodes nothing: bytes with the head of a frame of that codec.
  static func bytes(video isVideo: Bool, _ index: Int, size: Int = 3000) -> [UInt8] {
    guard isVideo else { return [31 << 3, 1, 2, UInt8(truncatingIfNeeded: index)] }
    var bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ index) }
    let head: [UInt8] = index == 0 ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
    bytes.replaceSubrange(0..<head.count, with: head)
    return bytes
  }

  func send(video isVideo: Bool, _ index: Int, size: Int = 3000, isVoice: Bool = false) throws {
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS)
    (attributes.timestamp_ns, attributes.duration_ns) = (now, isVideo ? 0 : 20_000_000)
    let made = try PeerPair.bytes(video: isVideo, index, size: size).withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0)
    }
    let frame = try #require(made)
    defer { frame.release() }
    try here.peer.send(frame, number: UInt16(index), on: isVideo ? video : audio, isVoice: isVoice, now: now)
  }

  func run(_ milliseconds: Int) {
    for _ in 0..<milliseconds {
      carry(from: here, to: there)
      carry(from: there, to: here)
      for end in [here, there] {
        _ = end.peer.poll(now: now, end.put(now))
        end.take()
      }
      now += 1_000_000
    }
  }

  private func carry(from: End, to: End) {
    while let first = from.sent.first, first.time <= now {
      from.sent.removeFirst()
      _ = first.bytes.withUnsafeBytes { to.peer.receive($0, from: from.address, on: first.lane, now: now) }
    }
  }
}
