import MediaCore
import MediaTransport

/// Methods of participants that others call (rpc.h).
extension Session {
  /// Calls a method of another participant and returns at once: the number by which `readCall` reports the result. `timeout`, in milliseconds,
  /// is the time to respond. Throws `.invalid` and `.range` for what cannot be sent, `.again` when too many are under way; else as `send`.
  public func call(_ method: String, of userID: String, _ payload: String, timeout: UInt32 = 15_000) throws(MediaError) -> UInt64 {
    try require(.data, "remote procedure calls")
    try Session.check(method: method)
    try Session.check(payload: payload)
    guard RemoteCalls.timeouts.contains(timeout) else {
      let accepted = "\(RemoteCalls.timeouts.lowerBound)..\(RemoteCalls.timeouts.upperBound)"
      throw MediaError(.range, "timeout_ms is \(timeout); accepted: \(accepted)")
    }
    let id = Session.makeId()
    let now = engine.clock.now()
    // Before it is sent: the response may come at once.
    let number = try calls.withLock { calls throws(MediaError) in
      try calls.begin(id, to: userID, timeout: Int64(timeout) * 1_000_000, now: now)
    }
    do throws(MediaError) {
      try send(.request(id: id, method: method, timeout: timeout, version: RemoteCalls.version), Array(payload.utf8), to: userID)
    } catch {
      // The session may have left meanwhile, and that is the result.
      if calls.withLock({ $0.cancel(id) }) { throw error }
    }
    followCalls()
    return number
  }

  /// Others may call that method from now on, in every room that the session joins. Throws `.invalid`, `.exists` and `.limit`.
  public func register(method: String) throws(MediaError) {
    try require(.data, "remote procedure calls")
    try Session.check(method: method)
    try calls.withLock { calls throws(MediaError) in try calls.register(method) }
  }

  /// Calls of that method fail from now on; requests that have come can be responded to. Throws `.notFound`.
  public func unregister(method: String) throws(MediaError) {
    try require(.data, "remote procedure calls")
    try calls.withLock { calls throws(MediaError) in try calls.unregister(method) }
  }

  /// What the method returns to whoever called it. Throws `.notFound` when nobody waits for it; else as `send`: after `.again` it can be tried
  /// once more.
  public func respond(to call: UInt64, _ payload: String) throws(MediaError) {
    try Session.check(payload: payload)
    try end(call, Array(payload.utf8)) { .response(id: $0) }
  }

  /// The method does not succeed, for a reason that has a number and a text of the program. Throws as `respond`.
  public func fail(call: UInt64, code: UInt32, text: String, _ payload: String = "") throws(MediaError) {
    guard text.utf8.count <= RemoteCalls.longestText else {
      throw MediaError(.invalid, "text has \(text.utf8.count) bytes; accepted: up to \(RemoteCalls.longestText)")
    }
    try Session.check(payload: payload)
    try end(call, Array(payload.utf8)) { .failure(id: $0, code: code, text: text) }
  }

  /// The oldest request or result that has come, which is taken if its payload has no more bytes than that; nil: there is none, and
  /// `.callAvailable` comes when there is.
  public func readCall(upTo most: Int = .max) throws(MediaError) -> (message: RemoteCallMessage, isTaken: Bool)? {
    try require(.data, "remote procedure calls")
    return calls.withLock { $0.read(upTo: most) }
  }

  // MARK: The room

  func take(_ part: RemoteCallPart, _ payload: [UInt8], from userID: String) {
    let now = engine.clock.now()
    let (replies, isNews) = calls.withLock { $0.take(part, payload, from: userID, now: now) }
    // What finds no room is missed, and the caller's time runs out.
    for reply in replies { try? send(reply.part, reply.payload, to: userID) }
    if isNews { push(.callAvailable) }
    followCalls()
  }

  func endCalls(with userID: String) {
    if calls.withLock({ $0.left(userID) }) { push(.callAvailable) }
  }

  func endCalls() {
    if calls.withLock({ $0.leave() }) { push(.callAvailable) }
  }

  private func followCalls() {
    guard let due = calls.withLock({ $0.schedule() }) else { return }
    engine.loop.schedule(at: due) { [weak self] in
      guard let self else { return }
      let now = engine.clock.now()
      if calls.withLock({ $0.expire(now: now) }) { push(.callAvailable) }
      followCalls()
    }
  }

  // MARK: Sending

  private func send(_ part: RemoteCallPart, _ payload: [UInt8], to userID: String) throws(MediaError) {
    var message = DataMessage(payload)
    (message.recipients, message.content) = ([userID], .call(part))
    try send(message)
  }

  private func end(_ call: UInt64, _ payload: [UInt8], _ make: (_ id: String) -> RemoteCallPart) throws(MediaError) {
    try require(.data, "remote procedure calls")
    let request = try calls.withLock { calls throws(MediaError) in try calls.request(call) }
    try send(make(request.id), payload, to: request.userID)
    calls.withLock { $0.end(call) }
  }

  /// Of a call or of a stream of data: nobody else's, whoever sends to the other end.
  static func makeId() -> String {
    "\(String(UInt64.random(in: .min ... .max), radix: 36))-\(String(UInt64.random(in: .min ... .max), radix: 36))"
  }

  private static func check(method: String) throws(MediaError) {
    guard (1...RemoteCalls.longestMethod).contains(method.utf8.count) else {
      throw MediaError(.invalid, "method has \(method.utf8.count) bytes; accepted: 1..\(RemoteCalls.longestMethod)")
    }
  }

  private static func check(payload: String) throws(MediaError) {
    guard payload.utf8.count <= DataMessage.longest else {
      throw MediaError(.invalid, "payload has \(payload.utf8.count) bytes; accepted: up to \(DataMessage.longest)")
    }
  }
}
