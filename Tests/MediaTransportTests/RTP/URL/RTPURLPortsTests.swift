import MediaCore
import MediaNetwork
import Testing

@testable import MediaTransport

@Suite struct RTPURLPortsTests {
  /// Local, its control, remote, its control, of each leg.
  private func ports(_ url: String) throws -> [String] {
    try RTPURL.configuration(url, cname: "me").legs.map { leg in
      [leg.local, leg.localControl, leg.remote, leg.remoteControl].map { $0?.description ?? "-" }.joined(separator: " ")
    }
  }

  private func said(_ url: String) -> String? { failure { _ = try ports(url) }?.text }

  @Test func aLegHasTwoPortsOrOne() throws {
    #expect(try ports("rtp://192.0.2.1:5004?local=6000") == ["0.0.0.0:6000 0.0.0.0:6001 192.0.2.1:5004 192.0.2.1:5005"])
    #expect(try ports("rtp://192.0.2.1:5004?local=127.0.0.1:6000&rtcp-mux=1") == ["127.0.0.1:6000 - 192.0.2.1:5004 -"])
    #expect(try ports("rtp://[::1]:5004?local=0") == ["[::]:0 [::]:0 [::1]:5004 [::1]:5005"])
  }

  @Test func soundHasALegOfItsOwnIfItIsSaid() throws {
    #expect(
      try ports("rtp://192.0.2.1:5004?local=6000&audio=5006&local-audio=127.0.0.1:6002") == [
        "0.0.0.0:6000 0.0.0.0:6001 192.0.2.1:5004 192.0.2.1:5005", "127.0.0.1:6002 127.0.0.1:6003 192.0.2.1:5006 192.0.2.1:5007"
      ])
    let legs = try RTPURL.configuration("rtp://192.0.2.1:5004?audio=5006&level=3&feedback=1", cname: "me").legs
    #expect(legs.map { $0.media.map(\.kind) } == [[.video], [.audio]] && legs.map(\.extensions.audioLevel) == [0, 3])
    #expect(
      said("rtp://192.0.2.1:5004?media=audio&audio=5006")
        == "url has audio with one medium, which uses the URL's port and local; accepted with media=both")
    #expect(
      said("rtp://192.0.2.1:5004?local-audio=5006")
        == "url has local-audio without audio, where both media share a port; accepted with audio=PORT")
  }

  @Test func nobodyIsWaitedForAtTheURLsPort() throws {
    #expect(try ports("rtp://:5004") == ["0.0.0.0:5004 0.0.0.0:5005 - -"])
    #expect(try ports("rtp://[::]:5004?rtcp-mux=1") == ["[::]:5004 - - -"])
    #expect(try ports("rtp://:5004?audio=5006") == ["0.0.0.0:5004 0.0.0.0:5005 - -", "0.0.0.0:5006 0.0.0.0:5007 - -"])
    #expect(try ports("rtp://:5004?local=127.0.0.1:5004") == ["127.0.0.1:5004 127.0.0.1:5005 - -"])
    #expect(said("rtp://:5004?local=5006") == "url has local at port 5006 but no host: the local port is 5004")
  }

  @Test func groupsAreListenedToAtTheirPort() throws {
    #expect(try ports("rtp://239.1.2.3:5004?direction=recvonly") == ["239.1.2.3:5004 239.1.2.3:5005 239.1.2.3:5004 239.1.2.3:5005"])
    #expect(
      try ports("rtp://239.1.2.3:5004?direction=recvonly&local=192.0.2.9:5004") == [
        "192.0.2.9:5004 192.0.2.9:5005 239.1.2.3:5004 239.1.2.3:5005"
      ])
    #expect(try ports("rtp://[ff15::1]:5004?direction=recvonly&rtcp-mux=1") == ["[ff15::1]:5004 - [ff15::1]:5004 -"])
    #expect(try ports("rtp://239.1.2.3:5004?direction=sendonly") == ["0.0.0.0:0 0.0.0.0:0 239.1.2.3:5004 239.1.2.3:5005"])
    #expect(
      said("rtp://239.1.2.3:5004?direction=recvonly&local=239.9.9.9:5004")
        == "url has local at the multicast address 239.9.9.9, which is not the host's; accepted: an address of this machine")
  }

  @Test func noPortServesTwice() {
    let text = "twice; RTCP uses the port after each media port, unless rtcp-mux=1 is given"
    #expect(said("rtp://192.0.2.1:5004?audio=5004") == "url uses the port 5004 \(text)")
    #expect(said("rtp://192.0.2.1:5004?audio=5005") == "url uses the port 5005 \(text)")
    #expect(said("rtp://192.0.2.1:5004?audio=5003") == "url uses the port 5004 \(text)")
    #expect(said("rtp://192.0.2.1:5004?audio=5006&local=7000&local-audio=7001") == "url uses the port 7001 \(text)")
    #expect(said("rtp://192.0.2.1:5004?audio=5005&rtcp-mux=1") == nil)
  }

  @Test func localAddressesAreOfTheFamily() {
    #expect(
      said("rtp://192.0.2.1:5004?local=[::1]:6000")
        == "url has local=[::1]:6000, whose address family is not the host's; accepted: an IPv4 address")
    #expect(
      said("rtp://192.0.2.1:5004?local=there:6000")
        == "url has local=there:6000; accepted: PORT or ADDRESS:PORT, an IPv6 address in brackets")
    #expect(
      said("rtp://[::1]:5004?local=::1:6000") == "url has local=::1:6000; accepted: PORT or ADDRESS:PORT, an IPv6 address in brackets")
    #expect(said("rtp://192.0.2.1:5004?local=70000") == "url's local is \"70000\"; accepted: 0..65535")
    #expect(
      said("rtp://192.0.2.1:5004?local=65535") == "url has the port 65535, but RTCP needs the next port; accepted: 1..65534, or rtcp-mux=1")
    #expect(said("rtp://192.0.2.1:5004?audio=0") == "url's audio is \"0\"; accepted: 1..65535")
  }
}
