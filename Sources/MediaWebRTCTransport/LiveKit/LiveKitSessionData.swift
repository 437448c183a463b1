import MediaCore
import MediaSignalling
import MediaTransport

/// Data to and from others in the room, in data channels as LiveKit's clients have them: of the session in the connection that publishes, of
/// others in two of the connection that receives, which the server opens.
extension LiveKitSession {
  /// Data is refused while more bytes are not acknowledged; half of them are room again.
  private static let mostUnacknowledged = 524_288
  /// Messages that are taken before others have their turn on the loop.
  private static let mostAtOnce = 64
  /// Nanoseconds until data that was refused may be sent again, and between looks at what is not acknowledged.
  private static let rest: Int64 = 50_000_000
  private static let flushInterval: Int64 = 10_000_000

  func send(_ message: DataMessage) throws(MediaError) {
    let (isJoined, error) = state.withLock { ($0.isJoined && !$0.isLeaving, $0.dataError) }
    if let error { throw error }
    guard isJoined, let publisher = connectPublisher() else { throw MediaError(.again, "the session is reconnecting") }
    let channel = try channel(isLossy: message.isLossy, over: publisher)
    guard try publisher.bufferedAmount(of: channel) <= LiveKitSession.mostUnacknowledged else {
      throw MediaError(.again, "the data that was sent before has not been acknowledged yet")
    }
    var data = LiveKitUserData(
      identity: own.userID, bytes: message.bytes, topic: message.topic, isLossy: message.isLossy, destinations: message.recipients)
    data.content = message.content
    do throws(MediaError) {
      try publisher.send(ChannelMessage(data.packet(sid: ""), isText: false), on: channel)
    } catch {
      // Too many small ones wait, of which no event says when they are gone.
      if error.status == .again { loop.schedule(at: loop.clock.now() &+ LiveKitSession.rest) { [self] in tell([.dataWritable]) } }
      throw error
    }
  }

  /// Opened when data is sent in it first.
  private func channel(isLossy: Bool, over publisher: WebRTCTransport) throws(MediaError) -> MessageChannelID {
    try state.withLock { state throws(MediaError) in
      if let known = isLossy ? state.lossy : state.reliable { return known }
      var options = MessageChannelOptions(label: isLossy ? "_lossy" : "_reliable")
      if isLossy { (options.isOrdered, options.retransmissions) = (false, 0) }
      let made = try publisher.openChannel(options)
      try publisher.setLowThreshold(LiveKitSession.mostUnacknowledged / 2, of: made)
      if isLossy { state.lossy = made } else { state.reliable = made }
      return made
    }
  }

  func follow(_ event: MessageChannelEvent, of channel: MessageChannelID) {
    switch event {
    case .bufferedAmountLow: tell([.dataWritable])
    case .closed(let error):
      state.withLock { state in
        if state.reliable == channel { state.reliable = nil }
        if state.lossy == channel { state.lossy = nil }
        if error?.status == .unsupported { state.dataError = MediaError(.unsupported, "the session's server has no data") }
      }
    case .opened, .readable: return
    }
  }

  // MARK: Leaving

  var hasUnacknowledgedData: Bool {
    let (publisher, channel) = state.withLock { ($0.hasFailed || $0.isLeft ? nil : $0.publisher, $0.reliable) }
    guard let publisher, let channel else { return false }
    return (try? publisher.bufferedAmount(of: channel)) ?? 0 > 0
  }

  /// Whether the session leaves later, as its data is not acknowledged yet. Nothing is received any more.
  func lingers() -> Bool {
    guard hasUnacknowledgedData else { return false }
    let end = loop.clock.now() &+ RoomFarewells.patience
    let (isFirst, reception): (Bool, RoomReception<String>?) = state.withLock { state in
      guard state.flushEnd == nil else { return (false, nil) }
      state.flushEnd = end
      return (true, state.reception)
    }
    guard isFirst else { return false }
    farewells.begin()
    reception?.unsubscribe()
    loop.post { [self] in followFlush() }
    return true
  }

  private func followFlush() {
    let now = loop.clock.now()
    guard let end = state.withLock({ $0.flushEnd }) else { return }
    guard hasUnacknowledgedData, now < end else { return hangUp() }
    loop.schedule(at: min(end, now &+ LiveKitSession.flushInterval)) { [self] in followFlush() }
  }

  // MARK: Receiving

  /// On the loop, which others wait for.
  func receiveData() {
    for _ in 0..<LiveKitSession.mostAtOnce {
      guard let (label, bytes) = state.withLock({ $0.reception })?.takeMessage() else { return }
      // Others can send what is none, through a server that hands it on unread, or of a kind that is not reported.
      guard let data = try? LiveKitDataPacket(bytes).userData(), data.identity != own.userID else { continue }
      var message = DataMessage(data.bytes)
      (message.topic, message.isLossy, message.content) = (data.topic, label == "_lossy", data.content)
      receive(message, from: data.identity)
    }
    loop.post { [self] in receiveData() }
  }

  private func receive(_ message: DataMessage, from userID: String) {
    let now = loop.clock.now()
    let (events, deadline): ([TransportEvent], Int64?) = state.withLock { state in
      if state.roster.contains(userID) { return ([.data(from: userID, message)], nil) }
      let wasEmpty = state.unannounced.deadline == nil
      let events = state.unannounced.take(message, from: userID, now: now)
      return (events, wasEmpty ? state.unannounced.deadline : nil)
    }
    tell(events)
    if let deadline { loop.schedule(at: deadline) { [weak self] in self?.expireUnannounced() } }
  }

  /// The data of who was not announced in time is theirs nevertheless.
  private func expireUnannounced() {
    let now = loop.clock.now()
    let (events, deadline): ([TransportEvent], Int64?) = state.withLock { state in
      state.isLeft ? ([], nil) : (state.unannounced.expire(now: now), state.unannounced.deadline)
    }
    tell(events)
    if let deadline { loop.schedule(at: deadline) { [weak self] in self?.expireUnannounced() } }
  }
}
