import MediaCore

/// One end of a session of RTP: streams out and in, their control packets, what is sent again, how fast may be sent. Bytes and time in; datagrams,
/// media and events out, by its delegate; says when it wants to be asked again. Calls come one at a time.
public final class RTPSession {
  struct Handle: Sendable {
    let stream: Int
    let number: Int64
  }

  /// Changed by `apply` alone.
  var settings: RTPSettings
  var random: SeededRandom
  var outgoing = SendingStreams()
  var sending: [SendingStream] { outgoing.all }
  /// Removed, and goodbye is to be said for them.
  var leaving: [SSRC] = []
  /// In the order in which they began, so that the same seed is the same session.
  var receiving: [ReceivingStream] = []
  var sources: [SSRC: ReceivingStream] = [:]
  var routing: MediumRouting
  /// The last figures of streams that are over, the oldest first: a peer that leaves is counted before anybody can look.
  var ended: [InboundStreamStats] = []
  static let mostEnded = 8
  /// Of retransmissions, which stream they are of.
  var repeating: [SSRC: SSRC] = [:]
  var estimator: BandwidthEstimator
  var pacer: Pacer<Handle>
  /// One or the other: of a group (`RTPSettings.isGroup`), or of two ends.
  var group: GroupControl?
  var pace: ReportPace?
  var roundTrip = RoundTrip()
  /// Of the path, in nanoseconds, as its own checks say (RFC 8445, section 7.2.5): counts until reports have measured it. nil: it was not checked.
  public var checkedRoundTrip: Int64? { didSet { tellRoundTrip() } }
  var references = ReferenceTimes(limit: 8)
  /// Of streams of which no packet has come yet.
  var earlyReports = EarlyReports()
  /// Where two ends are alone with each other: whom streams are of before they are named, and whose clock is known by reports without streams.
  var peer = RemoteEnd()
  /// Reports that left beside the schedule, for round trips.
  var asked = 0
  /// So many are measured at first, as jitter is in each, by so many reports at most.
  static let firstRoundTrips = 16
  static let mostAsked = 20
  /// How often the other end asked for its round trip, and when a report is due and was last sent by which it knows that.
  var timesAsked = 0
  var answerDue: Int64?
  var answered = -RTPSession.answerPause
  static let answerPause: Int64 = 50_000_000
  static let mostAnswered = 16
  var feedback = TransportFeedbackBuilder()
  var feedbackNumbers = Unwrapper<UInt16>()
  var feedbackClock = TransportFeedbackClock()
  var feedbackDue: Int64?
  var incoming = IncomingRate()
  var probation: SourceProbation
  var nextTransport: UInt16
  private var lastTarget = 0
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
  let controlMemory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 16)
  /// Who this end is in control packets while it sends nothing.
  var ownSSRC: SSRC
  /// Of which of one's own a collision was told (RFC 3550, section 8.2), and how often one that sends nothing was changed for one.
  var collided: Set<SSRC> = []
  var ownChanges = 0
  static let mostOwnChanges = 8
  var lipSync: LipSync
  var persons: [SSRC: Int] = [:]
  /// Numbers to be asked for, while they are.
  var asking: [SequenceNumber] = []
  /// Which streams the next report begins with, as not all have room in one.
  var reportTurn = 0
  var blockTurn = 0
  var path = TransportPathStats()
  /// Packets that came and were of no use: no packets of RTP or RTCP, or of no stream that was agreed on.
  public var refusedPackets: UInt64 { path.refusedPackets }
  /// Of RTCP in a datagram: a compound of an honest end has ten at most. What follows them is dropped.
  static let mostMessages = 32
  /// After it a stream is over whose source is no member any more (RFC 3550, section 6.3.5).
  static let silence: Int64 = 30_000_000_000

  /// The payload types are those that the other end may send.
  public init(_ settings: RTPSettings, receiving encodings: [UInt8: RTPEncoding], now: Int64) {
    self.settings = settings
    routing = MediumRouting([RTPMedium(receiving: encodings)])
    estimator = BandwidthEstimator(settings.bitrates, hasTransportFeedback: settings.hasTransportFeedback)
    pacer = Pacer(rate: settings.bitrates.start, settings.pacing)
    lipSync = LipSync(longest: settings.longestHold)
    // A local until it is used no more: used as a member here, it makes the optimizer of Swift 6.3.1 stop.
    var random = SeededRandom(seed: settings.seed)
    let anySSRC = SSRC(UInt32.random(in: 1...(.max), using: &random))
    ownSSRC = settings.ssrc ?? anySSRC
    nextTransport = UInt16.random(in: 0...(.max), using: &random)
    group = settings.isGroup ? GroupControl(minimum: settings.reportInterval, at: now, using: &random) : nil
    pace = settings.isGroup ? nil : ReportPace(minimum: settings.reportInterval, at: now, using: &random)
    self.random = random
    probation = SourceProbation(salt: settings.seed)
    group?.own(ownSSRC)
    asking.reserveCapacity(256)
  }

  deinit {
    scratch.deallocate()
    controlMemory.deallocate()
  }

  // MARK: Time

  /// Does what is due and says when it wants to be asked again.
  public func poll(now: Int64, _ delegate: some RTPSessionDelegate) -> Int64 {
    var deadline = push(now: now, delegate)
    for stream in receiving {
      deliver(stream, now, delegate)
      if stream.voice.hasEnded(at: now) { delegate.session(did: .spoke(stream.ssrc, level: nil)) }
      deadline = min(deadline, stream.deadline(now: now))
    }
    deadline = min(deadline, pollControl(now, delegate), lipSync.update(receiving, now: now))
    tellTarget(delegate)
    return deadline
  }

  /// The part of `poll` that is for what was enqueued just now: sends what may leave, and says when that wants to be polled.
  public func push(now: Int64, _ delegate: some RTPSessionDelegate) -> Int64 {
    let deadline = estimator.process(now: now) ?? .max
    pacer.setHeld(estimator.holdsPictures, now: now)
    while let probe = estimator.takeProbe() { pacer.probe(probe, now: now) }
    pacer.setRate(pacingRate, now: now)
    drain(now, delegate)
    return min(deadline, pacer.deadline(now: now) ?? .max)
  }

  /// More than the estimate, so that a picture leaves quickly; what takes longer than that goes as the path carries it, where nothing else is
  /// bounded: at any higher rate a part would be lost and go twice.
  private var pacingRate: Int {
    let (rate, target) = (estimator.pacingRate, estimator.target)
    guard settings.pacing.budget == nil, 16 * pacer.bytes > target else { return rate }
    return min(rate, target / 20 * 21)
  }

  private func tellTarget(_ delegate: some RTPSessionDelegate) {
    let target = estimator.target
    // Not every step of a few bits.
    guard abs(target - lastTarget) > lastTarget / 50 else { return }
    lastTarget = target
    delegate.session(did: .target(target))
  }

  // MARK: Of the other end

  /// A stream's key frame is needed: asked for with the next poll.
  public func requestKeyFrame(of ssrc: SSRC) {
    receivingStream(ssrc)?.needsKeyFrame = true
  }

  /// Whose a stream is that the other end passes on, by any number: only those of one person are kept in step. Before it comes, or later.
  public func setPerson(_ person: Int, of ssrc: SSRC) {
    // Places, of which there are few; whoever has more of them begins anew.
    if persons.count >= 4 * settings.mostStreams, persons[ssrc] == nil { persons.removeAll() }
    persons[ssrc] = person
    receivingStream(ssrc)?.person = person
  }

  func receivingStream(_ ssrc: SSRC) -> ReceivingStream? { sources[ssrc] }

  /// Of what comes: the name of its medium, and which of that medium's streams it is, as far as they are known.
  public func names(receiving ssrc: SSRC) -> (mid: String?, rid: String?)? {
    receivingStream(ssrc).map { (routing.media[$0.medium].mid, $0.rid) }
  }

  /// The stream of a medium that has that name now.
  public func source(mid: String?, rid: String) -> SSRC? {
    receiving.first { $0.rid == rid && routing.media[$0.medium].mid == mid }?.ssrc
  }

  /// What encoders and retransmissions may make together, in bits a second.
  public var target: Int { estimator.target }
  /// What could be sent if there were room for it, in bits a second, by which probes are bounded; 0: not known. `isShort`: some of it is left out for
  /// want of room.
  public func setDemand(_ bitrate: Int, isShort: Bool, now: Int64) { estimator.setDemand(bitrate, isShort: isShort, now: now) }
  /// How long what is sent now will wait here, about.
  public func expectedDelay(at now: Int64) -> Int64 { pacer.expectedDelay(at: now) }
  /// The same for who can leave out what is not made yet.
  public func backlog(at now: Int64) -> Int64 { pacer.backlog(at: now) }
  /// Bytes of media that wait here to leave.
  public var waitingBytes: Int { pacer.bytes }
  /// In nanoseconds, by reports, else by transport-wide feedback or as the path was checked; nil: not measured yet.
  public var smoothedRoundTrip: Int64? { roundTrip.smoothed ?? estimator.roundTrip ?? checkedRoundTrip }
}
