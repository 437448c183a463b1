import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct HTTPClientConnectionTests {
  private let get = HTTPRequest("GET", "/", ["Host": "a"])

  private func client(_ request: HTTPRequest? = nil) throws -> HTTPClientConnection {
    let client = HTTPClientConnection()
    try client.send(request ?? get, now: 0)
    _ = client.written()
    return client
  }

  @Test func oneResponseFollowsOneRequest() throws {
    let client = try client()
    #expect(!client.canSend && refusal { try client.send(get, now: 0) }?.status == .state)
    client.receive(
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\nETag: e\r\n\r\nab")
    #expect(client.events() == [.response(HTTPResponse(200, ["Content-Length": "2", "ETag": "e"], body: [97, 98]))])
    #expect(client.canSend)
    try client.send(HTTPRequest("HEAD", "/", ["Host": "a"]), now: 0)
    #expect(text(client.written()) == "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
    client.receive("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
    #expect(client.events().count == 1 && client.canSend && client.poll(now: .max) == nil)
  }

  @Test func theConnectionEndsWhenOneSaysSo() throws {
    for (request, response) in [
      (get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), (get, "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"),
      (HTTPRequest("GET", "/", ["Host": "a", "Connection": "close"]), "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
      // Who says both cannot be trusted with what follows.
      (get, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")
    ] {
      let client = try client(request)
      client.receive(response)
      let events = client.events()
      #expect(events.count == 2 && events.last == .closed && client.isClosed && !client.canSend, "\(response)")
    }
    let client = try client()
    client.receive("HTTP/1.1 200 OK\r\n\r\nabc")
    #expect(client.events().isEmpty)
    client.receiveEnd()
    #expect(client.events() == [.response(HTTPResponse(200, body: [97, 98, 99])), .closed])
  }

  @Test func whatGoesWrongIsSaid() throws {
    let silent = try client()
    silent.receiveEnd()
    guard case .failed(let error, true) = silent.takeEvent() else { throw MediaError(.fail, "nothing failed") }
    #expect(error.status == .closed)
    let half = try client()
    half.receive("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na")
    half.receiveEnd()
    guard case .failed(_, false) = half.takeEvent() else { throw MediaError(.fail, "nothing failed") }
    let cut = try client()
    cut.receive("HTTP/1.1 200 OK\r\n\r\nabc")
    cut.receiveEnd(isClean: false)
    guard case .failed(_, false) = cut.takeEvent() else { throw MediaError(.fail, "nothing failed") }
    let unasked = HTTPClientConnection()
    unasked.receive("HTTP/1.1 200 OK\r\n")
    #expect(unasked.isClosed)
    let twice = try client()
    twice.receive("HTTP/1.1 204 No\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
    #expect(twice.isClosed && twice.events().count == 2)
    let endless = try client()
    for _ in 0..<16 { endless.receive("HTTP/1.1 100 Continue\r\n\r\n") }
    #expect(!endless.isClosed)
    endless.receive("HTTP/1.1 100 Continue\r\n\r\n")
    guard case .failed(let many, false) = endless.takeEvent() else { throw MediaError(.fail, "nothing failed") }
    #expect(many.status == .limit && many.text.contains("at most 16"))
    let idle = HTTPClientConnection()
    idle.receiveEnd()
    #expect(idle.events() == [.closed])
    let large = try client()
    large.receive("HTTP/1.1 200 OK\r\nContent-Length: 10000000000\r\n\r\n")
    guard case .failed(let bound, false) = large.takeEvent() else { throw MediaError(.fail, "nothing failed") }
    #expect(bound.text == "HTTP: the body has 10000000000 bytes; accepted: at most 262144")
  }

  @Test func anAnswerHasItsTime() throws {
    let never = try client()
    #expect(never.poll(now: second) == 30 * second)
    // What comes before it gives no more time.
    never.receive("HTTP/1.1 100 Continue\r\n\r\n", now: 29 * second)
    #expect(never.poll(now: 30 * second) == nil)
    guard case .failed(let error, false) = never.takeEvent() else { throw MediaError(.fail, "nothing failed") }
    #expect(error.status == .timeout)
    let slow = try client()
    slow.receive("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", now: 29 * second)
    for time in 30..<59 { slow.receive("x", now: Int64(time) * second) }
    #expect(slow.poll(now: 58 * second) == 59 * second && slow.poll(now: 59 * second) == nil && slow.isClosed)
  }

  @Test func anUpgradeEndsHTTP() throws {
    let client = try client()
    client.receive("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}")
    #expect(client.events() == [.upgraded(HTTPResponse(101, ["Upgrade": "websocket"]), rest: [1, 2])])
    client.receive("\u{3}")
    #expect(client.events().isEmpty && !client.isClosed && !client.canSend && client.poll(now: .max) == nil)
    let tunnel = try self.client(HTTPRequest("CONNECT", "b:443", ["Host": "b:443"]))
    tunnel.receive("HTTP/1.1 200 Connection established\r\n\r\nabc")
    #expect(tunnel.events() == [.upgraded(HTTPResponse(200, reason: "Connection established"), rest: [97, 98, 99])])
    let refused = try self.client(HTTPRequest("CONNECT", "b:443", ["Host": "b:443"]))
    refused.receive("HTTP/1.1 407 No\r\nContent-Length: 1\r\n\r\nx")
    #expect(refused.events().count == 1 && refused.canSend)
  }

  /// What one end says is what the other hears, however the bytes are cut.
  @Test(arguments: 0..<50) func bothEndsAgree(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (client, server) = (HTTPClientConnection(), HTTPServerConnection(now: 0))
    for number in 0..<20 {
      let body = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let method = ["GET", "POST", "HEAD", "PATCH", "DELETE"].randomElement(using: &random) ?? "GET"
      let request = HTTPRequest(method, "/\(number)?x", ["Host": "a", "X-\(number)": "\(seed), é"], body: body)
      try client.send(request, now: 0)
      inPieces(client.written(), &random) { server.receive($0, now: 0) }
      guard case .request(let heard) = server.takeEvent() else { throw MediaError(.fail, "no request") }
      #expect(heard.method == method && heard.target == request.target && heard.body == body && heard.fields["x-\(number)"] == "\(seed), é")
      let status = [200, 201, 204, 404, 503].randomElement(using: &random) ?? 200
      let response = HTTPResponse(status, ["ETag": "\"\(number)\""], body: status == 204 ? [] : body.reversed())
      try server.respond(response, now: 0)
      inPieces(server.written(), &random) { client.receive($0, now: 0) }
      guard case .response(let answer) = client.takeEvent() else { throw MediaError(.fail, "no response") }
      #expect(answer.status == status && answer.body == (method == "HEAD" ? [] : response.body) && answer.fields["etag"] == "\"\(number)\"")
      #expect(client.canSend && client.takeEvent() == nil && server.takeEvent() == nil)
    }
  }
}
