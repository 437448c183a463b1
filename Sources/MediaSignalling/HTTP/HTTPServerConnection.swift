import MediaCore

/// The server's end of a connection of HTTP/1.1 (RFC 9110, RFC 9112): requests of a stranger, handed out one at a time, and the answers to
/// them. What is wrong it answers itself, and ends the connection. No socket, no clock: its driver carries the bytes and calls `poll` in
/// time. Calls come one at a time.
public final class HTTPServerConnection {
  /// What happened.
  public enum Event: Sendable, Equatable {
    /// To be answered by `respond` or `upgrade`; until then there is no other.
    case request(HTTPRequest)
    /// No request follows, and the connection is to be closed once the output has been sent. nil: as was agreed on.
    case closed(MediaError?)
  }

  private enum State {
    case reading, answering, upgraded, closed
  }

  private let limits: HTTPLimits
  private var reader: HTTPReader
  private var state = State.reading
  private var output: [UInt8] = []
  private var events: [Event] = []
  private var deadline: Int64?
  /// Came before the request before it was answered, from `waitingStart` on.
  private var waiting: [UInt8] = []
  private var waitingStart = 0
  private var hasEnded = false
  private var requests = 0
  /// Of the request that is answered.
  private var method = "GET"
  private var closes = false
  /// Of the request that comes, the head is there.
  private var isInBody = false

  /// Of a connection that was accepted.
  public init(limits: HTTPLimits = .server, now: Int64) {
    self.limits = limits
    reader = HTTPReader(.request, limits)
    deadline = now &+ limits.headTime
  }

  /// The connection is to be closed once the output has been sent.
  public var isClosed: Bool { state == .closed }

  /// While this is false, nothing is to be read of the connection.
  public var wantsInput: Bool {
    state == .reading || state == .upgraded || (state == .answering && waiting.count - waitingStart < HTTPLimits.waiting / 4)
  }

  /// What the connection brought, at most 16,384 bytes at once.
  public func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) {
    switch state {
    case .reading:
      var place = 0
      advance(bytes, &place, now)
      if state == .answering { keep(UnsafeRawBufferPointer(rebasing: bytes[place...])) }
    case .answering: keep(bytes)
    case .upgraded, .closed: return
    }
  }

  /// The client sends nothing more; what it asked for is still answered.
  public func receiveEnd(now: Int64) {
    hasEnded = true
    guard state == .reading else { return }
    // A client that has gone hears no answer.
    close(reader.isBegun ? MediaError(.closed, "HTTP: the connection ended within a request") : nil)
  }

  /// Answers the request. Content-Length follows from the body. Throws `.invalid` for what cannot be written, `.state` without a request.
  public func respond(_ response: HTTPResponse, now: Int64) throws(MediaError) {
    guard state == .answering else { throw MediaError(.state, "an HTTP response is sent without a request") }
    guard response.status >= 200 else {
      throw MediaError(.invalid, "an HTTP response has the status \(response.status); accepted: 200..599")
    }
    let isLast = closes || requests >= limits.requests || response.fields.has("close", in: "Connection")
    try HTTPWriter.write(response, to: method, closes: isLast, to: &output)
    guard !isLast else { return close(nil) }
    (state, deadline) = (.reading, now &+ limits.idleTime)
    let rest = waiting
    var place = waitingStart
    rest.withUnsafeBytes { advance($0, &place, now) }
    waitingStart = place
    if state != .answering { dropWaiting() }
    if hasEnded, state == .reading { receiveEnd(now: now) }
  }

  /// Answers with 101: what comes from now on is no HTTP. Returns what came already. Throws as `respond` does.
  public func upgrade(_ response: HTTPResponse) throws(MediaError) -> [UInt8] {
    guard state == .answering else { throw MediaError(.state, "an HTTP response is sent without a request") }
    guard response.status == 101 else { throw MediaError(.invalid, "an upgrade has the status \(response.status); accepted: 101") }
    try HTTPWriter.write(response, to: method, closes: false, to: &output)
    (state, deadline) = (.upgraded, nil)
    defer { dropWaiting() }
    return Array(waiting[waitingStart...])
  }

  private func dropWaiting() { (waiting, waitingStart) = ([], 0) }

  private func keep(_ bytes: UnsafeRawBufferPointer) {
    guard waiting.count - waitingStart + bytes.count <= HTTPLimits.waiting else {
      return close(MediaError(.limit, "HTTP: more than \(HTTPLimits.waiting) bytes came before a request was answered"))
    }
    // What was read goes when it is half of all, so that each byte is moved once.
    if waitingStart > waiting.count / 2 {
      waiting.removeFirst(waitingStart)
      waitingStart = 0
    }
    waiting.append(contentsOf: bytes)
  }

  private func advance(_ bytes: UnsafeRawBufferPointer, _ place: inout Int, _ now: Int64) {
    let wasBegun = reader.isBegun
    do throws(HTTPRefusal) {
      while state == .reading, let event = try reader.read(bytes, &place) {
        switch event {
        case .head: try takeHead(now)
        case .end: takeEnd()
        }
      }
    } catch {
      return refuse(error)
    }
    // From the first byte on, however slowly the others come. The first request has this time since the connection began.
    if state == .reading, !wasBegun, reader.isBegun, requests > 0, !isInBody { deadline = now &+ limits.headTime }
  }

  private func takeHead(_ now: Int64) throws(HTTPRefusal) {
    guard case .request(_, _, let minor) = reader.start else { return }
    (isInBody, deadline) = (true, now &+ limits.bodyTime)
    let expected = reader.fields.elements("Expect")
    guard minor > 0, !expected.isEmpty else { return }
    guard expected.count == 1, HTTPText.equal(expected[0], "100-continue") else {
      throw .unsupported(417, "Expect is \"\(expected.joined(separator: ", ").prefix(64))\"; accepted: 100-continue")
    }
    if reader.framing != .none { output.append(contentsOf: "HTTP/1.1 100 Continue\r\n\r\n".utf8) }
  }

  private func takeEnd() {
    guard case .request(let method, let target, let minor) = reader.start else { return }
    requests += 1
    closes = minor == 0 || reader.fields.has("close", in: "Connection")
    var fields = reader.fields
    // RFC 9110, section 7.8.
    if minor == 0 { fields.remove("Upgrade") }
    events.append(.request(HTTPRequest(method, target, fields, body: reader.body)))
    self.method = method
    reader.reset()
    (state, deadline, isInBody) = (.answering, nil, false)
  }

  private func refuse(_ refusal: HTTPRefusal) {
    let response = HTTPResponse(refusal.status, text: refusal.error.text)
    try? HTTPWriter.write(response, to: "GET", closes: true, to: &output)
    close(refusal.error)
  }

  private func close(_ error: MediaError?) {
    guard state != .closed else { return }
    (state, deadline) = (.closed, nil)
    dropWaiting()
    events.append(.closed(error))
  }

  /// What is to be sent, appended. What the client does not read, the driver keeps: until it is sent, it gives no bytes to `receive`.
  public func takeOutput(_ bytes: inout [UInt8]) {
    bytes.append(contentsOf: output)
    output.removeAll(keepingCapacity: bytes.count <= 65_536)
  }

  /// The next thing that happened; nil: there is none.
  public func takeEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  /// Lets time pass. It is called again then; nil: not before something else happens.
  public func poll(now: Int64) -> Int64? {
    guard let deadline, now >= deadline else { return deadline }
    if reader.isBegun {
      refuse(HTTPRefusal(status: 408, error: MediaError(.timeout, "HTTP: the request did not come in time")))
    } else {
      close(requests == 0 ? MediaError(.timeout, "HTTP: no request came") : nil)
    }
    return nil
  }
}
