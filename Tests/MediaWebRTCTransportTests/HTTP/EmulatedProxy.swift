import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime

@testable import MediaSignalling

/// A proxy of HTTP on an emulated machine, at port 3128: connects to the addresses that its table has for a place, and carries bytes both ways.
final class EmulatedProxy: NetworkDriver, @unchecked Sendable {
  private final class Tunnel {
    let near: any StreamConnection
    var far: (any StreamConnection)?
    let http: HTTPServerConnection
    /// To the server, and to the client.
    var (forth, back): ([UInt8], [UInt8]) = ([], [])
    var closes = false

    init(_ near: any StreamConnection, _ now: Int64) { (self.near, http) = (near, HTTPServerConnection(now: now)) }
  }

  static let port: UInt16 = 3128
  let host: EmulatedHost
  /// What it says to a request; 200: it connects; 0: nothing.
  var answer: (HTTPRequest) -> Int = { _ in 200 }
  /// By the targets of requests.
  var places: [String: SocketAddress] = [:]
  private(set) var requests: [HTTPRequest] = []
  private let listener: any StreamPort
  private var tunnels: [Tunnel] = []

  init(_ network: EmulatedNetwork, _ address: String) throws {
    host = try network.addHost(address)
    guard let place = SocketAddress(address, port: EmulatedProxy.port) else { throw MediaError(.invalid, address) }
    listener = try host.listen(at: place)
    _ = try host.add(self, [])
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = host.clock.now()
    while case .stranger(let socket) = listener.accept() { tunnels.append(Tunnel(socket, now)) }
    tunnels.removeAll { !carry($0, now) }
    return now + 1_000_000
  }

  private func carry(_ tunnel: Tunnel, _ now: Int64) -> Bool {
    let isNear = EmulatedProxy.read(tunnel.near) { bytes in
      if tunnel.far != nil { tunnel.forth += bytes } else { bytes.withUnsafeBytes { tunnel.http.receive($0, now: now) } }
    }
    if tunnel.far == nil { meet(tunnel, now) }
    if let far = tunnel.far {
      guard EmulatedProxy.read(far, { tunnel.back += $0 }) else { return false }
      if far.connecting == .done { EmulatedProxy.write(&tunnel.forth, to: far) }
    }
    EmulatedProxy.write(&tunnel.back, to: tunnel.near)
    return isNear && !tunnel.closes
  }

  private func meet(_ tunnel: Tunnel, _ now: Int64) {
    guard case .request(let request) = tunnel.http.takeEvent() else { return }
    requests.append(request)
    let status = answer(request)
    guard status != 0 else { return }
    guard status == 200, request.method == "CONNECT", let place = places[request.target], let far = try? host.connect(to: place) else {
      try? tunnel.http.respond(HTTPResponse(status == 200 ? 502 : status, text: "not there"), now: now)
      return tunnel.http.takeOutput(&tunnel.back)
    }
    tunnel.far = far
    tunnel.back += Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8)
  }

  private static func read(_ socket: any StreamConnection, _ take: ([UInt8]) -> Void) -> Bool {
    guard socket.connecting == .done else { return socket.connecting == .waiting }
    var memory = [UInt8](repeating: 0, count: 16_384)
    while true {
      switch memory.withUnsafeMutableBytes({ socket.read(into: $0) }) {
      case .bytes(let count): take(Array(memory[..<count]))
      case .nothing: return true
      case .end, .failed: return false
      }
    }
  }

  private static func write(_ bytes: inout [UInt8], to socket: any StreamConnection) {
    guard !bytes.isEmpty, let count = bytes.withUnsafeBytes({ socket.write($0) }) else { return }
    bytes.removeFirst(count)
  }
}
