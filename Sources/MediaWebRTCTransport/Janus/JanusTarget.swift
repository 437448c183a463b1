import MediaCore
import MediaNetwork
import MediaSignalling
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
  let farewells = JanusFarewells()

  /// `.invalid`: an access token that is none of Janus.
  func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport {
    let network = network.ignoringEnvironment(context.ignoresEnvironment)
    let (thread, capture) = (try context.thread(), try context.capture())
    let check = { @Sendable (token: AccessToken) throws(MediaError) in _ = try JanusSecrets(accessToken: token.value) }
    return try RoomTransport(context, network: network, capture: capture, check: check) {
      [url, farewells, own = context.member, loop = context.loop] (token, _, owner) throws(MediaError) in
      try JanusSession(
        url, own: own, token: token, thread: thread, network: network, loop: loop, capture: capture, farewells: farewells, owner: owner)
    }
  }

  func close() { farewells.wait() }
}

/// Sessions that have left and will say so when the server is done with a description (`JanusClient.leave`): the engine does not end before.
final class JanusFarewells: Sendable {
  private let count = Monitor(0)

  func begin() { count.withLock { $0 += 1 } }

  func end() {
    count.withLock { $0 -= 1 }
    count.notify()
  }

  /// Whether all have, for which it waits as long as one may take. A callback may run on the thread by which they do: there it does not wait.
  @discardableResult func wait() -> Bool {
    let end = ForeignCode.isRunning ? 0 : MediaTime.monotonic() + JanusClient.farewellPatience
    return count.wait(until: end) { $0 <= 0 ? true : nil } ?? false
  }
}
