/// How the end of a body is known (RFC 9112, section 6).
enum HTTPFraming: Equatable {
  case none
  /// Bytes of it.
  case length(Int)
  case chunked
  /// It ends with the connection.
  case untilEnd

  /// RFC 9112, section 6.3. What says two things is refused: two readers of it could disagree about where the next request begins.
  static func request(_ fields: HTTPFields, minor: UInt8) throws(HTTPRefusal) -> HTTPFraming {
    let coding = fields.values("Transfer-Encoding")
    guard coding.isEmpty else {
      guard fields.values("Content-Length").isEmpty else { throw .malformed("both Transfer-Encoding and Content-Length came") }
      guard minor > 0 else { throw .malformed("Transfer-Encoding came with HTTP/1.0") }
      guard coding.count == 1, HTTPText.equal(coding[0], "chunked") else {
        throw .unsupported(501, "Transfer-Encoding is \"\(coding.joined(separator: ", ").prefix(64))\"; accepted: chunked")
      }
      return .chunked
    }
    return try length(fields).map { .length($0) } ?? .none
  }

  /// The answer to such a method.
  static func response(_ fields: HTTPFields, status: Int, to method: String) throws(HTTPRefusal) -> HTTPFraming {
    guard method != "HEAD", status >= 200, status != 204, status != 304, !(method == "CONNECT" && status < 300) else { return .none }
    let coding = fields.elements("Transfer-Encoding")
    guard coding.isEmpty else {
      guard coding.count == 1, HTTPText.equal(coding[0], "chunked") else {
        throw .unsupported(501, "Transfer-Encoding is \"\(coding.joined(separator: ", ").prefix(64))\"; accepted: chunked")
      }
      return .chunked
    }
    return try length(fields).map { .length($0) } ?? .untilEnd
  }

  private static func length(_ fields: HTTPFields) throws(HTTPRefusal) -> Int? {
    let values = fields.values("Content-Length")
    guard let first = values.first else { return nil }
    guard values.count == 1, let length = HTTPText.number(first) else {
      throw .malformed("Content-Length is \"\(values.joined(separator: ", ").prefix(64))\"; accepted: one number")
    }
    return length
  }
}
