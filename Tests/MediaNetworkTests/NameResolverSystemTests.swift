import Glibc
import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct NameResolverSystemTests {
  private func question(_ name: String, isIPv6: Bool? = nil) throws -> NameResolver.Question {
    .init(try #require(HostName(name)), port: 5004, isStream: false, isIPv6: isIPv6)
  }

  @Test func thisMachineIsFoundWithThePort() throws {
    let address = try #require(SocketAddress("127.0.0.1", port: 5004))
    #expect(try NameResolver.system(question("localhost", isIPv6: false)).get() == [address])
    for found in try NameResolver.system(question("localhost")).get() { #expect(found.port == 5004) }
  }

  @Test func failuresAreToldApart() throws {
    let (any, four) = (try question("a.example"), try question("a.example", isIPv6: false))
    for code in [EAI_NONAME, -5, -9] {
      #expect(NameResolver.error(code, 0, any) == MediaError(.notFound, "the host name \"a.example\" does not exist or has no address"))
      #expect(NameResolver.error(code, 0, four).text.hasSuffix("has no IPv4 address"))
    }
    for (code, words) in [(EAI_AGAIN, "Temporary failure"), (EAI_FAIL, "Non-recoverable"), (EAI_SYSTEM, "Too many open files")] {
      let error = NameResolver.error(code, EMFILE, any)
      #expect(error.status == .io)
      #expect(error.text.contains("\"a.example\"") && error.text.contains(words), "\(error.text)")
    }
  }
}
