import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTLS
import Testing

@testable import MediaServer

/// A connection to the server by hand, on an emulated machine: requests and messages of WebSocket, and what comes of them. All on the thread
/// that moves the clock.
final class WireClient: NetworkDriver, @unchecked Sendable {
  private let host: EmulatedHost
  private var socket: (any StreamConnection)?
  private let tls: TLSMachine?
  private let http = HTTPClientConnection()
  private var webSocket: WebSocketMachine?
  private var outbox: [UInt8] = []
  /// As it goes over the network, from the connection's beginning on.
  private var cipher: [UInt8] = []
  private var tag: UInt64?
  /// Takes nothing that comes, so that the server cannot send.
  var isDeaf = false {
    didSet {
      guard let tag else { return }
      if isDeaf { return host.rest(tag, until: .max) }
      host.endRest(tag)
      host.wake(tag, at: .min)
    }
  }
  private(set) var responses: [HTTPResponse] = []
  private(set) var messages: [String] = []
  private(set) var binaries: [[UInt8]] = []
  /// In the clear, if nothing else reads it.
  private(set) var hasEnded = false
  /// Its handshake is done.
  var isOpen: Bool { tls?.state == .open }
  var last: HTTPResponse? { responses.last }

  /// nil for the fingerprint: without TLS.
  init(to address: SocketAddress, fingerprint: String?, from host: EmulatedHost) throws {
    self.host = host
    tls = try fingerprint.map { try TLSMachine(client: .fingerprint(TLSFingerprint($0, argument: "fingerprint"))) }
    socket = try host.connect(to: address)
    if let descriptor = socket?.descriptor { tag = try host.add(self, [descriptor]) }
  }

  func close() {
    if let tag { host.remove(tag) }
    (socket, tag) = (nil, nil)
  }

  func send(_ request: HTTPRequest) throws {
    try http.send(request, now: host.clock.now())
    flush()
  }

  func get(_ path: String, _ fields: HTTPFields = [:], method: String = "GET", body: [UInt8] = []) throws {
    var all: HTTPFields = ["Host": "server"]
    for field in fields.list { all.append(field.name, field.value) }
    try send(HTTPRequest(method, path, all, body: body))
  }

  func openWebSocket(_ path: String, token: String? = nil) throws {
    var random = SystemRandomNumberGenerator()
    var request = WebSocketHandshake(host: "server", target: path, random: &random).request
    if let token { request.fields.append("Authorization", "Bearer \(token)") }
    try send(request)
  }

  func say(_ text: String) throws {
    try webSocket?.send(text: text)
    flush()
  }

  func say(_ bytes: [UInt8]) throws {
    try webSocket?.send(binary: bytes)
    flush()
  }

  /// Bytes as they stand.
  func write(_ bytes: [UInt8]) {
    outbox += bytes
    flush()
  }

  func has(_ words: String...) -> Bool { messages.contains { message in words.allSatisfy { message.contains($0) } } }

  /// A text of a message with those words, by its name.
  func value(_ name: String, in words: String) -> String? {
    guard let message = messages.first(where: { $0.contains(words) }), let begin = message.firstRange(of: "\"\(name)\": \"") else {
      return nil
    }
    return String(message[begin.upperBound...].prefix { $0 != "\"" })
  }

  func drive(isReadable: Bool) -> Int64 {
    guard !isDeaf else { return .max }
    var memory = [UInt8](repeating: 0, count: 16_384)
    reading: while let socket {
      switch memory.withUnsafeMutableBytes({ socket.read(into: $0) }) {
      case .bytes(let count): memory[..<count].withUnsafeBytes { receive($0) }
      case .nothing: break reading
      case .end, .failed:
        hasEnded = true
        break reading
      }
    }
    // A connection that has ended stays readable.
    if hasEnded { close() }
    flush()
    return host.clock.now() + 5 * millisecond
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    guard let tls else { return take(bytes) }
    tls.receive(bytes) { take($0) }
    if tls.state == .closed { hasEnded = true }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) {
    let now = host.clock.now()
    if let webSocket { webSocket.receive(bytes, now: now) } else { http.receive(bytes, now: now) }
    while let event = http.takeEvent() {
      switch event {
      case .response(let response): responses.append(response)
      case .upgraded(let response, let rest):
        responses.append(response)
        let machine = WebSocketMachine(.client, random: SystemRandomNumberGenerator(), now: now)
        webSocket = machine
        rest.withUnsafeBytes { machine.receive($0, now: now) }
      case .failed, .closed: break
      }
    }
    while let event = webSocket?.takeEvent() {
      switch event {
      case .text(let text): messages.append(text)
      case .binary(let bytes): binaries.append(bytes)
      case .closed: break
      }
    }
  }

  private func flush() {
    var plain: [UInt8] = []
    http.takeOutput(&plain)
    webSocket?.takeOutput(&plain)
    outbox += plain
    if let tls {
      if tls.state == .open {
        _ = outbox.withUnsafeBytes { tls.send($0) }
        outbox = []
      }
      tls.takeOutput(&cipher)
    } else {
      cipher += outbox
      outbox = []
    }
    guard let socket, socket.connecting == .done else { return }
    cipher.removeFirst(cipher.withUnsafeBytes { socket.write($0) } ?? cipher.count)
  }
}
