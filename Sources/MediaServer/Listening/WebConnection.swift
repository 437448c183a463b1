import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTLS
import MediaWebRTCTransport

/// A connection of a client and its socket, driven by the network thread. Until it is a member's it has one of a bounded number of places
/// (`WebTable`), in which those who are further are kept before the others.
final class WebConnection: NetworkDriver {
  /// How far a stranger is: connected, past the handshake of TLS.
  static let stages = 2
  /// Nanoseconds in which a client has to take what is sent to it.
  static let patience: Int64 = 20_000_000_000
  /// Nanoseconds for which a connection that was closed is read, so that the last answer is not taken away.
  static let linger: Int64 = 1_000_000_000
  /// Nanoseconds for which the socket of a client who is not to send is not looked at.
  private static let rest: Int64 = 20_000_000
  private static let mostLingering = 256 << 10
  /// Read at a time.
  private static let mostReads = 4
  /// Bytes that wait for the client, beyond which an owner that can wait does.
  private static let mostAhead = 131_072

  private struct State: @unchecked Sendable {
    /// nil once it is closed.
    var socket: (any StreamConnection)?
    /// nil until something came: who sends nothing takes a descriptor and no more.
    var link: WebLink?
    /// In its place, of a connection of ICE, until its first datagram says whose it is.
    var media: PassiveArrival?
    var tag: UInt64?
    var outbox: [UInt8] = []
    var sent = 0
    /// Since when the outbox waits for the client.
    var waitsSince: Int64?
    var isFull = false
    /// The owner waits for room.
    var isAwaited = false
    /// Asked for the handshake, which is to begin when it may.
    var isQueued = false
    var stage = 0
    /// The client sends nothing more. What it asked for is still answered.
    var hasEnded = false
    /// Until when it lingers.
    var end: Int64?
    var lingering = WebConnection.mostLingering
  }

  let prefix: AddressPrefix
  let address: SocketAddress
  private let descriptor: Int32
  private let certificate: TLSCertificate?
  private let table: WebTable
  private let began: Int64
  private let state: Monitor<State>
  private let owner = Monitor<(any WebConnectionOwner)?>(nil)

  /// `certificate`: nil without TLS.
  init(_ socket: any StreamConnection, from address: SocketAddress, _ certificate: TLSCertificate?, _ table: WebTable, now: Int64) {
    (self.address, prefix, descriptor, began) = (address, AddressPrefix(address), socket.descriptor, now)
    (self.certificate, self.table) = (certificate, table)
    state = Monitor(State(socket: socket))
  }

  func start() {
    guard table.add(self) else { return }
    guard let tag = try? table.thread.add(self, [descriptor]) else { return drop() }
    let isGone = state.withLock { state in
      if state.socket != nil { state.tag = tag }
      return state.socket == nil
    }
    if isGone { table.thread.remove(tag) }
  }

  /// Closes it at once.
  func drop() {
    table.remove(self)
    let (tag, former): (UInt64?, (any StreamConnection)?) = state.withLock { state in
      (state.outbox, state.sent) = ([], 0)
      return (state.tag.take(), state.socket.take())
    }
    if let tag { table.thread.remove(tag) }
    _ = former
    owner.withLock { $0.take() }?.lost(self)
  }

  /// Whose it is; it takes no stranger's place then.
  func belong(to member: any WebConnectionOwner) {
    owner.withLock { $0 = member }
    table.remove(self)
  }

  /// The client broke TLS, WebSocket or one of their bounds.
  var isBroken: Bool { state.withLock { $0.link?.isBroken == true } }

  /// From any thread: the handshake may begin at that time.
  func wake(at time: Int64) {
    if let tag = state.withLock({ $0.tag }) { table.thread.wake(tag, at: time) }
  }

  // MARK: Out, from any thread

  /// Answers the request. False: the client has gone.
  @discardableResult
  func respond(_ response: HTTPResponse) -> Bool {
    let now = table.clock.now()
    return change { link in
      do throws(MediaError) {
        try link.respond(response, now: now)
        return true
      } catch {
        return false
      }
    }
  }

  /// Answers a request for WebSocket. False: the client has gone.
  func upgrade(_ offer: WebSocketOffer, for use: WebLink.Use) -> Bool {
    let now = table.clock.now()
    return change { link in
      do throws(MediaError) {
        try link.upgrade(offer, for: use, random: SystemRandomNumberGenerator(), now: now)
        return true
      } catch {
        return false
      }
    }
  }

  /// Whether not much waits for the client. If it does, the owner is notified when it is gone.
  var hasRoom: Bool {
    state.withLock { state in
      state.isAwaited = (state.link?.waiting ?? 0) + state.outbox.count - state.sent > WebConnection.mostAhead
      return !state.isAwaited
    }
  }

  /// What became of a message.
  enum Sending: Equatable {
    case sent
    /// The client does not read.
    case full
    /// The client has gone, of which the owner is notified, if it was not.
    case gone
  }

  /// A message of WebSocket.
  @discardableResult
  func send(_ message: WebLink.Message) -> Sending {
    var result = Sending.gone
    _ = change { link in
      do throws(MediaError) {
        try link.send(message)
        result = .sent
      } catch {
        if error.status == .full { result = .full }
      }
      return result == .sent
    }
    return result
  }

  /// Ends it after what was said.
  func close(_ reason: String) {
    let now = table.clock.now()
    let isNews = change { link in
      link.close(reason, now: now)
      return true
    }
    // At once, as the network thread may end with the engine; it does what is left.
    if isNews { _ = flush(now, isOver: false) }
  }

  private func change(_ body: (WebLink) -> Bool) -> Bool {
    let (isDone, tag): (Bool, UInt64?) = state.withLock { state in
      guard state.socket != nil, let link = state.link, !link.isClosed else { return (false, nil) }
      return (body(link), state.tag)
    }
    if let tag { table.thread.wake(tag, at: .min) }
    return isDone
  }

  // MARK: The network thread

  func drive(isReadable: Bool) -> Int64 {
    let now = table.clock.now()
    let wasQueued = state.withLock { $0.isQueued }
    if let time = waitForHandshake(isReadable, now) { return time }
    let before = state.withLock { $0.link?.handshakeMessages ?? 0 }
    let isOver = isReadable || wasQueued ? read(now) : false
    var next = Int64.max
    let (cost, stage): (Int, Int?) = state.withLock { state in
      guard let link = state.link else { return (0, nil) }
      if isOver {
        state.hasEnded = true
        link.receiveEnd(now: now)
      }
      next = link.poll(now: now) ?? .max
      let stage = link.isOpen ? 1 : 0
      defer { state.stage = stage }
      return (link.handshakeMessages - before, stage > state.stage ? stage : nil)
    }
    guard state.withLock({ $0.media == nil }) else { return handOver(now, isOver: isOver) }
    if cost > 0 { table.charge(cost, of: self, now: now) }
    if let stage { table.advance(self, to: stage) }
    takeEvents()
    guard let due = flush(now, isOver: isOver) else {
      // Who has gone cannot be written to; what they said before counts.
      _ = read(now)
      takeEvents()
      drop()
      return .max
    }
    let isAwaited = state.withLock { state in
      guard state.isAwaited, state.sent == state.outbox.count else { return false }
      state.isAwaited = false
      return true
    }
    if isAwaited { owner.withLock { $0 }?.writable() }
    // Nothing came in time.
    guard state.withLock({ $0.link != nil }) else {
      guard now < began &+ HTTPLimits.server.headTime, !isOver else {
        drop()
        return .max
      }
      return began &+ HTTPLimits.server.headTime
    }
    return min(next, due)
  }

  /// To the connection of WebRTC that its first datagram is for. When it is looked at again.
  private func handOver(_ now: Int64, isOver: Bool) -> Int64 {
    let end = began &+ HTTPLimits.server.headTime
    guard let arrival = state.withLock({ $0.media }), arrival.isComplete else {
      guard now < end, !isOver else {
        drop()
        return .max
      }
      return end
    }
    let (tag, socket): (UInt64?, (any StreamConnection)?) = state.withLock { ($0.tag.take(), $0.socket.take()) }
    if let tag { table.thread.remove(tag) }
    table.remove(self)
    // Whose nobody is, is closed here.
    if let socket { table.ports.accept(socket, arrival, from: address) }
    return .max
  }

  /// nil: it goes on.
  private func waitForHandshake(_ isReadable: Bool, _ now: Int64) -> Int64? {
    guard certificate != nil else { return nil }
    let (asks, wasQueued, tag) = state.withLock { state in
      ((isReadable || state.isQueued) && state.socket != nil && state.link?.hasAnswered != true, state.isQueued, state.tag)
    }
    guard asks else { return nil }
    let end = began &+ HTTPLimits.server.headTime
    guard now < end else {
      drop()
      return .max
    }
    if let time = table.mayHandshake(self, now: now) {
      state.withLock { $0.isQueued = true }
      if let tag { table.thread.rest(tag, until: end) }
      return min(time, end)
    }
    state.withLock { $0.isQueued = false }
    if wasQueued, let tag { table.thread.endRest(tag) }
    table.wakeNext()
    return nil
  }

  /// Whether nothing more comes.
  private func read(_ now: Int64) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { memory in
      state.withLock { state in
        for _ in 0..<WebConnection.mostReads {
          guard let socket = state.socket else { return true }
          if state.hasEnded { return false }
          let isLingering = state.end != nil
          if !isLingering, let link = state.link, !link.wantsInput || state.outbox.count - state.sent > WebLink.mostWaiting { return false }
          switch socket.read(into: memory) {
          case .nothing: return false
          case .end, .failed: return true
          case .bytes(let count):
            if isLingering {
              state.lingering -= count
              if state.lingering < 0 { return true }
              continue
            }
            let bytes = UnsafeRawBufferPointer(rebasing: memory.prefix(count))
            if state.link == nil, state.media == nil {
              state.media = PassiveArrival(first: bytes[0])
              if state.media == nil { state.link = try? WebLink(certificate, now: now) }
            }
            if let media = state.media {
              guard media.append(bytes) else { return true }
              continue
            }
            guard let link = state.link else { return true }
            link.receive(bytes, now: now)
          }
        }
        return false
      }
    }
  }

  private func takeEvents() {
    while let event = state.withLock({ $0.link?.takeEvent() }) { handle(event) }
  }

  private func handle(_ event: WebLink.Event) {
    switch event {
    case .request(let request): table.handle(request, self)
    case .message(let message):
      if let owner = owner.withLock({ $0 }) { return owner.receive(message) }
      if case .text(let text) = message { table.join(text, self) }
    case .closed: owner.withLock { $0.take() }?.lost(self)
    }
  }

  /// When it is to be driven again; nil: it is done with.
  private func flush(_ now: Int64, isOver: Bool) -> Int64? {
    var rest: UInt64?
    let due: Int64? = state.withLock { state in
      guard let socket = state.socket else { return nil }
      guard let link = state.link else { return .max }
      // What the socket does not take stays with the link, which has a bound for it.
      while state.sent < state.outbox.count || link.takesOutput(&state.outbox) {
        let written = state.outbox.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0.dropFirst(state.sent))) }
        guard let written else { return nil }
        if written > 0 { state.waitsSince = nil }
        state.sent += written
        guard state.sent == state.outbox.count else {
          state.waitsSince = state.waitsSince ?? now
          break
        }
        state.outbox.removeAll(keepingCapacity: state.outbox.capacity <= 65_536)
        (state.sent, state.waitsSince) = (0, nil)
      }
      let isFull = state.sent < state.outbox.count
      if isFull != state.isFull, let tag = state.tag {
        state.isFull = isFull
        table.thread.setFull(isFull, descriptor, of: tag)
      }
      // What the client does not read keeps its requests waiting; and a connection of which nothing more comes stays readable.
      if state.end == nil, state.hasEnded || !link.wantsInput || state.outbox.count - state.sent > WebLink.mostWaiting { rest = state.tag }
      if let since = state.waitsSince, now &- since >= WebConnection.patience { return nil }
      let waitsUntil = state.waitsSince.map { $0 &+ WebConnection.patience } ?? .max
      guard link.isClosed else { return waitsUntil }
      // Who has not come through the handshake reads no last words, and gets no place for them.
      if certificate != nil, state.stage == 0, !link.isOpen { return nil }
      if !isFull, state.end == nil {
        socket.endWriting()
        state.end = now &+ WebConnection.linger
      }
      if let end = state.end { return now >= end || state.hasEnded ? nil : end }
      return isOver ? nil : waitsUntil
    }
    if let rest { table.thread.rest(rest, until: now &+ WebConnection.rest) }
    return due
  }
}
