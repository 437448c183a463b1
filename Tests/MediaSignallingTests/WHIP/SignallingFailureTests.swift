import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct SignallingFailureTests {
  private func failure(_ response: HTTPResponse, _ kind: WHIPClient.Kind = .whip, wallClock: Int64 = 0) throws -> SignallingFailure {
    try SignallingFailure(response, to: kind, HTTPURL("https://a/whip?key=secret", argument: "url"), wallClock: wallClock)
  }

  /// Which are tried again.
  @Test func statusesAreFinalOrNot() throws {
    for status in [200, 204, 301, 302, 303, 400, 401, 402, 403, 404, 405, 406, 410, 412, 413, 415, 418, 422, 428, 501, 505] {
      #expect(try failure(HTTPResponse(status)).isFinal, "\(status)")
    }
    for status in [408, 409, 429, 500, 502, 503, 504, 599] { #expect(try !failure(HTTPResponse(status)).isFinal, "\(status)") }
  }

  @Test func errorsNameWhatToDo() throws {
    let refused = try failure(HTTPResponse(401))
    #expect(refused.error.status == .permission && refused.status == 401 && refused.retryAfter == nil)
    #expect(
      refused.error.text
        == "WHIP: https://a/whip?… answered 401 Unauthorized: a token is required, or this one is wrong or has expired; pass another one")
    #expect(try failure(HTTPResponse(404, text: "no room \"x\"")).error.text.hasSuffix("check the path (it says: no room \"x\")"))
    // What is no text of people, and what would be more lines, is not repeated.
    #expect(try !failure(HTTPResponse(404, ["Content-Type": "text/html"], body: [60])).error.text.contains("it says"))
    #expect(
      try failure(HTTPResponse(404, ["Content-Type": "text/plain"], body: Array("a\nb\u{1B}".utf8))).error.text.hasSuffix("(it says: a)"))
    #expect(
      try failure(HTTPResponse(404, ["Content-Type": "text/plain"], body: [UInt8](repeating: 97, count: 9_999))).error.text.utf8.count < 300
    )
  }

  @Test func aConflictIsOfTheKind() throws {
    #expect(
      try failure(HTTPResponse(409)).error.status == .exists && failure(HTTPResponse(409), .whep).error.text.contains("nothing is sent"))
  }

  @Test func serversMaySayWhen() throws {
    #expect(try failure(HTTPResponse(503, ["Retry-After": "7"])).retryAfter == 7 * second)
    let date: HTTPFields = ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"]
    #expect(try failure(HTTPResponse(503, date), wallClock: 784_111_770 * second).retryAfter == 7 * second)
    #expect(try failure(HTTPResponse(503, ["Retry-After": "soon"])).retryAfter == nil)
  }
}
