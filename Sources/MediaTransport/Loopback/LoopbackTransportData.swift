import MediaCore

/// Data between members of a loopback room. It reaches each on their own loop, as the room's events do; under a script it takes the sender's way
/// out.
extension LoopbackTransport {
  /// `.state` before the room is entered, `.permission`, `.again` while the network is down or too much is under way.
  public func send(_ message: DataMessage) throws(MediaError) { try send(message, except: []) }

  /// As `send`, but not to members of those places, who get it from the caller. nil: it is lost.
  @discardableResult
  package func send(_ message: DataMessage, except places: Set<ObjectIdentifier>) throws(MediaError) -> DataDelivery? {
    var made: DataDelivery?
    try joinedRoom().send(message, by: self, except: places) { (receivers, script) throws(MediaError) in
      guard isThere(for: message) else { return try refuse(message, because: "the session is reconnecting") }
      guard let arrivals = try arrivals(of: message, at: receivers, under: script) else { return }
      guard state.withLock({ $0.data.take(message) }) else {
        return try refuse(message, because: "the data that was sent before has not been passed on yet")
      }
      let (delivery, userID) = (DataDelivery(message, of: self), member.userID)
      made = delivery
      for (receiver, arrival) in zip(receivers, arrivals) {
        guard let arrival else { continue }
        receiver.loop.schedule(at: arrival) { receiver.receive(delivery, from: userID) }
      }
    }
    return made
  }

  private func receive(_ delivery: DataDelivery, from userID: String) {
    state.withLock { $0.delivery = delivery }
    tell(.data(from: userID, delivery.message))
    state.withLock { $0.delivery = nil }
  }

  /// Of the data that the delegate is notified of just now. While whoever passes it on holds it, its sender waits.
  package var delivery: DataDelivery? { state.withLock { $0.delivery } }

  /// Whether more can be sent now.
  package var hasRoomForData: Bool { state.withLock { $0.data.hasRoom } }

  /// Looks and notes in one step: else the network could be there again between the two, and nobody be notified.
  private func isThere(for message: DataMessage) -> Bool {
    state.withLock { state in
      if case .connected = state.phase { return true }
      if !message.isLossy { state.data.await() }
      return false
    }
  }

  /// Lossy data gets lost instead.
  private func refuse(_ message: DataMessage, because text: String) throws(MediaError) {
    if !message.isLossy { throw MediaError(.again, text) }
  }

  fileprivate func passedOn(_ message: DataMessage) {
    if state.withLock({ $0.data.release(message) }) { post(.dataWritable) }
  }

  /// The sender may try again.
  func resumeData() {
    if state.withLock({ $0.data.resume() }) { post(.dataWritable) }
  }

  private func endSchedule() {
    state.withLock { $0.data.endSchedule() }
    post(.dataWritable)
  }

  /// When it reaches each, nil where it gets lost; nil: it gets lost at once.
  private func arrivals(
    of message: DataMessage, at receivers: [LoopbackTransport], under script: NetworkScript?
  ) throws(MediaError) -> [Int64?]? {
    guard let script else { return receivers.map { _ in .min } }
    let now = loop.clock.now()
    let (found, relief): ([Int64?]?, Int64) = way.withLock { way in
      (way.arrivals(of: message, at: receivers, under: script, user: member.userID, now: now), way.relief(under: script, now: now))
    }
    guard found == nil else { return found }
    guard !message.isLossy else { return nil }
    if state.withLock({ $0.data.schedule() }) { loop.schedule(at: relief) { self.endSchedule() } }
    throw MediaError(.again, "the queue of the session's network is full")
  }
}

/// One message, for as long as somebody has yet to get it: until then it counts as under way of its sender.
package final class DataDelivery: Sendable {
  private let sender: LoopbackTransport
  fileprivate let message: DataMessage

  fileprivate init(_ message: DataMessage, of sender: LoopbackTransport) { (self.message, self.sender) = (message, sender) }

  /// Also where the loop of a receiver has stopped.
  deinit { sender.passedOn(message) }
}
