import MediaCore
import MediaSDP

@testable import MediaSignalling

/// A strange server for a client of WHIP and WHEP, a stranger at a server of them, and the texts that both read: URLs, dates, links,
/// candidates.
enum WHIPConversation: FuzzTarget {
  static let name = "whip"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    switch input.number(below: 4) {
    case 0: try urls(&input)
    case 1: texts(&input)
    case 2: try asked(&input)
    default: served(&input)
    }
  }

  private static func text(_ input: inout Input) -> String { String(decoding: input.piece(), as: UTF8.self) }

  private static func urls(_ input: inout Input) throws {
    let base = try HTTPURL(text(&input), argument: "url")
    check(base)
    let url = try base.resolve(input.text, argument: "Location")
    check(url)
    if url.host.utf8.contains(UInt8(ascii: "%")) { return }
    expect(try base.resolve(url.text, argument: "it") == url, "a URL is not what it says")
  }

  private static func check(_ url: HTTPURL) {
    expect(HTTPText.isTarget(url.target) && url.target.utf8.first == UInt8(ascii: "/") && url.port != 0, "a target that cannot be")
    // A zone means something here only, and is not written.
    let again = try? HTTPURL(url.text, argument: "it")
    let hasZone = url.host.utf8.contains(UInt8(ascii: "%"))
    expect(hasZone || again == url, "\(url.text) is not read as it was written")
    expect(!"\(url)".utf8.contains(0x0A) && url.hasOrigin(of: url), "a URL that is not itself")
    var bytes: [UInt8] = []
    expect((try? HTTPWriter.write(HTTPRequest("GET", url.target, ["Host": url.hostField]), to: &bytes)) != nil, "it cannot be asked for")
    let server = HTTPServerConnection(now: 0)
    bytes.withUnsafeBytes { server.receive($0, now: 0) }
    guard case .request(_) = server.takeEvent() else { return expect(false, "nobody can be asked for \(url.text)") }
  }

  private static func texts(_ input: inout Input) {
    let (link, date) = (text(&input), text(&input))
    let servers = ICEServerLinks.read(["Link": link])
    expect(servers.count <= 16, "\(servers.count) servers")
    var fields = HTTPFields()
    ICEServerLinks.write(servers, to: &fields)
    // Blanks around a value, and what no field can have, are lost; and only both of user and password are written.
    if servers.allSatisfy({ ($0.user == nil) == ($0.password == nil) }) {
      expect(ICEServerLinks.read(fields) == servers, "links are not read as they were written")
    }
    if let delay = HTTPDate.delay(date, wallClock: Int64(input.u32()) << 24) {
      expect((0...HTTPDate.longestDelay).contains(delay), "\(delay)")
    }
    guard let fragment = try? ICEFragment(parsing: Array(input.rest)) else { return }
    expect(fragment.candidates.count <= ICEFragment.mostCandidates, "\(fragment.candidates.count) candidates")
    let section = ICEFragment.Section(firstOf: input.text)
    expect(try ICEFragment(parsing: fragment.bytes(in: section)) == fragment, "a fragment is not read as it was written")
    // An answer of another generation: what the fragment says is in it, once.
    let answer = WHIPDescriptions.answer(link, with: fragment)
    expect(WHIPDescriptions.answer(answer, with: fragment) == answer, "a generation changes by being taken twice")
    if let known = WHIPDescriptions.credentials(in: link) {
      let next = WHIPDescriptions.credentials(in: answer)
      expect(next?.user == fragment.user ?? known.user && next?.password == fragment.password ?? known.password, "other credentials")
    }
    let fitted = WHIPDescriptions.answer(answer, to: date)
    expect(WHIPDescriptions.lines(of: fitted).count == WHIPDescriptions.lines(of: answer).count, "lines come or go")
  }

  /// A response of anything.
  private static func response(_ input: inout Input) -> HTTPResponse {
    let usual = [200, 201, 204, 307, 308, 401, 404, 405, 406, 412, 503]
    let number = input.byte()
    var response = HTTPResponse(number < 200 ? usual[Int(number) % usual.count] : 100 + Int(input.u16()) % 500)
    if number & 1 == 0 { response.fields.append("Content-Type", number & 2 == 0 ? "application/sdp" : ICEFragment.contentType) }
    for _ in 0..<input.number(below: 4) {
      let name = ["Location", "ETag", "Link", "Retry-After", "Content-Type"][input.number(below: 5)]
      response.fields.append(name, text(&input))
    }
    response.body = Array(input.piece())
    return response
  }

  private static func asked(_ input: inout Input) throws {
    let options = input.byte()
    let home = try HTTPURL(options & 2 == 0 ? "https://a/whip/x" : "http://a:80/whip/x?y", argument: "url")
    let client = try WHIPClient(options & 1 == 0 ? .whip : .whep, home, token: "t")
    try client.start(offer: "v=0\r\nm=audio 9 X 0\r\na=mid:0\r\n", user: "abcd", password: "abcdefghijklmnopqrstuv", now: 0)
    guard let candidate = try Candidate(parsing: "1 1 udp 1 192.0.2.1 9 typ host") else { return }
    var (now, requests, ends, isOut) = (Int64(0), 0, 0, false)
    for _ in 0..<64 where !input.isAtEnd {
      switch input.number(below: 10) {
      case 0: now &+= Int64(input.byte()) * 1_000_000_000
      case 1: try? client.add(candidate, now: now)
      case 2: client.endOfCandidates(now: now)
      case 3: try? client.restart(user: "efgh", password: "ABCDEFGHIJKLMNOPQRSTUV", now: now)
      case 4: try? client.answer("v=0", user: "efgh", password: "ABCDEFGHIJKLMNOPQRSTUV", now: now)
      case 5: client.leave(now: now)
      case 6: client.fail(MediaError(input.byte() & 1 == 0 ? .io : .untrusted, "x"), now: now)
      default: client.receive(response(&input), now: now, wallClock: now)
      }
      if let next = client.poll(now: now) { expect(next > now, "it wants to be called again at once") }
      while let event = client.takeEvent() {
        switch event {
        case .failed(_), .ended(_): ends += 1
        case .answer(let sdp, let servers), .counterOffer(let sdp, let servers):
          expect(sdp.utf8.count <= WHIPClient.longestSDP && servers.count <= 16 && ends == 0, "an answer that cannot be")
        default: expect(ends == 0, "something after the end")
        }
      }
      guard let exchange = client.takeRequest() else { continue }
      requests += 1
      isOut = true
      check(exchange, home)
    }
    expect(ends <= 1 && requests <= 65 && (isOut || requests == 0), "\(ends) ends, \(requests) requests")
  }

  private static func check(_ exchange: WHIPClient.Exchange, _ home: HTTPURL) {
    let knows = exchange.request.fields["Authorization"] != nil
    // Where the session is, who has the token says.
    expect(knows || !exchange.url.hasOrigin(of: home), "a token does not go home")
    expect(!knows || exchange.request.method != "POST" || exchange.url.hasOrigin(of: home), "a token goes elsewhere")
    expect(exchange.url.isSecure || !home.isSecure, "from https to http")
    var bytes: [UInt8] = []
    // An ETag that no field can have came of no connection.
    let isWritable = exchange.request.fields["If-Match"].map { HTTPText.isValue($0) } ?? true
    expect(!isWritable || (try? HTTPWriter.write(exchange.request, to: &bytes)) != nil, "a request that cannot be written")
  }

  private static func served(_ input: inout Input) {
    let options = input.byte()
    let server = WHIPServer(origins: options & 1 == 0 ? nil : ["https://page"], random: SeededRandom(seed: 1))
    let connection = HTTPServerConnection(now: 0)
    var sessions: [String] = []
    for piece in 0..<16 where !input.isAtEnd {
      let decision = input.byte()
      connection.receive(input.piece(), now: Int64(piece))
      while let event = connection.takeEvent() {
        guard case .request(let request) = event else { return }
        // The name of the latest session is not known to who made the input.
        var known = request
        if let last = sessions.last, request.target == "/sessions/x" { known.target = "/sessions/\(last)" }
        let response: HTTPResponse
        switch server.receive(known) {
        case .other: response = HTTPResponse(200, text: "a page")
        case .respond(let answer): response = answer
        case .offer(let offer):
          expect((1...255).contains(offer.room.utf8.count) && offer.sdp.utf8.count <= 65_536, "an offer that cannot be")
          if decision & 1 == 0, let accepted = try? server.accept(offer, sdp: "v=0") {
            (_, response) = accepted
            sessions.append(accepted.session)
          } else {
            response = server.refuse(offer, MediaError(Status(foreign: -Int32(decision >> 1) % 29), "why"))
          }
        case .change(let change):
          expect(change.session == sessions.last, "a change of another session")
          response =
            decision & 1 == 0
            ? server.accept(change, ICEFragment(user: "efgh", password: "ABCDEFGHIJKLMNOPQRSTUV"))
            : server.refuse(change, MediaError(.io, ""))
        case .end(let session, let answer):
          expect(sessions.popLast() == session, "another session ends")
          response = answer
        }
        expect((try? connection.respond(response, now: Int64(piece))) != nil, "an answer that cannot be written: \(response)")
      }
    }
  }
}
