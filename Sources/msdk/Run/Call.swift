import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK
import MediaTransport

/// Two participants of one loopback room: the sender, whose stream is started, and the receiver, who was offered it.
final class Call {
  enum Happening {
    case ended
    case failed(String)
  }

  static let url = "loopback:msdk"
  static let patience: UInt32 = 5_000
  private static let tick: UInt32 = 50

  let sender: Session
  let receiver: Session
  let outgoing: OutgoingVideo
  let incoming: IncomingVideo
  private let network: NetworkScript.Step?

  init(_ engine: Engine, _ options: OutgoingVideoOptions, network: NetworkScript.Step?, seed: UInt64) throws(MediaError) {
    self.network = network
    if let network { try engine.scriptNetwork(Call.url, [network], seed: seed, userID: nil) }
    outgoing = try engine.makeOutgoingVideo(options)
    // Joining takes a way there and a way back.
    let patience = Call.patience + 4 * UInt32(clamping: (network?.delay ?? 0) / 1_000_000)
    sender = try Call.join(engine, "sender", patience)
    receiver = try Call.join(engine, "receiver", patience)
    try sender.start(outgoing)
    incoming = try Call.wait(receiver, patience, for: "the stream") { event in
      if case .incomingVideoAdded(let stream) = event { return stream }
      return nil
    }
  }

  static func join(_ engine: Engine, _ userID: String, _ patience: UInt32) throws(MediaError) -> Session {
    let session = try engine.makeSession(SessionOptions(url: url, userID: userID))
    try session.connect()
    try wait(session, patience, for: "the connection") { event in
      if case .state(.connected, _) = event { return () }
      return nil
    }
    return session
  }

  /// Returns when the receiver takes the stream, so that no frame is made for nobody.
  func waitForReceiver() throws(MediaError) {
    try Call.wait(sender, Call.patience, for: "the receiver") { event in
      if case .keyFrameRequested = event { return () }
      return nil
    }
  }

  /// `signals`: those that end the waiting.
  static func wait<Result>(
    _ session: Session, _ patience: UInt32, for what: String, until signals: StopSignals? = nil, _ match: (SessionEvent) -> Result?
  ) throws(MediaError) -> Result {
    let deadline = Deadline.after(milliseconds: patience)
    while true {
      let event: StampedEvent
      do throws(MediaError) {
        event = try session.nextEvent(deadline: signals == nil ? deadline : min(deadline, Deadline.after(milliseconds: tick)))
      } catch {
        if let signals, error.status == .timeout, MediaTime.monotonic() < deadline {
          if signals.wait(milliseconds: 0) { throw StopSignals.error(of: "waiting for \(what)") }
          continue
        }
        throw MediaError(error.status, "\(session.options.userID): \(what) was not ready within \(patience) ms")
      }
      if case .state(.disconnected, let error?) = event.event { throw error }
      if let result = match(event.event) { return result }
    }
  }

  // MARK: Meanwhile

  /// What the program has to know of what has happened since it last asked.
  func happenings(with producer: PluginInstance) -> [Happening] {
    var happenings: [Happening] = []
    for session in [sender, receiver] {
      while let event = try? session.nextEvent(deadline: 0) {
        if let happening = Call.happening(event.event, producer) { happenings.append(happening) }
      }
    }
    return happenings
  }

  /// What failed of late.
  static func failures(_ events: [SessionEvent]) -> [String] {
    events.compactMap { event in
      if case .failed(let text)? = happening(event, nil) { text } else { nil }
    }
  }

  static func happening(_ event: SessionEvent, _ producer: PluginInstance?) -> Happening? {
    switch event {
    case .plugin(let instance, let event) where Int(event.event) == MSDK_PLUGIN_EVENT_ERROR:
      let id = instance.descriptor.id
      let text = event.text.isEmpty ? "it failed\(event.status.map { " with \($0)" } ?? "") without an error text" : event.text
      return .failed(text.hasPrefix(id) ? text : "\(id): \(text)")
    case .plugin(_, let event) where Int(event.event) == MSDK_PLUGIN_EVENT_SLOW:
      Terminal.complain("warning: \(event.text)")
      return nil
    case .plugin(let instance, let event) where Int(event.event) == MSDK_PLUGIN_EVENT_ENDED && instance === producer:
      return .ended
    case .state(.disconnected, let error?): return .failed(error.text)
    case .outgoingAudioState(_, .failed, let error): return .failed(error?.text ?? "the outgoing stream failed")
    case .outgoingVideoState(_, .failed, let error): return .failed(error?.text ?? "the outgoing stream failed")
    default: return nil
    }
  }

  // MARK: The end

  /// With the producer gone: waits until what was made is encoded, and has arrived as far as it will, and withdraws the stream.
  func drain() throws(MediaError) {
    waitUntil(milliseconds: Call.patience) { [outgoing] in
      let counters = outgoing.stats.counters
      return counters.sent + counters.encoded + counters.replaced + counters.dropped + counters.failed == counters.offered
    }
    let counters = outgoing.stats.counters
    let underWay = network.map { ($0.queue + $0.delay + $0.jitter) / 1_000_000 + 500 } ?? 0
    waitUntil(milliseconds: UInt32(clamping: underWay)) { [incoming] in
      incoming.stats.counters.received >= counters.sent + counters.encoded
    }
    try sender.stop(outgoing)
  }

  private func waitUntil(milliseconds: UInt32, _ isDone: () -> Bool) {
    let clock = Monitor(())
    let deadline = Deadline.after(milliseconds: milliseconds)
    while !isDone(), MediaTime.monotonic() < deadline {
      _ = clock.wait(until: Deadline.after(milliseconds: 5)) { _ in nil as Bool? }
    }
  }
}

extension Session {
  /// What has happened since it was last asked.
  var waitingEvents: [SessionEvent] {
    var events: [SessionEvent] = []
    while let event = try? nextEvent(deadline: 0) { events.append(event.event) }
    return events
  }
}
