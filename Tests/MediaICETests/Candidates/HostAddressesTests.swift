import MediaCore
import Testing

@testable import MediaICE

@Suite struct HostAddressesTests {
  private func chosen(_ hosts: [String], withLoopback: Bool = false) -> [String] {
    ICEAgent.hostAddresses(hosts.map { address($0, 0) }, withLoopback: withLoopback).map(\.host)
  }

  @Test func loopbackIsOfferedWhenNothingElseIsThereOrIfAskedFor() {
    #expect(chosen(["127.0.0.1", "192.0.2.1", "::1", "2001:db8::1"]) == ["192.0.2.1", "2001:db8::1"])
    #expect(chosen(["127.0.0.1", "::1", "fe80::1", "169.254.1.1"]) == ["127.0.0.1", "::1"])
    #expect(chosen(["127.0.0.1", "192.0.2.1"], withLoopback: true) == ["192.0.2.1", "127.0.0.1"])
    #expect(chosen([]).isEmpty)
  }

  @Test func whatNobodyReachesIsNot() {
    #expect(chosen(["0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "fe80::1", "192.0.2.1", "192.0.2.1"]) == ["192.0.2.1"])
    #expect(chosen((1...50).map { "192.0.2.\($0)" }).count == ICEAgent.mostBases)
  }
}
