import MediaCore
import MediaPlugins

/// What both count of the frames that come.
protocol IncomingCounters {
  var dropped: UInt64 { get set }
  var rendered: UInt64 { get set }
  var totalFilterTime: UInt64 { get set }
}

/// The state of a stream that is received.
protocol IncomingState {
  associatedtype Options: Sendable
  associatedtype Raw: RawFrame
  associatedtype Counters: IncomingCounters
  var life: IncomingLife { get set }
  var delivery: Delivery<Options, Raw> { get set }
  var counters: Counters { get set }
}

/// What incoming video and audio share: from start to stop, and the last steps of a frame to the program. Any thread.
protocol IncomingCore: AnyObject, Sendable {
  associatedtype Guarded: IncomingState
  typealias Raw = Guarded.Raw

  var session: Session { get }
  var guarded: Monitor<Guarded> { get }
  var output: ReadQueues<Guarded.Raw> { get }

  func event(_ state: IncomingLife.State, _ error: MediaError?) -> SessionEvent
  /// When it returns, nothing comes any more, no callback and no renderer is called, and readers have learned it.
  func endDelivery()
}

extension IncomingCore {
  var pass: PluginInstance.EventHandler {
    { [session] event in session.push(.plugin(event.instance, event)) }
  }

  /// With an error when the room does not permit it any more.
  func stop(because error: MediaError?) {
    guard guarded.withLock({ $0.life.beginStop() }) else { return }
    session.push(event(.stopping, nil))
    endDelivery()
    if guarded.withLock({ $0.life.endStop() }) { session.push(event(.stopped, error)) }
  }

  // MARK: Taking

  func takeRaw(deadline: Int64) throws(MediaError) -> Raw {
    let frame = try output.raw.take(deadline: deadline, state: notStarted)
    output.countDelivered()
    return frame
  }

  func takeEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    let frame = try output.encoded.take(deadline: deadline, state: notStarted)
    output.countDelivered()
    return frame
  }

  private func notStarted() -> MediaError? {
    let state = guarded.withLock { $0.life.state }
    return state == .available ? MediaError(.state, "the stream is not started; its state is \(state)") : nil
  }

  /// When it returns, the former one is not running any more, unless the call came from foreign code.
  func replaceCallback(by function: (@Sendable (Raw) -> Void)?) {
    let former = guarded.withLock { guarded in
      let former = guarded.delivery
      guarded.delivery = Delivery(former.options, function.map { FrameCallback($0) })
      return former.callback
    }
    former?.close()
  }

  // MARK: Delivering

  func countDropped() {
    guarded.withLock { $0.counters.dropped += 1 }
  }

  func countRendered() {
    guarded.withLock { $0.counters.rendered += 1 }
  }

  /// Takes a reference. A frame that is rendered as well is not lost to the program when nobody reads it.
  func offer(_ frame: Raw, isOnlyUse: Bool) {
    guard let displaced = output.raw.put(frame) else { return }
    displaced.release()
    if isOnlyUse { countDropped() }
  }

  /// Borrowed. The same of a frame that came encoded.
  func offer(_ frame: EncodedFrame, isOnlyUse: Bool) {
    frame.retain()
    guard let displaced = output.encoded.put(frame) else { return }
    displaced.release()
    if isOnlyUse { countDropped() }
  }

  // MARK: Filters

  func append(_ filter: PluginInstance, to filters: some FilterChain, what: String) throws(MediaError) {
    try filters.append(
      filter, to: what,
      of: { () throws(MediaError) in
        try self.guarded.withLock { guarded throws(MediaError) in try guarded.life.checkAlive() }
      }, events: pass)
  }

  /// With a reference for the caller; nil for a frame that a filter dropped.
  func count(_ outcome: FilterOutcome<Raw>) -> Raw? {
    guarded.withLock { guarded in
      guarded.counters.totalFilterTime += outcome.spent
      if outcome.frame == nil { guarded.counters.dropped += 1 }
    }
    return outcome.frame
  }
}
