import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct AddressPrefixTests {
  private func prefix(_ host: String, _ port: UInt16 = 1) throws -> AddressPrefix {
    AddressPrefix(try #require(SocketAddress(host, port: port)))
  }

  @Test func everyAddressOfIPv4IsAPartyOfItsOwn() throws {
    #expect(try prefix("10.0.0.1", 1) == prefix("10.0.0.1", 2))
    #expect(try prefix("10.0.0.1") != prefix("10.0.0.2"))
    #expect(try prefix("10.0.0.1") == prefix("::ffff:10.0.0.1"))
  }

  @Test func aNetworkOfIPv6IsOneParty() throws {
    #expect(try prefix("2001:db8:1:2::1") == prefix("2001:db8:1:2:ffff::9"))
    #expect(try prefix("2001:db8:1:2::1") != prefix("2001:db8:1:3::1"))
    #expect(try prefix("::1") != prefix("0.0.0.1"))
  }
}
