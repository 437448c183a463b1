import MediaCore
import Testing

@testable import MediaServer

@Suite struct FlatJSONTests {
  @Test func aFlatObjectIsRead() throws {
    let fields = try FlatJSON.read(#" { "a" : "b\n\"\u00e9\ud83d\ude00\/" , "c":true,"d":false,"e":null,"f":-1.5e2,"g":"" } "#)
    #expect(
      fields == ["a": .text("b\n\"é😀/"), "c": .bool(true), "d": .bool(false), "e": .null, "f": .number(-150), "g": .text("")])
    #expect(try FlatJSON.read("{}").isEmpty)
    #expect(try FlatJSON.read(#"{"é😀": "é😀"}"#) == ["é😀": .text("é😀")])
  }

  @Test(arguments: [
    "", "{", "}", "[]", "1", "\"a\"", "{}x", "{a:1}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1,"a":2}"#, #"{"a":{}}"#, #"{"a":[]}"#,
    #"{"a":tru}"#, #"{"a":+1}"#, #"{"a":.5}"#, #"{"a":1e999}"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\u+123"}"#, #"{"a":"\ud83d"}"#,
    #"{"a":"\ude00\ud83d"}"#, #"{"a":"\u0000"}"#, "{\"a\":\"\n\"}", #"{"a":"b"#, #"{"a":"b\"#, #"{"a":nul}"#, #"{"a":NaN}"#, #"{"a":--1}"#
  ])
  func whatIsNoneIsRefused(text: String) {
    #expect(throws: MediaError.self) { try FlatJSON.read(text) }
  }

  @Test func membersAreBounded() throws {
    func object(_ count: Int) -> String { "{" + (0..<count).map { "\"\($0)\":0" }.joined(separator: ",") + "}" }
    #expect(try FlatJSON.read(object(16)).count == 16)
    #expect(throws: MediaError.self) { try FlatJSON.read(object(17)) }
  }
}
