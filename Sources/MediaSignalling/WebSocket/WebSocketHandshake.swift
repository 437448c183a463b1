import COpenSSL
import MediaCore
import MediaSDP

/// The opening handshake (RFC 6455, section 4), of the client: a request of HTTP, and what its response has to be.
public struct WebSocketHandshake: Sendable {
  /// To be sent.
  public let request: HTTPRequest
  private let key: String
  private let subprotocols: [String]

  /// `host` as in Host: with its port, unless it is the usual one. `fields` come on top: Authorization, Origin. `random` makes the key.
  public init(
    host: String, target: String, subprotocols: [String] = [], fields: HTTPFields = [:], random: inout some RandomNumberGenerator
  ) {
    let bits: [UInt64] = [random.next(), random.next()]
    key = Base64.encode(bits.flatMap { word in stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> $0) } })
    self.subprotocols = subprotocols
    var all: HTTPFields = [
      "Host": host, "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key
    ]
    if !subprotocols.isEmpty { all.append("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")) }
    for field in fields.list { all.append(field.name, field.value) }
    request = HTTPRequest("GET", target, all)
  }

  /// The subprotocol that the server chose; nil: none. Throws `.unsupported` for what is no WebSocket, or an extension that was not
  /// offered.
  public func accept(_ response: HTTPResponse) throws(MediaError) -> String? {
    guard response.status == 101 else {
      throw MediaError(.unsupported, "WebSocket: the server answered \(response.status) \(response.reason.prefix(64)); accepted: 101")
    }
    guard response.fields.has("websocket", in: "Upgrade"), response.fields.has("upgrade", in: "Connection"),
      response.fields["Sec-WebSocket-Accept"] == WebSocketHandshake.answer(to: key)
    else { throw MediaError(.unsupported, "WebSocket: the server's handshake is not the answer to this one's") }
    guard response.fields.elements("Sec-WebSocket-Extensions").isEmpty else {
      throw MediaError(.unsupported, "WebSocket: the server uses an extension that was not offered")
    }
    guard let chosen = response.fields["Sec-WebSocket-Protocol"] else { return nil }
    guard subprotocols.contains(chosen) else {
      throw MediaError(.unsupported, "WebSocket: the server chose the subprotocol \"\(chosen.prefix(64))\", which was not offered")
    }
    return chosen
  }

  /// Sec-WebSocket-Accept (RFC 6455, section 4.2.2).
  static func answer(to key: String) -> String {
    let bytes = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    guard EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha1(), nil) == 1 else { return "" }
    return Base64.encode(digest)
  }
}

/// The opening handshake (RFC 6455, section 4.2), of the server: a request that asks for WebSocket.
public struct WebSocketOffer: Sendable {
  /// In the client's order of preference.
  public let subprotocols: [String]
  /// The page that asks, if it is one of a browser; the owner decides whom it serves.
  public let origin: String?
  private let key: String

  /// What a request is for.
  public enum Reading: Sendable {
    /// It does not ask for WebSocket.
    case other
    case offer(WebSocketOffer)
    /// It does, and this is the answer to what is wrong with it.
    case refused(HTTPResponse)
  }

  /// For each request to a target where WebSocket is spoken.
  public static func read(_ request: HTTPRequest) -> Reading {
    guard request.fields.has("websocket", in: "Upgrade") else { return .other }
    guard request.method == "GET", request.fields.has("upgrade", in: "Connection"), request.body.isEmpty else {
      return .refused(HTTPResponse(400, text: "WebSocket is asked for by GET without a body, and Connection: Upgrade"))
    }
    guard request.fields["Sec-WebSocket-Version"] == "13" else {
      var answer = HTTPResponse(426, text: "Sec-WebSocket-Version is not 13")
      answer.fields.append("Sec-WebSocket-Version", "13")
      return .refused(answer)
    }
    guard let key = request.fields["Sec-WebSocket-Key"], key.utf8.count == 24, Base64.decode(key)?.count == 16 else {
      return .refused(HTTPResponse(400, text: "Sec-WebSocket-Key is not 16 bytes in base64"))
    }
    let origin = request.fields["Origin"]
    return .offer(WebSocketOffer(subprotocols: request.fields.elements("Sec-WebSocket-Protocol"), origin: origin, key: key))
  }

  /// The response 101. `subprotocol`: one of the client's, or nil. Extensions are not taken.
  public func accepted(_ subprotocol: String?) -> HTTPResponse {
    var fields: HTTPFields = [
      "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": WebSocketHandshake.answer(to: key)
    ]
    if let subprotocol { fields.append("Sec-WebSocket-Protocol", subprotocol) }
    return HTTPResponse(101, fields)
  }
}
