import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct SystemNetworkTests {
  /// What it says can be bound, and loopback is everywhere that these tests run.
  @Test func theAddressesOfTheInterfacesCanBeBound() throws {
    let addresses = SystemNetwork.shared.addresses
    let loopback = try #require(SocketAddress("127.0.0.1", port: 0))
    #expect(addresses.contains(loopback) && Set(addresses).count == addresses.count && addresses.allSatisfy { $0.port == 0 })
    let socket = try SystemNetwork.shared.bindDatagrams(to: loopback)
    #expect(socket.localAddress?.isSameHost(as: loopback) == true)
  }

  @Test func theEnvironmentMayBeIgnored() {
    #expect(SystemNetwork.shared.variable("PATH")?.isEmpty == false && SystemNetwork.shared.variable("NO_SUCH_VARIABLE") == nil)
    #expect(SystemNetwork.shared.ignoringEnvironment(true).variable("PATH") == nil)
    #expect(SystemNetwork.shared.ignoringEnvironment(false).variable("PATH") != nil)
  }
}
