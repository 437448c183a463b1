import MediaCore
import Testing

@testable import MediaSDK

@Suite struct RoomURLTests {
  @Test func theNameIsWhatComesAfterTheScheme() throws {
    #expect(try RoomURL.loopbackName("loopback:lobby", argument: "url") == "lobby")
    #expect(try RoomURL.loopbackName("loopback:a:b c", argument: "url") == "a:b c")
    let longest = String(repeating: "x", count: 255)
    #expect(try RoomURL.loopbackName("loopback:\(longest)", argument: "url") == longest)
  }

  @Test(arguments: ["loopback:", "loopback:" + String(repeating: "x", count: 256), "loopback:" + String(repeating: "ä", count: 128)])
  func namesHaveALength(url: String) {
    #expect(failure { _ = try RoomURL.loopbackName(url, argument: "url") }?.status == .invalid)
  }

  @Test(arguments: ["", "lobby", "Loopback:lobby", "https://example.org/lobby", " loopback:x"])
  func otherSchemesAreNotSupported(url: String) {
    let error = failure { _ = try RoomURL.loopbackName(url, argument: "options.url") }
    #expect(error?.status == .unsupported)
    #expect(error?.text.contains("options.url is \"\(url)\"") == true)
  }

  @Test func theSchemeSaysWhereASessionConnects() throws {
    let print = String(repeating: "0A", count: 32)
    #expect(try !RoomURL.target("loopback:a", argument: "url").isRemote)
    #expect(try RoomURL.target("rtp://127.0.0.1:5004", argument: "url").isRemote)
    #expect(try RoomURL.target("hub://127.0.0.1:5004/a?fingerprint=\(print)", argument: "url").isRemote)
    let error = failure { _ = try RoomURL.target("https://example.org/?secret", argument: "url") }
    #expect(error?.status == .unsupported)
    #expect(error?.text.contains("hub://HOST:PORT/NAME") == true && error?.text.contains("secret") == false)
  }
}
