import MediaCore
import MediaNetwork
import MediaRTP
import MediaTLS

/// Messages over one connection of TLS, without a socket: bytes of the network and time in and out, messages in and out. A message is its length in
/// two bytes, its type, its body. Calls come one at a time; what fails stays failed, with words.
final class HubConnection {
  static let keepAlive: Int64 = 5_000_000_000
  static let silence: Int64 = 15_000_000_000
  /// Bytes that the other end has not taken: what is kept for it goes out only as it takes what came before (`ReliableOutbox.say`).
  static let mostWaiting = 256 << 10
  private static let mostSent = 32_768
  private static let messagesPerSecond: Double = 200
  /// A connection that brings more pieces, or more changes for others, is looked at again after a while: it may wait, and others need not.
  private static let rest: Int64 = 20_000_000

  private let tls: TLSMachine
  /// What the other end may cause: messages; records, those of handshakes included, whatever is in them; changes of its keys. More ends it.
  private var messages: WorkAllowance
  private var records: WorkAllowance
  private var updates: WorkAllowance
  /// Pieces in which its bytes come, and messages that change something for others. More has to wait.
  private var pieces: WorkAllowance
  private var changes: WorkAllowance
  private let isLimited: Bool
  /// A message waits in the inbox until one more change is allowed.
  private(set) var isHeld = false
  private var inbox: [UInt8] = []
  private var taken = 0
  /// What is to be sent, and how much of it was.
  private var outbox: [UInt8] = []
  private var sent = 0
  private(set) var lastHeard: Int64
  private(set) var lastSaid: Int64
  private(set) var failure: MediaError?
  private var ending: MediaError?

  /// `isLimited`: the other end may not say more than so much.
  init(_ tls: TLSMachine, isLimited: Bool, now: Int64) {
    (self.tls, self.isLimited) = (tls, isLimited)
    (lastHeard, lastSaid) = (now, now)
    messages = WorkAllowance(burst: 1000, perSecond: HubConnection.messagesPerSecond, now: now)
    records = WorkAllowance(burst: 5000, perSecond: 1000, now: now)
    updates = WorkAllowance(burst: 16, perSecond: 1, now: now)
    pieces = WorkAllowance(burst: 500, perSecond: 250, now: now)
    changes = WorkAllowance(burst: 500, perSecond: 100, now: now)
    tls.takeOutput(&outbox)
  }

  /// Whether the handshake got an answer.
  private(set) var hasAnswered = false
  /// Of the other end, those after the handshake included.
  var handshakeMessages: Int { tls.handshakeMessages }
  /// Whether a word can reach the other end.
  var canSay: Bool { tls.state == .open }
  var isOpen: Bool { tls.state == .open && failure == nil }

  func fail(_ error: MediaError) {
    failure = failure ?? error
  }

  /// Nothing more comes; what came before is heard first.
  func end(_ error: MediaError) {
    ending = ending ?? error
    if !hasMessage { fail(error) }
  }

  // MARK: In

  func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) {
    guard failure == nil else { return }
    lastHeard = now
    forgetTaken()
    let limits = TLSMachine.Limits(records: isLimited ? records.available(at: now) : .max, updates: updates.available(at: now))
    tls.limits = limits
    tls.receive(bytes) { inbox.append(contentsOf: $0) }
    pieces.charge(1, at: now)
    records.charge(isLimited ? limits.records - tls.limits.records : 0, at: now)
    updates.charge(limits.updates - tls.limits.updates, at: now)
    tls.takeOutput(&outbox)
    hasAnswered = hasAnswered || !outbox.isEmpty
    if let excess = tls.excess { fail(excess) }
    switch tls.state {
    case .failed(let error): fail(error)
    case .closed: end(MediaError(.closed, "the peer closed the connection"))
    default: break
    }
    // Whoever drives it takes what has come before more comes.
    if inbox.count > HubWire.longest * 4 { fail(MediaError(.limit, "more bytes arrived than a connection may hold: \(inbox.count)")) }
  }

  private func forgetTaken() {
    guard taken > 0 else { return }
    // What a burst took is given back.
    if taken == inbox.count { inbox.removeAll(keepingCapacity: inbox.capacity <= 16_384) } else { inbox.removeFirst(taken) }
    taken = 0
  }

  /// Until when what comes is not looked at; nil: it is. While it is not, nobody can be said to be silent.
  func rest(now: Int64) -> Int64? {
    guard isLimited, failure == nil, isHeld || pieces.available(at: now) == 0 else { return nil }
    lastHeard = now
    return now &+ HubConnection.rest
  }

  private var nextSize: Int? {
    inbox.count - taken >= 2 ? Int(inbox[taken]) << 8 | Int(inbox[taken + 1]) : nil
  }

  private var hasMessage: Bool { nextSize.map { inbox.count - taken >= 2 + $0 } ?? false }

  /// The next message, type first; nil when none is whole.
  func next(now: Int64) -> [UInt8]? {
    guard failure == nil else { return nil }
    guard let size = nextSize, hasMessage else {
      if let ending { fail(ending) }
      return nil
    }
    guard size > 0 else {
      fail(MediaError(.corrupt, "the peer sent an empty message"))
      return nil
    }
    if isLimited, inbox[taken + 2] >= HubWire.firstCounted {
      isHeld = !changes.take(at: now)
      if isHeld { return nil }
      // What is long is passed on to all, too.
      changes.charge(size / HubWire.pieceOfChange, at: now)
    }
    guard !isLimited || messages.take(at: now) else {
      fail(MediaError(.limit, "more than \(Int(HubConnection.messagesPerSecond)) messages a second arrived"))
      return nil
    }
    defer {
      taken += 2 + size
      if taken == inbox.count { forgetTaken() }
    }
    return Array(inbox[taken + 2..<taken + 2 + size])
  }

  // MARK: Out

  /// A message as it is kept: with its length before it, in memory of its size. Cut by nothing: writers keep to their bounds.
  static func frame(_ write: (inout PacketWriter) -> Void) -> [UInt8] {
    withUnsafeTemporaryAllocation(byteCount: HubWire.longest + 2, alignment: 16) { memory in
      var writer = PacketWriter(memory)
      writer.u16(0)
      write(&writer)
      writer.u16(UInt16(clamping: writer.count - 2), at: 0)
      return Array(writer.bytes)
    }
  }

  func send(_ frame: [UInt8], now: Int64) {
    guard isOpen else { return }
    lastSaid = now
    _ = frame.withUnsafeBytes { tls.send($0) }
    tls.takeOutput(&outbox)
    if waiting > HubConnection.mostWaiting {
      fail(MediaError(.limit, "the peer does not read its messages: \(waiting) bytes are queued"))
    }
  }

  /// The last word, whatever failed, and that nothing more comes.
  func close(saying frame: [UInt8]? = nil) {
    if let frame { _ = frame.withUnsafeBytes { tls.send($0) } }
    tls.close()
    tls.takeOutput(&outbox)
  }

  /// Bytes of memory that are held for what came and what is to be sent.
  var memory: Int { inbox.capacity + outbox.capacity }
  /// Bytes that are to be sent.
  var waiting: Int { outbox.count - sent }
  var isWaiting: Bool { waiting > 0 }

  /// Offers what is to be sent; `body` says how much of it went.
  func flush(_ body: (UnsafeRawBufferPointer) -> Int?) {
    guard isWaiting else { return }
    guard let count = outbox.withUnsafeBytes({ body(UnsafeRawBufferPointer(rebasing: $0.dropFirst(sent))) }) else {
      return fail(MediaError(.io, "the connection failed"))
    }
    sent += max(0, count)
    guard sent >= outbox.count else {
      // Where something always waits, what was sent must go, too.
      guard sent > HubConnection.mostSent else { return }
      outbox.removeFirst(sent)
      sent = 0
      return
    }
    outbox.removeAll(keepingCapacity: outbox.count < 65_536)
    sent = 0
  }

  // MARK: Time

  /// Whether it is time to say something only to be heard.
  func isSilent(now: Int64) -> Bool { now &- lastSaid >= HubConnection.keepAlive }

  /// When it has to be looked at again. Who may not say anything yet is waited for.
  func deadline(now: Int64) -> Int64 {
    guard failure == nil else { return .min }
    if now &- lastHeard >= HubConnection.silence {
      fail(MediaError(.timeout, "nothing was received for \(HubConnection.silence / 1_000_000_000) s"))
      return .min
    }
    let keepAlive = lastSaid &+ HubConnection.keepAlive
    return min(lastHeard &+ HubConnection.silence, keepAlive > now ? keepAlive : .max)
  }
}
