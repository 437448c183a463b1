import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime

@testable import MediaSignalling
@testable import MediaTLS

/// A server of HTTP on an emulated machine, at port 80 and over TLS at 443, that answers as a test says.
final class EmulatedWebServer: NetworkDriver, @unchecked Sendable {
  enum Reply {
    case response(HTTPResponse)
    /// As they stand; then, if so, the connection ends.
    case bytes(String, closes: Bool)
    case nothing
    case later
    /// WebSocket from now on, with that subprotocol.
    case upgrade(WebSocketOffer, String?)
  }

  final class Connection: @unchecked Sendable {
    let socket: any StreamConnection
    let tls: TLSMachine?
    let http: HTTPServerConnection
    var outbox: [UInt8] = []
    var closes = false
    /// After an upgrade.
    var socketMachine: WebSocketMachine?
    /// Nanoseconds of a piece of the outbox; 0: all at once.
    var pieceDue: Int64 = 0

    init(_ socket: any StreamConnection, _ tls: TLSMachine?, _ now: Int64) {
      (self.socket, self.tls) = (socket, tls)
      http = HTTPServerConnection(now: now)
    }

    func take(_ bytes: UnsafeRawBufferPointer, _ now: Int64) {
      if let socketMachine { socketMachine.receive(bytes, now: now) } else { http.receive(bytes, now: now) }
    }
  }

  let host: EmulatedHost
  let address: String
  let certificate: TLSCertificate
  /// What it does with a request; `later`: `respond` is called on the connection.
  var answer: (HTTPRequest, Connection) -> Reply = { _, _ in .nothing }
  /// Of WebSocket.
  var receiveText: (String, Connection) -> Void = { _, _ in }
  var receiveBinary: ([UInt8], Connection) -> Void = { _, _ in }
  /// Whether a connection over TLS that it closes ends as TLS has it.
  var saysGoodbye = true
  private(set) var requests: [HTTPRequest] = []
  private(set) var accepted = 0
  private var listeners: [any StreamPort] = []
  private var connections: [Connection] = []
  var connectionCount: Int { connections.count }

  init(_ network: EmulatedNetwork, _ address: String) throws {
    host = try network.addHost(address)
    self.address = address
    certificate = try TLSCertificate.make(name: "server")
    try open()
    _ = try host.add(self, [])
  }

  func open() throws {
    for port in [80, 443] as [UInt16] {
      guard let place = SocketAddress(address, port: port) else { throw MediaError(.invalid, address) }
      listeners.append(try host.listen(at: place))
    }
  }

  /// Its process ends: connections break, and none are accepted.
  func stop() { (listeners, connections) = ([], []) }
  func closeConnections() { connections = [] }

  func respond(_ response: HTTPResponse, on connection: Connection) {
    try? connection.http.respond(response, now: host.clock.now())
    flush(connection)
  }

  func send(text: String, on connection: Connection) {
    try? connection.socketMachine?.send(text: text)
    flush(connection)
  }

  func send(binary: [UInt8], on connection: Connection) {
    try? connection.socketMachine?.send(binary: binary)
    flush(connection)
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = host.clock.now()
    for (place, listener) in listeners.enumerated() {
      while case .stranger(let socket) = listener.accept() {
        accepted += 1
        connections.append(Connection(socket, place == 1 ? try? TLSMachine(server: certificate) : nil, now))
      }
    }
    for connection in connections where !read(connection, now) { connections.removeAll { $0 === connection } }
    return now + 1_000_000
  }

  private func read(_ connection: Connection, _ now: Int64) -> Bool {
    var memory = [UInt8](repeating: 0, count: 16_384)
    loop: while true {
      switch memory.withUnsafeMutableBytes({ connection.socket.read(into: $0) }) {
      case .bytes(let count):
        memory[..<count].withUnsafeBytes { bytes in
          if let tls = connection.tls {
            tls.receive(bytes) { connection.take($0, now) }
            var out: [UInt8] = []
            tls.takeOutput(&out)
            _ = out.withUnsafeBytes { connection.socket.write($0) }
          } else {
            connection.take(bytes, now)
          }
        }
      case .nothing: break loop
      case .end, .failed: return false
      }
    }
    while let event = connection.http.takeEvent() {
      guard case .request(let request) = event else { continue }
      requests.append(request)
      switch answer(request, connection) {
      case .response(let response): try? connection.http.respond(response, now: now)
      case .bytes(let text, let closes):
        connection.outbox += Array(text.utf8)
        connection.closes = closes
      case .upgrade(let offer, let chosen):
        connection.socketMachine = WebSocketMachine(.server, random: SeededRandom(seed: 3), now: now)
        _ = try? connection.http.upgrade(offer.accepted(chosen))
      case .nothing, .later: break
      }
    }
    while let event = connection.socketMachine?.takeEvent() {
      switch event {
      case .text(let text): receiveText(text, connection)
      case .binary(let bytes): receiveBinary(bytes, connection)
      case .closed: break
      }
    }
    flush(connection)
    return !(connection.http.isClosed || connection.closes) || !connection.outbox.isEmpty
  }

  private func flush(_ connection: Connection) {
    var plain: [UInt8] = []
    connection.http.takeOutput(&plain)
    connection.socketMachine?.takeOutput(&plain)
    plain = connection.outbox + plain
    connection.outbox = []
    guard !plain.isEmpty else { return }
    var cipher = plain
    if let tls = connection.tls {
      cipher = []
      _ = plain.withUnsafeBytes { tls.send($0) }
      tls.takeOutput(&cipher)
      if connection.closes, saysGoodbye {
        tls.close()
        tls.takeOutput(&cipher)
      }
    }
    let count = cipher.withUnsafeBytes { connection.socket.write($0) } ?? cipher.count
    if connection.tls == nil { connection.outbox = Array(cipher.dropFirst(count)) }
  }
}
