/// A request (RFC 9110, section 3.4), whole.
public struct HTTPRequest: Sendable, Equatable {
  /// GET, POST, … Cases differ.
  public var method: String
  /// Path and query; the whole URL, if a proxy is asked; host and port of CONNECT; *.
  public var target: String
  /// With Host; without Content-Length and Transfer-Encoding when it is to be written.
  public var fields: HTTPFields
  /// Empty, if there is none.
  public var body: [UInt8]

  /// Nothing is checked: the writer refuses what cannot be written.
  public init(_ method: String, _ target: String, _ fields: HTTPFields, body: [UInt8] = []) {
    (self.method, self.target, self.fields, self.body) = (method, target, fields, body)
  }

  /// Of the target, without its query, as it stands.
  public var path: Substring {
    let whole = pathAndQuery
    return HTTPText.cut(whole, at: UInt8(ascii: "?"))?.before ?? whole
  }

  /// Of the target, after its question mark, as it stands; nil: it has none.
  public var query: Substring? { HTTPText.cut(pathAndQuery, at: UInt8(ascii: "?"))?.after }

  /// What a client writes to a proxy, a server takes too (RFC 9112, section 3.2.2).
  private var pathAndQuery: Substring {
    guard target.utf8.first != UInt8(ascii: "/"), let place = target.utf8.firstIndex(of: UInt8(ascii: ":")) else { return target[...] }
    let rest = target[place...].utf8
    guard rest.starts(with: "://".utf8) else { return target[...] }
    let after = rest.dropFirst(3)
    return after.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }.map { target[$0...] } ?? "/"
  }
}

/// A response (RFC 9110, section 3.4), whole.
public struct HTTPResponse: Sendable, Equatable {
  /// 100...599.
  public var status: Int
  /// For people; may be empty.
  public var reason: String
  /// Without Content-Length and Transfer-Encoding when it is to be written.
  public var fields: HTTPFields
  /// Empty, if there is none.
  public var body: [UInt8]

  /// Nothing is checked: the writer refuses what cannot be written. nil for the reason: the usual one.
  public init(_ status: Int, reason: String? = nil, _ fields: HTTPFields = [:], body: [UInt8] = []) {
    (self.status, self.reason, self.fields, self.body) = (status, reason ?? HTTPResponse.reason(status), fields, body)
  }

  /// Plain text for people, as servers explain a refusal.
  public init(_ status: Int, text: String) {
    self.init(status, ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8) + [HTTPText.lineFeed])
  }

  /// Of RFC 9110, section 15, RFC 6585 and RFC 9725; empty for others.
  static func reason(_ status: Int) -> String {
    switch status {
    case 100: "Continue"
    case 101: "Switching Protocols"
    case 200: "OK"
    case 201: "Created"
    case 204: "No Content"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 417: "Expectation Failed"
    case 422: "Unprocessable Content"
    case 426: "Upgrade Required"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: ""
    }
  }
}
