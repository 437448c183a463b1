import Glibc
import MediaCore
import Testing

@testable import MediaRTP
@testable import MediaSRTP

/// Whole calls under SRTP, with losses, packets that overtake others, sources that change, numbers that wrap around and connections that begin anew
/// under the same keys: whatever happens, no number of a source seals two packets (RFC 3711, section 9.1). MSDK_NONCE_SESSIONS says how many.
@Suite struct NonceTests {
  private static let count = getenv("MSDK_NONCE_SESSIONS").flatMap { UInt64(String(cString: $0)) } ?? 200

  @Test(arguments: 0..<4) func aNumberSealsOnePacket(_ part: UInt64) throws {
    var (sealed, again, refused) = (0, 0, 0)
    for seed in 0..<(NonceTests.count / 4) {
      var call = try SealedCall(seed: seed * 4 + part)
      for connection in 0..<2 {
        try call.run(seconds: 3, connection: connection)
      }
      #expect(call.nonces.reused.isEmpty, "seed \(seed * 4 + part): \(call.nonces.reused)")
      sealed += call.nonces.count
      again += call.nonces.again
      refused += call.refused
    }
    #expect(refused == 0)
    // It is what was meant to be tried.
    #expect(sealed > 100 * Int(NonceTests.count / 4) && again > Int(NonceTests.count / 4))
  }
}

/// What each number of each source was used for.
private struct Nonces {
  private var packets: [UInt64: [UInt8]] = [:]
  private var highest: [UInt32: Int64] = [:]
  private(set) var reused: [String] = []
  private(set) var again = 0
  var count: Int { packets.count }

  /// RFC 3711, section 3.3.1: the index is the number with its wraps counted.
  mutating func use(_ packet: [UInt8]) {
    let sequence = UInt16(packet[2]) << 8 | UInt16(packet[3])
    let ssrc = packet[8..<12].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let former = highest[ssrc] ?? Int64(sequence)
    let index = former + Int64(Int16(bitPattern: sequence &- UInt16(truncatingIfNeeded: former)))
    highest[ssrc] = max(former, index)
    let place = UInt64(ssrc) << 32 | UInt64(bitPattern: index)
    if let before = packets[place] {
      again += 1
      if before != packet { reused.append("\(index) of \(ssrc)") }
    }
    packets[place] = packet
  }
}

private struct SealedCall {
  private final class End: RTPSessionDelegate {
    var out: [(bytes: [UInt8], isControl: Bool)] = []
    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { out.append((Array(packet), isControl)) }
    func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {}
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {}
    func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
    func session(did event: RTPSessionEvent) {}
  }

  private var random: SeededRandom
  private let (profile, seed): (SRTPProfile, UInt64)
  private let (sealing, answering): (SRTPSender, SRTPSender)
  private let (opening, hearing): (SRTPReceiver, SRTPReceiver)
  var nonces = Nonces()
  private(set) var refused = 0
  private var now: Int64 = 1_000_000_000

  init(seed: UInt64) throws {
    (self.seed, random) = (seed, SeededRandom(seed: seed, name: "nonces"))
    profile = SRTPProfile.allCases[Int(seed % 3)]
    (sealing, opening) = (try SRTPSender(profile, key(profile)), try SRTPReceiver(profile, key(profile)))
    (answering, hearing) = (try SRTPSender(profile, key(profile, 2)), try SRTPReceiver(profile, key(profile, 2)))
  }

  /// Sources of their own, as `RTPConfiguration.renewSources` has it.
  mutating func run(seconds: Int64, connection: Int) throws {
    let (here, there) = (End(), End())
    var settings = RTPSettings(
      cname: "here", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: now), seed: seed &* 2 &+ UInt64(connection))
    settings.extensions.transportSequence = seed % 5 == 4 ? 0 : 3
    settings.extensions.audioLevel = 5
    let types: [UInt8: RTPEncoding] = [96: .vp8, 97: .retransmission(of: 96), 111: .opus]
    let sender = RTPSession(settings, receiving: types, now: now)
    (settings.cname, settings.seed) = ("there", settings.seed &+ 1)
    let receiver = RTPSession(settings, receiving: types, now: now)
    var picture = OutgoingRTP(.vp8, ssrc: source(), payloadType: 96)
    if seed % 3 == 0 { picture.retransmission = (source(), 97) }
    let video = try sender.addStream(picture)
    let audio = try sender.addStream(OutgoingRTP(.opus, ssrc: source(), payloadType: 111))
    // Near the end of the numbers.
    for stream in sender.sending where seed % 4 == 1 { (stream.next, stream.waiting) = (65_500, 65_500) }
    let (loss, end) = (Double.random(in: 0...0.4, using: &random), now + seconds * 1_000_000_000)
    var onTheWay: [(at: Int64, toThere: Bool, isControl: Bool, bytes: [UInt8])] = []
    var number: UInt16 = 0
    while now < end {
      now += 10_000_000
      number &+= 1
      if number % 2 == 0 {
        try send([31 << 3] + noise(60)) { try sender.send(sound: $0, units: now / 1000 * 48 / 1000, marker: false, on: audio, now: now) }
      }
      if number % 5 == 0 {
        let isKey = number % 50 == 0 || number == 5
        let head: [UInt8] = isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
        try send(head + noise(isKey ? 6000 : 2000)) {
          try sender.send($0, number: number, units: now / 1000 * 9 / 100, on: video, now: now)
        }
      }
      if number == 150, seed % 3 < 2 { try sender.changeSource(of: video, to: source(), now: now, here) }
      _ = sender.poll(now: now, here)
      _ = receiver.poll(now: now, there)
      for (toThere, end) in [(true, here), (false, there)] {
        for (bytes, isControl) in end.out {
          guard let packet = seal(bytes, toThere: toThere, isControl: isControl) else { continue }
          if Double.random(in: 0..<1, using: &random) < loss { continue }
          onTheWay.append((now + Int64.random(in: 5_000_000...60_000_000, using: &random), toThere, isControl, packet))
        }
        end.out.removeAll(keepingCapacity: true)
      }
      let arrived = onTheWay.filter { $0.at <= now }.sorted { $0.at < $1.at }
      onTheWay.removeAll { $0.at <= now }
      for (_, toThere, isControl, packet) in arrived {
        guard let bytes = open(packet, toThere: toThere, isControl: isControl) else { continue }
        bytes.withUnsafeBytes { toThere ? receiver.receive($0, now: now, there) : sender.receive($0, now: now, here) }
      }
    }
    sender.leave(now: now, here)
    for (bytes, isControl) in here.out { _ = seal(bytes, toThere: true, isControl: isControl) }
  }

  private static let bytes = (0..<65_536).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  private mutating func noise(_ count: Int) -> [UInt8] {
    let first = Int.random(in: 0...255, using: &random)
    return Array(SealedCall.bytes[first..<first + count])
  }

  /// A full queue is no matter here.
  private func send(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    do { try bytes.withUnsafeBytes(body) } catch { if error as? PacketError != RTPSession.full { throw error } }
  }

  private mutating func source() -> SSRC { SSRC(UInt32.random(in: 1...(.max), using: &random)) }

  private mutating func seal(_ bytes: [UInt8], toThere: Bool, isControl: Bool) -> [UInt8]? {
    if toThere, !isControl { nonces.use(bytes) }
    let sender = toThere ? sealing : answering
    let result = transformed(bytes) { p, o throws(PacketError) in
      isControl ? try sender.protectControl(p, into: o) : try sender.protect(p, into: o)
    }
    if result.error != nil { refused += 1 }
    return result.value
  }

  private func open(_ packet: [UInt8], toThere: Bool, isControl: Bool) -> [UInt8]? {
    let receiver = toThere ? opening : hearing
    return transformed(packet) { p, o throws(PacketError) in
      isControl ? try receiver.unprotectControl(p, into: o) : try receiver.unprotect(p, into: o)
    }.value
  }
}
