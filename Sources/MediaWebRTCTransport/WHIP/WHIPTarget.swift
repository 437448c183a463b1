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
    let network = network.ignoringEnvironment(context.ignoresEnvironment)
    let (thread, capture) = (try context.thread(), try context.capture())
    return try RoomTransport(context, network: network, capture: capture, rules) {
      [url, own = context.member.userID, loop = context.loop] (entry, owner) throws(MediaError) in
      try WHIPSession(url, own: own, entry, thread: thread, network: network, loop: loop, capture: capture, owner: owner)
    }
  }

  private var rules: RoomRules {
    RoomRules(needsStream: url.kind == .whip) { [url] (one, others) throws(MediaError) in
      guard url.kind == .whip else {
        throw MediaError(.unsupported, "a session of WHEP receives only; accepted: a session of WHIP for streams that are sent")
      }
      guard !others.contains(where: { $0.isVideo == one.isVideo }) else {
        let kind = one.isVideo ? "video" : "audio"
        throw MediaError(
          .limit, "the session sends a stream of \(kind) already; accepted over WHIP: one of each kind (RFC 9725, section 4.4.2)")
      }
    } accepts: { [url] (token) throws(MediaError) in
      _ = try WHIPSession.client(url, token)
    }
  }
}
