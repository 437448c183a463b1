import MediaCore
import MediaTransport

/// Events that come at an interval, for as long as the program wants them.
enum PeriodicEvent: Sendable {
  case levels
  case stats
}

struct PeriodicEvents {
  static let accepted: ClosedRange<UInt32> = 50...60_000

  private struct Period {
    var interval: Int64 = 0
    /// Of the setting: what was scheduled for a former one does nothing.
    var generation = 0
  }

  private var periods: [PeriodicEvent: Period] = [:]

  /// 0: off. Returns the generation.
  mutating func set(_ event: PeriodicEvent, interval: Int64) -> Int {
    let generation = (periods[event]?.generation ?? 0) + 1
    periods[event] = Period(interval: interval, generation: generation)
    return generation
  }

  /// nil: not of that generation any more, or off.
  func interval(of event: PeriodicEvent, generation: Int) -> Int64? {
    guard let period = periods[event], period.generation == generation, period.interval > 0 else { return nil }
    return period.interval
  }
}

extension Session {
  /// 0: off. The first comes after an interval.
  public func setAudioLevelInterval(milliseconds: UInt32) throws(MediaError) {
    try setInterval(of: .levels, milliseconds: milliseconds)
  }

  /// Requests `.statsDue` events while the session is connected: every 50 to 60,000 ms, else `.range` is thrown; 0: none. The first comes
  /// after one interval.
  public func setStatsInterval(milliseconds: UInt32) throws(MediaError) {
    try setInterval(of: .stats, milliseconds: milliseconds)
  }

  private func setInterval(of event: PeriodicEvent, milliseconds: UInt32) throws(MediaError) {
    guard milliseconds == 0 || PeriodicEvents.accepted.contains(milliseconds) else {
      throw MediaError(.range, "interval_ms is \(milliseconds); accepted: 50..60000, or 0 for off")
    }
    let interval = Int64(milliseconds) * 1_000_000
    let generation = guarded.withLock { $0.periodic.set(event, interval: interval) }
    if interval > 0 { schedule(event, generation, at: engine.clock.now() + interval) }
  }

  private func schedule(_ event: PeriodicEvent, _ generation: Int, at time: Int64) {
    engine.loop.schedule(at: time) { [weak self] in self?.come(event, generation, due: time) }
  }

  private func come(_ event: PeriodicEvent, _ generation: Int, due: Int64) {
    let (interval, isInRoom): (Int64?, Bool) = guarded.withLock { guarded in
      (guarded.isClosed ? nil : guarded.periodic.interval(of: event, generation: generation), guarded.isInRoom)
    }
    guard let interval else { return }
    if isInRoom { push(event) }
    // A busy machine leaves some out.
    let now = engine.clock.now()
    schedule(event, generation, at: due + interval * ((now - due) / interval + 1))
  }

  /// Whoever does not read must not lose other events to these.
  private func push(_ event: PeriodicEvent) {
    switch event {
    case .stats: pushUnlessCrowded(.statsDue)
    case .levels:
      let (outgoing, incoming) = allAudio
      for stream in outgoing { pushUnlessCrowded(.audioLevel(.outgoing(stream), userID: options.userID, level: stream.takeLoudest())) }
      for stream in incoming { pushUnlessCrowded(.audioLevel(.incoming(stream), userID: stream.userID, level: stream.takeLoudest())) }
    }
  }

  private var allAudio: (outgoing: [OutgoingAudio], incoming: [IncomingAudio]) {
    guarded.withLock { guarded in
      func inOrder<Stream>(_ streams: [StreamID: Stream]) -> [Stream] { streams.inKeyOrder.map(\.value) }
      return (inOrder(guarded.sound.outgoing), inOrder(guarded.sound.incoming))
    }
  }
}

extension OutgoingAudio {
  /// The level of the loudest buffer since the last call.
  fileprivate func takeLoudest() -> UInt32 {
    guarded.withLock { guarded in
      defer { guarded.loudest = AudioFrame.silentLevel }
      return guarded.loudest
    }
  }
}

extension IncomingAudio {
  fileprivate func takeLoudest() -> UInt32 {
    guarded.withLock { guarded in
      defer { guarded.loudest = AudioFrame.silentLevel }
      return guarded.loudest
    }
  }
}
