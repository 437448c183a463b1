import MediaCore
import Testing

@testable import MediaSDP

@Suite struct ParsedURLTests {
  private func read(_ url: String, _ scheme: String = "x") throws -> ParsedURL {
    try ParsedURL(url, scheme: scheme, argument: "room", form: "x://HOST:PORT")
  }

  /// Scheme, user, host, whether it has brackets, port, path, query.
  private func parts(_ url: String, _ scheme: String = "x") throws -> [String] {
    let url = try read(url, scheme)
    return [
      String(url.scheme), url.authority?.user.map(String.init) ?? "-", url.authority?.host ?? "-",
      url.authority?.isBracketed == true ? "[]" : "",
      url.port.map { "\($0)" } ?? "-", String(url.path), url.query.map(String.init) ?? "-"
    ]
  }

  @Test func partsAreWhereTheyBelong() throws {
    #expect(
      try parts("https://me:a@b@media.example:8443/whip/a%20b?token=1&x=?/@#y", "https")
        == ["https", "me:a@b", "media.example", "", "8443", "/whip/a%20b", "token=1&x=?/@#y"])
    #expect(try parts("x://[2001:db8::1]:5004") == ["x", "-", "2001:db8::1", "[]", "5004", "", "-"])
    #expect(try parts("x://[fe80::1%25lo]/p") == ["x", "-", "fe80::1%lo", "[]", "-", "/p", "-"])
    #expect(try parts("x://[fe80::1%lo]:1") == ["x", "-", "fe80::1%lo", "[]", "1", "", "-"])
    #expect(try parts("x://:7?") == ["x", "-", "", "", "7", "", ""])
    #expect(try parts("x://h#f/p?q") == ["x", "-", "h", "", "-", "#f/p", "q"])
    #expect(try parts("x:a//b:c?d") == ["x", "-", "-", "", "-", "a//b:c", "d"])
    #expect(try parts("x:") == ["x", "-", "-", "", "-", "", "-"])
    #expect(try parts("x:?a=b") == ["x", "-", "-", "", "-", "", "a=b"])
    // What combines with a sign does not hide it.
    #expect(try parts("x://h:1/\u{301}?\u{301}") == ["x", "-", "h", "", "1", "/\u{301}", "\u{301}"])
    let (scheme, rest) = try #require(ParsedURL.split("loopback:a:b?#"))
    #expect(scheme == "loopback" && rest == "a:b?#" && ParsedURL.split("lobby") == nil)
  }

  @Test func whatIsWrongIsNamed() throws {
    func said(_ url: String) -> MediaError? { failure { _ = try read(url).hostAndPort() } }
    let form = "accepted: x://HOST:PORT"
    for (url, status, text) in [
      ("y://h:1", Status.unsupported, "begins with \"y\"; \(form)"), ("X://h:1", .unsupported, "begins with \"X\"; \(form)"),
      ("", .unsupported, "begins with \"\"; \(form)"), ("lobby?key=1", .unsupported, "begins with \"lobby\"; \(form)"),
      ("x:h:1", .unsupported, "begins with \"x\"; \(form)"), ("x:/h:1", .unsupported, "begins with \"x\"; \(form)"),
      ("x://", .invalid, "has \"\" for address and port; \(form)"), ("x://h/p", .invalid, "has \"h\" for address and port; \(form)"),
      ("x://::1:5", .invalid, "has \"::1:5\" for address and port; \(form)"),
      ("x://[::1:5", .invalid, "has \"[::1:5\" for address and port; \(form)"),
      ("x://[::1]5", .invalid, "has \"[::1]5\" for address and port; \(form)"),
      ("x://secret@::1", .invalid, "has \"::1\" for address and port; \(form)"),
      ("x://h:", .range, "'s port is \"\"; accepted: 1..65535"), ("x://h:0", .range, "'s port is \"0\"; accepted: 1..65535"),
      ("x://h:65536", .range, "'s port is \"65536\"; accepted: 1..65535"),
      ("x://secret:+1@h:+1", .range, "'s port is \"+1\"; accepted: 1..65535"),
      ("x://h:99999999999999999999999", .range, "'s port is \"99999999999999999999999\"; accepted: 1..65535"),
      ("x:" + String(repeating: "a", count: 2047), .limit, "has 2049 bytes; accepted: at most 2048")
    ] {
      let error = said(url)
      #expect(error?.text == "room" + (text.hasPrefix("'") ? "" : " ") + text && error?.status == status, "\(url)")
    }
    #expect(said("x:" + String(repeating: "a", count: 2046))?.status == .unsupported && said("x://h:65535") == nil)
  }

  @Test func escapesAreReplaced() {
    for (text, plain) in [
      ("", ""), ("a%20b", "a b"), ("%e2%82%AC%", nil), ("%E2%82%ac", "€"), ("%41%3A%2541", "A:%41"), ("%", nil), ("%4", nil),
      ("%4g", nil), ("%00", nil), ("%ff", nil), ("%E2%82", nil), ("ä+", "ä+")
    ] as [(String, String?)] {
      #expect(ParsedURL.decoded(text[...]) == plain, "\(text)")
    }
  }

  @Test func spoiltURLsDoNoHarm() {
    var (read, refused) = (0, 0)
    spoil("x://user@[fe80::1%25lo]:5004/a%20b/c?key=value&other=%E2%82%AC", seed: 3, count: 20_000) { text in
      do {
        let url = try self.read(text)
        read += 1
        // Nothing is lost, and nothing is there twice.
        let written = "\(url.scheme):\(url.authority == nil ? "" : "//")\(url.place)\(url.path)\(url.query.map { "?\($0)" } ?? "")"
        if url.port == 0 || written != text { Issue.record("\(text)") }
        _ = url.query.map { ParsedURL.decoded($0) }
      } catch { refused += 1 }
    }
    #expect(read > 1000 && refused > 1000, "\(read) \(refused)")
  }
}
