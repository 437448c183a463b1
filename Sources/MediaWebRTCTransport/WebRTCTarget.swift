import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSDP
import MediaSignalling
import MediaTLS
import MediaTransport
import MediaWebRTC

extension TransportFactory {
  /// One peer of WebRTC, whose descriptions and candidates the program carries.
  public static let webRTC = TransportFactory(scheme: "webrtc", form: "webrtc:", features: [.network, .negotiation, .channels]) {
    url, argument throws(MediaError) in try WebRTCTarget(url, argument: argument)
  }
}

/// What a session of the scheme `webrtc:` negotiates with its peer, by hand: each connection of the session is another `PeerConnection`. Functions may
/// be called from any thread.
public final class WebRTCTarget: TransportTarget {
  /// What became of a description of the other end.
  public enum Outcome: Sendable {
    case applied
    /// It is an offer that met one of this end, which is not polite.
    case ignored
  }

  private struct State {
    /// That the program has added.
    var servers: [ICEServer] = []
    var transport: WebRTCTransport?
  }

  let options: WebRTCOptions
  private let network: any Network
  private let state = Monitor(State())

  init(_ url: String, argument: String, network: any Network = SystemNetwork.shared) throws(MediaError) {
    (options, self.network) = (try WebRTCOptions(url, argument: argument), network)
  }

  /// `.fail`: no certificate can be made.
  public func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport {
    let servers = state.withLock { $0.servers }
    let transport = WebRTCTransport(
      options, servers: servers, own: context.member.userID, thread: try context.thread(),
      network: network.ignoringEnvironment(context.ignoresEnvironment), loop: context.loop, capture: try context.capture())
    // The one before has been left.
    let former = state.withLock { state in
      defer { state.transport = transport }
      return state.transport
    }
    _ = former
    return transport
  }

  /// Lets go of the connection, which the session has left.
  public func close() {
    let former = state.withLock { $0.transport.take() }
    _ = former
  }

  private func driver() throws(MediaError) -> WebRTCTransport {
    guard let transport = state.withLock({ $0.transport }), transport.isOpen else {
      throw MediaError(.state, "the session is not connecting or connected; accepted after msdk_session_connect")
    }
    return transport
  }

  // MARK: Signalling

  /// Makes the next description of this end and sets it: the answer to an offer that waits for one, else an offer. Throws `.state` while the session is
  /// not connecting or connected, and for an offer while another one of this end waits for its answer; then nothing has changed.
  public func describe() throws(MediaError) -> DescriptionKind { try driver().describe() }

  /// As it was set last, with the candidates that are known by now. Throws `.state` if there is none.
  public func localDescription() throws(MediaError) -> String { try driver().localDescription() }

  /// Takes a description of the other end; `.rollback`, whose text does not count, takes back the offer of either end that is not answered. Throws
  /// `.invalid`, `.limit` and `.unsupported` with what is wrong in it, `.state`; then nothing has changed.
  public func setRemote(_ kind: DescriptionKind, _ text: String) throws(MediaError) -> Outcome { try driver().setRemote(kind, text) }

  /// A candidate of the other end, with the name of its section or nil; empty: none follows. One of a description that was ignored is ignored. Throws
  /// `.invalid`, `.notFound` for a section that is not there, `.state`.
  public func addRemote(candidate text: String, mid: String?) throws(MediaError) { try driver().addRemote(candidate: text, mid: mid) }

  /// A server of STUN or TURN, by a URI of RFC 7064 or RFC 7065, for this connection and those after it. Throws `.invalid`, `.unsupported` for what is
  /// no such server, `.limit` for more than 16.
  public func addServer(_ uri: String, user: String?, password: String?) throws(MediaError) {
    guard let server = ICEServer(uri, user: user, password: password) else {
      throw MediaError(
        .invalid,
        "the server \"\(uri.prefix { $0 != "@" }.prefix(64))\" is none of ICE; accepted: stun:HOST:PORT, turn:HOST:PORT, turn:HOST:PORT?transport=tcp, "
          + "turns:HOST:PORT, an IPv6 address in brackets, and up to 512 bytes of each user and password")
    }
    try server.check()
    let transport: WebRTCTransport? = try state.withLock { state throws(MediaError) in
      guard state.servers.count + options.servers.count < ServerNames.most else {
        throw MediaError(.limit, "more than \(ServerNames.most) servers of ICE")
      }
      state.servers.append(server)
      return state.transport
    }
    if let transport, transport.isOpen { try transport.add(server) }
  }

  /// The next offer of this end restarts ICE. Throws `.state`.
  public func restartICE() throws(MediaError) { try driver().restartICE() }
}
