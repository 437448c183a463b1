import MediaCore
import MediaNetwork
import MediaTransport

extension TransportFactory {
  /// Rooms of the plugin VideoRoom at servers of Janus, over HTTP and WebSocket. Without TLS on this machine only.
  public static let janus: [TransportFactory] = JanusURL.schemes.map { scheme in
    TransportFactory(
      scheme: scheme, form: JanusURL.form(scheme), features: [.network, .members, .accessTokens, .preferences]
    ) { url, argument throws(MediaError) in
      JanusTarget(url: try JanusURL(url, scheme: scheme, argument: argument))
    }
  }
}

struct JanusTarget: TransportTarget {
  let url: JanusURL
  var network: any Network = SystemNetwork.shared

  /// `.invalid`: an access token that is none of Janus.
  func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport {
    try JanusTransport(
      url, own: context.member, token: context.token, thread: try context.thread(),
      network: network.ignoringEnvironment(context.ignoresEnvironment), loop: context.loop, capture: try context.capture())
  }
}
