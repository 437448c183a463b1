import Testing

@testable import MediaSignalling

@Suite struct HTTPFieldsTests {
  @Test func namesCountTheSameInBothCasesAndOrderIsKept() {
    var fields: HTTPFields = ["Link": "a", "ETag": "b", "LINK": "c"]
    #expect(fields["link"] == "a, c" && fields["etag"] == "b" && fields["x"] == nil)
    #expect(fields.values("lInK") == ["a", "c"] && fields.list.map(\.name) == ["Link", "ETag", "LINK"])
    fields.set("link", "d")
    #expect(fields.list.map(\.value) == ["b", "d"])
    // A letter that something combines with is another letter, and K is not the sign of kelvin.
    #expect(!HTTPText.equal("k", "\u{212A}") && !HTTPText.equal("e", "e\u{301}"))
  }

  /// RFC 9110, section 5.3: commas may be in its dates.
  @Test func cookiesAreNotJoined() {
    let fields: HTTPFields = ["Set-Cookie": "a=1; Expires=Wed, 09 Jun 2027 10:18:14 GMT", "Set-Cookie": "b=2"]
    #expect(fields["set-cookie"]?.hasPrefix("a=1") == true && fields["set-cookie"]?.contains("b=2") == false)
    #expect(fields.values("Set-Cookie").count == 2)
  }

  @Test func listsAreTakenApartOutsideOfQuotedStrings() {
    let fields: HTTPFields = ["Connection": " keep-alive ,, Upgrade", "Connection": "\"a, \\\", b\" , Close"]
    #expect(fields.elements("connection") == ["keep-alive", "Upgrade", "\"a, \\\", b\"", "Close"])
    #expect(fields.has("close", in: "Connection") && fields.has("UPGRADE", in: "connection") && !fields.has("a", in: "Connection"))
    #expect(HTTPText.unquoted("\"a\\\"b\\\\\"") == "a\"b\\" && HTTPText.unquoted("token") == "token" && HTTPText.unquoted("\"") == "\"")
  }

  @Test func mediaTypesHaveParameters() {
    #expect(HTTPFields(dictionaryLiteral: ("content-type", "Application/SDP; charset=utf-8")).contentType == "application/sdp")
    #expect(HTTPFields(dictionaryLiteral: ("Content-Type", "a/b"), ("Content-Type", "c/d")).contentType == nil)
    #expect(HTTPFields().contentType == nil)
  }

  @Test func numbersAreDigits() {
    #expect(HTTPText.number("0042") == 42 && HTTPText.number("999999999999999999") == 999_999_999_999_999_999)
    for wrong in ["", "+1", "-1", " 1", "1 ", "1,1", "0x1", "1234567890123456789", "١"] {
      #expect(HTTPText.number(wrong) == nil, "\(wrong)")
    }
  }
}
