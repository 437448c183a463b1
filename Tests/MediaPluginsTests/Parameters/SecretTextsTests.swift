import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct SecretTextsTests {
  private func texts(_ values: ParameterValue...) -> SecretTexts {
    let texts = SecretTexts([])
    for value in values { texts.add(value) }
    return texts
  }

  @Test func everyOneIsTakenOut() {
    let secrets = texts(.string("grün"), .i32(4711), .bytes(Array("key".utf8)))
    #expect(secrets.redacted("grün, 4711 and key, grüngrün") == "(secret), (secret) and (secret), (secret)(secret)")
    #expect(secrets.redacted("nothing of it") == "nothing of it")
    #expect(secrets.redacted("") == "")
  }

  @Test func theLongerOneComesFirst() {
    #expect(texts(.string("pass"), .string("password")).redacted("the password, the pass") == "the (secret), the (secret)")
  }

  /// A plugin's text is cut where it is too long, which may be inside a secret.
  @Test func theBeginningOfOneAtTheEndIsTakenOut() {
    let secrets = texts(.string("0123456789"))
    #expect(secrets.redacted("key=01234567") == "key=(secret)")
    #expect(secrets.redacted("key=012") == "key=012")
    #expect(secrets.redacted("key=01234567 ") == "key=01234567 ")
  }

  /// The last output of a process is cut at its beginning.
  @Test func theEndOfOneAfterACutIsTakenOut() {
    let secrets = texts(.string("0123456789"))
    let cut = SecretTexts.cut
    #expect(secrets.redacted("output: \(cut)3456789 and \(cut)0123456789") == "output: \(cut)(secret) and \(cut)(secret)")
    #expect(secrets.redacted("\(cut)789 \(cut)") == "\(cut)789 \(cut)")
  }

  @Test func whatSaysNothingIsNoSecret() {
    let secrets = texts(.string(""), .bool(true), .i32(0), .bytes([]))
    #expect(secrets.redacted("true 0 false") == "true 0 false")
  }

  @Test func formerOnesStaySecret() {
    let secrets = texts(.string("one"))
    for number in 0..<31 { secrets.add(.string("secret-\(number)-")) }
    #expect(secrets.redacted("one") == "(secret)")
    secrets.add(.string("the last"))
    #expect(secrets.redacted("the last, one") == "(secret), one")
  }

  @Test func defaultsAreSecretToo() throws {
    let module = FakeModule()
    module.add("token", .string("built-in"), flags: 4)
    module.add("name", .string("shown"))
    #expect(SecretTexts(try module.descriptor().parameters).redacted("built-in shown") == "(secret) shown")
  }
}
