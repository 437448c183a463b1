import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct HTTPURLTests {
  private func url(_ text: String) throws -> HTTPURL { try HTTPURL(text, argument: "url") }

  @Test func partsAreAsWritten() throws {
    let whole = try url("HTTPS://Media.Example:8443/whip/a%20b?x=1&y#z")
    #expect(whole.isSecure && whole.host == "media.example" && whole.port == 8443 && whole.target == "/whip/a%20b?x=1&y")
    #expect(whole.hostField == "media.example:8443" && whole.text == "https://media.example:8443/whip/a%20b?x=1&y")
    #expect("\(whole)" == "https://media.example:8443/whip/a%20b?…")
    let short = try url("http://a")
    #expect(short.target == "/" && short.port == 80 && short.hostField == "a" && "\(short)" == "http://a/")
    #expect(try url("http://a?b").target == "/?b" && url("http://a#b").target == "/" && url("https://a:443/").hostField == "a")
    #expect(try url("https://a:80/").hostField == "a:80" && url("http://a/b/../c/./d/..").target == "/c/")
    let six = try url("http://[FE80::1%25eth0]:8080/")
    #expect(six.host == "fe80::1%eth0" && six.hostField == "[fe80::1]:8080")
  }

  @Test(arguments: [
    ("", Status.unsupported), ("a", .unsupported), ("ftp://a", .unsupported), ("whip+https://a", .unsupported), ("http:/a", .invalid),
    ("http:a", .invalid),
    ("http://", .invalid), ("http:///x", .invalid), ("http://:80", .invalid), ("http://a b", .invalid), ("http://a/\r\nX: y", .invalid),
    ("http://é", .invalid),
    ("http://u:p@a", .invalid), ("http://a:0", .range), ("http://a:65536", .range), ("http://a:x", .range), ("http://[::1", .invalid),
    ("http://a:1:2", .invalid),
    ("http://a\\b", .invalid), ("http://a,b", .invalid), ("http://a%41", .invalid), ("http://[a/b]", .invalid)
  ])
  func othersAreRefused(text: String, status: Status) {
    #expect(refusal { _ = try url(text) }?.status == status, "\(text)")
  }

  @Test func lengthIsBounded() throws {
    let long = "http://a/" + String(repeating: "x", count: HTTPURL.longest - 9)
    #expect(try url(long).target.utf8.count == HTTPURL.longest - 8)
    #expect(refusal { _ = try url(long + "x") }?.status == .limit)
    #expect(
      refusal { _ = try url(long).resolve("yy/" + String(repeating: "x", count: HTTPURL.longest - 11), argument: "it") }?.status == .limit)
  }

  /// RFC 3986, section 5.4.
  @Test(arguments: [
    ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"), ("#s", "/b/c/d;p?q"),
    ("g#s", "/b/c/g"),
    ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"), ("g;x?y#s", "/b/c/g;x?y"), ("", "/b/c/d;p?q"), (".", "/b/c/"),
    ("./", "/b/c/"),
    ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"), ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"),
    ("../../../../g", "/g"),
    ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"), ("g..", "/b/c/g.."), ("..g", "/b/c/..g"), ("./../g", "/b/g"),
    ("./g/.", "/b/c/g/"),
    ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"), ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
    ("g?y/../x", "/b/c/g?y/../x"), ("g#s/../x", "/b/c/g")
  ])
  func referencesAreResolved(reference: String, target: String) throws {
    let base = try url("http://a/b/c/d;p?q")
    #expect(try base.resolve(reference, argument: "Location").text == "http://a\(target)", "\(reference)")
  }

  @Test func referencesMayLeadElsewhere() throws {
    let base = try url("https://a:1/b/c?d")
    #expect(
      try base.resolve("//g:2/h", argument: "x").text == "https://g:2/h" && base.resolve("//g?y", argument: "x").text == "https://g/?y")
    #expect(try base.resolve("http://g", argument: "x").text == "http://g/" && base.resolve("/whip:1", argument: "x").target == "/whip:1")
    for wrong in ["mailto:a", "g:h", "https:g", "//u@g", "//", "a b", "/\r\n", "é"] {
      #expect(refusal { _ = try base.resolve(wrong, argument: "Location") }?.text.hasPrefix("Location ") == true, "\(wrong)")
    }
  }

  @Test func originsAreCompared() throws {
    func same(_ one: String, _ other: String) throws -> Bool { try url(one).hasOrigin(of: url(other)) }
    #expect(try same("https://a/x", "HTTPS://A:443/y?z") && same("http://[::1]/", "http://[::1]:80/"))
    for other in ["http://a", "https://a:444", "https://b", "https://a.b", "http://a:443"] {
      #expect(try !same("https://a", other), "\(other)")
    }
  }
}
