/// What waits in the pacer, in the order in which it goes.
public enum PacedKind: Int, Sendable, CaseIterable {
  /// Never waits: a conversation bears no delay, and the rate was made with it in mind.
  case audio
  case retransmission
  case video
}

/// How long pictures may wait in a pacer, in nanoseconds.
public struct PacerBounds: Sendable, Equatable {
  /// Until the first packet of a picture has left.
  public var picture: Int64 = 3_000_000_000
  /// Until the last packet of a picture has left whose first left in time: half of a picture is of no use to anybody, and to begin anew would take
  /// longer.
  public var leaving: Int64 = 10_000_000_000
  /// What would wait for longer than that goes faster than the rate, in seconds; nil: nothing does.
  public var budget: Double? = 2

  /// Three seconds, ten seconds and two.
  public init() {}
}

/// Spreads packets over time, so that a picture does not fill the queue of the bottleneck at once (draft-ietf-rmcat-gcc-02, section 4): a
/// leaky bucket with priorities. Goes in bursts of at most 5 ms, of which the driver is woken once; where the rate is 10 Mbit/s or more of
/// 40 ms, up to 63 kB: such a way has room for them, and a large picture comes the sooner. Holds handles of packets, not packets.
///
/// Bounds and what happens at them: of each kind at most 4096 packets and `longest` bytes altogether, beyond which a packet is not taken
/// (the newest goes, the caller knows); audio waits half a second at most, a retransmission one, a picture as long as `PacerBounds` say (three
/// seconds, ten for the rest of one that has begun to leave), beyond which it comes out as expired (the oldest goes). Where what waits would take
/// longer than two seconds, it goes faster, up to four times the rate, unless the bounds deny that.
public struct Pacer<Payload: Sendable>: Sendable {
  /// What `next` wants done.
  public enum Departure: Sendable {
    /// To be sent now; `probe` goes with it to the estimator.
    case packet(Payload, kind: PacedKind, probe: Int32)
    /// Something of about this size is to be sent, a retransmission of an old packet or padding, and `padded` called with what it was.
    case padding(size: Int, probe: Int32)
    /// Waited for too long and is not to be sent.
    case expired(Payload, kind: PacedKind)
  }

  static var burst: Double { 0.005 }
  static var wide: (rate: Double, burst: Double, bytes: Double) { (10e6, 0.04, 63_000) }
  static var probeBurst: Int64 { 1_000_000 }
  static var fastest: Double { 4 }
  /// Of what can be owed, in seconds of the rate.
  static var debtMaximum: Double { 0.5 }
  static var probePatience: Int64 { 5_000_000_000 }
  static var paddingMinimum: Int { 500 }
  static var paddingMaximum: Int { 1200 }
  static var probes: Int { 4 }
  /// Between packets while pictures are held.
  static var trickle: Int64 { 100_000_000 }

  private struct Probe: Sendable {
    var cluster: ProbeCluster
    var asked: Int64
    var begun: Int64?
    var packets = 0
    var bytes = 0

    /// When its next packet is due.
    var due: Int64? { begun.map { $0 + Int64(8e9 * Double(bytes) / Double(max(1, cluster.rate))) } }
    var isDone: Bool { packets >= cluster.packets && bytes >= cluster.bytes }
  }

  /// Bytes that may wait altogether, up to 1 GiB.
  public let longest: Int
  private let bounds: PacerBounds
  /// In bits a second.
  private var rate: Double
  private var audio = PacerQueue<Payload>()
  private var retransmissions = PacerQueue<Payload>()
  private var video = PacerQueue<Payload>()
  private var probes: [Probe] = []
  /// Bytes that went ahead of the rate.
  private var debt = 0.0
  private var isBursting = true
  private var last: Int64?
  private var lastVideo: Int64?
  private var isHeld = false
  /// Of those that feedback speaks of.
  private var lastSent: Int64?
  /// Since the first packet of the picture that is next did.
  private var isExpiring = false

  /// A rate below 1 kbit/s is taken for that.
  public init(rate: Int, longest: Int = 4 << 20, _ bounds: PacerBounds = PacerBounds()) {
    self.bounds = bounds
    self.longest = min(max(0, longest), 1 << 30)
    self.rate = Double(max(1000, rate))
  }

  /// Packets that wait.
  public var count: Int { audio.count + retransmissions.count + video.count }
  /// Of the packets that wait, as they were enqueued.
  public var bytes: Int { audio.bytes + retransmissions.bytes + video.bytes }
  /// Of the packets of one kind that wait.
  public func bytes(of kind: PacedKind) -> Int { self[kind].bytes }

  /// How long the last one will wait, about, in nanoseconds.
  public var expectedDelay: Int64 { Int64(8e9 * (Double(bytes) + max(0, debt)) / rate) }

  /// The same, by what the rate has paid since it was looked at last.
  public func expectedDelay(at now: Int64) -> Int64 {
    let passed = min(max(0, Double(now - (last ?? now)) / 1e9), 10)
    return Int64(8e9 * (Double(bytes) + max(0, debt - passed * draining / 8)) / rate)
  }

  /// The same for who can leave out what is not made yet. How long a hold will last is not known; what is made meanwhile comes the later on
  /// a way that has become a slow one, so it counts tenfold.
  public func backlog(at now: Int64) -> Int64 {
    let held = isHeld ? video.first.map { max(0, now - $0.since) } ?? 0 : 0
    return max(expectedDelay(at: now), 10 * held)
  }

  /// Of a kind, without a copy.
  private subscript(kind: PacedKind) -> PacerQueue<Payload> {
    _read {
      switch kind {
      case .audio: yield audio
      case .retransmission: yield retransmissions
      case .video: yield video
      }
    }
    _modify {
      switch kind {
      case .audio: yield &audio
      case .retransmission: yield &retransmissions
      case .video: yield &video
      }
    }
  }

  private func patience(_ kind: PacedKind) -> Int64 {
    switch kind {
    case .audio: 500_000_000
    case .retransmission: 1_000_000_000
    case .video: bounds.picture
    }
  }

  /// In bits a second, from now on; below 1 kbit/s it is that.
  public mutating func setRate(_ rate: Int, now: Int64) {
    pay(now)
    self.rate = Double(max(1000, rate))
  }

  /// Held, sound alone goes, and where there is none of which something may be heard, another packet now and then. Probes are given up.
  public mutating func setHeld(_ isHeld: Bool, now: Int64) {
    pay(now)
    self.isHeld = isHeld
    if isHeld { probes.removeAll(keepingCapacity: true) }
  }

  /// How many packets more, and bytes of them together, would all be taken.
  public func room(for kind: PacedKind) -> (packets: Int, bytes: Int) {
    (PacerQueue<Payload>.capacity - self[kind].count, longest - bytes)
  }

  /// False: there is no room for it. Packets of a picture but the first go with the one before. `isReported`: feedback will say whether it came.
  public mutating func enqueue(
    _ payload: Payload, size: Int, kind: PacedKind, isFirst: Bool = true, isReported: Bool = true, now: Int64
  ) -> Bool {
    let entry = PacerQueue<Payload>.Entry(payload: payload, size: max(0, size), since: now, isFirst: isFirst, isReported: isReported)
    guard entry.size <= longest - bytes, !self[kind].isFull else { return false }
    self[kind].append(entry)
    if kind == .video { lastVideo = now }
    return true
  }

  /// Takes out what waits and is not to be sent.
  public mutating func remove(_ isMeant: (Payload) -> Bool) {
    for kind in PacedKind.allCases { self[kind].remove(isMeant) }
  }

  /// Begins when there are pictures to be sent, for which it is made; without them it is given up after five seconds.
  public mutating func probe(_ cluster: ProbeCluster, now: Int64) {
    guard !isHeld else { return }
    prepareProbe(now)
    if probes.count < Pacer.probes { probes.append(Probe(cluster: cluster, asked: now)) }
  }

  // MARK: What goes

  /// To be called until it says nil, at the time of `deadline`.
  public mutating func next(now: Int64) -> Departure? {
    pay(now)
    if let expired = expire(.audio, now) ?? expire(.retransmission, now) ?? expire(.video, now) { return expired }
    if isHeld {
      if let departure = send(.audio, probe: 0) { return departure }
      guard let lastSent, now - lastSent < Pacer.trickle else { return send(.retransmission, probe: 0) ?? send(.video, probe: 0) }
      return nil
    }
    prepareProbe(now)
    if let due = probes.first?.due {
      guard due <= now + Pacer.probeBurst else { return send(.audio, probe: 0) }
      let id = probes[0].cluster.id
      if let departure = send(.audio, probe: id) ?? send(.retransmission, probe: id) ?? send(.video, probe: id) {
        return departure
      }
      let left = max(1, probes[0].cluster.packets - probes[0].packets)
      let size = max(Pacer.paddingMinimum, (probes[0].cluster.bytes - probes[0].bytes) / left)
      return .padding(size: min(size, Pacer.paddingMaximum), probe: id)
    }
    if let departure = send(.audio, probe: 0) { return departure }
    if debt <= 0 { isBursting = true }
    guard isBursting else { return nil }
    return send(.retransmission, probe: 0) ?? send(.video, probe: 0)
  }

  /// What padding was made for a probe; 0: none can be made, and the probe is given up.
  public mutating func padded(_ size: Int, now: Int64) {
    guard !probes.isEmpty else { return }
    if size <= 0 { probes.removeFirst() } else { account(min(size, 65_535), isProbe: true, isReported: true) }
  }

  /// When `next` has something to say; nil: nothing waits.
  public func deadline(now: Int64) -> Int64? {
    if audio.count > 0 { return now }
    if let due = probes.first?.due { return max(now, due) }
    if retransmissions.count == 0, video.count == 0 { return nil }
    if isHeld { return lastSent.map { max(now, $0 + Pacer.trickle) } ?? now }
    if isBursting || debt <= 0 { return now }
    // The bucket is emptied from the last time on that it was looked at.
    return max(now, (last ?? now) + Int64((8e9 * debt / draining).rounded(.up)))
  }

  /// In bytes.
  private var longestBurst: Double {
    let (burst, wide) = (Pacer.burst * rate / 8, Pacer.wide)
    return rate < wide.rate ? burst : max(burst, min(wide.burst * rate / 8, wide.bytes))
  }

  private var draining: Double {
    bounds.budget.map { min(max(rate, 8 * Double(bytes) / max(0.1, $0)), Pacer.fastest * rate) } ?? rate
  }

  private mutating func pay(_ now: Int64) {
    let passed = min(max(0, Double(now - (last ?? now)) / 1e9), 10)
    last = max(last ?? now, now)
    debt = max(0, debt - passed * draining / 8)
  }

  private mutating func expire(_ kind: PacedKind, _ now: Int64) -> Departure? {
    guard let first = self[kind].first else { return nil }
    if kind == .video, first.isFirst { isExpiring = now - first.since > patience(kind) }
    let longest = first.isFirst || isExpiring ? patience(kind) : bounds.leaving
    guard now - first.since > longest, let entry = self[kind].removeFirst() else { return nil }
    return .expired(entry.payload, kind: kind)
  }

  private mutating func prepareProbe(_ now: Int64) {
    while let first = probes.first {
      if first.begun != nil {
        guard first.isDone else { return }
      } else if now - first.asked <= Pacer.probePatience {
        guard let lastVideo, now - lastVideo < 1_000_000_000 else { return }
        probes[0].begun = now
        return
      }
      probes.removeFirst()
    }
  }

  private mutating func send(_ kind: PacedKind, probe: Int32) -> Departure? {
    guard let entry = self[kind].removeFirst() else { return nil }
    account(entry.size, isProbe: probe != 0, isReported: entry.isReported)
    return .packet(entry.payload, kind: kind, probe: probe)
  }

  private mutating func account(_ size: Int, isProbe: Bool, isReported: Bool) {
    if isProbe, !probes.isEmpty {
      probes[0].packets += 1
      probes[0].bytes += size
    }
    if isReported { lastSent = last }
    debt = min(debt + Double(size), Pacer.debtMaximum * rate / 8)
    if debt >= longestBurst { isBursting = false }
  }
}
