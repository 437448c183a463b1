// What the worst datagram of each kind costs a session of RTP: nanoseconds for each of its bytes, beside a packet of sound that is what it says.
// Whoever may send a megabit a second takes 125,000 times that of each second.
//   rtp-datagrams [datagrams of each kind, 20,000 without]
import Glibc
import MediaCore
import MediaRTP

final class Nobody: RTPSessionDelegate {
  func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {}
  func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {}
  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
  func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
  func session(did event: RTPSessionEvent) {}
}

/// As many streams in both directions as there may be, and as many packets that nothing was reported of.
final class Busy {
  static let streams = 64
  static let size = 1400
  let session: RTPSession
  let nobody = Nobody()
  private(set) var now: Int64 = 1_000_000_000

  init(hasProbation: Bool) throws {
    var settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: now), seed: 1)
    settings.extensions.transportSequence = 5
    (settings.extensions.orientation, settings.extensions.colorSpace, settings.extensions.captureTime) = (4, 6, 7)
    settings.bitrates = .init(minimum: 100_000_000, start: 100_000_000, maximum: 100_000_000)
    settings.hasProbation = hasProbation
    session = RTPSession(settings, receiving: [96: .vp8, 97: .retransmission(of: 96), 111: .opus], now: now)
    for stream in 0..<Busy.streams {
      _ = try session.addStream(
        OutgoingRTP(stream == 0 ? .vp8 : .opus, ssrc: SSRC(UInt32(1000 + stream)), payloadType: stream == 0 ? 96 : 111))
    }
    for stream in 0..<Busy.streams {
      for number in UInt16(0)..<3 { receive(Kinds.sound(UInt32(2000 + stream), number)) }
    }
    try send()
  }

  /// Sound enough that the history of what was sent is full.
  func send() throws {
    for number in 0..<200 {
      now += 1_000_000
      for stream in 1..<Busy.streams {
        try [31 << 3, 1, 2, 3].withUnsafeBytes {
          try session.send(sound: $0, units: Int64(number) * 48, marker: false, on: stream, now: now)
        }
      }
      _ = session.poll(now: now, nobody)
    }
  }

  func receive(_ datagram: [UInt8]) {
    now += 10_000
    datagram.withUnsafeBytes { session.receive($0, now: now, nobody) }
  }
}

enum Kinds {
  static func u32(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) } }

  static func sound(_ ssrc: UInt32, _ number: UInt16) -> [UInt8] {
    [0x80, 111, UInt8(number >> 8), UInt8(number & 255)] + u32(UInt32(number) * 960) + u32(ssrc) + [31 << 3, 1, 2, 3]
  }

  static func rtcp(_ type: UInt8, _ count: Int, _ body: [UInt8]) -> [UInt8] {
    let words = body.count / 4
    return [0x80 | UInt8(count), type, UInt8(words >> 8), UInt8(words & 255)] + body
  }

  /// As often as there is room for it.
  static func filled(_ packet: [UInt8]) -> [UInt8] { (0..<max(1, Busy.size / packet.count)).flatMap { _ in packet } }

  static func feedback(base: UInt16, count: UInt16, _ rest: [UInt8]) -> [UInt8] {
    let head = u32(7) + u32(1000) + [UInt8(base >> 8), UInt8(base & 255), UInt8(count >> 8), UInt8(count & 255), 0, 0, 1, 0]
    return rtcp(205, 15, head + rest + [UInt8](repeating: 0, count: (4 - rest.count % 4) % 4))
  }

  static func many(_ count: Int, _ make: (Int) -> [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for index in 0..<count { bytes += make(index) }
    return bytes
  }

  /// With a block of extensions of 1360 bytes.
  static func extended(_ number: Int, _ block: [UInt8]) -> [UInt8] {
    let head: [UInt8] = [0x90, 111, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
    return head + u32(0) + u32(2001) + [0xBE, 0xDE, 1, 0x54] + block
  }
}

/// `round` is another for each datagram.
typealias Make = @Sendable (_ round: Int) -> [UInt8]

let kinds: [(name: String, make: Make)] = [
  ("a packet of sound, as it should be", { round in Kinds.sound(2000, UInt16(truncatingIfNeeded: round + 3)) }),
  (
    "feedback of 40 bytes on 65,535 packets",
    { round in
      let runs = Kinds.many(8) { _ in [0x1F, 0xFF] } + [0, 7]
      return Kinds.filled(Kinds.feedback(base: UInt16(truncatingIfNeeded: round &* 977), count: 65_535, runs))
    }
  ),
  (
    "feedback, a byte for each packet",
    { round in
      let run: [UInt8] = [0x20 | 5, 0x3C]
      return Kinds.feedback(base: UInt16(truncatingIfNeeded: round &* 977), count: 1340, run + [UInt8](repeating: 1, count: 1340))
    }
  ),
  (
    "feedback, bits for each packet",
    { round in Kinds.feedback(base: UInt16(truncatingIfNeeded: round &* 977), count: 9000, Kinds.many(680) { _ in [0x80, 0] }) }
  ),
  (
    "NACK of all that it has room for",
    { round in
      let numbers = Kinds.many(340) { index in Kinds.u32(UInt32(truncatingIfNeeded: (round + index) &* 17) << 16 | 0xFFFF) }
      return Kinds.rtcp(205, 1, Kinds.u32(7) + Kinds.u32(1001) + numbers)
    }
  ),
  (
    "NACKs, seventeen packets each",
    { round in
      let number = Kinds.u32(UInt32(truncatingIfNeeded: round) << 16 | 0xFFFF)
      return Kinds.filled(Kinds.rtcp(205, 1, Kinds.u32(7) + Kinds.u32(1063) + number))
    }
  ),
  (
    "receiver reports of 31 blocks",
    { _ in
      let blocks = Kinds.many(31) { index in Kinds.u32(UInt32(1032 + index)) + [UInt8](repeating: 9, count: 20) }
      return Kinds.filled(Kinds.rtcp(201, 31, Kinds.u32(7) + blocks))
    }
  ),
  (
    "descriptions of 31 streams",
    { _ in Kinds.filled(Kinds.rtcp(202, 31, Kinds.many(31) { index in Kinds.u32(UInt32(2032 + index)) + [1, 1, UInt8(65 + index), 0] })) }
  ),
  (
    "extended reports",
    { _ in
      let delays = Kinds.many(30) { index in Kinds.u32(UInt32(1000 + index)) + [UInt8](repeating: 9, count: 8) }
      return Kinds.filled(Kinds.rtcp(207, 0, Kinds.u32(7) + [5, 0, 0, 90] + delays))
    }
  ),
  ("requests of key frames (PLI)", { _ in Kinds.filled(Kinds.rtcp(206, 1, Kinds.u32(7) + Kinds.u32(1063))) }),
  (
    "requests of key frames (FIR)",
    { round in
      let commands = Kinds.many(170) { index in Kinds.u32(1063) + [UInt8(truncatingIfNeeded: round + index), 0, 0, 0] }
      return Kinds.rtcp(206, 4, Kinds.u32(7) + Kinds.u32(0) + commands)
    }
  ),
  (
    "limits of a bitrate (REMB)",
    { _ in
      let limit: [UInt8] = [0x52, 0x45, 0x4D, 0x42, 1, 4, 0, 0]
      return Kinds.filled(Kinds.rtcp(206, 15, Kinds.u32(7) + Kinds.u32(0) + limit + Kinds.u32(1000)))
    }
  ),
  ("goodbyes of 31 strangers", { _ in Kinds.filled(Kinds.rtcp(203, 31, Kinds.many(31) { Kinds.u32(UInt32(90_000 + $0)) })) }),
  ("what nobody knows", { _ in Kinds.filled(Kinds.rtcp(204, 0, Kinds.u32(7) + Kinds.u32(0))) }),
  ("extensions of nothing but padding", { round in Kinds.extended(round, [UInt8](repeating: 0, count: 1360)) }),
  ("extensions, one of a byte after another", { round in Kinds.extended(round, Kinds.many(680) { _ in [0x70, 1] }) }),
  (
    "extensions of colour, orientation and capture, again and again",
    { round in
      let one: [UInt8] = [0x63, 1, 1, 1, 0x20, 0x40, 1, 0x77, 0x83, 0xAA, 0x7E, 0x80, 0, 0, 0, 1]
      return Kinds.extended(round, Kinds.many(85) { _ in one })
    }
  ),
  ("a new source in each packet", { round in Kinds.sound(UInt32(truncatingIfNeeded: 0x1000_0000 + round), 1) }),
  ("a new source in each two packets", { round in Kinds.sound(UInt32(truncatingIfNeeded: 0x1000_0000 + round / 2), UInt16(round & 1)) })
]

let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
func shown(_ value: Double, _ digits: Int) -> String {
  let scale = digits == 0 ? 1.0 : 10.0
  let text = "\((value * scale).rounded() / scale)"
  return String(repeating: " ", count: max(0, 9 - text.count)) + text
}
print("ns for a byte, us for a datagram, and the Mbit/s that take a core")
for (name, make) in kinds {
  let busy = try Busy(hasProbation: true)
  let datagrams = (0..<rounds).map(make)
  let bytes = datagrams.reduce(0) { $0 + $1.count }
  let begin = MediaTime.monotonic()
  for datagram in datagrams { busy.receive(datagram) }
  let spent = Double(MediaTime.monotonic() - begin)
  print(shown(spent / Double(bytes), 1), shown(spent / 1000 / Double(rounds), 1), shown(8000 * Double(bytes) / spent, 0), " \(name)")
}
