import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime

/// The two ends of one member's network path under a script, which are what every path has: a peer at the member and one at the room, and the packets
/// between them. Time in; units, events and the time of the next turn out.
final class ScriptedPair {
  /// To be released by whoever takes it.
  struct Unit {
    let stream: StreamID
    let picture: FrameID
    let frame: EncodedFrame
    let missed: ScriptedStreams.Missed
  }

  struct Turn {
    var units: [Unit] = []
    var keyFrames: [StreamID] = []
    var target: Int?
    /// When the next is due.
    var next = Int64.max
  }

  private struct Flight {
    let isForth: Bool
    let bytes: [UInt8]
  }

  private let near: SecureRTPPeer
  private let far: SecureRTPPeer
  private var units: [(ssrc: SSRC, sent: ScriptedStreams.Sent, frame: EncodedFrame)] = []
  private var keyFrames: [SSRC] = []
  private var target: Int?
  private var arrivals: [PeerArrival] = []
  /// Packets that left the sessions and are not on their way yet.
  private var leaving: (forth: [[UInt8]], back: [[UInt8]]) = ([], [])
  private let streams = ScriptedStreams()
  private var flights = TimeHeap<Flight>()
  private var forth: NetworkPath
  private var back: NetworkPath
  private var backLink = NetworkLink()
  /// Of the sessions, in bits a second.
  let maximum: Int

  /// A deadline that is not after now is met then, so that time goes on.
  private static let grain: Int64 = 1_000_000
  /// Packets that arrive as they are sent, on a way without delay: so often they bring about others at the same moment.
  private static let mostRounds = 8
  /// More are lost.
  private static let mostFlights = 16_384
  /// Of both: there is one other end, and no network.
  private static let other = SocketAddress("127.0.0.1", port: 9)
  /// Units wait where they are played.
  private static let longestDelay: Int64 = 60_000_000

  init(_ script: NetworkScript, user: String, now: Int64) {
    let step = script.step(at: now) ?? NetworkScript.Step()
    let limits = ScriptedPair.limits(script, step)
    maximum = limits.maximum
    var seeds = SeededRandom(seed: script.seed, name: "way of \(user)")
    // Any time of day, the same in each run.
    var settings = RTPSettings(
      cname: "member", clock: NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: now), seed: seeds.next())
    settings.extensions.transportSequence = 1
    settings.bitrates = limits
    settings.ssrc = SSRC(1)
    near = SecureRTPPeer(settings, receiving: ScriptedStreams.types, now: now)
    (settings.cname, settings.seed, settings.ssrc) = ("room", seeds.next(), SSRC(2))
    (settings.delay.most, settings.longestHold) = (ScriptedPair.longestDelay, 0)
    far = SecureRTPPeer(settings, receiving: ScriptedStreams.types, now: now)
    (forth, back) = ScriptedPair.paths(script.seed, user)
    near.select(ScriptedPair.other)
    far.select(ScriptedPair.other)
  }

  deinit {
    for unit in units { unit.frame.release() }
  }

  private static func paths(_ seed: UInt64, _ user: String) -> (NetworkPath, NetworkPath) {
    (NetworkPath(seed: seed, from: user, to: ""), NetworkPath(seed: seed, from: "", to: user))
  }

  /// The estimate begins with what the script gives; a way without a bound begins with the most that there is.
  private static func limits(_ script: NetworkScript, _ step: NetworkScript.Step) -> BandwidthEstimator.Limits {
    var limits = BandwidthEstimator.Limits()
    func bounded(_ bandwidth: UInt64) -> Int { Int(min(bandwidth, 10_000_000_000)) }
    for step in script.steps { limits.maximum = max(limits.maximum, bounded(step.bandwidth)) }
    limits.start = step.bandwidth == 0 ? limits.maximum : bounded(step.bandwidth)
    limits.minimum = min(limits.minimum, limits.start)
    return limits
  }

  /// The script has another seed from now on.
  func reseed(_ seed: UInt64, user: String) {
    let latest = (forth.latest, back.latest)
    (forth, back) = ScriptedPair.paths(seed, user)
    forth.hold(until: latest.0)
    back.hold(until: latest.1)
  }

  // MARK: Sending

  enum Carried {
    case taken
    case full
    /// It has to go without packets; a stream of pictures that goes over with its next key frame may ask for one.
    case not(asks: Bool)
  }

  /// Takes a unit that leaves with the next turn. `earlier`: when the last that went without packets arrives, before which this one must not.
  func send(_ frame: EncodedFrame, _ picture: FrameID, on stream: StreamID, earlier: Int64, now: Int64) -> Carried {
    guard let encoding = ScriptedStreams.encoding(of: frame) else { return .not(asks: false) }
    let isBeginning = streams.place(of: stream) == nil
    if isBeginning, encoding == .vp8, !ScriptedPair.isKeyFrame(frame) { return .not(asks: streams.waits(stream, now: now)) }
    let place = streams.place(of: stream) ?? streams.open(stream, encoding) { settings in (try? near.session.addStream(settings)) != nil }
    guard let place, near.session.settings(ofStream: place)?.encoding == encoding else { return .not(asks: false) }
    if isBeginning { forth.hold(until: earlier) }
    let attributes = frame.native.pointee
    let units = streams.stamp(at: place, captured: attributes.timestamp_ns, now: now)
    let trailed = frame.withTrailer()
    defer { trailed?.release() }
    do throws(PacketError) {
      if encoding == .vp8 {
        try near.session.send((trailed ?? frame).bytes, number: UInt16(truncatingIfNeeded: picture), units: units, on: place, now: now)
      } else {
        try near.session.send(sound: frame.bytes, units: units, marker: false, on: place, now: now)
      }
    } catch {
      return .full
    }
    if let stamp = near.session.stamp(ofUnits: units, on: place) {
      streams.sent(stream, picture, attributes, hasTrailer: trailed != nil, stamp: stamp, at: place)
    }
    return .taken
  }

  /// By its own bytes, as the other end will read them.
  private static func isKeyFrame(_ frame: EncodedFrame) -> Bool { (try? VP8FrameTag(parsing: frame.bytes))?.isKeyFrame == true }

  /// What waits leaves as far as it may, and then the goodbye, before anything of the stream that takes its place. False: it has none.
  func end(_ stream: StreamID, now: Int64) -> Bool {
    guard let place = streams.close(stream) else { return false }
    _ = poll(near, now)
    near.endStream(place)
    _ = poll(near, now)
    return true
  }

  /// A receiver needs a key frame: asked for over the way, where the stream goes over it.
  func requestKeyFrame(of stream: StreamID) -> Bool {
    guard let place = streams.place(of: stream), far.session.stats(receiving: streams.ssrc(at: place)) != nil else { return false }
    far.session.requestKeyFrame(of: streams.ssrc(at: place))
    return true
  }

  // MARK: Time

  /// Does what is due. The link is the member's own, which what goes without packets shares.
  func turn(_ script: NetworkScript, _ link: inout NetworkLink, now: Int64) -> Turn {
    let step = script.step(at: now) ?? NetworkScript.Step()
    var turn = Turn()
    for _ in 0..<ScriptedPair.mostRounds {
      while let flight = flights.pop(dueAt: now) {
        // What was under way when the network was cut is lost.
        if !step.isDisconnected { arrive(flight, now) }
        leave(step, &link, now)
      }
      turn.next = min(poll(near, now), poll(far, now))
      leave(step, &link, now)
      guard let soonest = flights.earliest else { break }
      turn.next = min(turn.next, soonest)
      if soonest > now { break }
    }
    if turn.next <= now { turn.next = now &+ ScriptedPair.grain }
    hand(&turn)
    return turn
  }

  private func arrive(_ flight: Flight, _ now: Int64) {
    guard let other = ScriptedPair.other else { return }
    let end = flight.isForth ? far : near
    _ = flight.bytes.withUnsafeBytes { end.receive($0, from: other, now: now) }
    take(of: end)
  }

  /// When it is due again.
  private func poll(_ end: SecureRTPPeer, _ now: Int64) -> Int64 {
    let next = end.poll(now: now) { _, batch, first in
      batch.forEach(from: first) { bytes, _ in
        if end === near { leaving.forth.append(Array(bytes)) } else { leaving.back.append(Array(bytes)) }
      }
      return .all
    }
    take(of: end)
    return next
  }

  /// At the room a frame is what was sent, with the bytes that came. What is lost shows by the gap in their ids.
  private func take(of end: SecureRTPPeer) {
    end.takeArrivals(&arrivals)
    for arrival in arrivals {
      switch arrival {
      case .frame(let ssrc, let frame, let stamp, _):
        guard end === far, let sent = streams.arrived(ssrc, stamp: stamp) else {
          frame.release()
          continue
        }
        if sent.hasTrailer { frame.takeTrailer() }
        frame.describe(as: sent.attributes)
        units.append((ssrc, sent, frame))
      case .event(.streamEnded(let ssrc)): if end === far { streams.forgetTold(of: ssrc) }
      case .event(.keyFrameRequested(let ssrc)): if end === near { keyFrames.append(ssrc) }
      case .event(.target(let rate)): if end === near { target = rate }
      case .event, .lost, .dropped: break
      }
    }
    arrivals.removeAll(keepingCapacity: true)
  }

  private func leave(_ step: NetworkScript.Step, _ link: inout NetworkLink, _ now: Int64) {
    for bytes in leaving.forth { put(bytes, isForth: true, &link, &forth, step, now) }
    for bytes in leaving.back { put(bytes, isForth: false, &backLink, &back, step, now) }
    leaving.forth.removeAll(keepingCapacity: true)
    leaving.back.removeAll(keepingCapacity: true)
  }

  private func put(
    _ bytes: [UInt8], isForth: Bool, _ link: inout NetworkLink, _ path: inout NetworkPath, _ step: NetworkScript.Step, _ now: Int64
  ) {
    guard !step.isDisconnected, flights.count < ScriptedPair.mostFlights,
      let departure = link.departure(bytes: bytes.count, now: now, step: step)
    else { return }
    let arrival = path.arrival(departure: departure, packets: 1, step: step)
    if arrival.lost == 0 { _ = flights.push(Flight(isForth: isForth, bytes: bytes), at: arrival.time) }
  }

  private func hand(_ turn: inout Turn) {
    for (ssrc, sent, frame) in units {
      let missed = far.session.stats(receiving: ssrc).map { streams.news(in: $0, of: ssrc) } ?? ScriptedStreams.Missed()
      turn.units.append(Unit(stream: sent.stream, picture: sent.picture, frame: frame, missed: missed))
    }
    units.removeAll(keepingCapacity: true)
    turn.keyFrames = keyFrames.compactMap { streams.stream(sending: $0) }
    turn.target = target
    keyFrames.removeAll(keepingCapacity: true)
    target = nil
  }

  // MARK: Figures

  /// nil: it is not sent in packets.
  func backlog(of stream: StreamID, at now: Int64) -> Int64? { streams.place(of: stream) == nil ? nil : near.session.backlog(at: now) }
  var roundTrip: Int64? { near.session.pathStats.currentRoundTripTime }
  /// Of the member's end.
  var networkFigures: NetworkFigures { near.session.networkFigures }

  func setTargetBitrate(_ bitrate: UInt64, of stream: StreamID) {
    if let place = streams.place(of: stream) { near.session.setTargetBitrate(Int(clamping: bitrate), sending: place) }
  }

  func look(sending stream: StreamID) -> OutboundSnapshot? {
    streams.place(of: stream).flatMap { near.session.stats(sending: $0) }.map { OutboundSnapshot(stream: $0, path: near.session.pathStats) }
  }

  func look(receiving stream: StreamID) -> InboundSnapshot? {
    streams.place(of: stream).flatMap { far.session.stats(receiving: streams.ssrc(at: $0)) }.map {
      InboundSnapshot(stream: $0, path: far.session.pathStats)
    }
  }

  /// All that the member sends.
  var look: RTPStatsSnapshot { RTPStatsSnapshot(near.session) }

  /// What of it arrives, of these streams.
  func look(receiving wanted: [StreamID]) -> RTPStatsSnapshot {
    RTPStatsSnapshot(far.session, receiving: wanted.compactMap { streams.place(of: $0) }.map { streams.ssrc(at: $0) })
  }
}
