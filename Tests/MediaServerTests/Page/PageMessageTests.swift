import MediaCore
import Testing

@testable import MediaServer

@Suite struct PageMessageTests {
  @Test func messagesAreRead() throws {
    #expect(
      try PageMessage(parsing: #"{"type":"join","user":"u","name":"N","token":"t"}"#) == .join(user: "u", name: "N", token: "t"))
    // What is empty was not filled in.
    #expect(try PageMessage(parsing: #"{"type":"join","user":"","name":null}"#) == .join(user: nil, name: nil, token: ""))
    #expect(try PageMessage(parsing: #"{"type":"mute","muted":true}"#) == .mute(true))
    #expect(try PageMessage(parsing: #"{"type":"leave"}"#) == .leave)
  }

  @Test(arguments: [
    "", "{}", #"{"type":1}"#, #"{"type":"fly"}"#, #"{"type":"mute"}"#, #"{"type":"mute","muted":"yes"}"#, #"{"type":"join","user":1}"#,
    #"{"type":"join","token":true}"#
  ])
  func othersAreNot(text: String) {
    #expect { try PageMessage(parsing: text) } throws: { ($0 as? MediaError)?.status == .corrupt }
  }
}
