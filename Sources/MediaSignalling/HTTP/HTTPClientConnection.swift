import MediaCore

/// The client's end of a connection of HTTP/1.1 (RFC 9110, RFC 9112): requests, one after the other, and their responses. No socket, no
/// clock: its driver opens the connection, carries the bytes, with TLS between if the URL says so, and calls `poll` in time. Calls come one
/// at a time.
public final class HTTPClientConnection {
  /// What happened.
  public enum Event: Sendable, Equatable {
    /// To the request that was sent.
    case response(HTTPResponse)
    /// What follows is no HTTP any more (101, or 2xx to CONNECT). `rest` came already.
    case upgraded(HTTPResponse, rest: [UInt8])
    /// There is no response, and the connection is of no more use. `isUnanswered`: no byte of a response came; when the connection had been
    /// idle before, the server may have closed it then, and a request that may be repeated can be sent over another one.
    case failed(MediaError, isUnanswered: Bool)
    /// No more can be sent, and nothing is lost.
    case closed
  }

  private enum State {
    case idle, waiting, upgraded, closed
  }

  private let limits: HTTPLimits
  private var reader: HTTPReader
  private var state = State.idle
  private var output: [UInt8] = []
  private var events: [Event] = []
  private var deadline: Int64?
  private var informational = 0
  /// The request said that it is the last.
  private var isLast = false

  /// Of a connection that is open, or will be.
  public init(limits: HTTPLimits = .client) {
    self.limits = limits
    reader = HTTPReader(.response, limits)
  }

  /// A request can be sent.
  public var canSend: Bool { state == .idle }

  /// The connection is to be closed once the output has been sent.
  public var isClosed: Bool { state == .closed }

  /// One request; the next follows when its response is there. Throws `.invalid` for one that cannot be written, `.state` unless `canSend`.
  public func send(_ request: HTTPRequest, now: Int64) throws(MediaError) {
    guard state == .idle else { throw MediaError(.state, "an HTTP request is sent before the last response came, or after the end") }
    try HTTPWriter.write(request, to: &output)
    reader.method = request.method
    (informational, isLast) = (0, request.fields.has("close", in: "Connection"))
    (state, deadline) = (.waiting, now &+ limits.headTime)
  }

  /// What the connection brought.
  public func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) {
    guard state == .waiting || state == .idle, !bytes.isEmpty else { return }
    guard state == .waiting else { return fail(MediaError(.corrupt, "HTTP: bytes came that no request asked for")) }
    var place = 0
    do throws(HTTPRefusal) {
      while state == .waiting, let event = try reader.read(bytes, &place) {
        switch event {
        case .head: try takeHead(now)
        case .end: takeEnd(bytes, place)
        }
      }
    } catch {
      fail(error.error)
    }
    if state == .idle, place < bytes.count { fail(MediaError(.corrupt, "HTTP: bytes came that no request asked for")) }
  }

  /// Nothing more comes. `isClean`: the server says so, in TLS too; otherwise a body that would end with the connection is not whole (RFC
  /// 9112, section 9.8).
  public func receiveEnd(isClean: Bool = true) {
    switch state {
    case .idle: close()
    case .waiting:
      do throws(HTTPRefusal) {
        guard try reader.end(isClean: isClean) != nil else {
          return fail(MediaError(.closed, "HTTP: the server closed the connection and did not answer"))
        }
        takeEnd(UnsafeRawBufferPointer(start: nil, count: 0), 0)
        close()
      } catch {
        fail(error.error)
      }
    case .upgraded, .closed: return
    }
  }

  private func takeHead(_ now: Int64) throws(HTTPRefusal) {
    guard case .status(let status, _, _) = reader.start else { return }
    guard status >= 200 || status == 101 else {
      informational += 1
      guard informational <= HTTPLimits.informational else {
        throw .tooLarge(400, "there are more responses 1xx to one request", HTTPLimits.informational)
      }
      return
    }
    deadline = now &+ limits.bodyTime
  }

  private func takeEnd(_ bytes: UnsafeRawBufferPointer, _ place: Int) {
    guard case .status(let status, let reason, let minor) = reader.start else { return }
    let response = HTTPResponse(status, reason: reason, reader.fields, body: reader.body)
    let (method, framing) = (reader.method, reader.framing)
    reader.reset()
    reader.method = method
    if status == 101 || (method == "CONNECT" && (200...299).contains(status)) {
      (state, deadline) = (.upgraded, nil)
      return events.append(.upgraded(response, rest: Array(bytes[place...])))
    }
    guard status >= 200 else { return }
    (state, deadline) = (.idle, nil)
    events.append(.response(response))
    // Both is an error of the server's (RFC 9112, section 6.3), and where the next response begins is not sure.
    let isAmbiguous = framing == .chunked && response.fields["Content-Length"] != nil
    if isLast || minor == 0 || framing == .untilEnd || isAmbiguous || response.fields.has("close", in: "Connection") { close() }
  }

  private func close() {
    guard state != .closed else { return }
    (state, deadline) = (.closed, nil)
    events.append(.closed)
  }

  private func fail(_ error: MediaError) {
    let isUnanswered = !reader.isBegun && informational == 0
    (state, deadline) = (.closed, nil)
    events.append(.failed(error, isUnanswered: isUnanswered))
  }

  /// What is to be sent, appended.
  public func takeOutput(_ bytes: inout [UInt8]) {
    bytes.append(contentsOf: output)
    output.removeAll(keepingCapacity: bytes.count <= 65_536)
  }

  /// The next thing that happened; nil: there is none.
  public func takeEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  /// Lets time pass. It is called again then; nil: not before something else happens.
  public func poll(now: Int64) -> Int64? {
    guard let deadline, now >= deadline else { return deadline }
    fail(MediaError(.timeout, "HTTP: the response did not come in time"))
    return nil
  }
}
