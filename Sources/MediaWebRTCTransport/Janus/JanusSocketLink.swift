import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTLS

/// Janus's API over WebSocket (the subprotocol janus-protocol).
final class JanusSocketLink: JanusLink {
  private let socket: WebSocketLink

  init(_ endpoint: HTTPURL, fingerprint: TLSFingerprint?, network: any Network, thread: any DriverLoop) {
    let settings = WebSocketLink.Settings(
      name: "Janus", endpoint: endpoint, subprotocol: "janus-protocol", fingerprint: fingerprint, longest: JanusRequest.longestAnswer
    ) { response in
      let said = response.status == 101 ? "" : ": it answered \(response.status) \(response.reason.prefix(64))"
      let text = "Janus: \(endpoint) does not speak janus-protocol\(said); check the port, which usually is 8188 or 8989"
      return SignallingFailure(MediaError(.unsupported, text), isFinal: response.status < 500)
    }
    socket = WebSocketLink(settings, network: network, thread: thread)
  }

  func start(_ handle: @escaping @Sendable (JanusLinkEvent) -> Void) throws(MediaError) {
    try socket.start { event in
      switch event {
      case .message(let bytes): handle(.message(bytes))
      case .failed(let failure): handle(.failed(failure))
      }
    }
  }

  var canSend: Bool { true }
  func send(_ request: JanusRequest) { socket.send(.text(request.text)) }
  func poll(_ target: String?) {}
  /// A connection that is lost says so when a request is not answered.
  func renew() {}
  func close() { socket.close() }
}
