import MediaCore

/// The way out of one member under a script: one link for all that is sent, then for what has a payload format a pair of sessions of RTP, and for the
/// rest a path to each receiver, on which a unit is lost with any of its packets. Pure: time and script in.
struct LinkEmulator {
  private var link = NetworkLink()
  private var paths: [ObjectIdentifier: NetworkPath] = [:]
  /// Of data, which no frame waits for.
  private var dataPaths: [ObjectIdentifier: NetworkPath] = [:]
  private var seed: UInt64?
  /// From the first unit in packets until the script is taken away.
  private(set) var pair: ScriptedPair?
  private var alarm: (time: Int64, number: UInt64) = (.max, 0)

  /// What the script is from now on; without one what is under way in packets goes nowhere.
  mutating func follow(_ script: NetworkScript?, user: String) {
    if script == nil { end() }
    guard seed != script?.seed else { return }
    seed = script?.seed
    (paths, dataPaths) = ([:], [:])
    if let seed { pair?.reseed(seed, user: user) }
  }

  mutating func end() {
    (pair, paths, dataPaths) = (nil, [:], [:])
    alarm = (.max, alarm.number + 1)
  }

  // MARK: Sending

  mutating func send(
    _ frame: EncodedFrame, _ picture: FrameID, on stream: StreamID, under script: NetworkScript, user: String, now: Int64
  ) -> ScriptedPair.Carried {
    guard ScriptedStreams.encoding(of: frame) != nil else { return .not(asks: false) }
    let pair = self.pair ?? ScriptedPair(script, user: user, now: now)
    self.pair = pair
    let earlier = paths.values.reduce(Int64.min) { max($0, $1.latest) }
    return pair.send(frame, picture, on: stream, earlier: earlier, now: now)
  }

  /// When a unit of so many bytes arrives at each receiver, with how many packets lost; nil: the queue is full.
  mutating func arrivals(
    bytes: Int, at receivers: [LoopbackTransport], under script: NetworkScript, user: String, now: Int64
  ) -> [(time: Int64, lost: Int)]? {
    let step = script.step(at: now) ?? NetworkScript.Step()
    guard let departure = link.departure(bytes: bytes, now: now, step: step) else { return nil }
    return receivers.map { receiver in
      let key = ObjectIdentifier(receiver)
      var path = paths[key] ?? NetworkPath(seed: script.seed, from: user, to: receiver.member.userID)
      defer { paths[key] = path }
      return path.arrival(departure: departure, packets: NetworkLink.packets(bytes: bytes), step: step)
    }
  }

  /// The same of data; nil of one: it gets lost there. What is reliable is sent again after a round trip, until it has arrived.
  mutating func arrivals(
    of message: DataMessage, at receivers: [LoopbackTransport], under script: NetworkScript, user: String, now: Int64
  ) -> [Int64?]? {
    let step = script.step(at: now) ?? NetworkScript.Step()
    guard let departure = link.departure(bytes: message.bytes.count, now: now, step: step) else { return nil }
    let packets = NetworkLink.packets(bytes: message.bytes.count)
    return receivers.map { receiver in
      let key = ObjectIdentifier(receiver)
      var path = dataPaths[key] ?? NetworkPath(seed: script.seed, from: user, to: receiver.member.userID)
      defer { dataPaths[key] = path }
      var arrival = path.arrival(departure: departure, packets: packets, step: step)
      guard !message.isLossy else { return arrival.lost == 0 ? arrival.time : nil }
      // Only what got lost is sent again; what follows waits for it.
      for number in 1...LinkEmulator.mostResends where arrival.lost > 0 {
        arrival = path.arrival(departure: departure + Int64(number) * max(2 * step.delay, 1_000_000), packets: arrival.lost, step: step)
      }
      path.hold(until: arrival.time)
      return arrival.time
    }
  }

  /// After so many the rest is taken to have arrived: a script may lose everything.
  private static let mostResends = 16

  /// When the queue of what is sent in one piece is half empty.
  func relief(under script: NetworkScript, now: Int64) -> Int64 {
    now + max(1_000_000, link.backlog(at: now) - (script.step(at: now)?.queue ?? 0) / 2)
  }

  /// How long what is sent now would wait: in packets of their own queue, in one piece of the link's.
  func backlog(of stream: StreamID, at now: Int64) -> Int64 { pair?.backlog(of: stream, at: now) ?? link.backlog(at: now) }

  // MARK: Time

  /// Says what to set a timer's number to, where it is to ring sooner than the one that is set.
  mutating func setAlarm(at time: Int64) -> UInt64? {
    guard pair != nil, time < alarm.time else { return nil }
    alarm = (time, alarm.number + 1)
    return alarm.number
  }

  /// What is due, when that timer rings; nil: another was set since, or it is over.
  mutating func turn(_ number: UInt64, under script: NetworkScript, now: Int64) -> ScriptedPair.Turn? {
    guard let pair, number == alarm.number else { return nil }
    alarm.time = .max
    return pair.turn(script, &link, now: now)
  }
}
