import MediaCore
import MediaNetwork
import MediaTransport

extension TransportFactory {
  /// Servers of WHIP, which take media (RFC 9725), and of WHEP, which send them (draft-ietf-wish-whep). Without TLS on this machine only.
  public static let whip: [TransportFactory] = ["whip+https", "whep+https", "whip+http", "whep+http"].map { scheme in
    TransportFactory(scheme: scheme, form: WHIPURL.form(scheme), features: [.network, .accessTokens]) { url, argument throws(MediaError) in
      WHIPTarget(url: try WHIPURL(url, scheme: scheme, argument: argument))
    }
  }
}

struct WHIPTarget: TransportTarget {
  let url: WHIPURL
  var network: any Network = SystemNetwork.shared

  /// `.invalid`: a token that cannot be sent.
  func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport {
    try WHIPTransport(
      url, own: context.member.userID, token: context.token, thread: try context.thread(),
      network: network.ignoringEnvironment(context.ignoresEnvironment), loop: context.loop, capture: try context.capture())
  }
}
