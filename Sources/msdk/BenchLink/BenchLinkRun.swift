import MediaCore
import MediaSDK
import MediaTransport

/// Loads a path, and looks at what both its ends count.
struct BenchLinkRun {
  struct Result {
    let url: String
    let seconds: Double
    let roundTrip: Double
    let out: LinkDirection
    let into: LinkDirection?

    /// As much as was allowed was sent, and more might pass.
    let isLimited: Bool

    private var verdict: String { LinkVerdict.text(out: out, into: into, roundTrip: roundTrip, isLimited: isLimited) }

    var json: JSON {
      .object([
        ("url", .text(url)), ("duration", .number(seconds)), ("roundTripTime", .number(roundTrip)), ("to", out.json),
        ("from", into?.json ?? .null), ("verdict", .text(verdict))
      ])
    }

    var text: String {
      """
      round trip:  \((roundTrip * 1000).text(digits: 1)) ms
      to there:    \(out.text)
      from there:  \(into?.text ?? "nothing was sent from there")
      verdict:     \(Colour.bold.painted(verdict))
      """
    }
  }

  let command: BenchLinkCommand

  func perform() throws(MediaError) -> Result {
    let signals = StopSignals()
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine)
    let load = try LinkLoad(engine, most: command.bitrate)
    let user = command.user ?? (command.isOfRoom ? NetworkEnd.ownName : "msdk")
    let sender = try join(engine, user, until: signals)
    var receiver: Session?
    if command.isOfRoom {
      do throws(MediaError) {
        receiver = try join(engine, "\(user)-down", until: signals)
      } catch {
        throw MediaError(error.status, "the second member, who receives what the first one sends: \(error.text)")
      }
    }
    try sender.start(load.outgoing)
    let result = try measure(load, sender, receiver ?? sender, signals)
    signals.letThrough()
    receiver?.disconnect()
    sender.disconnect()
    return result
  }

  private func join(_ engine: Engine, _ user: String, until signals: StopSignals) throws(MediaError) -> Session {
    let session = try NetworkEnd.session(
      SessionOptions(url: command.url, userID: user), token: command.token, keys: command.keys, in: engine)
    try NetworkEnd.connect(session, hasServer: command.isOfRoom, isServed: command.isOfRoom, until: signals)
    return session
  }

  // MARK: Measuring

  private struct State {
    var sender: FrameSender?
    var due: Int64 = 0
    var half: (out: LinkMoment, into: LinkMoment)?
    var roundTrips: [Double] = []
  }

  private func measure(_ load: LinkLoad, _ sender: Session, _ receiver: Session, _ signals: StopSignals) throws(MediaError) -> Result {
    var state = State()
    let begin = MediaTime.monotonic()
    let end = begin + Int64(command.seconds * 1e9)
    state.due = begin
    var nextLook = begin
    while MediaTime.monotonic() < end {
      let left = max(0, state.due - MediaTime.monotonic()) / 1_000_000
      if signals.wait(milliseconds: Int(left)) { break }
      try take(load, sender, receiver, &state)
      let now = MediaTime.monotonic()
      // A machine that was busy leaves frames out, and does not send them in a burst.
      state.due = max(state.due + LinkLoad.interval, now)
      if let to = state.sender { try load.send(to: to, bitrate: rate(of: sender)) }
      guard now >= nextLook else { continue }
      nextLook = now + 200_000_000
      let moment = LinkMoment(sender)
      if let time = moment.roundTrip { state.roundTrips.append(time) }
      if state.half == nil, now - begin >= (end - begin) / 2 { state.half = (moment, LinkMoment(receiver)) }
    }
    let (last, other) = (LinkMoment(sender), LinkMoment(receiver))
    return try result(state, last, other, estimate: sender.stats.availableOutgoingBitrate)
  }

  private func rate(of sender: Session) -> UInt64 {
    let estimate = sender.stats.availableOutgoingBitrate
    return estimate == 0 ? command.bitrate : min(command.bitrate, UInt64(Double(estimate) * LinkDirection.share))
  }

  private func take(_ load: LinkLoad, _ sender: Session, _ receiver: Session, _ state: inout State) throws(MediaError) {
    for session in receiver === sender ? [sender] : [sender, receiver] {
      while let event = try? session.nextEvent(deadline: 0) {
        switch event.event {
        case .frameSenderChanged(let stream, let next) where stream === load.outgoing: state.sender = next
        case .incomingVideoAdded(let stream) where receiver !== sender && stream.userID == sender.options.userID:
          // As it comes: nobody looks at it.
          var options = IncomingVideoOptions()
          options.output = .encoded
          try stream.start(options)
        case .state(.disconnected, let error?): throw error
        case .outgoingVideoState(_, .failed, let error?): throw error
        default: break
        }
      }
    }
  }

  private func result(_ state: State, _ last: LinkMoment, _ other: LinkMoment, estimate: UInt64) throws(MediaError) -> Result {
    guard let half = state.half else {
      throw MediaError(.timeout, "it was ended before half of the time was over, and nothing was measured")
    }
    let times = state.roundTrips.suffix(max(1, state.roundTrips.count / 2)).sorted()
    guard let roundTrip = times.isEmpty ? nil : times[times.count / 2],
      let out = LinkDirection(
        from: half.out.out, to: last.out, seconds: Double(last.time - half.out.time) / 1e9, isOut: true,
        estimate: estimate == 0 ? nil : Double(estimate))
    else {
      let step = command.isOfRoom ? "msdk doctor" : "msdk receive rtp://:PORT on that machine, and msdk doctor --port PORT there"
      throw MediaError(
        .timeout, NextStep.trying(step, after: "nothing at \(command.url) reported what it received, within \(command.seconds.shortText) s")
      )
    }
    let into = LinkDirection(
      from: half.into.into, to: other.into, seconds: Double(other.time - half.into.time) / 1e9, isOut: false, estimate: nil)
    return Result(
      url: command.url, seconds: Double(last.time - half.out.time) / 1e9, roundTrip: roundTrip, out: out, into: into,
      isLimited: (out.bitrate ?? 0) >= 0.95 * Double(command.bitrate))
  }
}
