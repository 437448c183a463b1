import Testing

@testable import MediaCore

@Suite struct JSONTests {
  @Test func whatIsWrittenIsReadAgain() throws {
    let text = String(String.UnicodeScalarView((0...0x17F).compactMap { Unicode.Scalar($0) })) + "🎥\u{2028}\u{10FFFF}"
    for written in [JSON.text(text).compact, JSON.text(text).rendered()] {
      guard case .text(let read) = try JSONReader.read(Array(written.utf8), name: "text") else { throw MediaError(.corrupt, "no text") }
      #expect(read == text)
      #expect(!written.utf8.contains { $0 < 32 || $0 == 127 })
    }
  }

  @Test func textsAreEscaped() {
    #expect(JSON.text("\"\\/\n\r\t\u{0}\u{1F}\u{7F}ü").compact == #""\"\\/\n\r\t\u0000\u001f\u007fü""#)
    #expect(
      JSON.object([("a\"", .array([.null, .bool(true), .integer(-1)])), ("", .object([]))]).compact == #"{"a\"":[null,true,-1],"":{}}"#)
  }
}
