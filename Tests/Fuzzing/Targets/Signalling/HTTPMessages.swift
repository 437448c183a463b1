import MediaCore

@testable import MediaSignalling

/// A stranger at a server of HTTP, or a strange server for a client: whatever comes, it is heard the same however its bytes are cut,
/// nothing is larger than its bound, and what was taken is written as what would be taken again.
enum HTTPMessages: FuzzTarget {
  static let name = "http"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let options = input.byte()
    let seed = UInt64(input.u16())
    let rest = Array(input.rest)
    if options & 1 == 0 {
      let whole = served(rest, SeededRandom?.none)
      expect(served(rest, SeededRandom(seed: seed)) == whole, "a server hears something else in pieces")
      for case .request(let request) in whole.events { check(request) }
    } else {
      let method = ["GET", "HEAD", "CONNECT", "PATCH"][Int(options >> 1 & 3)]
      let ends = options & 8 != 0
      let whole = asked(method, rest, SeededRandom?.none, ends)
      expect(asked(method, rest, SeededRandom(seed: seed), ends) == whole, "a client hears something else in pieces")
      expect(whole.count <= 3, "\(whole.count) events of one request")
    }
  }

  private static let limits: HTTPLimits = {
    var limits = HTTPLimits.server
    (limits.startLine, limits.fields, limits.fieldBytes, limits.body, limits.requests) = (256, 16, 512, 512, 8)
    return limits
  }()

  private static func pieces(_ bytes: [UInt8], _ random: SeededRandom?, _ body: (UnsafeRawBufferPointer) -> Void) {
    guard var random else { return bytes.withUnsafeBytes(body) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let size = 1 + Int(random.next() % 24)
      // In memory of its own size.
      Array(rest.prefix(size)).withUnsafeBytes(body)
      rest = rest.dropFirst(size)
    }
  }

  private struct Served: Equatable {
    var events: [HTTPServerConnection.Event] = []
    var output: [UInt8] = []
  }

  private static func served(_ bytes: [UInt8], _ random: SeededRandom?) -> Served {
    let server = HTTPServerConnection(limits: limits, now: 0)
    var served = Served()
    pieces(bytes, random) { piece in
      server.receive(piece, now: 0)
      while let event = server.takeEvent() {
        served.events.append(event)
        guard case .request(let request) = event else { continue }
        expect(request.body.count <= limits.body && request.fields.list.count <= limits.fields, "a request beyond its bounds")
        expect((try? server.respond(HTTPResponse(request.body.isEmpty ? 204 : 200, body: request.body), now: 0)) != nil, "no answer")
      }
    }
    server.takeOutput(&served.output)
    expect(served.events.count <= limits.requests + 1, "more requests than may come")
    return served
  }

  private static func asked(_ method: String, _ bytes: [UInt8], _ random: SeededRandom?, _ ends: Bool) -> [HTTPClientConnection.Event] {
    var limits = limits
    limits.headTime = 10
    let client = HTTPClientConnection(limits: limits)
    expect((try? client.send(HTTPRequest(method, "/", ["Host": "a"]), now: 0)) != nil, "no request")
    var events: [HTTPClientConnection.Event] = []
    var upgraded: [UInt8]?
    pieces(bytes, random) { piece in
      if upgraded != nil { return }
      client.receive(piece, now: 0)
      while let event = client.takeEvent() {
        guard case .upgraded(let response, let rest) = event else {
          if case .response(let response) = event { expect(response.body.count <= limits.body, "a body beyond its bound") }
          events.append(event)
          continue
        }
        // What follows is not of HTTP, and comes in other pieces.
        upgraded = rest
        events.append(.upgraded(response, rest: []))
      }
    }
    if ends { client.receiveEnd() }
    expect(client.poll(now: .max) == nil, "a client that waits for ever")
    while let event = client.takeEvent() { events.append(event) }
    return events
  }

  private static func check(_ request: HTTPRequest) {
    var copy = request
    for name in ["Content-Length", "Transfer-Encoding", "Expect", "Connection"] { copy.fields.remove(name) }
    if copy.fields["Host"] == nil { copy.fields.append("Host", "a") }
    var bytes: [UInt8] = []
    expect((try? HTTPWriter.write(copy, to: &bytes)) != nil, "a request that came cannot be written: \(copy)")
    let server = HTTPServerConnection(now: 0)
    bytes.withUnsafeBytes { server.receive($0, now: 0) }
    guard case .request(var again) = server.takeEvent() else { return expect(false, "what was written is no request") }
    again.fields.remove("Content-Length")
    expect(again == copy && server.takeEvent() == nil, "a request is not read as it was written")
    _ = (request.path, request.query, request.fields.contentType, request.fields.elements("Connection"))
  }
}
