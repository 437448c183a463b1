import MediaCore
import MediaSignalling

/// A proxy is asked for a connection to a server (CONNECT; RFC 9110, section 9.3.6), over a connection to the proxy.
struct HTTPTunnel {
  enum Answer {
    case waiting
    /// What follows is the server's; `rest` came already.
    case open(rest: [UInt8])
    case refused(MediaError)
  }

  let proxy: HTTPProxy
  /// A name or an address, without brackets.
  let host: String
  let port: UInt16
  private let http = HTTPClientConnection()

  init(_ proxy: HTTPProxy, to host: String, port: UInt16) {
    (self.proxy, self.host, self.port) = (proxy, host, port)
  }

  /// The request, appended.
  func ask(_ output: inout [UInt8], now: Int64) throws(MediaError) {
    try http.send(proxy.request(to: host, port: port), now: now)
    http.takeOutput(&output)
  }

  func receive(_ bytes: UnsafeRawBufferPointer, now: Int64) -> Answer {
    http.receive(bytes, now: now)
    return switch http.takeEvent() {
    case .upgraded(_, let rest): .open(rest: rest)
    case .response(let response): .refused(proxy.refusal(response, to: "\(host):\(port)"))
    case .failed(let error, _): .refused(MediaError(error.status, "\(proxy): \(error.text)"))
    case .closed: .refused(MediaError(.io, "\(proxy) closed the connection"))
    case nil: .waiting
    }
  }
}
