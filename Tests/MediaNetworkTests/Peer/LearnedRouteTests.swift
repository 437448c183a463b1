import MediaCore
import Testing

@testable import MediaNetwork

private let second: Int64 = 1_000_000_000

@Suite struct LearnedRouteTests {
  private func address(_ host: String, _ port: UInt16) throws -> SocketAddress { try #require(SocketAddress(host, port: port)) }

  @Test func aGivenAddressStays() throws {
    let given = try address("192.0.2.1", 5000)
    var route = LearnedRoute(given)
    #expect(route.accepts(try address("192.0.2.1", 6000), on: .media, now: 0))
    #expect(!route.accepts(try address("192.0.2.2", 5000), on: .media, now: 1000 * second))
    route.heard(try address("192.0.2.1", 6000), on: .media, now: 0)
    #expect(route.remote(.media) == given)
  }

  @Test func whoSpeaksFirstIsTheOtherEnd() throws {
    let (first, port, other) = (try address("192.0.2.1", 5000), try address("192.0.2.1", 5001), try address("192.0.2.2", 5000))
    var route = LearnedRoute(nil)
    #expect(route.remote(.media) == nil && route.accepts(other, on: .media, now: 0))
    route.heard(first, on: .media, now: 0)
    #expect(route.remote(.media) == first && !route.accepts(other, on: .media, now: second))
    // From another port while the first still speaks, and after it was silent for a second.
    route.heard(port, on: .media, now: second)
    #expect(route.remote(.media) == first)
    route.heard(port, on: .media, now: second + 1)
    #expect(route.remote(.media) == port)
    // Another host, after ten.
    #expect(!route.accepts(other, on: .media, now: 11 * second))
    #expect(route.accepts(other, on: .media, now: 11 * second + 2))
    route.heard(other, on: .media, now: 11 * second + 2)
    #expect(route.remote(.media) == other)
  }

  @Test func controlIsLearnedBeside() throws {
    let (media, control) = (try address("192.0.2.1", 5000), try address("192.0.2.1", 5009))
    var route = LearnedRoute(nil, control: .some(nil))
    route.heard(media, on: .media, now: 0)
    #expect(route.remote(.control) == nil && route.accepts(control, on: .control, now: 0))
    #expect(!route.accepts(try address("192.0.2.2", 5009), on: .control, now: 0))
    route.heard(control, on: .control, now: 0)
    #expect(route.remote(.control) == control)
    // Another host's media makes its control unknown.
    route.heard(try address("192.0.2.2", 1), on: .media, now: 20 * second)
    #expect(route.remote(.control) == nil)
    // While one of them speaks, no other host is heard.
    route.heard(try address("192.0.2.2", 2), on: .control, now: 40 * second)
    #expect(!route.accepts(media, on: .media, now: 41 * second))
  }

  @Test func ofAGroupEverybodyIsHeard() throws {
    let route = LearnedRoute(try address("239.1.2.3", 5000))
    #expect(route.accepts(try address("192.0.2.2", 1), on: .media, now: 0))
  }
}
