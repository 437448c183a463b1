import MediaCore

/// One stream on its way in: what came, what is missing, and what is due.
final class ReceivingStream {
  enum Content {
    case pictures(FrameBuffer)
    case sound(JitterBuffer)
  }

  let ssrc: SSRC
  var payloadType: UInt8
  private(set) var content: Content
  private(set) var format: any PayloadFormat
  /// Its place among the session's media, and which of the streams of that it is.
  var medium: Int
  var rid: String?
  var statistics: ReceptionStatistics
  var meter = InboundMeter()
  var voice = VoiceActivity()
  var numbers = Unwrapper<UInt16>()
  var missing: NACKTracker
  /// Its stamps on the sender's wall clock, and that clock.
  private var mapping: ClockMapping
  private(set) var end = RemoteEnd()
  /// Of those that the other end passes on, whose it is.
  var person = 0
  private var lastReport: (ntp: NTPTimestamp, at: Int64)?
  /// Pictures only: sound has its own.
  var delay: PlayoutDelay
  /// The stamp of the latest picture, and by how much it is later than the one before, in nanoseconds.
  private var latest: Int64?
  private var interval: Int64?
  /// From the capture until it is handed on, without what it is held back for others.
  var latency: Int64?
  /// Requests for a key frame, with nothing received between the first and the last; `pause`: after each.
  private var asked: (first: Int64, last: Int64, pause: Int64)?
  private(set) var lastHeard: Int64 = 0
  /// When something came after a silence.
  private var resumed = -ReceivingStream.longestPatience
  /// The first packet of the picture that was seen whole last.
  private var lastSeen: Int64 = -1
  /// When a picture was handed on last.
  private var handedOn: Int64?
  /// Nothing can be shown before one comes.
  var needsKeyFrame = true
  private static let requestPause: Int64 = 200_000_000
  /// After so long without an answer the sender may have stopped, and requests become rare.
  private static let askingPatience: Int64 = 2_000_000_000
  /// A picture that is held back for less is not shown any steadier: screens show one in 16 ms. Encoders alone take a few ms more for one picture
  /// than for another.
  private static let unseen: Int64 = 16_000_000
  /// A picture is waited for that long before a key frame is asked for.
  private static let patience: Int64 = 500_000_000
  /// And that long when nothing at all came meanwhile: it is resent then, as long as the sender keeps it.
  private static let longestPatience: Int64 = 2_500_000_000
  /// So long nothing comes in an outage that is one, and is worth waiting for; of a stream of ten pictures a second or more.
  private static let silence: ClosedRange<Int64> = 200_000_000...2_000_000_000
  private static let livelyInterval: Int64 = 100_000_000

  init(_ ssrc: SSRC, payloadType: UInt8, _ encoding: RTPEncoding, in medium: Int, _ settings: RTPSettings) {
    (self.ssrc, self.payloadType, self.medium) = (ssrc, payloadType, medium)
    // Its payload type was agreed on: the first packet counts, as it may be of a key frame.
    statistics = ReceptionStatistics(ssrc: ssrc, clockRate: encoding.clockRate, minimumSequential: 1)
    mapping = ClockMapping(clockRate: encoding.clockRate)
    var unseen = settings.delay
    unseen.noise = max(unseen.noise, ReceivingStream.unseen)
    delay = PlayoutDelay(unseen)
    var asking = NACKTracker.Settings()
    let format = encoding.format ?? VP8Format()
    if !format.isVideo { (asking.longest, asking.mostRequests) = (200_000_000, 2) }
    missing = NACKTracker(asking)
    self.format = format
    content = format.isVideo ? .pictures(FrameBuffer(format)) : .sound(JitterBuffer(clockRate: format.clockRate, delay: settings.delay))
  }

  func setRoundTrip(_ time: Int64) {
    missing.roundTrip = time
    switch content {
    case .sound(let buffer): buffer.setRoundTrip(time)
    case .pictures(let buffer): buffer.setRoundTrip(time)
    }
  }

  func holds(_ format: any PayloadFormat) -> Bool { RTPEncoding.media(self.format) == .media(format) }

  /// Whether it can go on as that, with the numbers and the clock that it has.
  func allows(_ format: any PayloadFormat) -> Bool { self.format.isVideo == format.isVideo && self.format.clockRate == format.clockRate }

  /// It goes on with another codec, of which nothing came yet.
  func change(to format: any PayloadFormat) {
    self.format = format
    guard case .pictures = content else { return }
    content = .pictures(FrameBuffer(format))
    (latest, lastSeen, needsKeyFrame) = (nil, -1, true)
  }

  /// Streams of a few packets come before others, the silent before the lively.
  var rank: (Int, Int64) { (statistics.counters.packetsReceived > 10 ? 1 : 0, lastHeard) }

  /// The sender began again: nothing that came belongs to what comes.
  func restart() {
    numbers.reset()
    missing.reset()
    delay.restart()
    (latest, lastSeen, handedOn) = (nil, -1, nil)
    switch content {
    case .pictures(let buffer): buffer.reset()
    case .sound(let buffer): buffer.reset()
    }
    needsKeyFrame = true
  }

  /// A stamp of pictures.
  static func nanoseconds(_ stamp: Int64) -> Int64 { MediaTime.nanoseconds(fromUnits: stamp, rate: 90_000) }

  /// A picture that can be handed on; counted once for the delay, as of when it became whole.
  func saw(_ picture: FrameBuffer.Picture) {
    guard lastSeen != picture.first else { return }
    lastSeen = picture.first
    let stamp = ReceivingStream.nanoseconds(picture.timestamp)
    interval = latest.map { stamp &- ReceivingStream.nanoseconds($0) }
    latest = picture.timestamp
    delay.arrived(stamp: stamp, at: picture.lastArrival)
  }

  /// A picture was handed on, or left out, and what comes after it is waited for.
  func took(_ picture: FrameBuffer.Picture, now: Int64) {
    handedOn = now
    if picture.isKeyFrame { needsKeyFrame = false }
    missing.forget(below: picture.last)
  }

  // MARK: Silence

  /// Nothing comes of what was lively, as in an outage. What is missing can be had when it is over, and is not given up.
  func isSilent(at now: Int64) -> Bool {
    guard let interval, interval <= ReceivingStream.livelyInterval else { return false }
    return ReceivingStream.silence.contains(now &- lastHeard)
  }

  /// A packet of it came.
  func heard(at now: Int64) {
    if isSilent(at: now) {
      missing.beginAgain(now: now)
      resumed = now
    }
    lastHeard = now
  }

  // MARK: The sender's clock

  func received(_ report: SenderReport, at now: Int64) {
    statistics.received(report, at: now)
    mapping.received(report.ntp, for: report.timestamp)
    end.clock.received(report.ntp, at: now)
    lastReport = (report.ntp, now)
  }

  /// A packet says when was captured what it is of.
  func received(_ time: NTPTimestamp, for timestamp: RTPTimestamp) { mapping.received(time, for: timestamp) }

  /// When its source said so last.
  var lastReported: Int64? { lastReport?.at }

  /// Whether a report said when what comes was captured.
  var isMapped: Bool { lastReport != nil }

  /// From now on it shares the clock of all streams of that name.
  func join(_ end: RemoteEnd) {
    guard end !== self.end else { return }
    self.end = end
    if let lastReport { end.clock.received(lastReport.ntp, at: lastReport.at) }
  }

  /// On this end's clock. The round trip counts while it is not known how long each direction takes.
  func captureTime(of stamp: Int64, roundTrip: Int64?) -> Int64? {
    mapping.time(of: RTPTimestamp(UInt32(truncatingIfNeeded: stamp))).flatMap { end.clock.local($0, roundTrip: roundTrip) }
  }

  /// On this end's clock, later than it was by the time of the path, which is the same for all streams of the sender.
  private func lateCaptureTime(of stamp: Int64) -> Int64? {
    mapping.time(of: RTPTimestamp(UInt32(truncatingIfNeeded: stamp))).flatMap { end.clock.local($0) }
  }

  var measuredLatency: Int64? {
    switch content {
    case .sound(let buffer):
      guard let due = buffer.delay.unheld(stamp: buffer.nanoseconds(buffer.latestStamp)) else { return nil }
      return lateCaptureTime(of: buffer.latestStamp).map { due &- $0 }
    case .pictures:
      guard let latest, let due = delay.unheld(stamp: ReceivingStream.nanoseconds(latest)) else { return nil }
      return lateCaptureTime(of: latest).map { due &- $0 }
    }
  }

  /// Held back beyond what its own way needs.
  var hold: Int64 {
    get {
      switch content {
      case .sound(let buffer): buffer.delay.hold
      case .pictures: delay.hold
      }
    }
    set {
      switch content {
      case .sound(let buffer): buffer.delay.hold = newValue
      case .pictures: delay.hold = newValue
      }
    }
  }

  // MARK: What is due

  /// Whether a key frame is to be asked for now: not again before the last request can have had an effect.
  func takeKeyFrameRequest(now: Int64, roundTrip: Int64) -> Bool {
    guard case .pictures(let buffer) = content else { return false }
    if missing.takeBeyondHelp() { needsKeyFrame = true }
    let waits = isSilent(at: now) || now &- resumed <= ReceivingStream.patience
    let patience = waits ? ReceivingStream.longestPatience : ReceivingStream.patience
    // As long as one after the other is had again, nothing is beyond help: what is, is known by the packets alone.
    if let since = buffer.waitingSince, now &- max(since, handedOn ?? since) > patience { needsKeyFrame = true }
    guard let due = keyFrameRequest(buffer), now >= due else { return false }
    let first = asked.flatMap { lastHeard > $0.first ? nil : $0.first } ?? now
    asked = (first, now, max(ReceivingStream.requestPause, roundTrip &* 2))
    return true
  }

  /// Before it the last request cannot have had an effect. Requests that nothing at all answers are twice as far apart each time, until the
  /// next packet.
  private var nextKeyFrameRequest: Int64 {
    guard let asked else { return 0 }
    let vain = lastHeard > asked.first ? 0 : asked.last &- asked.first
    return asked.last &+ (vain > ReceivingStream.askingPatience ? max(asked.pause, vain) : asked.pause)
  }

  /// When a key frame is to be asked for: at once, but one that has begun to come is waited for.
  private func keyFrameRequest(_ buffer: FrameBuffer) -> Int64? {
    guard needsKeyFrame, statistics.counters.packetsReceived > 0 else { return nil }
    return max(nextKeyFrameRequest, buffer.keyFrameArrival.map { $0 &+ ReceivingStream.requestPause } ?? 0)
  }

  /// When a picture that can be decoded next is to be handed on; nil: not by itself.
  func release(_ picture: FrameBuffer.Picture, of buffer: FrameBuffer) -> Int64? {
    delay.release(stamp: ReceivingStream.nanoseconds(picture.timestamp)).map { max($0, buffer.readyTime(of: picture)) }
  }

  /// When something is due of itself.
  func deadline(now: Int64) -> Int64 {
    let asking = min(missing.nextDeadline ?? .max, voice.deadline)
    switch content {
    case .sound(let buffer): return min(asking, buffer.nextDeadline ?? .max)
    case .pictures(let buffer):
      let due = buffer.next().flatMap { release($0, of: buffer) } ?? .max
      return min(asking, due, keyFrameRequest(buffer) ?? .max)
    }
  }
}
