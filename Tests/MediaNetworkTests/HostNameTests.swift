import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct HostNameTests {
  private static let label = String(repeating: "a", count: 63)

  @Test(arguments: [
    "localhost", "a", "example.org", "x-1.example", "1.example", "3com.net", "a--b.c", "xn--bcher-kva.example", "example.org.", "0x7g",
    "1a",
    label, "\(label).\(label).\(label).\(String(repeating: "b", count: 61))",
    "\(label).\(label).\(label).\(String(repeating: "b", count: 61))."
  ])
  func namesAreTaken(_ text: String) {
    #expect(HostName(text)?.description == text)
  }

  @Test(arguments: [
    "", ".", "..", ".a", "a..b", "a..", "-a", "a-", "a.-b", "a-.b", "a_b", "_sip.example", "a b", "a/b", "a%b", "[a]", "a:b",
    "b\u{FC}cher.example",
    "\u{212A}elvin", "a\0b", "127.0.0.1", "300.1.1.1", "1.2.3", "1", "a.1", "a.1.", "0x7f000001", "127.0x1", "0x", "\(label)a",
    "\(label).\(label).\(label).\(String(repeating: "b", count: 62))"
  ])
  func whatIsNoneIsRefused(_ text: String) {
    #expect(HostName(text) == nil)
  }

  @Test func lettersAreMadeSmall() {
    #expect(HostName("HUB.Example.ORG")?.description == "hub.example.org")
    #expect(HostName("0X7F000001") == nil)
  }

  @Test func aHostIsSaidWithItsPort() throws {
    let address = try #require(SocketAddress("::1", port: 5))
    #expect("\(NetworkHost.address(address))" == "[::1]:5")
    #expect("\(NetworkHost.name(try #require(HostName("Localhost")), port: 5))" == "localhost:5")
  }
}
