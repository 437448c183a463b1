import MediaCore
import Testing

@testable import MediaTransport

@Suite struct LoopbackTargetTests {
  @Test func theNameIsWhatComesAfterTheScheme() throws {
    #expect(try LoopbackURL.room("loopback:lobby", argument: "url") == "lobby")
    #expect(try LoopbackURL.room("loopback:a:b c", argument: "url") == "a:b c")
    let longest = String(repeating: "x", count: 255)
    #expect(try LoopbackURL.room("loopback:\(longest)", argument: "url") == longest)
  }

  @Test(arguments: ["loopback:", "loopback:" + String(repeating: "x", count: 256), "loopback:" + String(repeating: "ä", count: 128)])
  func namesHaveALength(url: String) {
    #expect(failure { _ = try LoopbackURL.room(url, argument: "url") }?.status == .invalid)
  }

  @Test(arguments: ["", "lobby", "Loopback:lobby", "https://example.org/lobby", " loopback:x"])
  func otherSchemesAreNotSupported(url: String) {
    let error = failure { _ = try LoopbackURL.room(url, argument: "options.url") }
    #expect(error?.status == .unsupported)
    #expect(error?.text.contains("options.url is \"\(url)\"") == true)
  }
}
