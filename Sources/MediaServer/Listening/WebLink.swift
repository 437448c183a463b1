import MediaCore
import MediaNetwork
import MediaSignalling
import MediaTLS

/// A connection of a client: TLS, HTTP, and after its opening handshake WebSocket. No socket, no clock: bytes and time go in; bytes,
/// requests and messages come out. Calls come one at a time.
final class WebLink {
  /// Of WebSocket, whole.
  enum Message: Sendable {
    case text(String)
    case bytes([UInt8])
  }

  /// What is said over WebSocket: text by a page, bytes in LiveKit's protocol.
  struct Use {
    let isText: Bool
    /// Bytes of a message of the client's.
    let longest: Int
    /// Bytes of messages that the client has not taken.
    let mostOutput: Int

    static let page = Use(isText: true, longest: PageMessage.longest, mostOutput: 262_144)
    /// A room of many, and its descriptions.
    static let liveKit = Use(isText: false, longest: LiveKitServerSession.longest, mostOutput: 1_048_576)
  }

  enum Event {
    case request(HTTPRequest)
    case message(Message)
    /// Nothing follows, and the connection is to be closed once the output has been sent.
    case closed
  }

  /// Bytes of output that the client has not taken, beyond which nothing is read of it.
  static let mostWaiting = 65_536
  /// Bytes of a request's body.
  static let longestBody = 65_536

  /// Of TLS: what a client may make this end do.
  private var records: WorkAllowance
  private var updates: WorkAllowance
  private let tls: TLSMachine?
  private let http: HTTPServerConnection
  private var webSocket: WebSocketMachine?
  private var isText = true
  private var output: [UInt8] = []
  private var plain: [UInt8] = []
  private var events: [Event] = []
  private(set) var isClosed = false
  /// The other end broke TLS, WebSocket or one of their bounds.
  private(set) var isBroken = false
  /// The client was answered a byte of its handshake.
  private(set) var hasAnswered = false

  /// `certificate`: nil without TLS.
  init(_ certificate: TLSCertificate?, now: Int64) throws(MediaError) {
    tls = try certificate.map { (certificate) throws(MediaError) in try TLSMachine(server: certificate) }
    var limits = HTTPLimits.server
    // A description's, the longest there is.
    limits.body = WebLink.longestBody
    http = HTTPServerConnection(limits: limits, now: now)
    records = WorkAllowance(burst: 5_000, perSecond: 1_000, now: now)
    updates = WorkAllowance(burst: 16, perSecond: 1, now: now)
  }

  /// Messages of a handshake that were answered: each costs time.
  var handshakeMessages: Int { tls?.handshakeMessages ?? 0 }
  /// Its handshake is done.
  var isOpen: Bool { tls.map { $0.state == .open } ?? true }
  /// While this is false, nothing is to be read of the connection.
  var wantsInput: Bool { !isClosed && (webSocket != nil || http.wantsInput) }

  // MARK: In

  /// At most 16,384 bytes at once.
  func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) {
    guard !isClosed else { return }
    guard let tls else { return take(bytes, now) }
    let limits = TLSMachine.Limits(records: records.available(at: now), updates: updates.available(at: now))
    tls.limits = limits
    tls.receive(bytes) { take($0, now) }
    records.charge(limits.records - tls.limits.records, at: now)
    updates.charge(limits.updates - tls.limits.updates, at: now)
    tls.takeOutput(&output)
    hasAnswered = hasAnswered || !output.isEmpty
    switch tls.state {
    case .failed: breakOff()
    case .closed: receiveEnd(now: now)
    default: if tls.excess != nil { breakOff() }
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, _ now: Int64) {
    var rest = bytes
    while !rest.isEmpty, !isClosed {
      let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(16_384))
      if let webSocket { webSocket.receive(piece, now: now) } else { http.receive(piece, now: now) }
      rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
      follow()
    }
  }

  /// The client sends nothing more.
  func receiveEnd(now: Int64) {
    if let webSocket { webSocket.receiveEnd() } else { http.receiveEnd(now: now) }
    follow()
  }

  private func follow() {
    while let event = http.takeEvent() {
      switch event {
      case .request(let request): events.append(.request(request))
      case .closed: end()
      }
    }
    while let event = webSocket?.takeEvent() {
      switch event {
      case .text(let text) where isText: events.append(.message(.text(text)))
      case .binary(let bytes) where !isText: events.append(.message(.bytes(bytes)))
      case .text, .binary: webSocket?.close(WebSocketClose.policy, "accepted: \(isText ? "text" : "bytes")", now: .min)
      // What it sent was no WebSocket, and not only its connection was lost.
      case .closed(let close) where close.error != nil && close.code != WebSocketClose.abnormal: breakOff()
      case .closed: end()
      }
    }
  }

  private func breakOff() {
    isBroken = true
    end()
  }

  private func end() {
    guard !isClosed else { return }
    isClosed = true
    events.append(.closed)
  }

  func takeEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  // MARK: Out

  /// Bytes of messages that wait for `takeOutput`.
  var waiting: Int { webSocket?.waiting ?? 0 }

  /// Answers the request.
  func respond(_ response: HTTPResponse, now: Int64) throws(MediaError) {
    try http.respond(response, now: now)
    follow()
  }

  /// Answers a request for WebSocket.
  func upgrade(_ offer: WebSocketOffer, for use: Use, random: any RandomNumberGenerator, now: Int64) throws(MediaError) {
    let early = try http.upgrade(offer.accepted(nil))
    isText = use.isText
    var limits = WebSocketLimits()
    (limits.message, limits.fragments, limits.output) = (use.longest, 16, use.mostOutput)
    (limits.messageTime, limits.pingInterval, limits.pingTimeout) = (10_000_000_000, 10_000_000_000, 10_000_000_000)
    webSocket = WebSocketMachine(.server, limits: limits, random: random, now: now)
    early.withUnsafeBytes { take($0, now) }
  }

  /// Throws `.full` where the client does not read, `.closed`.
  func send(_ message: Message) throws(MediaError) {
    guard let webSocket else { throw MediaError(.closed, "the connection is closed") }
    switch message {
    case .text(let text): try webSocket.send(text: text)
    case .bytes(let bytes): try webSocket.send(binary: bytes)
    }
  }

  /// Ends WebSocket with a reason, or the connection.
  func close(_ reason: String, now: Int64) {
    guard let webSocket else { return end() }
    webSocket.close(WebSocketClose.goingAway, reason, now: now)
    follow()
  }

  /// As `takeOutput`; whether there was any.
  func takesOutput(_ bytes: inout [UInt8]) -> Bool {
    let count = bytes.count
    takeOutput(&bytes)
    return bytes.count > count
  }

  /// What is to be sent, appended.
  func takeOutput(_ bytes: inout [UInt8]) {
    http.takeOutput(&plain)
    webSocket?.takeOutput(&plain)
    if let tls {
      if !plain.isEmpty { _ = plain.withUnsafeBytes { tls.send($0) } }
      if isClosed { tls.close() }
      tls.takeOutput(&output)
    } else {
      output.append(contentsOf: plain)
    }
    plain.removeAll(keepingCapacity: plain.count <= 16_384)
    bytes.append(contentsOf: output)
    output.removeAll(keepingCapacity: output.count <= 16_384)
  }

  /// Lets time pass. It is called again then; nil: not before something else happens.
  func poll(now: Int64) -> Int64? {
    let next = webSocket.map { $0.poll(now: now) } ?? http.poll(now: now)
    follow()
    return next
  }
}
