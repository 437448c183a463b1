import MediaCore
import MediaNetwork

/// Another end that has a name: it is looked up when its session connects.
struct RTPNamedHost: Sendable {
  static let patience: Int64 = 10_000_000_000
  let question: NameResolver.Question
  let names: any NameSource
  /// The configuration with that address, and its sockets.
  let settle: @Sendable (SocketAddress) throws(MediaError) -> (RTPConfiguration, [RTPSockets])

  /// The first that can be sent to.
  func address(_ answer: NameResolver.Answer) throws(MediaError) -> SocketAddress {
    let found = try answer.get().first { address in
      !address.isUnspecified && (question.isIPv6 ?? address.isIPv6) == address.isIPv6
    }
    guard let found else { throw MediaError(.notFound, "the host name \"\(question.name)\" has no address to which can be sent") }
    return found
  }
}

extension RTPTransport {
  /// Connects when the name is known, on the loop.
  func lookUp(_ host: RTPNamedHost) {
    let lookup: NameLookup? = state.withLock { state in
      guard !state.hasLeft else { return nil }
      let lookup = host.names.look(up: host.question) { self.loop.post { self.resolve(host) } }
      state.lookup = lookup
      return lookup
    }
    guard let lookup else { return }
    // Holds nothing of whoever has left by then.
    loop.schedule(at: loop.clock.now() &+ RTPNamedHost.patience) {
      let seconds = RTPNamedHost.patience / 1_000_000_000
      lookup.fail(MediaError(.timeout, "the host name \"\(lookup.question.name)\" was not resolved within \(seconds) s"))
    }
  }

  private func resolve(_ host: RTPNamedHost) {
    // Whoever has left waits for no answer.
    guard let answer = state.withLock({ $0.lookup.take() })?.answer else { return }
    do throws(MediaError) {
      let (configuration, sockets) = try host.settle(try host.address(answer))
      state.withLock { state in (state.configuration, state.sockets) = (configuration, sockets) }
      begin()
    } catch {
      fail(error)
    }
  }
}
