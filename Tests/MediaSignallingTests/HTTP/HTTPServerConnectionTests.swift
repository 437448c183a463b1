import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct HTTPServerConnectionTests {
  private func requested(_ events: [HTTPServerConnection.Event]) -> HTTPRequest? {
    guard events.count == 1, case .request(let request) = events[0] else { return nil }
    return request
  }

  private func end(_ events: [HTTPServerConnection.Event]) -> MediaError?? {
    guard events.count == 1, case .closed(let error) = events[0] else { return nil }
    return .some(error)
  }

  @Test func requestsAreAnsweredInOrder() throws {
    let server = HTTPServerConnection(now: 0)
    server.receive(
      "GET /1 HTTP/1.1\r\nHost: a\r\n\r\nPOST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n"
        + "abHEAD /3 HTTP/1.1\r\nHost: a\r\n\r\nGET /4"
    )
    for (target, body) in [("/1", ""), ("/2", "ab"), ("/3", "")] {
      let request = try #require(requested(server.events()))
      #expect(request.target == target && text(request.body) == body)
      try server.respond(HTTPResponse(200, body: Array(target.utf8)), now: 0)
    }
    #expect(server.events().isEmpty && server.wantsInput)
    #expect(
      text(server.written())
        == "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n/1HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        + "/2HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
    )
    #expect(refusal { try server.respond(HTTPResponse(200), now: 0) }?.status == .state)
    server.receive(" HTTP/1.0\r\n\r\n")
    #expect(requested(server.events())?.target == "/4")
    try server.respond(HTTPResponse(200), now: 0)
    #expect(end(server.events()) == .some(nil) && server.isClosed && text(server.written()).contains("Connection: close\r\n"))
  }

  @Test func theConnectionEndsWhenOneSaysSo() throws {
    let asked = HTTPServerConnection(now: 0)
    asked.receive("GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(requested(asked.events()) != nil)
    try asked.respond(HTTPResponse(204), now: 0)
    #expect(end(asked.events()) == .some(nil) && asked.poll(now: .max) == nil)
    let answered = HTTPServerConnection(now: 0)
    answered.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(requested(answered.events()) != nil)
    try answered.respond(HTTPResponse(204, ["Connection": "close"]), now: 0)
    #expect(end(answered.events()) == .some(nil))
    #expect(text(answered.written()) == "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
    var limits = HTTPLimits.server
    limits.requests = 2
    let many = HTTPServerConnection(limits: limits, now: 0)
    many.receive(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 3))
    for _ in 0..<2 { try many.respond(HTTPResponse(200), now: 0) }
    #expect(many.isClosed && many.events().count == 3)
  }

  @Test func whatIsWrongIsAnsweredAndIsTheEnd() {
    let server = HTTPServerConnection(now: 0)
    server.receive("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(end(server.events())??.status == .corrupt)
    let answer = text(server.written())
    #expect(answer.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && answer.hasSuffix("\r\n\r\nHTTP: Host came 0 times; accepted: once\n"))
    #expect(answer.contains("Connection: close\r\n"))
    server.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(server.events().isEmpty && server.written().isEmpty)
    // Nobody's bytes become lines of the answer.
    let injected = HTTPServerConnection(now: 0)
    injected.receive("GET / HTTP/1.1\r\nHost: a\r\nbad line: with \u{85} colon\r\n\r\n")
    #expect(text(injected.written()).components("\r\n\r\n") == 2)
  }

  @Test func aClientThatAsksMayGoOn() throws {
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n"
    let server = HTTPServerConnection(now: 0)
    server.receive(head)
    #expect(text(server.written()) == "HTTP/1.1 100 Continue\r\n\r\n" && server.events().isEmpty)
    server.receive("ab")
    #expect(requested(server.events())?.body == [97, 98])
    let old = HTTPServerConnection(now: 0)
    old.receive(head.replacing("HTTP/1.1", with: "HTTP/1.0"))
    #expect(old.written().isEmpty)
    let large = HTTPServerConnection(now: 0)
    large.receive(head.replacing("Length: 2", with: "Length: 999999"))
    #expect(text(large.written()).hasPrefix("HTTP/1.1 413 Content Too Large\r\n"))
    let other = HTTPServerConnection(now: 0)
    other.receive(head.replacing("100-Continue", with: "a miracle"))
    #expect(text(other.written()).hasPrefix("HTTP/1.1 417 Expectation Failed\r\n"))
  }

  @Test func anUpgradeEndsHTTP() throws {
    let server = HTTPServerConnection(now: 0)
    server.receive("GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n\u{1}\u{2}")
    #expect(requested(server.events()) != nil)
    #expect(refusal { try server.respond(HTTPResponse(101), now: 0) }?.status == .invalid)
    #expect(refusal { _ = try server.upgrade(HTTPResponse(200)) }?.status == .invalid)
    #expect(try server.upgrade(HTTPResponse(101, ["Upgrade": "websocket"])) == [1, 2])
    #expect(text(server.written()) == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")
    let old = HTTPServerConnection(now: 0)
    old.receive("GET / HTTP/1.0\r\nHost: a\r\nUpgrade: websocket\r\n\r\n")
    #expect(requested(old.events())?.fields == ["Host": "a"])
    server.receive("\u{3}")
    #expect(server.poll(now: .max) == nil && server.events().isEmpty && server.wantsInput)
  }

  /// One byte each second, for as long as it takes.
  @Test func slowClientsAreCutOff() {
    let head = Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200\r\n\r\n".utf8)
    func outlast(_ bytes: [UInt8]) -> (Int64, String) {
      let server = HTTPServerConnection(now: 0)
      var now: Int64 = 0
      for byte in bytes {
        [byte].withUnsafeBytes { server.receive($0, now: now) }
        now += second
        guard server.poll(now: now) != nil else { return (now / second, text(server.written())) }
      }
      return (now / second, "")
    }
    let (time, answer) = outlast(head)
    #expect(time == 10 && answer.hasPrefix("HTTP/1.1 408 Request Timeout\r\n"))
    let server = HTTPServerConnection(now: 0)
    head.withUnsafeBytes { server.receive($0, now: 9 * second) }
    #expect(server.poll(now: 9 * second) == 39 * second)
    for time in 10..<39 { server.receive("x", now: Int64(time) * second) }
    #expect(server.poll(now: 39 * second) == nil && text(server.written()).hasPrefix("HTTP/1.1 408"))
    // Nothing at all is no request, and hears nothing.
    let silent = HTTPServerConnection(now: 0)
    #expect(silent.poll(now: 10 * second - 1) == 10 * second && silent.poll(now: 10 * second) == nil)
    #expect(end(silent.events())??.status == .timeout && silent.written().isEmpty)
  }

  @Test func betweenRequestsTimeIsBoundedToo() throws {
    let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    let server = HTTPServerConnection(now: 0)
    server.receive(get, now: second)
    // The answer may take its time.
    #expect(server.poll(now: 1_000 * second) == nil)
    try server.respond(HTTPResponse(200), now: 1_000 * second)
    #expect(server.poll(now: 1_000 * second) == 1_060 * second)
    server.receive("G", now: 1_059 * second)
    #expect(server.poll(now: 1_060 * second) == 1_069 * second)
    server.receive("ET / HTTP/1.1\r\nHost: a\r\n\r\n", now: 1_068 * second)
    try server.respond(HTTPResponse(200), now: 1_068 * second)
    #expect(server.poll(now: 1_128 * second) == nil && server.isClosed)
    #expect(server.events().last == .closed(nil))
  }

  @Test func whatWaitsIsBounded() throws {
    let server = HTTPServerConnection(now: 0)
    server.receive("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    let piece = String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: 500)
    server.receive(piece)
    #expect(server.wantsInput)
    server.receive(piece)
    #expect(!server.wantsInput && !server.isClosed)
    for _ in 0..<999 { try server.respond(HTTPResponse(204), now: 0) }
    #expect(server.wantsInput && !server.isClosed)
    for _ in 0..<5 { server.receive(piece) }
    #expect(server.isClosed && server.takeEvent() != nil)
    #expect(server.events().contains { if case .closed(let error) = $0 { error?.status == .limit } else { false } })
  }

  /// Three are asked for whenever two are answered.
  @Test func whatWaitsStaysInOrder() throws {
    let server = HTTPServerConnection(now: 0)
    var (asked, answered) = (0, 0)
    while answered < 400 {
      var bytes = ""
      for number in asked..<(asked + 3) { bytes += "POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" }
      asked += 3
      let half = bytes.utf8.index(bytes.startIndex, offsetBy: bytes.utf8.count / 2)
      server.receive(String(bytes[..<half]))
      server.receive(String(bytes[half...]))
      for _ in 0..<2 {
        let request = try #require(requested(server.events()))
        try #require(request.target == "/\(answered)" && text(request.body) == "abc")
        try server.respond(HTTPResponse(204), now: 0)
        answered += 1
      }
    }
  }

  @Test func theClientMayGo() throws {
    let idle = HTTPServerConnection(now: 0)
    idle.receiveEnd(now: 0)
    #expect(end(idle.events()) == .some(nil))
    let within = HTTPServerConnection(now: 0)
    within.receive("GET / HT")
    within.receiveEnd(now: 0)
    #expect(end(within.events())??.status == .closed && within.written().isEmpty)
    // A half-closed connection still gets its answers.
    let half = HTTPServerConnection(now: 0)
    half.receive("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
    half.receiveEnd(now: 0)
    #expect(requested(half.events())?.target == "/1")
    try half.respond(HTTPResponse(200), now: 0)
    #expect(requested(half.events())?.target == "/2")
    try half.respond(HTTPResponse(200), now: 0)
    #expect(end(half.events()) == .some(nil))
  }
}

extension String {
  fileprivate func components(_ separator: String) -> Int {
    var (count, rest) = (1, utf8[...])
    while !rest.isEmpty {
      if rest.starts(with: separator.utf8) {
        count += 1
        rest = rest.dropFirst(separator.utf8.count)
      } else {
        rest = rest.dropFirst()
      }
    }
    return count
  }
}
