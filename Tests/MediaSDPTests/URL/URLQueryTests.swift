import MediaCore
import Testing

@testable import MediaSDP

@Suite struct URLQueryTests {
  private func read(_ text: String) throws -> URLQuery {
    try URLQuery(text[...], argument: "url", accepted: ["a", "b", "print"], advice: "set it apart")
  }

  private func said(_ text: String) -> String? { failure { _ = try read(text) }?.text }

  @Test func valuesStandAsTheyWereWritten() throws {
    let query = try read("b=x%20=y?&a=1")
    #expect(query["b"] == "x%20=y?" && query["a"] == "1" && query["print"] == nil && query["c"] == nil)
    #expect(try query.decoded("b") == "x =y?" && query.decoded("print") == nil)
    #expect(try read("")["a"] == nil)
    #expect(
      failure { _ = try read("print=0A%3").decoded("print") }?.text
        == "url's print is not UTF-8 with escapes; accepted: % with two hexadecimal digits, not %00")
  }

  @Test func namesAreThoseThatAreKnownAndOnce() {
    #expect(said("c=1") == "url has the unknown key \"c\"; accepted: a, b, print")
    #expect(said("=1") == "url has the unknown key \"\"; accepted: a, b, print")
    #expect(said("A=1") == "url has the unknown key \"A\"; accepted: a, b, print")
    for text in ["a=1&b", "a=1&", "a=1&&b=1"] {
      #expect(said(text) == "url has a parameter, number 2, that is not key=value; accepted keys: a, b, print", "\(text)")
    }
    #expect(said("hunter2") == "url has a parameter, number 1, that is not key=value; accepted keys: a, b, print")
    #expect(said("a=1&b=1&a=1") == "url has a twice; accepted: once")
    #expect(said("a=") == "url has a without a value")
    for name in ["key", "Master-Key", "secret", "password", "access_token", "Authorization", "inline", "salt"] {
      #expect(said("\(name)=hunter2") == "url has \"\(name)\", but URLs are logged: set it apart")
    }
  }

  @Test func valuesHaveTypes() throws {
    let query = try read("a=70000&b=1&print=two")
    #expect(try query.number("a", 1...70_000) == 70_000 && query.number("c", 1...2) == nil)
    #expect(failure { _ = try query.number("a", 1...69_999) } == MediaError(.range, "url has a=70000; accepted: 1..69999"))
    #expect(failure { _ = try query.port("a") } == MediaError(.range, "url's a is \"70000\"; accepted: 1..65535"))
    #expect(try query.port("b") == 1 && query.port("c") == nil && query.flag("b") && !query.flag("c"))
    #expect(failure { _ = try query.flag("print") } == MediaError(.invalid, "url has print=two; accepted: 0, 1"))
    #expect(try query.choice("print", ["one": 1, "two": 2]) == 2 && query.choice("c", ["one": 1]) == nil)
    for text in ["+1", "-1", "0x1", " 1", "１", "1e3", "18446744073709551616"] {
      #expect(failure { _ = try read("a=\(text)").number("a", 0...(.max)) }?.status == .range, "\(text)")
    }
  }
}
