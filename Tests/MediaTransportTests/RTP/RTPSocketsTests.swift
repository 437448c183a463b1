import Glibc
import MediaCore
import MediaNetwork
import Testing

@testable import MediaTransport

@Suite(.serialized) struct RTPSocketsTests {
  private func address(_ host: String, _ port: UInt16 = 0) throws -> SocketAddress {
    try #require(SocketAddress(host, port: port))
  }

  private func leg(_ host: String, _ port: UInt16 = 0, control: UInt16? = nil) throws -> RTPConfiguration.Leg {
    var leg = RTPConfiguration.Leg(local: try address(host, port), remote: nil)
    leg.localControl = try control.map { try address(host, $0) }
    return leg
  }

  @Test(arguments: ["127.0.0.1", "::1"]) func onePortForBothUnlessControlHasItsOwn(_ host: String) throws {
    let one = try RTPSockets(leg(host))
    #expect(one.control == nil && one.localAddress?.host == host && one.localAddress?.port != 0)
    for _ in 0..<20 {
      let two = try RTPSockets(leg(host, control: 0))
      let (media, control) = (try #require(two.localAddress?.port), try #require(two.control?.localAddress?.port))
      #expect(media % 2 == 0 && control == media + 1)
    }
  }

  @Test func portsThatWereNamedAreTaken() throws {
    let free = try RTPSockets(leg("127.0.0.1", control: 0))
    let (media, control) = (try #require(free.localAddress?.port), try #require(free.control?.localAddress?.port))
    let error = failure { _ = try RTPSockets(leg("127.0.0.1", media)) }
    #expect(error?.status == .exists && error?.text.contains("127.0.0.1:\(media)") == true, "\(error?.text ?? "")")
    let second = failure { _ = try RTPSockets(leg("127.0.0.1", 0, control: control)) }
    #expect(second?.text.contains("127.0.0.1:\(control)") == true)
    // The kernel's choice beside a given one.
    let mixed = try RTPSockets(leg("127.0.0.2", media, control: 0))
    #expect(mixed.localAddress?.port == media && mixed.control?.localAddress?.port != 0)
  }

  @Test func anAddressOfAnotherMachineCannotBeBound() throws {
    #expect(failure { _ = try RTPSockets(leg("192.0.2.1")) }?.text.contains("192.0.2.1:0") == true)
    #expect(failure { _ = try RTPSockets(leg("192.0.2.1", control: 0)) }?.text.contains("192.0.2.1") == true)
  }

  @Test func aGroupIsListenedToByAsManyAsLike() throws {
    let group = try address("239.255.77.1", 47_312)
    var leg = RTPConfiguration.Leg(local: group, remote: group)
    // Without a way to groups there is no test.
    guard failure({ _ = try RTPSockets(leg) }) == nil else { return }
    let (one, two) = (try RTPSockets(leg), try RTPSockets(leg))
    #expect(one.localAddress == group && two.localAddress == group && one.control == nil)
    leg.localControl = try address("239.255.77.1", 47_313)
    #expect(try RTPSockets(leg).control?.localAddress?.port == 47_313)
    leg.remoteControl = try address("239.255.77.1", 47_315)
    #expect(try RTPSockets(leg).control?.localAddress?.port == 47_315)
  }
}
