import MediaCore

@testable import MediaRTP

/// Two ends and a way between them: rate, queue, delay, jitter, loss, all by a seed, on a clock that the test moves.
final class TestCall {
  struct Way {
    var rate = 8_000_000
    var delay: Int64 = 20_000_000
    var jitter: Int64 = 0
    var loss = 0.0
    var queue: Int64 = 300_000_000
    var freeAt: Int64 = 0
    /// Of packets of these payload types on top.
    var extra: [UInt8: Int64] = [:]
    var packets = 0
    var bytes = 0
    var arrived = 0
    var feedbacks = 0
  }

  final class End: RTPSessionDelegate {
    var out: [(bytes: [UInt8], isControl: Bool)] = []
    var pictures: [(stamp: Int64, bytes: [UInt8], at: Int64, captured: Int64?)] = []
    var sounds: [[UInt8]] = []
    var soundTimes: [(at: Int64, captured: Int64?)] = []
    var concealed: Int64 = 0
    var lost = 0
    var events: [RTPSessionEvent] = []
    var now: Int64 = 0
    var keyFramesWanted = 0

    func session(transmits packet: UnsafeRawBufferPointer, isControl: Bool) { out.append((Array(packet), isControl)) }
    func session(received picture: FrameBuffer.Picture, of stream: SSRC, take: (UnsafeMutableRawBufferPointer) -> Bool) {
      var bytes = [UInt8](repeating: 0, count: picture.size)
      let isThere = bytes.withUnsafeMutableBytes { take($0) }
      if isThere { pictures.append((picture.timestamp, bytes, now, picture.captured)) }
    }
    func session(received sound: UnsafeRawBufferPointer, stamp: Int64, captured: Int64?, of stream: SSRC) {
      soundTimes.append((now, captured))
      sounds.append(Array(sound))
    }
    func session(lost packets: Int, duration: Int64, of stream: SSRC) {
      lost += packets
      concealed += duration
    }
    func session(did event: RTPSessionEvent) {
      events.append(event)
      if case .keyFrameRequested = event { keyFramesWanted += 1 }
    }
  }

  static let vp8: UInt8 = 96, rtx: UInt8 = 97, opus: UInt8 = 111
  /// Of the pictures, under the payload type of VP8.
  let encoding: RTPEncoding
  let sender: RTPSession
  let receiver: RTPSession
  let (here, there) = (End(), End())
  var forth = Way()
  var back = Way()
  var now: Int64 = 1_000_000_000
  private var random: SeededRandom
  private var onTheWay = TimeQueue()
  let video: Int
  let audio: Int
  private(set) var pictures: [[UInt8]] = []
  private(set) var sounds = 0
  /// How often the two were asked what is due.
  private(set) var polls = 0
  private(set) var pictureTimes: [Int64] = []
  private(set) var firstSound: Int64 = 0
  /// When packets of sound were sent, and arrived.
  private(set) var soundsSent: [Int64] = []
  private(set) var soundsArrived: [Int64] = []
  /// Datagrams that were lost, but for those that a full queue dropped, and when they had left.
  private(set) var lost: [(at: Int64, toThere: Bool, bytes: [UInt8])] = []
  /// What leaves comes back, too.
  var isReflecting = false
  private var number: UInt16 = 0x7FF0

  struct TimeQueue {
    var entries: [(time: Int64, toThere: Bool, bytes: [UInt8])] = []
    mutating func push(_ time: Int64, _ toThere: Bool, _ bytes: [UInt8]) {
      let place = entries.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
      entries.insert((time, toThere, bytes), at: place)
    }
  }

  init(
    seed: UInt64, _ encoding: RTPEncoding = .vp8, hasRetransmissions: Bool = true, maximum: Int = 6_000_000, start: Int = 1_000_000,
    longestHold: Int64 = 500_000_000,
    pacing: PacerBounds = PacerBounds(), isGroup: Bool = false, numbersSound: Bool = true
  ) throws {
    let seed = seed &+ seedOffset
    self.encoding = encoding
    random = SeededRandom(seed: seed)
    let clock = NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: now)
    var settings = RTPSettings(cname: "here", clock: clock, seed: seed)
    settings.bitrates = .init(minimum: 30_000, start: start, maximum: maximum)
    settings.longestHold = longestHold
    settings.pacing = pacing
    settings.isGroup = isGroup
    settings.extensions.transportSequence = 3
    settings.extensions.mid = 4
    settings.extensions.audioLevel = 5
    let types: [UInt8: RTPEncoding] = [TestCall.vp8: encoding, TestCall.rtx: .retransmission(of: TestCall.vp8), TestCall.opus: .opus]
    sender = RTPSession(settings, receiving: types, now: now)
    settings.cname = "there"
    settings.seed = seed &+ 1
    receiver = RTPSession(settings, receiving: types, now: now)
    var stream = OutgoingRTP(encoding, ssrc: SSRC(100), payloadType: TestCall.vp8)
    if hasRetransmissions { stream.retransmission = (SSRC(101), TestCall.rtx) }
    stream.mid = "v"
    video = try sender.addStream(stream)
    var sound = OutgoingRTP(.opus, ssrc: SSRC(200), payloadType: TestCall.opus)
    if !numbersSound {
      sound.extensions = settings.extensions
      sound.extensions?.transportSequence = 0
    }
    audio = try sender.addStream(sound)
  }

  private func put(_ bytes: [UInt8], toThere: Bool) {
    var way = toThere ? forth : back
    defer { if toThere { forth = way } else { back = way } }
    way.packets += 1
    way.bytes += bytes.count
    if bytes[1] == 205, bytes[0] & 31 == 15 { way.feedbacks += 1 }
    if isReflecting { onTheWay.push(now + 1_000_000, !toThere, bytes) }
    let start = max(now, way.freeAt)
    guard start - now <= way.queue else { return }
    way.freeAt = start + Int64(bytes.count + 28) * 8_000_000_000 / Int64(way.rate)
    if Double.random(in: 0..<1, using: &random) < way.loss { return lost.append((now, toThere, bytes)) }
    let jitter = way.jitter > 0 ? Int64.random(in: 0...way.jitter, using: &random) : 0
    way.arrived += 1
    onTheWay.push(way.freeAt + way.delay + jitter + (way.extra[bytes[1] & 127] ?? 0), toThere, bytes)
  }

  private func flush() {
    for (bytes, _) in here.out { put(bytes, toThere: true) }
    for (bytes, _) in there.out { put(bytes, toThere: false) }
    (here.out, there.out) = ([], [])
  }

  /// Until a time, in steps of whatever is due first; `skipping`: after so long in which neither end was asked for anything.
  func run(until end: Int64, skipping pause: Int64 = 0) {
    now += pause
    let end = end + pause
    while true {
      (here.now, there.now) = (now, now)
      let next = min(sender.poll(now: now, here), receiver.poll(now: now, there))
      polls += 1
      flush()
      let arrival = onTheWay.entries.first?.time ?? .max
      let time = max(now + 10_000, min(next, arrival))
      guard time < end else { break }
      now = time
      (here.now, there.now) = (now, now)
      while let first = onTheWay.entries.first, first.time <= now {
        onTheWay.entries.removeFirst()
        if first.toThere, first.bytes[1] & 127 == TestCall.opus { soundsArrived.append(now) }
        first.bytes.withUnsafeBytes { bytes in
          if first.toThere { receiver.receive(bytes, now: now, there) } else { sender.receive(bytes, now: now, here) }
        }
      }
      flush()
    }
    now = end
  }

  /// Sends a picture, in form.
  func send(_ size: Int, isKey: Bool, at time: Int64) throws {
    run(until: time)
    let bytes = TestFrame.make(encoding, size, isKey: isKey, pictures.count)
    pictures.append(bytes)
    pictureTimes.append(now)
    try bytes.withUnsafeBytes { try sender.send($0, number: number, units: now / 1000 * 9 / 100, on: video, now: now) }
    number &+= 1
  }

  /// So many seconds at 30 pictures a second that follow the target, a packet of sound every 20 ms.
  func film(seconds: Int, fps: Int = 30) throws {
    let start = now
    var (wanted, sound) = (0, start)
    for index in 0..<(seconds * fps) {
      let time = start + Int64(index) * 1_000_000_000 / Int64(fps)
      while sound <= time {
        run(until: sound)
        if sounds == 0 { firstSound = now }
        let packet: [UInt8] = [31 << 3] + (0..<60).map { UInt8(truncatingIfNeeded: Int(sound / 20_000_000) &+ $0) }
        try packet.withUnsafeBytes { try sender.send(sound: $0, units: sound / 20_000_000 * 960, marker: false, on: audio, now: now) }
        soundsSent.append(now)
        sound += 20_000_000
        sounds += 1
      }
      let isKey = here.keyFramesWanted > wanted || pictures.isEmpty
      wanted = here.keyFramesWanted
      let budget = max(200, sender.target * 8 / 10 / 8 / fps)
      try send(isKey ? budget * 2 : budget, isKey: isKey, at: time)
    }
    run(until: now + 1_000_000_000)
  }
}
