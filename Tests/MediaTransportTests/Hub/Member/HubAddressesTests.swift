import Glibc
import MediaCore
import MediaNetwork
import Testing

@testable import MediaTransport

@Suite struct HubAddressesTests {
  private func addresses(_ hosts: String...) throws -> [SocketAddress] { try hosts.map { try #require(SocketAddress($0, port: 5)) } }

  private func name() throws -> NetworkHost { .name(try #require(HostName("hub.example")), port: 5) }

  /// The next one, waited for.
  private func next(_ route: inout HubAddresses, isIPv6: Bool? = nil, _ resolver: NameResolver) throws -> SocketAddress {
    for _ in 0..<200_000 {
      if let address = try route.next(try name(), isIPv6: isIPv6, resolver) { return address }
      usleep(100)
    }
    throw MediaError(.timeout, "no answer")
  }

  @Test func anAddressIsThereAtOnceAndAgain() throws {
    let address = try addresses("192.0.2.1")[0]
    var route = HubAddresses()
    let resolver = NameResolver { _ in .failure(MediaError(.fail, "asked")) }
    for _ in 0..<2 { #expect(try route.next(.address(address), isIPv6: nil, resolver) == address) }
    #expect(route.words(.address(address)) == "192.0.2.1:5")
  }

  @Test func whatWasFoundIsTriedInOrderAndThenLookedUpAgain() throws {
    let found = try addresses("2001:db8::1", "239.1.1.1", "0.0.0.0", "ff02::1", "::", "192.0.2.1")
    let asked = Monitor(0)
    let resolver = NameResolver { _ in
      asked.withLock { $0 += 1 }
      return .success(found)
    }
    var route = HubAddresses()
    for round in 1...2 {
      #expect(try next(&route, resolver) == found[0])
      #expect(route.remaining == 1)
      #expect(try route.words(name()) == "hub.example:5 ([2001:db8::1]:5)")
      #expect(try next(&route, resolver) == found[5])
      #expect(route.remaining == 0)
      #expect(asked.withLock { $0 } == round)
    }
    route.reset()
    #expect(route.current == nil)
    #expect(try route.words(name()) == "hub.example:5")
    #expect(try next(&route, isIPv6: false, resolver) == found[5])
  }

  @Test func noneAndFailureAreErrors() throws {
    let none = try addresses("239.1.1.1", "::")
    var route = HubAddresses()
    let error = failure { _ = try next(&route, NameResolver { _ in .success(none) }) }
    #expect(error == MediaError(.notFound, "the host name \"hub.example\" has no address at which a hub can be"))
    let failing = NameResolver { _ in .failure(MediaError(.io, "no server")) }
    #expect(failure { _ = try next(&route, failing) }?.text == "no server")
    #expect(!route.isLookingUp)
  }
}
