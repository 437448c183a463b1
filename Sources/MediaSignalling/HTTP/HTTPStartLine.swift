/// The first line of a message (RFC 9112, sections 3 and 4).
enum HTTPStartLine {
  case request(method: String, target: String, minor: UInt8)
  case status(Int, reason: String, minor: UInt8)

  /// 0 for HTTP/1.0, whose connections end with the response.
  var minor: UInt8 {
    switch self {
    case .request(_, _, let minor), .status(_, _, let minor): minor
    }
  }

  /// The method of a request takes so many bytes.
  private static let longestMethod = 32

  static func request(_ line: [UInt8]) throws(HTTPRefusal) -> HTTPStartLine {
    let text = String(decoding: line, as: UTF8.self)
    let parts = text.utf8.split(separator: HTTPText.space, omittingEmptySubsequences: false).map { Substring($0) }
    guard parts.count == 3, HTTPText.isToken(parts[0]), HTTPText.isTarget(parts[1]) else {
      throw .malformed("the first line is \"\(text.prefix(64))\"; accepted: METHOD target HTTP/1.1")
    }
    let minor = try minor(parts[2])
    guard parts[0].utf8.count <= longestMethod else { throw .unsupported(501, "the method \"\(parts[0].prefix(32))…\" is not known") }
    return .request(method: String(parts[0]), target: String(parts[1]), minor: minor)
  }

  static func status(_ line: [UInt8]) throws(HTTPRefusal) -> HTTPStartLine {
    let text = String(decoding: line, as: UTF8.self)
    let parts = text.utf8.split(separator: HTTPText.space, maxSplits: 2, omittingEmptySubsequences: false).map { Substring($0) }
    guard parts.count >= 2, parts[1].utf8.count == 3, let status = HTTPText.number(parts[1]), (100...599).contains(status) else {
      throw .malformed("the first line is \"\(text.prefix(64))\"; accepted: HTTP/1.1 and a status of 100 to 599")
    }
    return .status(status, reason: parts.count == 3 ? String(parts[2]) : "", minor: try minor(parts[0]))
  }

  private static func minor(_ text: Substring) throws(HTTPRefusal) -> UInt8 {
    let bytes = Array(text.utf8)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard bytes.count == 8, bytes.starts(with: "HTTP/".utf8), digits.contains(bytes[5]), bytes[6] == UInt8(ascii: "."),
      digits.contains(bytes[7])
    else { throw .malformed("\"\(text.prefix(32))\" is not a version; accepted: HTTP/1.1") }
    guard bytes[5] == UInt8(ascii: "1") else { throw .unsupported(505, "\(text) is not spoken here; accepted: HTTP/1.1") }
    return bytes[7] &- UInt8(ascii: "0")
  }
}
