import MediaCore

/// One end of a connection of WebSocket (RFC 6455), after its opening handshake (`WebSocketHandshake`, `WebSocketOffer`): messages out of
/// bytes and bytes out of messages. No extension is spoken. No socket, no clock: its driver carries the bytes and calls `poll` in time.
/// Calls come one at a time.
public final class WebSocketMachine {
  /// Clients mask what they send, and servers do not.
  public enum Role: Sendable {
    case client
    case server
  }

  /// What happened.
  public enum Event: Sendable, Equatable {
    /// A whole message of text.
    case text(String)
    /// A whole message of bytes.
    case binary([UInt8])
    /// Nothing follows, and the connection is to be closed once the output has been sent.
    case closed(WebSocketClose)
  }

  private enum State: Equatable {
    case open
    /// This end has said that it closes.
    case closing
    case closed
  }

  private let role: Role
  private let limits: WebSocketLimits
  private var random: any RandomNumberGenerator
  private var state = State.open
  private var output: [UInt8] = []
  /// Those before `eventsTaken` were taken: a piece of the network can hold thousands.
  private var events: [Event] = []
  private var eventsTaken = 0

  // What comes.
  private var head: [UInt8] = []
  private var frame: WebSocketFrame?
  private var control: [UInt8] = []
  private var message: [UInt8] = []
  /// Of the message that is not complete; nil: there is none.
  private var kind: WebSocketFrame.Opcode?
  private var fragments = 0
  private var checker = UTF8Checker()

  // Time.
  private var heard: Int64
  private var pinged: Int64?
  private var messageBegan: Int64?
  private var closeBegan: Int64?
  /// When the pongs that were sent are forgotten; and the ping that waits for that.
  private var pongsUntil: Int64
  private var waitingPing: [UInt8]?

  /// `random`: for masks, which nobody may be able to foresee (RFC 6455, section 10.3). `now` is the time of the handshake's end.
  public init(_ role: Role, limits: WebSocketLimits = WebSocketLimits(), random: any RandomNumberGenerator, now: Int64) {
    (self.role, self.limits, self.random) = (role, limits, random)
    (heard, pongsUntil) = (now, now)
  }

  /// The connection is to be closed once the output has been sent.
  public var isClosed: Bool { state == .closed }

  // MARK: Out

  /// Bytes that were not taken (`takeOutput`).
  public var waiting: Int { output.count }

  /// Throws `.closed` after the end or `close`, `.full` while the output has more bytes than its bound.
  public func send(text: String) throws(MediaError) { try send(.text, Array(text.utf8)) }

  /// Throws as `send(text:)`.
  public func send(binary: [UInt8]) throws(MediaError) { try send(.binary, binary) }

  private func send(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) throws(MediaError) {
    guard state == .open else { throw MediaError(.closed, "a WebSocket message is sent after the end") }
    guard output.count + payload.count <= limits.output else {
      throw MediaError(.full, "\(output.count) bytes of WebSocket wait to be sent, and \(payload.count) come; accepted: \(limits.output)")
    }
    write(opcode, payload)
  }

  /// Says that no message follows; the event `.closed` comes when the other end has answered, or did not in time. A code that may not be
  /// said counts as 1000, and a reason is cut to 123 bytes.
  public func close(_ code: UInt16 = WebSocketClose.normal, _ reason: String = "", now: Int64) {
    guard state == .open else { return }
    writeClose(WebSocketClose.isSayable(code) ? code : WebSocketClose.normal, reason)
    (state, closeBegan) = (.closing, now)
  }

  private func writeClose(_ code: UInt16, _ reason: String) {
    var bytes = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
    for scalar in reason.unicodeScalars {
      let letter = UTF8.encode(scalar).map { Array($0) } ?? []
      guard bytes.count + letter.count <= WebSocketFrame.longestControl else { break }
      bytes += letter
    }
    write(.close, bytes)
  }

  private func write(_ opcode: WebSocketFrame.Opcode, _ payload: [UInt8]) {
    var mask: [UInt8]?
    if role == .client {
      let bits = UInt32(truncatingIfNeeded: random.next())
      mask = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: bits >> $0) }
    }
    WebSocketFrame.write(opcode, payload, mask: mask, to: &output)
  }

  /// What is to be sent, appended.
  public func takeOutput(_ bytes: inout [UInt8]) {
    bytes.append(contentsOf: output)
    output.removeAll(keepingCapacity: output.count <= 65_536)
  }

  // MARK: In

  /// What the connection brought.
  public func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) {
    guard state != .closed, !bytes.isEmpty else { return }
    (heard, pinged) = (now, nil)
    var place = 0
    do throws(WebSocketFailure) {
      while place < bytes.count, state != .closed { try take(bytes, &place, now) }
    } catch {
      if state == .open { writeClose(error.code, error.error.text) }
      return end(WebSocketClose(code: error.code, reason: "", error: error.error))
    }
    let isBegun = !head.isEmpty || frame != nil || kind != nil
    messageBegan = isBegun ? messageBegan ?? now : nil
  }

  /// Nothing more comes.
  public func receiveEnd() {
    let error = MediaError(.closed, "WebSocket: the connection ended without being closed")
    end(WebSocketClose(code: WebSocketClose.abnormal, reason: "", error: state == .closing ? nil : error))
  }

  private func take(_ bytes: UnsafeRawBufferPointer, _ place: inout Int, _ now: Int64) throws(WebSocketFailure) {
    guard var frame = self.frame else {
      head.append(bytes[place])
      place += 1
      if head.count <= 2 { try WebSocketFrame.check(head, isMasked: role == .server) }
      guard head.count == WebSocketFrame.headSize(head), head.count >= 2 else { return }
      let begun = try WebSocketFrame(head, isMasked: role == .server)
      head.removeAll(keepingCapacity: true)
      try begin(begun)
      if begun.length == 0 { try endFrame(begun, now) }
      return
    }
    let count = min(frame.length - frame.taken, bytes.count - place)
    try takePayload(UnsafeRawBufferPointer(rebasing: bytes[place..<(place + count)]), frame)
    place += count
    frame.taken += count
    self.frame = frame
    if frame.taken == frame.length { try endFrame(frame, now) }
  }

  private func begin(_ frame: WebSocketFrame) throws(WebSocketFailure) {
    self.frame = frame
    guard !frame.opcode.isControl else { return }
    guard (frame.opcode == .continuation) == (kind != nil) else {
      throw .malformed(kind == nil ? "a message goes on that was not begun" : "a message begins within another one")
    }
    if kind == nil { (kind, checker, fragments) = (frame.opcode, UTF8Checker(), 0) }
    fragments += 1
    guard fragments <= limits.fragments else { throw .tooLarge("a message has more fragments", limits.fragments) }
    guard frame.length <= limits.message - message.count else {
      throw .tooLarge("a message has more than \(message.count) bytes, and \(frame.length) follow", limits.message)
    }
  }

  private func takePayload(_ bytes: UnsafeRawBufferPointer, _ frame: WebSocketFrame) throws(WebSocketFailure) {
    guard !frame.opcode.isControl else { return append(bytes, frame, to: &control) }
    let start = message.count
    append(bytes, frame, to: &message)
    guard kind == .text, !checker.take(message[start...]) else { return }
    throw .noText("a message of text")
  }

  private func append(_ bytes: UnsafeRawBufferPointer, _ frame: WebSocketFrame, to payload: inout [UInt8]) {
    let start = payload.count
    payload.append(contentsOf: bytes)
    guard let mask = frame.mask else { return }
    for place in 0..<bytes.count { payload[start + place] ^= mask[(frame.taken &+ place) & 3] }
  }

  private func endFrame(_ frame: WebSocketFrame, _ now: Int64) throws(WebSocketFailure) {
    self.frame = nil
    switch frame.opcode {
    case .continuation, .text, .binary: if frame.isFinal { try endMessage() }
    case .ping: answer(control, now)
    case .pong: break
    case .close: try takeClose()
    }
    guard frame.opcode.isControl else { return }
    control.removeAll(keepingCapacity: true)
    if kind == nil { messageBegan = nil }
  }

  private func endMessage() throws(WebSocketFailure) {
    let (bytes, isText) = (message, kind == .text)
    (message, kind, messageBegan) = ([], nil, nil)
    guard !isText || checker.isComplete else { throw .noText("a message of text") }
    // Who has said that nothing follows wants nothing more.
    guard state == .open else { return }
    events.append(isText ? .text(String(decoding: bytes, as: UTF8.self)) : .binary(bytes))
  }

  private func takeClose() throws(WebSocketFailure) {
    guard control.count != 1 else { throw .malformed("a close has one byte") }
    var (code, reason) = (WebSocketClose.nothingSaid, "")
    if control.count >= 2 {
      code = UInt16(control[0]) << 8 | UInt16(control[1])
      guard WebSocketClose.isSayable(code) else { throw .malformed("a close has the code \(code)") }
      guard let text = String(validating: control[2...], as: UTF8.self) else { throw .noText("the reason of a close") }
      reason = text
    }
    if state == .open {
      if code == WebSocketClose.nothingSaid { write(.close, []) } else { writeClose(code, "") }
    }
    end(WebSocketClose(code: code, reason: reason, error: nil))
  }

  /// RFC 6455, section 5.5.3: the latest of several counts.
  private func answer(_ payload: [UInt8], _ now: Int64) {
    guard state == .open else { return }
    let most = Int64(WebSocketLimits.pings) * WebSocketLimits.pingPeriod
    let next = max(pongsUntil, now) &+ WebSocketLimits.pingPeriod
    guard next &- now <= most else {
      waitingPing = payload
      return
    }
    // Who does not read needs no pongs.
    guard output.count <= limits.output else { return }
    (pongsUntil, waitingPing) = (next, nil)
    write(.pong, payload)
  }

  private func end(_ close: WebSocketClose) {
    guard state != .closed else { return }
    state = .closed
    (head, control, message, frame, kind, waitingPing) = ([], [], [], nil, nil, nil)
    events.append(.closed(close))
  }

  /// The next thing that happened; nil: there is none.
  public func takeEvent() -> Event? {
    guard eventsTaken < events.count else {
      (events, eventsTaken) = ([], 0)
      return nil
    }
    eventsTaken += 1
    return events[eventsTaken - 1]
  }

  // MARK: Time

  /// Lets time pass. It is called again then; nil: not before something else happens.
  public func poll(now: Int64) -> Int64? {
    guard state != .closed else { return nil }
    let closes = closeBegan.map { $0 &+ limits.closeTime }
    if let closes, now >= closes { expire("the other end did not answer that this one closes") }
    let messageEnds = messageBegan.map { $0 &+ limits.messageTime }
    if let messageEnds, now >= messageEnds { expire("a message did not come in time") }
    let lost = pinged.map { $0 &+ limits.pingTimeout }
    if let lost, now >= lost { expire("nothing came after a ping") }
    guard state != .closed else { return nil }
    if waitingPing != nil, now >= pongTime, let payload = waitingPing { answer(payload, now) }
    let pings = state == .open && pinged == nil ? limits.pingInterval.map { heard &+ $0 } : nil
    if let pings, now >= pings {
      write(.ping, [])
      pinged = now
      return poll(now: now)
    }
    return [closes, messageEnds, lost, pings, waitingPing == nil ? nil : max(pongTime, now &+ 1)].compactMap { $0 }.min()
  }

  private var pongTime: Int64 { pongsUntil &- Int64(WebSocketLimits.pings - 1) * WebSocketLimits.pingPeriod }

  private func expire(_ what: String) {
    end(WebSocketClose(code: WebSocketClose.abnormal, reason: "", error: MediaError(.timeout, "WebSocket: \(what)")))
  }
}
