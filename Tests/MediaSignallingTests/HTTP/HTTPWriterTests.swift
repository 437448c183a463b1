import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct HTTPWriterTests {
  private func written(_ request: HTTPRequest) throws -> String {
    var bytes: [UInt8] = []
    try HTTPWriter.write(request, to: &bytes)
    return text(bytes)
  }

  private func written(_ response: HTTPResponse, to method: String = "GET", closes: Bool = false) throws -> String {
    var bytes: [UInt8] = []
    try HTTPWriter.write(response, to: method, closes: closes, to: &bytes)
    return text(bytes)
  }

  @Test func messagesAreWritten() throws {
    #expect(try written(HTTPRequest("GET", "/a?b", ["Host": "c"])) == "GET /a?b HTTP/1.1\r\nHost: c\r\n\r\n")
    #expect(try written(HTTPRequest("POST", "/", ["Host": "c"])) == "POST / HTTP/1.1\r\nHost: c\r\nContent-Length: 0\r\n\r\n")
    #expect(
      try written(HTTPRequest("PATCH", "/", ["Host": "c", "ETag": "\"x\""], body: [65, 66]))
        == "PATCH / HTTP/1.1\r\nHost: c\r\nETag: \"x\"\r\nContent-Length: 2\r\n\r\nAB")
    #expect(
      try written(HTTPResponse(201, ["Location": "/x"], body: [65])) == "HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 1\r\n\r\nA"
    )
    #expect(try written(HTTPResponse(200, body: [65]), to: "HEAD") == "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
    #expect(try written(HTTPResponse(204), closes: true) == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    #expect(try written(HTTPResponse(299)) == "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n")
  }

  /// No value begins another line, and none says where the body ends.
  @Test func linesCannotBeInjected() {
    for evil in ["a\r\nX: b", "a\nb", "a\rb", "a\0b", " a", "a\t", "\u{7F}"] {
      #expect(refusal { _ = try written(HTTPRequest("GET", "/", ["Host": "c", "X": evil])) }?.status == .invalid, "\(evil)")
      #expect(refusal { _ = try written(HTTPResponse(200, ["X": evil])) }?.status == .invalid, "\(evil)")
    }
    for evil in ["", "a b", "a\r\nb", "a:", "é"] {
      #expect(refusal { _ = try written(HTTPRequest("GET", "/", ["Host": "c", evil: "a"])) }?.status == .invalid, "\(evil)")
      #expect(refusal { _ = try written(HTTPRequest(evil, "/", ["Host": "c"])) }?.status == .invalid, "\(evil)")
    }
    for evil in ["", "/a b", "/\r\n", "/é", "/ HTTP/1.1"] {
      #expect(refusal { _ = try written(HTTPRequest("GET", evil, ["Host": "c"])) }?.status == .invalid, "\(evil)")
    }
    for name in ["content-length", "Transfer-Encoding"] {
      #expect(
        refusal { _ = try written(HTTPRequest("GET", "/", ["Host": "c", name: "1"])) }?.text.contains("follows from the body") == true)
    }
    #expect(refusal { _ = try written(HTTPRequest("GET", "/", [:])) }?.text.contains("0 fields Host") == true)
    #expect(refusal { _ = try written(HTTPRequest("GET", "/", ["Host": "c", "HOST": "d"])) }?.text.contains("2 fields Host") == true)
    #expect(refusal { _ = try written(HTTPResponse(200, reason: "a\r\nX: b")) }?.status == .invalid)
    #expect(refusal { _ = try written(HTTPResponse(99)) }?.status == .invalid)
    #expect(refusal { _ = try written(HTTPResponse(204, body: [1])) }?.text.contains("204 has a body") == true)
  }

  @Test func aRefusedMessageLeavesNothing() {
    var bytes: [UInt8] = [1]
    _ = refusal { try HTTPWriter.write(HTTPRequest("GET", "/", ["Host": "c", "X": "\n"]), to: &bytes) }
    _ = refusal { try HTTPWriter.write(HTTPResponse(200, ["X": "\n"]), to: "GET", closes: false, to: &bytes) }
    #expect(bytes == [1])
  }

  @Test func targetsHaveAPathAndAQuery() {
    func parts(_ target: String) -> String {
      let request = HTTPRequest("GET", target, [:])
      return "\(request.path)|\(request.query.map { "\($0)" } ?? "-")"
    }
    #expect(parts("/a/b?c?d") == "/a/b|c?d" && parts("/") == "/|-" && parts("*") == "*|-" && parts("/a?") == "/a|")
    #expect(
      parts("http://h:1/a?b") == "/a|b" && parts("https://h") == "/|-" && parts("http://h?b") == "|b" && parts("/x://y/z") == "/x://y/z|-")
  }
}
