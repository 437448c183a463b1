import MediaCore

/// Messages as bytes (RFC 9112). What would be read as something else, another line or another request, is refused.
enum HTTPWriter {
  /// Appends it. Throws `.invalid`.
  static func write(_ request: HTTPRequest, to bytes: inout [UInt8]) throws(MediaError) {
    guard HTTPText.isToken(request.method) else {
      throw MediaError(.invalid, "an HTTP request has the method \"\(request.method.prefix(32))\"; accepted: a token, as GET")
    }
    guard HTTPText.isTarget(request.target) else {
      throw MediaError(.invalid, "an HTTP request has the target \"\(request.target.prefix(64))\"; accepted: visible letters of ASCII")
    }
    guard request.fields.values("Host").count == 1 else {
      throw MediaError(.invalid, "an HTTP request has \(request.fields.values("Host").count) fields Host; accepted: one")
    }
    var text = "\(request.method) \(request.target) HTTP/1.1\r\n"
    try write(request.fields, to: &text)
    if !request.body.isEmpty || ["POST", "PUT", "PATCH"].contains(request.method) { text += "Content-Length: \(request.body.count)\r\n" }
    bytes.append(contentsOf: (text + "\r\n").utf8)
    bytes.append(contentsOf: request.body)
  }

  /// Appends it, as the answer to that method. Throws `.invalid`.
  static func write(_ response: HTTPResponse, to method: String, closes: Bool, to bytes: inout [UInt8]) throws(MediaError) {
    guard (100...599).contains(response.status), response.reason.utf8.allSatisfy({ HTTPText.isVisibleOrBlank($0) }) else {
      throw MediaError(.invalid, "an HTTP response has the status \(response.status); accepted: 100..599, and a reason of one line")
    }
    var text = "HTTP/1.1 \(response.status) \(response.reason)\r\n"
    try write(response.fields, to: &text)
    let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
    guard hasBody || response.body.isEmpty else {
      throw MediaError(.invalid, "an HTTP response \(response.status) has a body; accepted: none")
    }
    if hasBody { text += "Content-Length: \(response.body.count)\r\n" }
    if closes, !response.fields.has("close", in: "Connection") { text += "Connection: close\r\n" }
    bytes.append(contentsOf: (text + "\r\n").utf8)
    if method != "HEAD" { bytes.append(contentsOf: response.body) }
  }

  private static func write(_ fields: HTTPFields, to text: inout String) throws(MediaError) {
    for field in fields.list {
      guard HTTPText.isToken(field.name), HTTPText.isValue(field.value) else {
        throw MediaError(
          .invalid, "the HTTP header field \"\(field.name.prefix(32))\" cannot be written; accepted: a token, and a value of one line")
      }
      for name in ["Content-Length", "Transfer-Encoding"] where HTTPText.equal(field.name, name) {
        throw MediaError(.invalid, "the HTTP header field \(name) follows from the body; accepted: none")
      }
      text += "\(field.name): \(field.value)\r\n"
    }
  }
}
