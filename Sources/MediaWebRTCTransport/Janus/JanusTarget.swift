import MediaCore
import MediaNetwork
import MediaSignalling
import MediaTransport

extension TransportFactory {
  /// Rooms of the plugin VideoRoom at servers of Janus, over HTTP and WebSocket. Without TLS on this machine only.
  public static let janus: [TransportFactory] = JanusURL.schemes.map { scheme in
    TransportFactory(
      scheme: scheme, form: JanusURL.form(scheme), features: [.network, .members, .accessTokens, .preferences, .layers]
    ) { url, argument throws(MediaError) in
      JanusTarget(url: try JanusURL(url, scheme: scheme, argument: argument))
    }
  }
}

struct JanusTarget: TransportTarget {
  let url: JanusURL
  var network: any Network = SystemNetwork.shared
  let farewells = RoomFarewells()

  /// `.invalid`: an access token that is none of Janus.
  func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport {
    let network = network.ignoringEnvironment(context.ignoresEnvironment)
    let (thread, capture) = (try context.thread(), try context.capture())
    let rules = RoomRules(takesLayers: true) { (token) throws(MediaError) in _ = try JanusSecrets(accessToken: token.value) }
    return try RoomTransport(context, network: network, capture: capture, rules) {
      [url, farewells, own = context.member, loop = context.loop] (entry, owner) throws(MediaError) in
      try JanusSession(
        url, own: own, entry, thread: thread, network: network, loop: loop, capture: capture, farewells: farewells, owner: owner)
    }
  }

  func close() { farewells.wait() }
}
