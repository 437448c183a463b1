import MediaCore
import MediaRTP

/// One end of a call that sends, receives and reports, at which anything arrives at any time. What it holds is bounded. The last byte of an
/// input says which end it is: one to which anybody may send, or one of two that are alone with each other.
enum SessionReceive: FuzzTarget {
  static let name = "rtp_session"

  private final class End: RTPSessionDelegate {
    private var memory = [UInt8](repeating: 0, count: 1 << 16)
    var transmitted = 0

    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {
      transmitted += 1
      expect(packet.count <= 1500, "a packet of \(packet.count) bytes")
    }
    func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
      guard picture.size <= memory.count else { return }
      _ = memory.withUnsafeMutableBytes { take(UnsafeMutableRawBufferPointer(rebasing: $0.prefix(picture.size))) }
    }
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
    func session(lost packets: Int, duration: Int64, of stream: SSRC) { expect(packets > 0, "\(packets) packets lost") }
    func session(did event: RTPSessionEvent) {}
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let end = End()
    let session = try makeSession(options: bytes.last ?? 0)
    var (now, number): (Int64, UInt16) = (0, 0)
    let picture = [UInt8]([0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0]) + [UInt8](repeating: 1, count: 2000)
    for _ in 0..<48 where !input.isAtEnd {
      switch input.number(below: 5) {
      case 0: now += Int64(input.u16()) * 1_000_000
      case 1: now = max(0, now - Int64(input.byte()) * 1_000_000)
      case 2:
        _ = try? picture.withUnsafeBytes { try session.send($0, number: number, units: now / 11_111, on: 0, now: now) }
        number &+= 1
      // The same packet under numbers that go on, as in a stream.
      case 3:
        let (count, step) = (input.number(below: 32), input.u16())
        var packet = Array(input.piece())
        for _ in 0..<count where packet.count > 3 {
          let sequence = (UInt16(packet[2]) << 8 | UInt16(packet[3])) &+ step
          (packet[2], packet[3]) = (UInt8(sequence >> 8), UInt8(truncatingIfNeeded: sequence))
          now += 1_000_000
          packet.withUnsafeBytes { session.receive($0, now: now, end) }
        }
      default: session.receive(input.piece(), from: UInt64(input.byte()), now: now, end)
      }
      _ = session.poll(now: now, end)
    }
    session.leave(now: now, end)
    expect(end.transmitted <= 100_000, "\(end.transmitted) packets were sent")
  }

  private static func makeSession(options: UInt8) throws(PacketError) -> RTPSession {
    var settings = RTPSettings(cname: "end", clock: NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: 0), seed: 1)
    settings.extensions.transportSequence = 5
    (settings.extensions.mid, settings.extensions.audioLevel, settings.extensions.orientation) = (1, 2, 4)
    (settings.extensions.colorSpace, settings.extensions.captureTime) = (6, 7)
    (settings.hasProbation, settings.reportsAtOnce) = (options & 1 != 0, options & 2 != 0)
    settings.bitrates = .init(minimum: 100_000, start: 5_000_000, maximum: 20_000_000)
    let session = RTPSession(settings, receiving: [96: .vp8, 97: .retransmission(of: 96), 111: .opus, 63: .redundancy(of: 111)], now: 0)
    var video = OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96)
    video.retransmission = (SSRC(2), 97)
    _ = try session.addStream(video)
    _ = try session.addStream(OutgoingRTP(.opus, ssrc: SSRC(3), payloadType: 111))
    return session
  }
}
