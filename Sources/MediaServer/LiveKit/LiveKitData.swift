import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTransport

/// The data channels of a client of LiveKit: what it sends goes to the others in the room, or to those that it names.
/// A client sends in channels that it opens, of version 0 in another connection, and receives in two that the server opens. On the server's
/// event loop.
final class LiveKitData: Sendable {
  private struct State {
    /// By which the client receives; nil: there is no path yet.
    var transport: (any Transport)?
    /// Of the client: whether each is reliable, and what it is of.
    var incoming: [MessageChannelID: (isReliable: Bool, transport: any Transport)] = [:]
    /// Of the client's channels, those that are closed and not read to their end.
    var closed: Set<MessageChannelID> = []
    /// Of this end; nil: not opened yet, or closed.
    var reliable: MessageChannelID?
    var lossy: MessageChannelID?
    /// False: the client has no channel for them, or not any more.
    var takesReliable = true
    /// Reliable ones that the channel does not take yet, or that are there before it.
    var waiting = BoundedQueue<[UInt8]>(capacity: LiveKitData.mostMessages, initially: 4)
    var waitingBytes = 0
    /// Bytes of all reliable ones until now.
    var total: UInt64 = 0
    /// Of those that wait, by which their senders wait, too: how many bytes had come with each, and until when it is held.
    var held: [(end: UInt64, delivery: DataDelivery, until: Int64)] = []
    /// There is a time at which they are looked at.
    var isReleasing = false
    var allowance: WorkAllowance
    /// Channels that are read again when there is allowance.
    var resting: Set<MessageChannelID> = []

    mutating func endReliable() {
      (reliable, takesReliable, waitingBytes) = (nil, false, 0)
      _ = waiting.takeAll()
    }

    /// Those that are not to be held any longer: to be let go of without the lock, as their senders are notified by that.
    mutating func release(now: Int64) -> [DataDelivery] {
      let passed = total &- UInt64(waitingBytes)
      let count = held.firstIndex { $0.end > passed && $0.until > now } ?? held.count
      defer { held.removeFirst(count) }
      return held.prefix(count).map(\.delivery)
    }
  }

  /// Bytes of a message.
  static let longest = DataMessage.longestReceived
  /// Messages at once and in a second, of up to 4,096 bytes; longer ones count once more for each 4,096. Of more the client has to wait.
  static let burst = 1_000.0
  static let perSecond = 500.0
  /// In a second, of a client that has left.
  static let perSecondAtTheEnd = 20_000.0
  /// Messages that wait for a client that does not read them, and their bytes.
  static let mostMessages = 65_536
  static let mostWaiting = 4_194_304
  private static let rest: Int64 = 50_000_000
  /// Nanoseconds for which a client that reads slowly slows a sender.
  static let holding: Int64 = 2_000_000_000

  private let table: WebTable
  private let hasRoom: @Sendable () -> Bool
  private let take: @Sendable (Result<LiveKitDataPacket, MediaError>, _ isReliable: Bool) -> Void
  private let state: Monitor<State>

  /// `take` is called with what the client sends, or with what ends its session; not while there is no room for it, so that the client waits.
  init(
    _ table: WebTable, hasRoom: @escaping @Sendable () -> Bool,
    take: @escaping @Sendable (Result<LiveKitDataPacket, MediaError>, _ isReliable: Bool) -> Void
  ) {
    (self.table, self.hasRoom, self.take) = (table, hasRoom, take)
    let allowance = WorkAllowance(burst: LiveKitData.burst, perSecond: LiveKitData.perSecond, now: table.clock.now())
    state = Monitor(State(allowance: allowance))
  }

  /// There is a path to the client. What others sent before waits for it.
  func open(over transport: any Transport) {
    var lossy = MessageChannelOptions(label: "_lossy")
    (lossy.isOrdered, lossy.retransmissions) = (false, 0)
    // Of a client without data channels there is none to be opened.
    let made = (try? transport.openChannel(MessageChannelOptions(label: "_reliable")), try? transport.openChannel(lossy))
    state.withLock { state in
      (state.reliable, state.lossy, state.transport) = (made.0, made.1, transport)
      if made.0 == nil { state.endReliable() }
    }
    flush()
  }

  func follow(_ event: MessageChannelEvent, of channel: MessageChannelID, over transport: any Transport) {
    switch event {
    case .opened(let options, isIncoming: true):
      state.withLock { $0.incoming[channel] = (options.label == "_reliable", transport) }
    case .readable: read(channel)
    case .bufferedAmountLow: flush()
    case .closed:
      _ = state.withLock { state in
        // What has come before can be read.
        if state.resting.contains(channel) { state.closed.insert(channel) } else { state.incoming[channel] = nil }
        if state.reliable == channel { state.endReliable() }
        if state.lossy == channel { state.lossy = nil }
        return state.release(now: table.clock.now())
      }
    case .opened: return
    }
  }

  private func read(_ channel: MessageChannelID) {
    let now = table.clock.now()
    while let (isReliable, transport) = state.withLock({ $0.incoming[channel] }) {
      guard state.withLock({ $0.allowance.available(at: now) > 0 }), hasRoom() else { return rest(channel, now) }
      do throws(MediaError) {
        guard let packet = try next(channel, of: transport, now) else { return end(channel) }
        take(.success(packet), isReliable)
      } catch {
        // The last one of a channel that is closed was read.
        if error.status == .notFound, state.withLock({ $0.closed.contains(channel) }) { return end(channel) }
        return take(.failure(error), isReliable)
      }
    }
  }

  private func end(_ channel: MessageChannelID) {
    state.withLock { if $0.closed.remove(channel) != nil { $0.incoming[channel] = nil } }
  }

  /// The client has left: what it has sent is passed on faster. It is bounded by what a connection keeps.
  func drain() {
    let now = table.clock.now()
    let channels = state.withLock { state in
      state.allowance = WorkAllowance(burst: LiveKitData.burst, perSecond: LiveKitData.perSecondAtTheEnd, now: now)
      return Array(state.incoming.keys)
    }
    for channel in channels { read(channel) }
  }

  /// Whether the client sends data.
  var isReceiving: Bool { state.withLock { !$0.incoming.isEmpty } }

  /// nil: there is none.
  private func next(_ channel: MessageChannelID, of transport: any Transport, _ now: Int64) throws(MediaError) -> LiveKitDataPacket? {
    switch try transport.readMessage(of: channel, upTo: LiveKitData.longest) {
    case .nothing: return nil
    case .tooLong(let count):
      throw MediaError(.limit, "the client sent a message of \(count) bytes; accepted: at most \(LiveKitData.longest)")
    case .message(let message):
      state.withLock { $0.allowance.charge(1 + message.bytes.count / 4_096, at: now) }
      return try LiveKitDataPacket(message.bytes)
    }
  }

  private func rest(_ channel: MessageChannelID, _ now: Int64) {
    guard state.withLock({ $0.resting.insert(channel).inserted }) else { return }
    table.loop.schedule(at: now &+ LiveKitData.rest) { [weak self] in
      guard let self else { return }
      state.withLock { _ = $0.resting.remove(channel) }
      read(channel)
    }
  }

  // MARK: To the client

  /// `delivery`: of its sender, who waits while it is held. False: the client does not read what it is sent.
  func send(_ bytes: [UInt8], isReliable: Bool, _ delivery: DataDelivery?) -> Bool {
    guard isReliable else {
      // What finds no room is lost, as what the network loses.
      let (transport, channel) = state.withLock { ($0.transport, $0.lossy) }
      if let transport, let channel { try? transport.send(ChannelMessage(bytes, isText: false), on: channel) }
      return true
    }
    let until = table.clock.now() &+ LiveKitData.holding
    let (hasRoom, begins): (Bool, Bool) = state.withLock { state in
      guard state.takesReliable else { return (true, false) }
      // Who is on the way into the room is not to blame.
      guard !state.waiting.isFull, state.waitingBytes + bytes.count <= LiveKitData.mostWaiting else {
        return (state.transport == nil, false)
      }
      _ = state.waiting.push(bytes)
      state.waitingBytes += bytes.count
      state.total &+= UInt64(bytes.count)
      guard let delivery else { return (true, false) }
      state.held.append((state.total, delivery, until))
      defer { state.isReleasing = true }
      return (true, !state.isReleasing)
    }
    flush()
    if begins { releaseLater(at: until) }
    return hasRoom
  }

  /// Others do not wait for long for a client that does not read.
  private func releaseLater(at time: Int64) {
    table.loop.schedule(at: time) { [weak self] in
      guard let self else { return }
      let (_, next): ([DataDelivery], Int64?) = state.withLock { state in
        let released = state.release(now: table.clock.now())
        state.isReleasing = !state.held.isEmpty
        return (released, state.held.first?.until)
      }
      if let next { releaseLater(at: next) }
    }
  }

  /// Of what was sent reliably until now, for `hasDelivered`.
  var mark: UInt64 { state.withLock { $0.total } }

  /// Whether the client has acknowledged what was sent until then, or never will.
  func hasDelivered(_ mark: UInt64) -> Bool {
    let (total, waiting, channel, transport, takes) = state.withLock {
      ($0.total, $0.waitingBytes, $0.reliable, $0.transport, $0.takesReliable)
    }
    guard takes else { return true }
    let sent = channel.flatMap { channel in try? transport?.bufferedAmount(of: channel) } ?? 0
    return Int64(clamping: total) - Int64(waiting) - Int64(clamping: sent) >= Int64(clamping: mark)
  }

  private func flush() {
    while let (bytes, channel, transport) = state.withLock({ state -> ([UInt8], MessageChannelID, any Transport)? in
      guard let first = state.waiting.first, let channel = state.reliable, let transport = state.transport else { return nil }
      return (first, channel, transport)
    }) {
      do throws(MediaError) {
        try transport.send(ChannelMessage(bytes, isText: false), on: channel)
      } catch {
        // The rest follows when there is room. A channel that is closed says so itself.
        return
      }
      _ = state.withLock { state in
        if let sent = state.waiting.pop() { state.waitingBytes -= sent.count }
        return state.release(now: .min)
      }
    }
  }
}
