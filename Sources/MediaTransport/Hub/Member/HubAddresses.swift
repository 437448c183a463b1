import MediaCore
import MediaNetwork

/// Where a hub is tried: at its address, or at those of its name, one after the other in the order in which they were found. All tried, the name is
/// looked up again.
struct HubAddresses {
  private var rest: ArraySlice<SocketAddress> = []
  private var lookup: NameLookup?
  /// The one that is tried, or over which the hub was reached.
  private(set) var current: SocketAddress?

  /// How many can be tried before the name is looked up again.
  var remaining: Int { rest.count }
  var isLookingUp: Bool { lookup != nil }

  /// The next one, nil while it is being looked up. With a family, of that one only.
  mutating func next(_ host: NetworkHost, isIPv6: Bool?, _ names: any NameSource) throws(MediaError) -> SocketAddress? {
    switch host {
    case .address(let address): current = address
    case .name(let name, let port):
      if rest.isEmpty {
        guard let lookup else {
          lookup = names.look(up: .init(name, port: port, isStream: true, isIPv6: isIPv6)) {}
          return nil
        }
        guard let answer = lookup.answer else { return nil }
        self.lookup = nil
        rest = try answer.get().filter { address in
          !address.isMulticast && !address.isUnspecified && (isIPv6 ?? address.isIPv6) == address.isIPv6
        }[...]
      }
      guard let address = rest.popFirst() else {
        throw MediaError(.notFound, "the host name \"\(name)\" has no address at which a hub can be")
      }
      current = address
    }
    return current
  }

  /// Forgets what was found, and what is being looked up.
  mutating func reset() {
    (rest, current) = ([], nil)
    lookup?.cancel()
    lookup = nil
  }

  /// For error texts.
  func words(_ host: NetworkHost) -> String {
    guard case .name = host, let current else { return "\(host)" }
    return "\(host) (\(current))"
  }
}
