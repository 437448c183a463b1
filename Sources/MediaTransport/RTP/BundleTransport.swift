import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSRTP

/// A leg at work: its peer under a lock, driven by the network thread and by whoever sends.
final class BundleTransport: NetworkDriver {
  private struct Guarded {
    let peer: SecureRTPPeer
    var route: LearnedRoute
    /// Streams that were sent on and are not now, to be gone on with.
    var idle: [Int] = []
    var taken: [PeerArrival] = []
    /// Whether it was notified that there is another end to send to.
    var isAnswered = false

    mutating func take(_ datagram: UnsafeRawBufferPointer, from address: SocketAddress, on lane: SecureRTPPeer.Lane, now: Int64) {
      guard route.accepts(address, on: lane, now: now) else { return peer.countForeign(datagram, from: address, on: lane) }
      // What means nothing here is of nobody.
      guard peer.receive(datagram, from: address, on: lane, now: now) else { return }
      route.heard(address, on: lane, now: now)
      follow()
    }

    /// Where the route leads.
    func follow() {
      peer.select(route.remote(.media))
      peer.select(route.remote(.control), for: .control)
    }
  }

  /// What receiving needs that sending does not: whoever sends does not wait for it.
  private struct Receiving: @unchecked Sendable {
    let rows = DatagramRows()
    var isOpen = true
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
  private let receiving = Monitor(Receiving())
  private let sockets: RTPSockets
  private let thread: any DriverLoop
  private let driving = Monitor(Driving.not)
  private let clock: any MediaClock
  /// Takes arrivals, and whether the other end is known now, on the network thread.
  private let deliver: @Sendable (inout [PeerArrival], Bool, BundleTransport) -> Void

  init(
    _ configuration: RTPConfiguration, _ index: Int, _ sockets: RTPSockets, _ protection: PacketProtection?, _ thread: any DriverLoop,
    _ clock: any MediaClock,
    tap: (any PacketTap)? = nil, deliver: @escaping @Sendable (inout [PeerArrival], Bool, BundleTransport) -> Void
  ) throws(MediaError) {
    (plan, self.index, self.sockets, self.thread) = (configuration.legs[index], index, sockets, thread)
    (self.clock, self.deliver) = (clock, deliver)
    let plan = configuration.legs[index]
    let now = clock.now()
    var settings = RTPSettings(
      cname: configuration.cname, clock: NTPClock(NTPTimestamp(unixNanoseconds: clock.wallTime()), at: now),
      seed: UInt64.random(in: 0...(.max)))
    settings.extensions = plan.extensions
    settings.isGroup = plan.remote?.isMulticast ?? false
    settings.reportsAtOnce = !settings.isGroup
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
    // To a group nothing is sent by one who only listens.
    let isListening = (plan.remote?.isMulticast ?? false) && !plan.media.contains { $0.direction.sends }
    let hasControl = plan.localControl != nil && sockets.control != nil
    let peer = SecureRTPPeer(
      settings, receiving: types, protection.map { .protected($0) } ?? .plain, hasControl: hasControl, isSilent: isListening, now: now)
    peer.watch(tap, local: sockets.localAddress, control: sockets.controlAddress)
    let start = Guarded(peer: peer, route: LearnedRoute(plan.remote, control: hasControl ? .some(plan.remoteControl) : nil))
    start.follow()
    guarded = Monitor(start)
    guarded.withLock { $0.isAnswered = plan.remote != nil }
  }

  /// Under the lock.
  private func send(_ lane: SecureRTPPeer.Lane, _ batch: DatagramBatch, from first: Int) -> DatagramSending {
    (lane == .media ? sockets.media : sockets.control ?? sockets.media).send(batch, from: first)
  }

  /// Does nothing once it was stopped.
  func start() throws(MediaError) {
    try driving.withLock { driving throws(MediaError) in
      guard case .not = driving else { return }
      driving = .by(try thread.add(self, sockets.descriptors))
    }
    guard plan.remote?.isMulticast != true else { return }
    guarded.withLock {
      $0.peer.greet(now: clock.now())
      $0.peer.flush(send)
    }
  }

  /// Says goodbye. Nothing is delivered afterwards, but by a call that runs already.
  func stop() {
    let tag: UInt64? = driving.withLock { driving in
      defer { driving = .noMore }
      return driving.tag
    }
    if let tag { thread.remove(tag) }
    receiving.withLock { $0.isOpen = false }
    guarded.withLock {
      if tag != nil {
        $0.peer.leave(now: clock.now())
        $0.peer.flush(send)
      }
      $0.peer.close()
    }
  }

  func drive(isReadable: Bool) -> Int64 {
    if isReadable {
      receive(.media, sockets.media)
      if let control = sockets.control { receive(.control, control) }
    }
    var (arrivals, next, isAnswered): ([PeerArrival], Int64, Bool) = guarded.withLock { guarded in
      // Read inside: the session's time goes forward, whoever comes first.
      let next = guarded.peer.poll(now: clock.now(), send)
      var list = guarded.taken
      guarded.taken = []
      guarded.peer.takeArrivals(&list)
      let isAnswered = !guarded.isAnswered && guarded.peer.remote != nil
      if isAnswered { guarded.isAnswered = true }
      return (list, next, isAnswered)
    }
    deliver(&arrivals, isAnswered, self)
    arrivals.removeAll(keepingCapacity: true)
    guarded.withLock { $0.taken = arrivals }
    return next
  }

  /// Takes what has come on a socket; so much at most that what is due is not kept waiting by a flood.
  private func receive(_ lane: SecureRTPPeer.Lane, _ socket: any DatagramPort) {
    for _ in 0..<8 {
      let (rows, count) = receiving.withLock { ($0.rows, $0.isOpen ? socket.receive($0.rows) : 0) }
      guard count > 0 else { return }
      guarded.withLock { guarded in
        let now = clock.now()
        rows.forEach { guarded.take(UnsafeRawBufferPointer($0), from: $1, on: lane, now: now) }
      }
      if count < DatagramRows.capacity { return }
    }
  }

  /// Does something with the peer, and what follows of it at once; what came meanwhile is left to the network thread.
  private func with<Result>(_ body: (SecureRTPPeer, Int64) throws(PacketError) -> (Result, Int64)) throws(PacketError) -> Result {
    let (result, next): (Result, Int64) = try guarded.withLock { guarded throws(PacketError) in
      let (result, next) = try body(guarded.peer, clock.now())
      return (result, guarded.peer.hasArrivals ? .min : next)
    }
    if let tag = driving.withLock({ $0.tag }) { thread.wake(tag, at: next) }
    return result
  }

  /// Changes something about the session, and does what follows of it.
  func change<Result>(_ body: (RTPSession) throws(PacketError) -> Result) throws(PacketError) -> Result {
    try with { peer, now throws(PacketError) in
      let result = try body(peer.session)
      return (result, peer.poll(now: now, send))
    }
  }

  func setDemand(_ bitrate: UInt64) {
    try? with { peer, now throws(PacketError) in
      peer.session.setDemand(Int(clamping: bitrate), isShort: false, now: now)
      return ((), peer.push(now: now, send))
    }
  }

  func send(_ frame: EncodedFrame, _ number: FrameID, on stream: Int, isVoice: Bool) throws(PacketError) {
    try with { peer, now throws(PacketError) in
      try peer.send(frame, number: UInt16(truncatingIfNeeded: number), on: stream, isVoice: isVoice, now: now)
      return ((), peer.push(now: now, send))
    }
  }

  /// How long what is sent now will wait before it leaves.
  var backlog: Int64 { guarded.withLock { $0.peer.session.backlog(at: clock.now()) } }

  /// Has the network thread deliver soon, whether or not anything comes.
  func wake() {
    if let tag = driving.withLock({ $0.tag }) { thread.wake(tag, at: .min) }
  }

  /// A stream to send on, one that is idle rather than a new one.
  func open(_ stream: OutgoingRTP) throws(PacketError) -> (stream: Int, ssrc: SSRC) {
    let idle: (Int, SSRC)? = guarded.withLock { guarded in
      guard let place = guarded.idle.firstIndex(where: { guarded.peer.session.settings(ofStream: $0)?.payloadType == stream.payloadType })
      else { return nil }
      let index = guarded.idle.remove(at: place)
      return guarded.peer.session.settings(ofStream: index).map { (index, $0.ssrc) }
    }
    if let idle { return idle }
    return (try change { session throws(PacketError) in try session.addStream(stream) }, stream.ssrc)
  }

  func close(_ stream: Int) {
    try? with { peer, now in
      peer.endStream(stream)
      return ((), peer.poll(now: now, send))
    }
    guarded.withLock { $0.idle.append(stream) }
  }

  /// For tests (`SecureRTPPeer.framePools`).
  var framePools: [BufferPool] { guarded.withLock { $0.peer.framePools } }

  var remote: SocketAddress? { guarded.withLock { $0.peer.remote } }
  var hasRemote: Bool { remote != nil }

  var networkFigures: NetworkFigures { guarded.withLock { $0.peer.session.networkFigures } }

  /// Of one stream, with the way that it goes.
  func look(sending stream: Int) -> OutboundSnapshot? {
    guarded.withLock { guarded in
      let session = guarded.peer.session
      return session.stats(sending: stream).map { OutboundSnapshot(stream: $0, path: session.pathStats) }
    }
  }

  func look(receiving ssrc: SSRC) -> InboundSnapshot? {
    guarded.withLock { guarded in
      let session = guarded.peer.session
      return session.stats(receiving: ssrc).map { InboundSnapshot(stream: $0, path: session.pathStats) }
    }
  }

  /// All that is counted here, of one moment.
  var look: RTPStatsSnapshot {
    guarded.withLock { RTPStatsSnapshot($0.peer.session, remote: $0.peer.remote, dropped: $0.peer.dropped) }
  }
}
