import MediaCore
import MediaNetwork
import MediaSignalling
import MediaTransport

extension TransportFactory {
  /// Rooms at servers that speak LiveKit's protocol. Without TLS on this machine only.
  public static let liveKit: [TransportFactory] = LiveKitURL.schemes.map { scheme in
    TransportFactory(
      scheme: scheme, form: LiveKitURL.form(scheme),
      features: [.network, .members, .accessTokens, .preferences, .attributes, .data, .layers, .encryption]
    ) { url, argument throws(MediaError) in
      LiveKitTarget(url: try LiveKitURL(url, scheme: scheme, argument: argument))
    }
  }
}

struct LiveKitTarget: TransportTarget {
  let url: LiveKitURL
  var network: any Network = SystemNetwork.shared
  let farewells = RoomFarewells()

  /// `.permission`: there is no access token; `.invalid`: one that is no JWT.
  func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport {
    let network = network.ignoringEnvironment(context.ignoresEnvironment)
    let (thread, capture) = (try context.thread(), try context.capture())
    // Without API keys the room's verifier judges it.
    let accepts = { @Sendable [room = url.room, userID = context.member.userID] (token: AccessToken) throws(MediaError) in
      if room == nil { try LiveKitTarget.check(token, of: userID) }
    }
    return try RoomTransport(
      context, network: network, capture: capture, RoomRules(isPatient: url.room == nil, takesLayers: true, accepts: accepts)
    ) {
      [url, farewells, own = context.member, loop = context.loop] (entry, owner) throws(MediaError) in
      LiveKitSession(
        url, own: own, entry, thread: thread, network: network, loop: loop, capture: capture, farewells: farewells, owner: owner)
    }
  }

  func close() { farewells.wait() }

  /// What stands in it is the server's to judge.
  private static func check(_ token: AccessToken, of userID: String) throws(MediaError) {
    guard !token.value.isEmpty else {
      throw MediaError(.permission, "the session has no access token; LiveKit needs one (a JWT), which names the room")
    }
    let parts = token.value.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }) else {
      throw MediaError(.invalid, "the access token is none of LiveKit; accepted: a JWT, as msdk_access_token_create makes it")
    }
    // Before somebody else is put out by it.
    if let identity = LiveKitToken.claims(of: token.value)?.identity, !identity.isEmpty, identity != userID {
      let theirs = identity.prefix(64)
      throw MediaError(.invalid, "the access token is of \"\(theirs)\", the session of \"\(userID.prefix(64))\"; accepted: the same")
    }
  }
}
