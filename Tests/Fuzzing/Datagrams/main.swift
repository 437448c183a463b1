// Throws datagrams that were valid before somebody flipped, cut, joined, doubled, delayed and renumbered their bytes at a session of RTP and at
// SRTP, and looks at its own memory.
//   rtp-fuzz [datagrams, 10,000,000 without] [seed]
import Glibc
import MediaCore
import MediaRTP
import MediaSRTP

/// One end, which keeps what it sends.
final class End: RTPSessionDelegate {
  var sent: [[UInt8]] = []
  var (pictures, sounds, lost) = (0, 0, 0)
  private var memory = [UInt8](repeating: 0, count: 1 << 20)

  func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) {
    if sent.count < 4096 { sent.append(Array(packet)) }
  }
  func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
    guard picture.size <= memory.count else { return }
    let isTaken = memory.withUnsafeMutableBytes { take(UnsafeMutableRawBufferPointer(rebasing: $0.prefix(picture.size))) }
    if isTaken { pictures += 1 }
  }
  func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) { sounds += 1 }
  func session(lost packets: Int, duration: Int64, of stream: SSRC) { lost += 1 }
  func session(did event: RTPSessionEvent) {}
}

func makeSession(seed: UInt64, now: Int64) throws(PacketError) -> RTPSession {
  var settings = RTPSettings(
    cname: "end \(seed)", clock: NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: now), seed: seed)
  settings.extensions.transportSequence = 5
  (settings.extensions.mid, settings.extensions.audioLevel, settings.extensions.orientation) = (1, 2, 4)
  (settings.extensions.colorSpace, settings.extensions.captureTime) = (6, 7)
  settings.reportsAtOnce = true
  settings.bitrates = .init(minimum: 100_000, start: 5_000_000, maximum: 20_000_000)
  let session = RTPSession(settings, receiving: [96: .vp8, 97: .retransmission(of: 96), 111: .opus, 63: .redundancy(of: 111)], now: now)
  var video = OutgoingRTP(.vp8, ssrc: SSRC(UInt32(truncatingIfNeeded: seed &* 4 &+ 1)), payloadType: 96)
  video.retransmission = (SSRC(UInt32(truncatingIfNeeded: seed &* 4 &+ 2)), 97)
  video.mid = "0"
  _ = try session.addStream(video)
  _ = try session.addStream(OutgoingRTP(.opus, ssrc: SSRC(UInt32(truncatingIfNeeded: seed &* 4 &+ 3)), payloadType: 111))
  return session
}

/// What two ends say to each other in a second of a call: material.
func conversation(seed: UInt64, random: inout SeededRandom) throws -> [[UInt8]] {
  let (one, other) = (try makeSession(seed: seed, now: 0), try makeSession(seed: seed &+ 1, now: 0))
  let (here, there) = (End(), End())
  var material: [[UInt8]] = []
  for step in 0..<200 {
    let now = Int64(step) * 5_000_000
    if step % 6 == 0 {
      var picture = (0..<Int.random(in: 20..<4000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let head: [UInt8] = step % 60 == 0 ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
      picture.replaceSubrange(0..<head.count, with: head)
      for session in [one, other] {
        try picture.withUnsafeBytes {
          try session.send(
            $0, number: UInt16(step / 6), units: Int64(step) * 450, orientation: UInt8(step / 6 % 8),
            color: .init(matrix: UInt8(step / 60)),
            capturedAt: now, on: 0, now: now)
        }
      }
    }
    if step % 4 == 0 {
      let packet = [UInt8]([31 << 3]) + (0..<60).map { _ in UInt8.random(in: 0...255, using: &random) }
      for session in [one, other] {
        try packet.withUnsafeBytes {
          try session.send(
            sound: $0, units: Int64(step) * 240, marker: false, level: .init(level: 20, isVoice: true), capturedAt: now, on: 1, now: now)
        }
      }
    }
    _ = one.poll(now: now, here)
    _ = other.poll(now: now, there)
    for (from, to, end) in [(here, other, there), (there, one, here)] {
      let packets = from.sent
      from.sent = []
      for packet in packets {
        material.append(packet)
        // Some are lost, so that they are asked for.
        if Int.random(in: 0..<20, using: &random) > 0 { packet.withUnsafeBytes { to.receive($0, now: now, end) } }
      }
    }
  }
  return material
}

struct Spoiler {
  var random: SeededRandom
  let material: [[UInt8]]
  private var last: [UInt8] = []

  init(_ material: [[UInt8]], seed: UInt64) {
    (self.material, random) = (material, SeededRandom(seed: seed))
  }

  mutating func next() -> [UInt8] {
    var bytes = material[Int.random(in: 0..<material.count, using: &random)]
    for _ in 0..<Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      // The front decides more than the rest.
      let front = Int.random(in: 0..<min(32, bytes.count), using: &random)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[front] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2: bytes[front] = UInt8.random(in: 0...255, using: &random)
      case 3: bytes.removeLast(bytes.count - place)
      case 4: bytes += last.prefix(1400)
      case 5: bytes = Array(last.prefix(place)) + bytes.dropFirst(place)
      case 6 where bytes.count > 4:
        (bytes[2], bytes[3]) = (UInt8.random(in: 0...255, using: &random), UInt8.random(in: 0...255, using: &random))
      case 7 where bytes.count > 8:
        for byte in 4..<8 { bytes[byte] = [0, 255, 128, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0 }
      case 8 where bytes.count > 12: for byte in 8..<12 { bytes[byte] = UInt8.random(in: 0...3, using: &random) }
      default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: front)
      }
    }
    last = bytes
    return bytes
  }
}

func residentPages() -> Int {
  guard let file = fopen("/proc/self/statm", "r") else { return 0 }
  defer { fclose(file) }
  var line = [CChar](repeating: 0, count: 128)
  guard fgets(&line, Int32(line.count), file) != nil else { return 0 }
  let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  return text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}

func run(_ count: Int, seed: UInt64) throws {
  var random = SeededRandom(seed: seed)
  var spoiler = Spoiler(try conversation(seed: 10, random: &random), seed: seed)
  let (session, end) = (try makeSession(seed: 10, now: 0), End())
  let key = try SRTPKey([UInt8](repeating: 7, count: 28), .aesGCM)
  let receiver = try SRTPReceiver(.aesGCM, key)
  var plain = [UInt8](repeating: 0, count: 4096)
  var (now, early, opened) = (Int64(0), 0, 0)
  for index in 0..<count {
    let bytes = spoiler.next()
    // Clocks jump, too, now and then.
    now +=
      index % 100_000 == 0
      ? Int64.random(in: -5_000_000_000...60_000_000_000, using: &random) : Int64.random(in: 0...400_000, using: &random)
    now = max(0, now)
    bytes.withUnsafeBytes { session.receive($0, now: now, end) }
    if index % 16 == 0 { _ = session.poll(now: now, end) }
    if index % 8 == 0 {
      let result = bytes.withUnsafeBytes { bytes in plain.withUnsafeMutableBytes { try? receiver.unprotect(bytes, into: $0) } }
      if result != nil { opened += 1 }
    }
    end.sent.removeAll(keepingCapacity: true)
    // By then there are as many streams as there may be.
    if index == count / 2 { early = residentPages() }
  }
  let grown = (residentPages() - early) * 4096
  print(
    "\(count) datagrams, seed \(seed): \(end.pictures) pictures, \(end.sounds) packets of sound, \(end.lost) times lost, \(session.refusedPackets) refused; grown by \(grown >> 10) kB"
  )
  // Without a word that it means: a session that takes nothing at all tries nothing.
  guard end.pictures > 0, end.sounds > 0, opened == 0 else { fatalError("nothing came through, or what was not sealed was opened") }
  guard grown < 16 << 20 else { fatalError("memory grew by \(grown) bytes") }
}

let arguments = CommandLine.arguments
try run(arguments.count > 1 ? Int(arguments[1]) ?? 10_000_000 : 10_000_000, seed: arguments.count > 2 ? UInt64(arguments[2]) ?? 1 : 1)
