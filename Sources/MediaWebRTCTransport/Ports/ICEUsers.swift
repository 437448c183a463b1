import MediaCore

/// Connections of WebRTC by the user names of their ends here, by which checks from addresses not seen before say whose they are. Functions
/// may be called from any thread.
final class ICEUsers: Sendable {
  /// Of one connection: that of a restart which is not answered yet, and the one before it.
  private static let mostNames = 4

  private struct State {
    var drivers: [String: PeerDriver] = [:]
    var names: [ObjectIdentifier: [String]] = [:]
  }

  private let state = Monitor(State())

  func driver(of name: String) -> PeerDriver? { state.withLock { $0.drivers[name] } }

  /// The name is the connection's, as those before it still are.
  func add(_ name: String, of driver: PeerDriver) {
    state.withLock { state in
      var names = state.names[ObjectIdentifier(driver)] ?? []
      guard names.last != name else { return }
      names.append(name)
      if names.count > ICEUsers.mostNames { state.drivers[names.removeFirst()] = nil }
      state.names[ObjectIdentifier(driver)] = names
      state.drivers[name] = driver
    }
  }

  func remove(_ driver: PeerDriver) {
    state.withLock { state in
      for name in state.names.removeValue(forKey: ObjectIdentifier(driver)) ?? [] { state.drivers[name] = nil }
    }
  }
}
