import Testing

@testable import MediaSDP

@Suite struct CryptoAttributeTests {
  @Test func sixtyFourLettersAreThoseOfTheStandard() {
    // RFC 4648, section 10.
    for (plain, text) in [
      ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy")
    ] {
      #expect(Base64.encode(Array(plain.utf8)) == text)
      #expect(Base64.decode(text) == Array(plain.utf8))
      #expect(Base64.decode(text.filter { $0 != "=" }) == Array(plain.utf8))
    }
    for text in ["Z", "Zg=a", "Zm9v!", "Zg====", "ZmZm9"] { #expect(Base64.decode(text) == nil, "\(text)") }
    let all = (0...255).map { UInt8($0) }
    #expect(Base64.decode(Base64.encode(all)) == all)
    #expect(Base64.eitherDecode(Base64.encode(all)) == all && Base64.eitherDecode(Base64.urlEncode(all)) == all)
  }

  @Test func theKeyIsNotInAnyDescription() {
    let key = CryptoAttribute(tag: 1, suite: "S", key: [77, 78, 79])
    var dumped = ""
    dump(key, to: &dumped)
    #expect("\(key)" == "key 1 of S" && !dumped.contains("77"))
  }

  @Test func whatIsNotDoneHereIsPassedOver() throws {
    let good = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd"
    #expect(try CryptoAttribute(parsing: "1 S inline:\(good)")?.key.count == 30)
    #expect(try CryptoAttribute(parsing: "1 S inline:\(good)|2^20")?.key.count == 30)
    for text in [
      "1 S inline:\(good)|1:4", "1 S inline:\(good)|2^20|1:4", "1 S uri:x", "1 S inline:\(good) UNENCRYPTED_SRTP",
      "1 S inline:\(good);inline:\(good)"
    ] {
      #expect(try CryptoAttribute(parsing: text) == nil)
    }
  }
}
