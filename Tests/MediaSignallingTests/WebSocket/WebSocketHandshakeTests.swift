import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct WebSocketHandshakeTests {
  private func handshake(_ subprotocols: [String] = [], seed: UInt64 = 1) -> WebSocketHandshake {
    var random = SeededRandom(seed: seed)
    return WebSocketHandshake(host: "a:8188", target: "/janus?x", subprotocols: subprotocols, random: &random)
  }

  /// RFC 6455, section 1.3.
  @Test func theExampleOfTheRFC() {
    #expect(WebSocketHandshake.answer(to: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  /// Over HTTP, both ends.
  @Test func bothEndsAgree() throws {
    var random = SeededRandom(seed: 1)
    let asked = WebSocketHandshake(
      host: "a", target: "/rtc", subprotocols: ["x", "janus-protocol"], fields: ["Authorization": "Bearer t"], random: &random)
    let (client, server) = (HTTPClientConnection(), HTTPServerConnection(now: 0))
    try client.send(asked.request, now: 0)
    client.written().withUnsafeBytes { server.receive($0, now: 0) }
    guard case .request(let request) = server.takeEvent(), case .offer(let offer) = WebSocketOffer.read(request) else {
      throw MediaError(.fail, "no offer")
    }
    #expect(offer.subprotocols == ["x", "janus-protocol"] && offer.origin == nil && request.fields["authorization"] == "Bearer t")
    #expect(try server.upgrade(offer.accepted("janus-protocol")).isEmpty)
    (server.written() + [0x81, 0]).withUnsafeBytes { client.receive($0, now: 0) }
    guard case .upgraded(let response, let rest) = client.takeEvent() else { throw MediaError(.fail, "no upgrade") }
    #expect(try asked.accept(response) == "janus-protocol" && rest == [0x81, 0])
  }

  @Test func keysAreNotForeseen() {
    #expect(handshake().request.fields["Sec-WebSocket-Key"] != handshake(seed: 2).request.fields["Sec-WebSocket-Key"])
    #expect(handshake().request.fields["Sec-WebSocket-Key"]?.utf8.count == 24)
    #expect(handshake().request.fields["Sec-WebSocket-Protocol"] == nil && handshake().request.fields["Sec-WebSocket-Extensions"] == nil)
  }

  @Test func otherAnswersAreRefused() throws {
    let asked = handshake(["a"])
    guard case .offer(let offer) = WebSocketOffer.read(asked.request) else { throw MediaError(.fail, "no offer") }
    let right = offer.accepted(nil)
    #expect(try asked.accept(right) == nil)
    #expect(try asked.accept(offer.accepted("a")) == "a")
    #expect(refusal { _ = try asked.accept(offer.accepted("b")) }?.text.contains("\"b\", which was not offered") == true)
    #expect(refusal { _ = try asked.accept(HTTPResponse(404)) }?.text.contains("404 Not Found") == true)
    for (name, value) in [
      ("Upgrade", "h2c"), ("Connection", "close"), ("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
      ("Sec-WebSocket-Extensions", "permessage-deflate")
    ] {
      var wrong = right
      wrong.fields.set(name, value)
      #expect(refusal { _ = try asked.accept(wrong) }?.status == .unsupported, "\(name)")
    }
    for name in ["Upgrade", "Connection", "Sec-WebSocket-Accept"] {
      var wrong = right
      wrong.fields.remove(name)
      #expect(refusal { _ = try asked.accept(wrong) } != nil, "\(name)")
    }
  }

  @Test func otherRequestsAreRefused() {
    func answer(_ request: HTTPRequest) -> HTTPResponse? {
      switch WebSocketOffer.read(request) {
      case .other: nil
      case .offer: HTTPResponse(101)
      case .refused(let response): response
      }
    }
    /// nil: without that field.
    func status(_ name: String, _ value: String?) -> Int? {
      var request = handshake().request
      request.fields.remove(name)
      if let value { request.fields.append(name, value) }
      return answer(request)?.status
    }
    #expect(status("X", "y") == 101 && status("Upgrade", "h2c, WebSocket") == 101 && status("Connection", "keep-alive, upgrade") == 101)
    #expect(status("Upgrade", nil) == nil && status("Upgrade", "h2c") == nil && status("Connection", nil) == 400)
    #expect(status("Sec-WebSocket-Version", "8") == 426 && status("Sec-WebSocket-Version", nil) == 426)
    #expect(status("Sec-WebSocket-Key", nil) == 400)
    for key in ["", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ==, x", "dGhlIHNhbXBsZSBub25jZWE=", "!GhlIHNhbXBsZSBub25jZQ=="] {
      #expect(status("Sec-WebSocket-Key", key) == 400, "\(key)")
    }
    var request = handshake().request
    request.fields.append("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")
    #expect(answer(request)?.status == 400)
    request = handshake().request
    request.method = "POST"
    #expect(answer(request)?.status == 400)
    request = handshake().request
    request.body = [1]
    #expect(answer(request)?.status == 400)
    request = handshake().request
    request.fields.remove("Sec-WebSocket-Version")
    #expect(answer(request)?.fields["Sec-WebSocket-Version"] == "13")
  }
}
