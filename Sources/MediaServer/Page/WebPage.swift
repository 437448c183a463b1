import MediaSDP
import MediaSignalling

/// The page of a room, and what else is asked for by GET.
enum WebPage {
  /// Nothing comes from elsewhere, and nothing is sent elsewhere; no page may have this one in a frame.
  private static let policy = [
    "default-src 'none'", "script-src '\(PageSource.script)'", "style-src '\(PageSource.style)'", "connect-src 'self'",
    "media-src 'self' blob:",
    "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"
  ].joined(separator: "; ")

  /// The answer to a request that is none of WHIP and WHEP.
  static func response(to request: HTTPRequest, room: String) -> HTTPResponse {
    guard request.method == "GET" || request.method == "HEAD" else {
      var response = HTTPResponse(405, text: "accepted: GET, HEAD")
      response.fields.append("Allow", "GET, HEAD")
      return response
    }
    switch request.path {
    case "/": return HTTPResponse(307, ["Location": "/\(escaped(room))", "Cache-Control": "no-store"])
    case "/favicon.ico": return HTTPResponse(404, text: "there is no icon")
    default:
      guard name(request.path.dropFirst()) == room else { return HTTPResponse(404, text: "there is no such room here") }
      return page
    }
  }

  private static var page: HTTPResponse {
    HTTPResponse(
      200,
      [
        "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-cache",
        "Permissions-Policy": "camera=(self), microphone=(self), display-capture=(self)"
      ], body: Array(PageSource.html.utf8))
  }

  /// The room of `/ws/ROOM`; nil: the path is another one.
  static func webSocketRoom(_ path: Substring) -> String? {
    guard path.utf8.starts(with: "/ws/".utf8) else { return nil }
    return name(path.dropFirst(4)) ?? ""
  }

  private static func name(_ segment: Substring) -> String? {
    guard !segment.utf8.contains(UInt8(ascii: "/")) else { return nil }
    return ParsedURL.decoded(segment)
  }

  /// As a segment of a path (RFC 3986, section 3.3).
  static func escaped(_ name: String) -> String {
    let plain = Array("-._~".utf8)
    return name.utf8.reduce(into: "") { text, byte in
      let isPlain = (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || plain.contains(byte)
      let digits = String(byte, radix: 16, uppercase: true)
      text += isPlain ? String(UnicodeScalar(byte)) : "%\(digits.count == 1 ? "0" : "")\(digits)"
    }
  }
}
