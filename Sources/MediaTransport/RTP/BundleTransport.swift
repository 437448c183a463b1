import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime

/// A leg at work: its link under a lock, driven by the network thread and by whoever sends.
final class BundleTransport: ReactorDriver {
  private struct Guarded {
    let link: RTPLink
    let arrivals: RTPArrivals
    /// Streams that were sent on and are not now, to be gone on with.
    var idle: [Int] = []
    var taken: [RTPArrivals.Arrival] = []
    /// Whether it was told that there is another end to send to.
    var isAnswered = false
  }

  private enum Driving {
    case not
    case by(UInt64)
    case noMore

    var tag: UInt64? { if case .by(let tag) = self { tag } else { nil } }
  }

  let plan: RTPConfiguration.Leg
  let index: Int
  private let guarded: Monitor<Guarded>
  private let thread: Reactor
  private let driving = Monitor(Driving.not)
  private let clock: any MediaClock
  private let deliver: @Sendable (inout [RTPArrivals.Arrival], BundleTransport) -> Void

  init(
    _ configuration: RTPConfiguration, _ index: Int, _ sockets: RTPSockets, _ protection: RTPLink.Protection?, _ thread: Reactor,
    _ clock: any MediaClock,
    witness: (any PacketTap)? = nil, deliver: @escaping @Sendable (inout [RTPArrivals.Arrival], BundleTransport) -> Void
  ) throws(MediaError) {
    (plan, self.index, self.thread, self.clock, self.deliver) = (configuration.legs[index], index, thread, clock, deliver)
    let plan = configuration.legs[index]
    let now = clock.now()
    var settings = RTPSettings(
      cname: configuration.cname, clock: NTPClock(NTPTimestamp(unixNanoseconds: MediaTime.wallClock()), at: now),
      seed: UInt64.random(in: 0...(.max)))
    settings.extensions = plan.extensions
    settings.reportsAtOnce = !(plan.remote?.isMulticast ?? false)
    settings.packetSize = configuration.packetSize
    settings.hasTransportFeedback = plan.hasTransportFeedback
    settings.bitrates = configuration.bitrates
    // Who reports no arrivals may never report at all: then nothing is held back, until a report says that something was lost.
    if !plan.hasTransportFeedback { settings.bitrates.start = settings.bitrates.maximum }
    settings.hasReducedSize = plan.hasReducedSize
    settings.hasProbation = plan.keys == nil
    let types = plan.media.reduce(into: [UInt8: RTPEncoding]()) {
      $0.merge($1.direction.receives ? $1.receiving : [:]) { first, _ in first }
    }
    let session = RTPSession(settings, receiving: types, now: now)
    // To a group nothing is sent by one who only listens.
    let isListening = (plan.remote?.isMulticast ?? false) && !plan.media.contains { $0.direction.sends }
    let link = RTPLink(
      session, over: sockets.media, to: plan.remote,
      control: plan.localControl == nil ? nil : sockets.control.map { ($0, plan.remoteControl) },
      protection, isSilent: isListening)
    link.witness = witness
    guarded = Monitor(Guarded(link: link, arrivals: RTPArrivals(clock: clock), isAnswered: link.remote != nil))
  }

  /// Does nothing once it was stopped.
  func start() throws(MediaError) {
    try driving.withLock { driving throws(MediaError) in
      guard case .not = driving else { return }
      driving = .by(try thread.add(self, guarded.withLock { $0.link.descriptors }))
    }
    guard plan.remote?.isMulticast != true else { return }
    guarded.withLock { $0.link.greet(now: clock.now(), $0.arrivals) }
  }

  /// Says goodbye. Nothing is delivered afterwards, but by a call that runs already.
  func stop() {
    let tag: UInt64? = driving.withLock { driving in
      defer { driving = .noMore }
      return driving.tag
    }
    if let tag { thread.remove(tag) }
    guarded.withLock { if tag == nil { $0.link.close() } else { $0.link.leave(now: clock.now()) } }
  }

  func drive(isReadable: Bool) -> Int64 {
    var (arrivals, next): ([RTPArrivals.Arrival], Int64) = guarded.withLock { guarded in
      // Read inside: the session's time goes forward, whoever comes first.
      let now = clock.now()
      if isReadable { guarded.link.receive(now: now, guarded.arrivals) }
      let next = guarded.link.poll(now: now, guarded.arrivals)
      var list = guarded.taken
      guarded.taken = []
      guarded.arrivals.take(&list)
      if !guarded.isAnswered, guarded.link.remote != nil {
        guarded.isAnswered = true
        list.insert(.answered, at: 0)
      }
      return (list, next)
    }
    deliver(&arrivals, self)
    arrivals.removeAll(keepingCapacity: true)
    guarded.withLock { $0.taken = arrivals }
    return next
  }

  /// Does something with the session, and what follows of it at once; what came meanwhile is left to the network thread.
  func with<Result>(_ body: (RTPSession, Int64) throws(PacketError) -> Result) throws(PacketError) -> Result {
    let (result, next, isWaiting): (Result, Int64, Bool) = try guarded.withLock { guarded throws(PacketError) in
      let now = clock.now()
      let result = try body(guarded.link.session, now)
      let next = guarded.link.poll(now: now, guarded.arrivals)
      return (result, next, !guarded.arrivals.waiting.isEmpty)
    }
    if let tag = driving.withLock({ $0.tag }) { thread.wake(tag, at: isWaiting ? .min : next) }
    return result
  }

  /// How long what is sent now will wait before it leaves.
  var backlog: Int64 { guarded.withLock { $0.link.session.backlog(at: clock.now()) } }

  /// Has the network thread deliver soon, whether or not anything comes.
  func wake() {
    if let tag = driving.withLock({ $0.tag }) { thread.wake(tag, at: .min) }
  }

  /// A stream to send on, one that is idle rather than a new one.
  func open(_ stream: OutgoingRTP) throws(PacketError) -> (stream: Int, ssrc: SSRC) {
    let idle: (Int, SSRC)? = guarded.withLock { guarded in
      guard let place = guarded.idle.firstIndex(where: { guarded.link.session.settings(ofStream: $0)?.payloadType == stream.payloadType })
      else { return nil }
      let index = guarded.idle.remove(at: place)
      return guarded.link.session.settings(ofStream: index).map { (index, $0.ssrc) }
    }
    if let idle { return idle }
    return (try with { session, _ throws(PacketError) in try session.addStream(stream) }, stream.ssrc)
  }

  func close(_ stream: Int) {
    try? with { session, _ in session.endStream(stream) }
    guarded.withLock { $0.idle.append(stream) }
  }

  var remote: SocketAddress? { guarded.withLock { $0.link.remote } }
  var hasRemote: Bool { remote != nil }

  var networkFigures: NetworkFigures { guarded.withLock { $0.link.session.networkFigures } }

  /// Of one stream, with the way that it goes.
  func look(sending stream: Int) -> OutboundSnapshot? {
    guarded.withLock { guarded in
      let session = guarded.link.session
      return session.stats(sending: stream).map { OutboundSnapshot(stream: $0, path: session.pathStats) }
    }
  }

  func look(receiving ssrc: SSRC) -> InboundSnapshot? {
    guarded.withLock { guarded in
      let session = guarded.link.session
      return session.stats(receiving: ssrc).map { InboundSnapshot(stream: $0, path: session.pathStats) }
    }
  }

  /// All that is counted here, of one moment.
  var look: RTPStatsSnapshot {
    guarded.withLock { RTPStatsSnapshot($0.link.session, remote: $0.link.remote, dropped: $0.link.dropped) }
  }
}
