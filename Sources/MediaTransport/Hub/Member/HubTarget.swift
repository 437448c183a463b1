import MediaCore

extension TransportFactory {
  /// Rooms of other processes, which a hub has opened to the network.
  public static let hub = TransportFactory(
    scheme: "hub", form: "hub://HOST:PORT/NAME", features: [.network, .members, .attributes, .accessTokens, .preferences]
  ) { url, argument throws(MediaError) in HubTarget(url: try HubURL(url, argument: argument)) }
}

struct HubTarget: TransportTarget {
  let url: HubURL

  func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport {
    HubTransport(
      url, member: context.member, token: context.token, loop: context.loop, thread: try context.thread(), capture: try context.capture())
  }
}
