import MediaCore
import Testing

@testable import MediaRTP

/// What one end reads is stamped as it was captured at the other end, whose clock is another one: from the first frame on, over a path that delays,
/// reorders and loses.
@Suite struct CaptureTimeTests {
  private static let ms: Int64 = 1_000_000

  struct Case: Sendable, CustomStringConvertible {
    /// How long after its capture each medium is sent, in milliseconds.
    var age: (video: Int64, sound: Int64) = (0, 0)
    var delay: Int64 = 30
    var jitter: Int64 = 0
    var loss = 0.0
    /// In millionths, of either clock.
    var drift: (Int64, Int64) = (0, 0)
    /// Milliseconds after which the first media reach the receiver, who was there before.
    var joins: Int64 = 0
    var seconds: Int64 = 20
    var seeds: ClosedRange<UInt64> = 1...2
    /// How far off a stamp may be at any time, and from a second after the first one on.
    var bounds: (any: Int64, settled: Int64) = (20, 5)
    var saysCapture = true
    /// Nothing reaches the sender, so that no report answers the receiver's: of the path it knows how long its checks took.
    var isUnanswered = false

    var description: String {
      "\(age) old, delay \(delay), jitter \(jitter), loss \(loss), drift \(drift), joins at \(joins), \(seconds) s, unanswered \(isUnanswered)"
    }
  }

  static let cases: [Case] = [
    Case(delay: 200),
    Case(delay: 200, seconds: 5, isUnanswered: true),
    Case(age: (500, 0), delay: 100, drift: (200, -200)),
    Case(age: (0, 500), delay: 100, drift: (-200, 200)),
    Case(age: (300, 100), jitter: 10, loss: 0.05, seconds: 10, seeds: 1...8),
    // Two clocks that drift apart by 400 in a million, and one report in a second to see it by.
    Case(age: (0, 250), delay: 200, jitter: 10, loss: 0.05, drift: (200, -200), joins: 7000, seeds: 1...8),
    Case(age: (100, 0), jitter: 10, loss: 0.05, drift: (-200, 200), joins: 3000, seconds: 600, seeds: 1...1)
  ]

  /// One end, by its own clock.
  private final class End: RTPSessionDelegate {
    let session: RTPSession
    let drift: Int64
    let start: Int64
    var out: [[UInt8]] = []
    var read: [(isVideo: Bool, bytes: [UInt8], captured: Int64?)] = []

    init(_ name: String, start: Int64, drift: Int64, seed: UInt64, saysCapture: Bool) {
      (self.start, self.drift) = (start, drift)
      let clock = NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000 &+ start), at: start)
      var settings = RTPSettings(cname: name, clock: clock, seed: seed)
      settings.reportsAtOnce = true
      settings.extensions.transportSequence = 3
      if saysCapture { settings.extensions.captureTime = 7 }
      settings.bitrates = .init(minimum: 1_000_000, start: 5_000_000, maximum: 5_000_000)
      session = RTPSession(settings, receiving: [96: .vp8, 111: .opus], now: start)
    }

    func local(_ milliseconds: Int64) -> Int64 { start + milliseconds * (CaptureTimeTests.ms + drift) }

    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { out.append(Array(packet)) }
    func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
      var bytes = [UInt8](repeating: 0, count: picture.size)
      if bytes.withUnsafeMutableBytes({ take($0) }) { read.append((true, bytes, picture.captured)) }
    }
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {
      read.append((false, Array(sound), captured))
    }
    func session(lost packets: Int, duration: Int64, of stream: SSRC) {}
    func session(did event: RTPSessionEvent) {}
  }

  /// The errors of the stamps, in order.
  private func run(_ wanted: Case, seed: UInt64) throws -> [(at: Int64, isVideo: Bool, error: Int64?)] {
    var random = SeededRandom(seed: seed)
    let here = End("here", start: 5_000_000_000_000, drift: wanted.drift.0, seed: seed, saysCapture: wanted.saysCapture)
    let there = End("there", start: 77_000_000_000, drift: wanted.drift.1, seed: seed &+ 100, saysCapture: wanted.saysCapture)
    let video = try here.session.addStream(OutgoingRTP(.vp8, ssrc: SSRC(100), payloadType: 96))
    let sound = try here.session.addStream(OutgoingRTP(.opus, ssrc: SSRC(200), payloadType: 111))
    var coming: [(time: Int64, toThere: Bool, bytes: [UInt8])] = []
    var captures: [Int64] = []
    var errors: [(at: Int64, isVideo: Bool, error: Int64?)] = []
    var (now, number) = (0 as Int64, 0 as UInt16)
    func put(_ end: End, toThere: Bool) {
      for bytes in end.out where Double.random(in: 0..<1, using: &random) >= wanted.loss {
        // Of media the late joiner is sent none yet.
        if toThere, now < wanted.joins, !(192...223).contains(bytes[1]) { continue }
        if !toThere, wanted.isUnanswered { continue }
        let time = now + wanted.delay + (wanted.jitter > 0 ? Int64.random(in: 0...wanted.jitter, using: &random) : 0)
        let place = coming.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
        coming.insert((time, toThere, bytes), at: place)
      }
      end.out.removeAll(keepingCapacity: true)
    }
    func poll() {
      for (end, toThere) in [(here, true), (there, false)] {
        _ = end.session.poll(now: end.local(now), end)
        put(end, toThere: toThere)
      }
    }
    func send(_ isVideo: Bool, _ age: Int64) throws {
      captures.append(now - age)
      let (index, time) = (captures.count - 1, here.local(now - age))
      let head: [UInt8] = isVideo ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [31 << 3]
      let bytes = head + [UInt8(index >> 16), UInt8(index >> 8 & 255), UInt8(index & 255)]
      try bytes.withUnsafeBytes { bytes in
        if isVideo {
          number &+= 1
          let units = MediaTime.units(fromNanoseconds: time, rate: 90_000)
          try here.session.send(bytes, number: number, units: units, capturedAt: time, on: video, now: here.local(now))
        } else {
          let units = MediaTime.units(fromNanoseconds: time, rate: 48_000)
          try here.session.send(sound: bytes, units: units, marker: false, capturedAt: time, on: sound, now: here.local(now))
        }
      }
    }
    if wanted.isUnanswered { there.session.checkedRoundTrip = 2 * wanted.delay * CaptureTimeTests.ms }
    for end in [here, there] { end.session.report(end.local(0), end) }
    while now < wanted.seconds * 1000 {
      while let first = coming.first, first.time <= now {
        coming.removeFirst()
        let end = first.toThere ? there : here
        first.bytes.withUnsafeBytes { end.session.receive($0, now: end.local(now), end) }
      }
      if now >= 1000, now % 20 == 0 { try send(false, wanted.age.sound) }
      if now >= 1000, now % 200 == 0 { try send(true, wanted.age.video) }
      poll()
      for frame in there.read {
        let capture = captures[frame.bytes.suffix(3).reduce(0) { $0 << 8 | Int($1) }]
        errors.append((now, frame.isVideo, frame.captured.map { $0 - there.local(capture) }))
      }
      there.read.removeAll(keepingCapacity: true)
      // Packets arrive at any millisecond; while none does there is less to look at.
      let step: Int64 = wanted.seconds > 60 ? 20 : 5
      now = min((now / step + 1) * step, max(now + 1, coming.first?.time ?? .max))
    }
    return errors
  }

  @Test(arguments: cases) func stampsAreThoseOfTheCapture(_ wanted: Case) throws {
    for seed in wanted.seeds {
      let read = try run(wanted, seed: seed)
      for isVideo in [true, false] {
        let errors = read.filter { $0.isVideo == isVideo }
        let first = try #require(errors.first).at
        let name = "\(isVideo ? "video" : "sound") of seed \(seed)"
        #expect(errors.count >= Int(wanted.seconds * 1000 - max(wanted.joins, 1000)) / (isVideo ? 200 : 20) * 8 / 10, "\(name)")
        #expect(errors.allSatisfy { $0.error != nil }, "\(name): \(errors.filter { $0.error == nil }.count) frames without a time")
        let worst = errors.compactMap(\.error).map(abs).max() ?? 0
        let settled = errors.filter { $0.at >= first + 1000 }.compactMap(\.error).map(abs).max() ?? 0
        #expect(
          worst <= wanted.bounds.any * CaptureTimeTests.ms && settled <= wanted.bounds.settled * CaptureTimeTests.ms,
          "\(name): \(worst), \(settled)")
      }
    }
  }

  /// Reports alone are lost or overtaken.
  @Test func withoutTheExtensionTheFirstFramesMayHaveNoTime() throws {
    let wanted = Case(jitter: 10, loss: 0.05, seconds: 3, saysCapture: false)
    let unknown = try (1...16 as ClosedRange<UInt64>).filter { seed in try run(wanted, seed: seed).contains { $0.error == nil } }
    #expect(!unknown.isEmpty)
  }
}
