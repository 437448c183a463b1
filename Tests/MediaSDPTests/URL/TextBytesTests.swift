import Testing

@testable import MediaSDP

@Suite struct TextBytesTests {
  @Test(arguments: [
    ("UDP/TLS/RTP/SAVPF", "SAVP", true), ("RTP/AVPF", "SAVP", false), ("SAV", "SAVP", false), ("SASAVP", "SAVP", true), ("", "", true),
    ("", "a", false), ("a", "", true), ("caf\u{E9}", "f\u{E9}", true), ("e\u{301}", "e", true)
  ]) func textIsFoundInText(_ text: String, _ piece: String, _ expected: Bool) {
    #expect(text.has(piece) == expected)
  }

  @Test func textIsCutAtALetter() throws {
    let text: Substring = "a@b@c"
    let (first, last) = (try #require(text.cut(at: UInt8(ascii: "@"))), try #require(text.cut(atLast: UInt8(ascii: "@"))))
    #expect(first == ("a", "b@c") && last == ("a@b", "c"))
    #expect(text.cut(at: UInt8(ascii: "x")) == nil)
  }
}
