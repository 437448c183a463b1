import MediaCore
import MediaSDP
import Testing

@testable import MediaSignalling

@Suite struct WHIPServerTests {
  private let server = WHIPServer(random: SeededRandom(seed: 1))
  private let type: HTTPFields = ["Host": "a", "Content-Type": "application/sdp"]

  private func post(_ target: String, _ fields: HTTPFields = [:], body: String = "v=0\r\nm=video 9 X 0\r\na=mid:0\r\n") -> HTTPRequest {
    var all = type
    for field in fields.list { all.set(field.name, field.value) }
    return HTTPRequest("POST", target, all, body: Array(body.utf8))
  }

  private func patch(_ session: String, _ tag: String?, _ body: String, type: String = ICEFragment.contentType) -> HTTPRequest {
    var fields: HTTPFields = ["Host": "a", "Content-Type": type]
    if let tag { fields.append("If-Match", tag) }
    return HTTPRequest("PATCH", "/sessions/\(session)", fields, body: Array(body.utf8))
  }

  private func response(_ step: WHIPServer.Step) -> HTTPResponse? {
    if case .respond(let response) = step { response } else { nil }
  }

  private func offer(_ request: HTTPRequest, _ server: WHIPServer? = nil) throws -> WHIPServer.Offer {
    guard case .offer(let offer) = (server ?? self.server).receive(request) else { throw MediaError(.fail, "no offer") }
    return offer
  }

  private func change(_ request: HTTPRequest) throws -> WHIPServer.Change {
    guard case .change(let change) = server.receive(request) else { throw MediaError(.fail, "no change") }
    return change
  }

  @Test func offersAreForRooms() throws {
    let whip = try offer(post("/whip/the%20room%2Fx?y", ["Authorization": "bearer  t.o-k_e+n/=", "Content-Type": "Application/SDP; x=y"]))
    #expect(whip.kind == .whip && whip.room == "the room/x" && whip.participant == nil && whip.token == "t.o-k_e+n/=")
    #expect(whip.sdp == "v=0\r\nm=video 9 X 0\r\na=mid:0\r\n")
    let whep = try offer(post("/whep/room/kiosk%C3%A9"))
    #expect(whep.kind == .whep && whep.room == "room" && whep.participant == "kiosk\u{E9}" && whep.token == nil)
    let server = try #require(ICEServer("turn:t", user: "u", password: "p"))
    let (session, created) = try self.server.accept(whip, sdp: "answer", iceServers: [server])
    #expect(created.status == 201 && created.fields["Content-Type"] == "application/sdp" && text(created.body) == "answer")
    #expect(
      created.fields["Location"] == "/sessions/\(session)" && created.fields["ETag"] == "\"1\""
        && ICEServerLinks.read(created.fields) == [server])
    let other = try self.server.accept(whep, sdp: "x").session
    #expect(session.utf8.count == 32 && session != other)
    guard case .end(session, let gone) = self.server.receive(HTTPRequest("DELETE", "/sessions/\(session)", ["Host": "a"])) else {
      throw MediaError(.fail, "no end")
    }
    #expect(gone.status == 200)
    #expect(response(self.server.receive(HTTPRequest("DELETE", "/sessions/\(session)", ["Host": "a"])))?.status == 404)
  }

  @Test func otherRequestsAreTheOwners() {
    for target in ["/", "*", "/whipx/room", "/index.html", "/WHIP/room", "whip/room"] {
      #expect(server.receive(HTTPRequest("GET", target, ["Host": "a"])) == .other, "\(target)")
    }
  }

  @Test func wrongRequestsAreRefused() {
    func status(_ request: HTTPRequest) -> Int { response(server.receive(request))?.status ?? 0 }
    for target in [
      "/whip", "/whip/", "/whip/a/b", "/whep/", "/whep/a/", "/whep/a/b/c", "/sessions", "/sessions/", "/whip/%00", "/whip/%0A", "/whip/%FF",
      "/whip/%4", "/whip/" + String(repeating: "a", count: 256)
    ] {
      #expect(status(post(target)) == 404, "\(target)")
    }
    #expect(status(post("/sessions/a")) == 405 && status(patch("a", "\"1\"", "")) == 404)
    for method in ["PUT", "PATCH", "DELETE", "CONNECT", "post"] {
      let refused = response(server.receive(HTTPRequest(method, "/whip/room", type, body: [97])))
      #expect(refused?.status == 405 && refused?.fields["Allow"] == "OPTIONS, POST", "\(method)")
    }
    #expect(response(server.receive(HTTPRequest("PUT", "/sessions/x", ["Host": "a"])))?.fields["Allow"] == "DELETE, OPTIONS, PATCH")
    let wrong = response(server.receive(post("/whip/room", ["Content-Type": "text/plain"])))
    #expect(wrong?.status == 415 && wrong?.fields["Accept-Post"] == "application/sdp")
    #expect(status(HTTPRequest("POST", "/whip/room", ["Host": "a"], body: [97])) == 415)
    #expect(status(post("/whip/room", body: "")) == 400 && status(HTTPRequest("POST", "/whip/room", type, body: [0xFF])) == 400)
    #expect(status(post("/whip/room", body: String(repeating: "a", count: 65_537))) == 413)
    for value in ["Basic dTpw", "Bearer", "Bearer ", "Bearer a b", "Bearer \u{E9}", "token"] {
      let refused = response(server.receive(post("/whip/room", ["Authorization": value])))
      #expect(refused?.status == 401 && refused?.fields["WWW-Authenticate"] == "Bearer", "\(value)")
    }
    var twice = post("/whip/room", ["Authorization": "Bearer a"])
    twice.fields.append("Authorization", "Bearer b")
    #expect(status(twice) == 401)
  }

  @Test func theOwnerDecides() throws {
    let (known, unknown) = (try offer(post("/whip/room", ["Authorization": "Bearer t"])), try offer(post("/whip/room")))
    func status(_ status: Status, _ offer: WHIPServer.Offer) -> Int { server.refuse(offer, MediaError(status, "why")).status }
    #expect(status(.permission, known) == 403 && status(.permission, unknown) == 401)
    #expect(server.refuse(unknown, MediaError(.permission, "x")).fields["WWW-Authenticate"] == "Bearer")
    #expect(
      status(.notFound, known) == 404 && status(.exists, known) == 409 && status(.invalid, known) == 400 && status(.format, known) == 422)
    let full = server.refuse(known, MediaError(.limit, "of secrets"))
    #expect(full.status == 503 && full.fields["Retry-After"] == "2" && !text(full.body).contains("secrets"))
    let failed = server.refuse(known, MediaError(.io, "of secrets"))
    #expect(failed.status == 500 && text(failed.body) == "the server failed\n")
    #expect(text(server.refuse(known, MediaError(.format, "no codec")).body) == "no codec\n")
  }

  @Test func sessionsAreChanged() throws {
    let offered = post("/whip/room", body: "v=0\r\nm=video 9 X 0\r\na=ice-ufrag:zyxw\r\n")
    let session = try server.accept(offer(offered), sdp: "v=0\r\na=ice-lite\r\nm=video 9 X 96\r\na=mid:0\r\n").session
    let credentials = "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"
    let candidates = try change(patch(session, "\"1\"", "a=candidate:1 1 udp 1 192.0.2.1 9 typ host\r\na=end-of-candidates\r\n"))
    #expect(
      !candidates.isRestart && candidates.session == session && candidates.fragment.candidates.count == 1 && candidates.fragment.isLast)
    #expect(server.accept(candidates, nil).status == 204)
    #expect(try !change(patch(session, "\"1\"", credentials.replacing("abcd", with: "zyxw"))).isRestart)
    let restart = try change(patch(session, "*", credentials))
    #expect(restart.isRestart && restart.fragment.user == "abcd")
    let theirs = ICEFragment(user: "efgh", password: "ABCDEFGHIJKLMNOPQRSTUV")
    let answer = server.accept(restart, theirs)
    #expect(answer.status == 200 && answer.fields["ETag"] == "\"2\"" && answer.fields["Content-Type"] == ICEFragment.contentType)
    #expect(text(answer.body).hasPrefix("a=ice-lite\r\nm=video 9 X 96\r\na=mid:0\r\na=ice-ufrag:efgh\r\n"))
    #expect(try ICEFragment(parsing: answer.body) == theirs)
    func status(_ request: HTTPRequest) -> Int { response(server.receive(request))?.status ?? 0 }
    #expect(status(patch(session, "\"1\"", "")) == 412 && status(patch(session, nil, "")) == 428 && status(patch(session, "2", "")) == 412)
    #expect(try !change(patch(session, "\"x\", \"2\"", "")).isRestart)
    #expect(status(patch(session, "*", "")) == 400 && status(patch(session, "\"2\"", "x")) == 400)
    // Other credentials are a restart, and the quotes of the RFC's example are understood.
    #expect(try change(patch(session, "\"2\"", credentials.replacing("abcd", with: "wxyz"))).isRestart)
    #expect(try !change(patch(session, "\"2\"", credentials)).isRestart && change(patch(session, "\"*\"", credentials)).isRestart)
    let wrong = response(server.receive(patch(session, "\"2\"", "", type: "application/sdp")))
    #expect(wrong?.status == 415 && wrong?.fields["Accept-Patch"] == ICEFragment.contentType)
    #expect(status(patch(session, "\"2\"", String(repeating: "\n", count: 65_537))) == 413)
    #expect(server.refuse(candidates, MediaError(.unsupported, "no")).status == 422)
    server.ended(session)
    #expect(status(patch(session, "\"2\"", "")) == 404 && server.accept(candidates, nil).status == 404)
  }

  @Test func browsersMayUseIt() throws {
    let preflight: HTTPFields = [
      "Host": "a", "Origin": "https://page", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"
    ]
    let any = try #require(response(server.receive(HTTPRequest("OPTIONS", "/whip/room", preflight))))
    #expect(
      any.status == 200 && any.fields["Access-Control-Allow-Origin"] == "*" && any.fields["Access-Control-Allow-Methods"] == "OPTIONS, POST"
    )
    #expect(any.fields["Access-Control-Allow-Headers"] == "Authorization, Content-Type, If-Match" && any.fields["Vary"] == nil)
    let session = try #require(response(server.receive(HTTPRequest("OPTIONS", "/sessions/x", preflight))))
    #expect(session.fields["Access-Control-Allow-Methods"] == "DELETE, OPTIONS, PATCH")
    let plain = try #require(response(server.receive(HTTPRequest("OPTIONS", "/whip/room", ["Host": "a"]))))
    #expect(plain.status == 200 && plain.fields["Accept-Post"] == "application/sdp" && plain.fields["Access-Control-Allow-Methods"] == nil)
    let some = WHIPServer(origins: ["https://page"], random: SeededRandom(seed: 1))
    func origin(_ origin: String?) throws -> String? {
      var request = post("/whip/room")
      if let origin { request.fields.append("Origin", origin) }
      let response = try some.accept(offer(request, some), sdp: "x").response
      #expect(
        some.refuse(try offer(request, some), MediaError(.notFound, "")).fields["Access-Control-Allow-Origin"]
          == response.fields["Access-Control-Allow-Origin"])
      return response.fields["Access-Control-Allow-Origin"].map { "\($0) \(response.fields["Vary"] ?? "")" }
    }
    #expect(try origin("https://page") == "https://page Origin" && origin("https://other") == nil && origin(nil) == nil)
    let refused = try #require(
      response(some.receive(HTTPRequest("OPTIONS", "/whip/room", ["Host": "a", "Origin": "x", "Access-Control-Request-Method": "POST"]))))
    #expect(refused.fields["Access-Control-Allow-Methods"] == nil && refused.fields["Access-Control-Allow-Origin"] == nil)
    let shown = try server.accept(offer(post("/whip/room")), sdp: "x").response.fields["Access-Control-Expose-Headers"]
    #expect(shown == "Location, ETag, Link, Accept-Patch, Retry-After")
  }

  /// RFC 9725, section 4.1.
  @Test func thereIsNothingToBeShown() throws {
    let session = try server.accept(offer(post("/whip/room")), sdp: "x").session
    for (target, status) in [
      ("/whip/room", 204), ("/whep/room/x", 204), ("/sessions/\(session)", 204), ("/sessions/x", 404), ("/whip/", 404)
    ] {
      for method in ["GET", "HEAD"] {
        #expect(response(server.receive(HTTPRequest(method, target, ["Host": "a"])))?.status == status, "\(target)")
      }
    }
  }

  @Test func whoReceivesMayComeTooEarly() throws {
    let (whip, whep) = (try offer(post("/whip/room")), try offer(post("/whep/room")))
    let early = server.refuse(whep, MediaError(.again, "nobody sends"))
    #expect(early.status == 409 && early.fields["Retry-After"] == "2" && server.refuse(whip, MediaError(.again, "")).status == 503)
  }

  @Test func sessionsAreBounded() throws {
    let first = try offer(post("/whip/room"))
    var names: Set<String> = []
    for _ in 0..<WHIPServer.mostSessions { names.insert(try server.accept(first, sdp: "x").session) }
    #expect(names.count == 4_096 && refusal { _ = try server.accept(first, sdp: "x") }?.status == .full)
    #expect(response(server.receive(post("/whip/room")))?.status == 503)
    server.ended(try #require(names.first))
    #expect(try server.accept(offer(post("/whip/room")), sdp: "x").response.status == 201)
  }
}
