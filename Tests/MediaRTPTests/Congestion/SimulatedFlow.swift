import MediaCore

@testable import MediaRTP

/// A sender of sound and pictures with its pacer and estimator, and the receiver that reports to it, on the virtual clock.
final class SimulatedFlow {
  struct Sample {
    var time: Int64
    var target: Int
    var estimate: Int
    /// What arrived since the last sample, in bits a second.
    var received: Double
    /// The longest that a packet waited in the link's queue since the last sample, in ms; the sound's is its wait in the pacer too.
    var queueing: Double
    var audioWait: Double
    var state: PathState
    var paced: Double
  }

  struct Packet {
    var size: Int
    var since: Int64
  }

  static let sampling: Int64 = 100_000_000
  /// A packet of sound: when it was made, and when it arrived; nil: lost.
  struct Sound {
    var made: Int64
    var arrived: Int64?
  }

  var estimator: BandwidthEstimator
  var pacer: Pacer<Packet>
  private(set) var samples: [Sample] = []
  /// What the encoder can use at most.
  var most = 8_000_000.0
  /// Sends so much instead, from one time to another.
  var fixed: (from: Int64, to: Int64, rate: Double)?
  var keyFrames: Int64 = 10_000_000_000
  var feedbackLoss = 0.0
  var feedbackDelay: Int64 = 50_000_000
  /// Feedbacks are packets of the link back, if there is one, of so many bytes.
  var feedbackSize = 100
  var audioSize = 120
  /// What serves as padding is no longer than this, as old packets that are resent for it may be.
  var longestPadding = 1200
  var audioInterval: Int64 = 20_000_000
  /// No picture is made while what waits would take longer, as it is by the encoders of a session.
  var longestBacklog: Int64 = 300_000_000
  /// From the far end of the links to the near one.
  var isBackwards = false
  private(set) var sounds: [Sound] = []
  var feedbackInterval: ClosedRange<Int64> = 50_000_000...100_000_000
  /// Receiver reports each second instead of transport-wide feedback.
  var reports = false
  /// The receiver's clock: parts of a million too fast, and leaps at times.
  var drift = 0.0
  var jumps: [(at: Int64, by: Int64)] = []
  private(set) var refused = 0
  private(set) var expired = 0
  private(set) var wakes = 0
  private(set) var sent = 0

  private var random: SeededRandom
  private var nextFrame: Int64
  private var nextAudio: Int64
  private var nextKeyFrame: Int64
  private var nextFeedback: Int64
  private var nextSample: Int64
  private var nextProcess: Int64
  private var pacerDeadline: Int64?
  private var sequence: UInt16 = 65_000
  private var number = 0
  /// Packets on their way: arrival, number.
  private var flying: [(at: Int64, number: Int, size: Int)] = []
  private var landed: [(at: Int64, number: Int)] = []
  private var nextExpected = 0
  private var returning: [(at: Int64, packets: [ReportedPacket])] = []
  private var reportedReceived = 0
  private var reportedHighest = -1
  private var receivedInAll = 0
  private var highest = -1
  private var received = 0
  private var queueing: Int64 = 0
  private var audioWait: Int64 = 0
  private var frameCredit = 0.0

  init(_ estimator: consuming BandwidthEstimator, seed: UInt64, start: Int64 = 0) {
    pacer = Pacer(rate: estimator.pacingRate)
    self.estimator = estimator
    random = SeededRandom(seed: seed, name: "flow")
    (nextFrame, nextAudio, nextKeyFrame) = (start, start + 3_000_000, start)
    (nextFeedback, nextSample, nextProcess) = (start + 50_000_000, SimulatedFlow.sampling, start)
  }

  var next: Int64 {
    min(nextFrame, nextAudio, nextFeedback, nextSample, min(nextProcess, pacerDeadline ?? .max, returning.first?.at ?? .max))
  }

  func step(_ now: Int64, _ link: inout SimulatedLink, back: inout SimulatedLink?) {
    if nextAudio <= now {
      nextAudio += audioInterval
      if !pacer.enqueue(Packet(size: audioSize, since: now), size: audioSize, kind: .audio, now: now) {
        refused += 1
      }
    }
    if nextFrame <= now { encode(now) }
    if let first = returning.first, first.at <= now {
      returning.removeFirst()
      if reports { report(first.packets, now) } else { estimator.onFeedback(first.packets, now: now) }
    }
    nextProcess = estimator.process(now: now) ?? .max
    pacer.setHeld(estimator.holdsPictures, now: now)
    while let cluster = estimator.takeProbe() { pacer.probe(cluster, now: now) }
    pacer.setRate(estimator.pacingRate, now: now)
    depart(now, &link)
    if nextFeedback <= now { feed(now, &link, &back) }
    if nextSample <= now { sample(now) }
  }

  private func encode(_ now: Int64) {
    nextFrame += 33_333_333
    var rate = min(most, max(30_000, Double(estimator.target) - 48_000))
    if let fixed, now >= fixed.from, now < fixed.to { rate = min(rate, fixed.rate) }
    guard pacer.backlog(at: now) <= longestBacklog else { return }
    frameCredit += rate / 30 / 8
    var size = frameCredit * Double.random(in: 0.7...1.3, using: &random)
    if now >= nextKeyFrame {
      nextKeyFrame = now + keyFrames
      size *= 4
    }
    size = max(60, size)
    frameCredit = max(frameCredit - size, -rate / 8 / 2)
    var left = Int(size)
    let count = (left + 1159) / 1160
    for index in 0..<count {
      let piece = left / (count - index)
      left -= piece
      if !pacer.enqueue(Packet(size: piece + 40, since: now), size: piece + 40, kind: .video, now: now) { refused += 1 }
    }
  }

  private func depart(_ now: Int64, _ link: inout SimulatedLink) {
    wakes += 1
    while let departure = pacer.next(now: now) {
      switch departure {
      case .packet(let packet, let kind, let probe):
        if kind == .audio { audioWait = max(audioWait, now - packet.since) }
        let arrival = transmit(packet.size, probe, now, &link)
        if kind == .audio { sounds.append(Sound(made: packet.since, arrived: arrival)) }
      case .padding(let size, let probe):
        let size = min(size, longestPadding)
        pacer.padded(size, now: now)
        _ = transmit(size, probe, now, &link)
      case .expired: expired += 1
      }
    }
    pacerDeadline = pacer.deadline(now: now)
  }

  private func transmit(_ size: Int, _ probe: Int32, _ now: Int64, _ link: inout SimulatedLink) -> Int64? {
    estimator.onSent(sequence: sequence, size: size, probe: probe, now: now)
    sequence &+= 1
    sent += 1
    let arrival = link.send(size, at: now)
    if let arrival {
      flying.append((arrival, number, size))
      queueing = max(queueing, arrival - now - link.delay)
    }
    number += 1
    return arrival
  }

  private func receiverTime(_ time: Int64) -> Int64 {
    var result = Int64(Double(time) * (1 + drift / 1e6)) + 77_000_000_000
    for jump in jumps where time >= jump.at { result += jump.by }
    // Quarters of a millisecond, as the feedback has them.
    return result / 250_000 * 250_000
  }

  private func feed(_ now: Int64, _ link: inout SimulatedLink, _ back: inout SimulatedLink?) {
    nextFeedback = now + (reports ? 1_000_000_000 : Int64.random(in: feedbackInterval, using: &random))
    var count = 0
    while count < flying.count, flying[count].at <= now { count += 1 }
    for packet in flying[..<count] {
      received += packet.size
      landed.append((packet.at, packet.number))
    }
    flying.removeFirst(count)
    guard let last = landed.map(\.number).max() else { return }
    receivedInAll += landed.count
    highest = max(highest, last)
    var packets: [ReportedPacket] = []
    var arrivals: [Int: Int64] = [:]
    for packet in landed { arrivals[packet.number] = packet.at }
    landed.removeAll(keepingCapacity: true)
    for number in nextExpected...max(nextExpected, last) {
      packets.append(ReportedPacket(sequence: UInt16(truncatingIfNeeded: 65_000 + number), arrival: arrivals[number].map(receiverTime)))
    }
    nextExpected = max(nextExpected, last + 1)
    let lost = Double.random(in: 0..<1, using: &random) < feedbackLoss || (link.losesInOutage && link.rate(at: now) <= 0)
    let arrival = back == nil ? now + feedbackDelay : back?.send(feedbackSize, at: now)
    if let arrival, !lost { returning.append((arrival, packets)) }
  }

  private func report(_ packets: [ReportedPacket], _ now: Int64) {
    let expected = highest - reportedHighest
    let came = receivedInAll - reportedReceived
    (reportedHighest, reportedReceived) = (highest, receivedInAll)
    let loss = expected > 0 ? max(0, Double(expected - came) / Double(expected)) : 0
    estimator.onReceiverReport(loss: (loss * 256).rounded(.down) / 256, roundTrip: feedbackDelay * 2, now: now)
  }

  private func sample(_ now: Int64) {
    nextSample += SimulatedFlow.sampling
    // What has landed meanwhile, beside what was fed back.
    samples.append(
      Sample(
        time: now, target: estimator.target, estimate: estimator.estimate,
        received: Double(received * 8) * 1e9 / Double(SimulatedFlow.sampling),
        queueing: Double(queueing) / 1e6, audioWait: Double(audioWait) / 1e6, state: estimator.state,
        paced: Double(pacer.expectedDelay) / 1e6))
    (received, queueing, audioWait) = (0, 0, 0)
  }
}

/// Flows that share a link.
struct Simulation {
  var link: SimulatedLink
  /// The other way of it; nil: feedback takes its time and nothing else.
  var back: SimulatedLink?
  var flows: [SimulatedFlow]
  private(set) var now: Int64 = 0

  init(_ link: SimulatedLink, back: SimulatedLink? = nil, _ flows: [SimulatedFlow]) {
    (self.link, self.back, self.flows) = (link, back, flows)
  }

  mutating func run(seconds: Double) {
    let end = Int64(seconds * 1e9)
    while true {
      var (index, time) = (0, Int64.max)
      for at in flows.indices where flows[at].next < time { (index, time) = (at, flows[at].next) }
      guard time < end else { break }
      now = max(now, time)
      step(index)
    }
    now = end
  }

  private mutating func step(_ index: Int) {
    turn(index)
    flows[index].step(now, &link, back: &back)
    turn(index)
  }

  /// What goes backwards goes by the link back, and its feedback by the other one.
  private mutating func turn(_ index: Int) {
    guard flows[index].isBackwards, var other = back.take() else { return }
    swap(&link, &other)
    back = other
  }
}

extension SimulatedFlow {
  func between(_ from: Double, _ to: Double) -> ArraySlice<Sample> {
    let first = samples.firstIndex { $0.time > Int64(from * 1e9) } ?? samples.endIndex
    let end = samples.firstIndex { $0.time > Int64(to * 1e9) } ?? samples.endIndex
    return samples[first..<max(first, end)]
  }

  /// In bits a second, on average.
  func received(_ from: Double, _ to: Double) -> Double { mean(between(from, to).map(\.received)) }
  func target(_ from: Double, _ to: Double) -> Double { mean(between(from, to).map { Double($0.target) }) }
  /// In ms, what nine in ten and all tenths of a second stay below.
  func queueing(_ from: Double, _ to: Double) -> (median: Double, most: Double, longest: Double) {
    let sorted = between(from, to).map(\.queueing).sorted()
    guard !sorted.isEmpty else { return (0, 0, 0) }
    return (sorted[sorted.count / 2], sorted[sorted.count * 95 / 100], sorted[sorted.count - 1])
  }

  /// The first time from which the target is below, or above, in seconds; nil: never.
  func below(_ rate: Double, from: Double) -> Double? {
    between(from, 1e6).first { Double($0.target) < rate }.map { Double($0.time) / 1e9 - from }
  }

  func above(_ rate: Double, from: Double) -> Double? {
    between(from, 1e6).first { Double($0.target) > rate }.map { Double($0.time) / 1e9 - from }
  }

  private func mean(_ values: [Double]) -> Double {
    values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }

  /// By half seconds, for a look: time, target, received, queueing.
  func drawing(_ from: Double, _ to: Double, step: Int = 5) -> String {
    let part = Array(between(from, to))
    return stride(from: 0, to: part.count, by: step).map { at in
      let some = part[at..<min(at + step, part.count)]
      let first = part[at]
      let received = some.map(\.received).reduce(0, +) / Double(some.count)
      let queue = some.map(\.queueing).max() ?? 0
      let paced = some.map(\.paced).max() ?? 0
      let rates = "est \(first.estimate / 1000)k tgt \(first.target / 1000)k rcv \(Int(received) / 1000)k"
      return "\(Double(first.time) / 1e9)s \(rates) q \(Int(queue)) p \(Int(paced)) \(first.state)"
    }.joined(separator: "\n")
  }
}
