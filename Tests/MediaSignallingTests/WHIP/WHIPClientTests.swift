import MediaCore
import MediaSDP
import Testing

@testable import MediaSignalling

@Suite struct WHIPClientTests {
  private let offer = "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\n"
  private let user = "abcd"
  private let password = "abcdefghijklmnopqrstuv"
  private let sdp: HTTPFields = ["Content-Type": "application/sdp", "Location": "../session/1?x=y", "ETag": "\"e1\""]

  private func url(_ text: String = "https://a/whip/room") throws -> HTTPURL { try HTTPURL(text, argument: "url") }
  private func candidate(_ number: Int) throws -> Candidate {
    try #require(try Candidate(parsing: "\(number) 1 udp \(number + 1) 192.0.2.1 \(5000 + number) typ host"))
  }

  private func client(_ kind: WHIPClient.Kind = .whip, token: String? = "secret", at text: String = "https://a/whip/room") throws
    -> WHIPClient
  {
    let client = try WHIPClient(kind, url(text), token: token)
    try client.start(offer: offer, user: user, password: password, now: 0)
    return client
  }

  private func established(etag: String? = "\"e1\"") throws -> WHIPClient {
    let client = try client()
    _ = client.takeRequest()
    var fields = sdp
    fields.remove("ETag")
    if let etag { fields.append("ETag", etag) }
    client.receive(HTTPResponse(201, fields, body: Array("answer".utf8)), now: 0, wallClock: 0)
    #expect(client.takeEvent() == .answer(sdp: "answer", iceServers: []))
    return client
  }

  private func events(_ client: WHIPClient) -> [WHIPClient.Event] {
    var found: [WHIPClient.Event] = []
    while let event = client.takeEvent() { found.append(event) }
    return found
  }

  private func ended(_ client: WHIPClient) -> SignallingFailure? {
    if case .failed(let failure) = client.takeEvent() { failure } else { nil }
  }

  @Test func anOfferIsAnswered() throws {
    let client = try client()
    let exchange = try #require(client.takeRequest())
    #expect(exchange.url.text == "https://a/whip/room" && client.takeRequest() == nil)
    let fields: HTTPFields = [
      "Host": "a", "Authorization": "Bearer secret", "Accept": "application/sdp", "Content-Type": "application/sdp"
    ]
    #expect(exchange.request == HTTPRequest("POST", "/whip/room", fields, body: Array(offer.utf8)))
    var answer = sdp
    answer.append("Link", "<stun:s>; rel=ice-server")
    client.receive(HTTPResponse(201, answer, body: Array("answer".utf8)), now: 0, wallClock: 0)
    #expect(client.takeEvent() == .answer(sdp: "answer", iceServers: [try #require(ICEServer("stun:s"))]))
    #expect(client.takeRequest() == nil && client.poll(now: .max) == nil)
    client.leave(now: 0)
    let end = try #require(client.takeRequest())
    #expect(end.url.text == "https://a/session/1?x=y")
    #expect(end.request == HTTPRequest("DELETE", "/session/1?x=y", ["Host": "a", "Authorization": "Bearer secret"]))
    client.receive(HTTPResponse(200), now: 0, wallClock: 0)
    #expect(events(client) == [.ended(nil)] && client.isEnded)
    #expect(refusal { try client.start(offer: offer, user: user, password: password, now: 0) }?.status == .state)
  }

  @Test func badAnswersAreNone() throws {
    let good = HTTPResponse(201, sdp, body: Array("answer".utf8))
    func refused(_ change: (inout HTTPResponse) -> Void) throws -> (String, ends: Bool) {
      let client = try client()
      _ = client.takeRequest()
      var response = good
      change(&response)
      client.receive(response, now: 0, wallClock: 0)
      let failure = try #require(ended(client))
      #expect(failure.isFinal)
      // A session that is there is ended.
      let next = client.takeRequest()
      #expect(next == nil || next?.request.method == "DELETE")
      if next != nil {
        #expect(!client.isEnded)
        client.receive(HTTPResponse(500), now: 0, wallClock: 0)
      }
      #expect(client.isEnded && client.takeEvent() == nil)
      return (failure.error.text, next != nil)
    }
    let without = try refused { $0.fields.remove("Location") }
    #expect(without.0.contains("without Location") && !without.ends)
    let type = try refused { $0.fields.set("Content-Type", "text/html") }
    #expect(type.0.contains("Content-Type \"text/html\"; accepted: application/sdp") && type.ends)
    #expect(try refused { $0.body = [] }.ends && refused { $0.body = [0xFF] }.ends)
    #expect(try refused { $0.body = [UInt8](repeating: 97, count: 65_537) }.0.contains("65537 bytes"))
    let plain = try refused { $0.fields.set("Location", "http://a/session/1") }
    #expect(plain.0.contains("not encrypted") && !plain.ends)
    #expect(try refused { $0.fields.set("Location", "ftp://x") }.0.contains("Location begins with \"ftp\""))
    #expect(try refused { $0.status = 200 }.0.contains("is this a URL of WHIP or WHEP?"))
    // Only WHEP has counter-offers.
    #expect(try refused { $0.status = 406 }.0.contains("none of the offered formats"))
  }

  @Test func redirectsAreFollowed() throws {
    let client = try client()
    _ = client.takeRequest()
    for (place, target) in ["/one", "two", "https://a:443/three?x", "./four", "//a/five"].enumerated() {
      client.receive(HTTPResponse(place % 2 == 0 ? 307 : 308, ["Location": target]), now: 0, wallClock: 0)
      let exchange = try #require(client.takeRequest(), "\(target)")
      #expect(
        exchange.request.method == "POST" && exchange.request.body == Array(offer.utf8) && exchange.request.fields["Authorization"] != nil)
    }
    client.receive(HTTPResponse(307, ["Location": "/six"]), now: 0, wallClock: 0)
    #expect(
      try #require(ended(client)).error.text == "WHIP: https://a/five redirects to https://a/six, after 5 others; accepted: at most 5")
    #expect(client.isEnded)
  }

  /// What one request did is not held against the next one.
  @Test func eachRequestMayBeRedirected() throws {
    let client = try established()
    for number in 0..<8 {
      try client.add(candidate(number), now: 0)
      #expect(client.takeRequest()?.url.path == "/session/1")
      client.receive(HTTPResponse(307, ["Location": "/elsewhere"]), now: 0, wallClock: 0)
      let exchange = try #require(client.takeRequest())
      #expect(exchange.url.path == "/elsewhere" && exchange.request.method == "PATCH" && exchange.request.fields["If-Match"] == "\"e1\"")
      client.receive(HTTPResponse(204), now: 0, wallClock: 0)
    }
    #expect(client.takeEvent() == nil)
  }

  /// Neither another origin, nor who listens to http, learns it.
  @Test func redirectsDoNotGiveTheTokenAway() throws {
    for (target, host) in [("https://b/x", "b"), ("https://a:444/x", "a:444"), ("https://a.b/", "a.b")] {
      let client = try client()
      _ = client.takeRequest()
      client.receive(HTTPResponse(307, ["Location": target]), now: 0, wallClock: 0)
      let exchange = try #require(client.takeRequest())
      #expect(exchange.request.fields["Authorization"] == nil && exchange.request.fields["Host"] == host)
      // Back home it is right again, and there it was: a loop.
      client.receive(HTTPResponse(307, ["Location": "https://a/other"]), now: 0, wallClock: 0)
      #expect(client.takeRequest()?.request.fields["Authorization"] == "Bearer secret")
      client.receive(HTTPResponse(308, ["Location": "/whip/room"]), now: 0, wallClock: 0)
      #expect(try #require(ended(client)).error.text.hasSuffix("redirects to https://a/whip/room, where this request has been: a loop"))
    }
    let plain = try client()
    _ = plain.takeRequest()
    plain.receive(HTTPResponse(307, ["Location": "http://a/whip/room"]), now: 0, wallClock: 0)
    let failure = try #require(ended(plain))
    #expect(failure.error.status == .untrusted && failure.isFinal && plain.takeRequest() == nil)
    // Nor does who is not on this machine, from one that is.
    for (target, isFollowed) in [("http://b/x", false), ("http://[::1]:8/x", true), ("https://b/x", true)] {
      let here = try client(at: "http://127.0.0.1/whip/room")
      _ = here.takeRequest()
      here.receive(HTTPResponse(307, ["Location": target]), now: 0, wallClock: 0)
      #expect((here.takeRequest() != nil) == isFollowed)
      if !isFollowed { #expect(try #require(ended(here)).error.status == .untrusted) }
      let there = try client(at: "http://127.0.0.1/whip/room")
      _ = there.takeRequest()
      let answer = HTTPResponse(201, ["Content-Type": "application/sdp", "Location": target], body: Array("v=0".utf8))
      there.receive(answer, now: 0, wallClock: 0)
      if isFollowed {
        guard case .answer? = there.takeEvent() else { return #expect(Bool(false), "\(target) is taken") }
      } else {
        #expect(try #require(ended(there)).error.status == .untrusted && there.takeRequest() == nil)
      }
    }
    let up = try client(at: "http://a/whip/room")
    _ = up.takeRequest()
    up.receive(HTTPResponse(307, ["Location": "https://a/whip/room"]), now: 0, wallClock: 0)
    #expect(up.takeRequest()?.request.fields["Authorization"] == nil)
  }

  /// RFC 9725, section 4.7.1: requests to a session have it, too, wherever the endpoint says that it is; one that has not the token says
  /// nothing.
  @Test func sessionsGetTheTokenFromWhoHasIt() throws {
    var fields = sdp
    fields.set("Location", "https://b/session")
    for isRedirected in [false, true] {
      let client = try client()
      _ = client.takeRequest()
      if isRedirected {
        client.receive(HTTPResponse(307, ["Location": "https://c/whip"]), now: 0, wallClock: 0)
        _ = client.takeRequest()
      }
      client.receive(HTTPResponse(201, fields, body: [97]), now: 0, wallClock: 0)
      client.leave(now: 0)
      let end = try #require(client.takeRequest())
      #expect(end.url.host == "b" && (end.request.fields["Authorization"] == nil) == isRedirected)
      client.receive(HTTPResponse(307, ["Location": "https://d/"]), now: 0, wallClock: 0)
      #expect(client.takeRequest()?.request.fields["Authorization"] == nil)
    }
  }

  @Test func refusalsAreSaid() throws {
    for (status, isFinal) in [
      (401, true), (403, true), (404, true), (409, false), (415, true), (422, true), (429, false), (503, false), (302, true)
    ] {
      let client = try client()
      _ = client.takeRequest()
      client.receive(HTTPResponse(status, ["Retry-After": "3", "Location": "/x"]), now: 0, wallClock: 0)
      let failure = try #require(ended(client))
      #expect(failure.status == status && failure.isFinal == isFinal && failure.retryAfter == 3 * second && client.isEnded)
    }
    let unreachable = try client()
    _ = unreachable.takeRequest()
    unreachable.fail(MediaError(.io, "connection refused"), now: 0)
    #expect(ended(unreachable) == SignallingFailure(MediaError(.io, "connection refused"), isFinal: false))
    let untrusted = try client()
    _ = untrusted.takeRequest()
    untrusted.fail(MediaError(.untrusted, "wrong certificate"), now: 0)
    #expect(ended(untrusted)?.isFinal == true)
  }

  @Test func candidatesAreTrickledTogether() throws {
    let client = try client()
    _ = client.takeRequest()
    // Those that come while the offer is on its way wait for the session.
    try client.add(candidate(1), now: 0)
    try client.add(candidate(2), now: 0)
    #expect(client.takeRequest() == nil)
    client.receive(HTTPResponse(201, sdp, body: [97]), now: 0, wallClock: 0)
    let first = try #require(client.takeRequest())
    let fields: HTTPFields = [
      "Host": "a", "Authorization": "Bearer secret", "Content-Type": "application/trickle-ice-sdpfrag", "If-Match": "\"e1\""
    ]
    #expect(first.url.text == "https://a/session/1?x=y" && first.request.method == "PATCH" && first.request.fields == fields)
    #expect(
      text(first.request.body)
        == "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\na=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"
        + "a=candidate:\(try candidate(1).text)\r\n"
        + "a=candidate:\(try candidate(2).text)\r\n")
    try client.add(candidate(3), now: 0)
    client.endOfCandidates(now: 0)
    #expect(client.takeRequest() == nil)
    client.receive(HTTPResponse(204), now: 0, wallClock: 0)
    let second = try ICEFragment(parsing: #require(client.takeRequest()).request.body)
    #expect(try second.candidates == [candidate(3)] && second.isLast)
    client.receive(HTTPResponse(204), now: 0, wallClock: 0)
    #expect(client.takeRequest() == nil)
    _ = events(client)
    for number in 0..<129 {
      if number == 1 { #expect(client.takeRequest() != nil) }
      try client.add(candidate(number), now: 0)
    }
    #expect(refusal { try client.add(candidate(0), now: 0) }?.text.contains("at most 128") == true)
  }

  @Test(arguments: [400, 401, 403, 405, 412, 415, 422, 428, 501]) func serversMayNotTrickle(status: Int) throws {
    let client = try established(etag: nil)
    try client.add(candidate(1), now: 0)
    #expect(client.takeRequest()?.request.fields["If-Match"] == nil)
    client.receive(HTTPResponse(status), now: 0, wallClock: 0)
    guard case .trickleFailed(let failure) = client.takeEvent() else { throw MediaError(.fail, "nothing failed") }
    #expect(failure.status == status)
    // The session goes on, without.
    try client.add(candidate(2), now: 0)
    client.endOfCandidates(now: 0)
    #expect(client.takeRequest() == nil && client.takeEvent() == nil && client.poll(now: .max) == nil)
    client.leave(now: 0)
    #expect(client.takeRequest()?.request.method == "DELETE")
  }

  @Test func candidatesAreSentAgain() throws {
    let client = try established()
    try client.add(candidate(1), now: 0)
    _ = client.takeRequest()
    client.receive(HTTPResponse(503, ["Retry-After": "7"]), now: 0, wallClock: 0)
    try client.add(candidate(2), now: 0)
    #expect(client.takeRequest() == nil && client.poll(now: 7 * second - 1) == 7 * second && client.takeRequest() == nil)
    #expect(client.poll(now: 7 * second) == nil)
    #expect(try ICEFragment(parsing: #require(client.takeRequest()).request.body).candidates == [candidate(1), candidate(2)])
    client.fail(MediaError(.io, "gone"), now: 7 * second)
    #expect(client.poll(now: 7 * second) == 8 * second && client.poll(now: 8 * second) == nil && client.takeRequest() != nil)
    client.fail(MediaError(.io, "gone"), now: 8 * second)
    _ = client.poll(now: 9 * second)
    #expect(client.takeRequest() != nil && client.takeEvent() == nil)
    client.fail(MediaError(.io, "gone"), now: 9 * second)
    guard case .trickleFailed(_) = client.takeEvent() else { throw MediaError(.fail, "nothing failed") }
    #expect(client.poll(now: .max) == nil)
  }

  @Test(arguments: [404, 410]) func aSessionMayBeGone(status: Int) throws {
    let client = try established()
    try client.add(candidate(1), now: 0)
    _ = client.takeRequest()
    client.receive(HTTPResponse(status), now: 0, wallClock: 0)
    let failure = try #require(ended(client))
    #expect(failure.status == status && !failure.isFinal && client.isEnded && client.takeRequest() == nil)
  }

  @Test func iceIsRestarted() throws {
    let client = try established()
    #expect(refusal { try self.client().restart(user: "x", password: "y", now: 0) }?.status == .state)
    try client.add(candidate(1), now: 0)
    _ = client.takeRequest()
    // What waits is of the generation before.
    try client.add(candidate(2), now: 0)
    try client.restart(user: "wxyz", password: "zyxwvutsrqponmlkjihgfe", now: 0)
    try client.add(candidate(3), now: 0)
    client.receive(HTTPResponse(412), now: 0, wallClock: 0)
    let restart = try #require(client.takeRequest())
    #expect(restart.request.fields["If-Match"] == "*" && restart.request.method == "PATCH" && client.takeEvent() == nil)
    let sent = try ICEFragment(parsing: restart.request.body)
    #expect(try sent == ICEFragment(user: "wxyz", password: "zyxwvutsrqponmlkjihgfe", candidates: [candidate(3)]))
    try client.add(candidate(4), now: 0)
    let theirs = ICEFragment(user: "efgh", password: "ABCDEFGHIJKLMNOPQRSTUV", candidates: [try candidate(9)])
    let fields: HTTPFields = ["Content-Type": ICEFragment.contentType, "ETag": "\"e2\""]
    client.receive(HTTPResponse(200, fields, body: theirs.bytes(in: .init(firstOf: offer))), now: 0, wallClock: 0)
    #expect(client.takeEvent() == .restarted(theirs))
    #expect(client.takeRequest()?.request.fields["If-Match"] == "\"e2\"")
  }

  /// Only the last counts (RFC 9725, section 4.3.3).
  @Test func iceIsRestartedAgainMeanwhile() throws {
    let client = try established()
    let fields: HTTPFields = ["Content-Type": ICEFragment.contentType, "ETag": "\"e2\""]
    for attempt in 0..<2 {
      try client.restart(user: "wx\(attempt)yz", password: "zyxwvutsrqponmlkjihgfe", now: 0)
      if attempt == 0 { #expect(client.takeRequest() != nil) }
    }
    let theirs = ICEFragment(user: "efgh", password: "ABCDEFGHIJKLMNOPQRSTUV")
    let answer = HTTPResponse(200, fields, body: theirs.bytes(in: .init(firstOf: "")))
    client.receive(answer, now: 0, wallClock: 0)
    let second = try #require(client.takeRequest())
    #expect(
      client.takeEvent() == nil && second.request.fields["If-Match"] == "*" && text(second.request.body).contains("a=ice-ufrag:wx1yz\r\n"))
    client.receive(answer, now: 0, wallClock: 0)
    #expect(client.takeEvent() == .restarted(theirs) && client.takeEvent() == nil && client.takeRequest() == nil)
  }

  @Test func aRestartMayFail() throws {
    let good = ICEFragment(user: "efgh", password: "ABCDEFGHIJKLMNOPQRSTUV").bytes(in: .init(firstOf: ""))
    let type: HTTPFields = ["Content-Type": ICEFragment.contentType]
    for response in [
      HTTPResponse(204), HTTPResponse(405), HTTPResponse(412), HTTPResponse(501), HTTPResponse(503),
      HTTPResponse(200, ["Content-Type": "text/plain"], body: good),
      HTTPResponse(200, type, body: []), HTTPResponse(200, type, body: Array("a=ice-ufrag:abcd\r\n".utf8)),
      HTTPResponse(200, type, body: [0xFF])
    ] {
      let client = try established()
      try client.restart(user: "wxyz", password: "zyxwvutsrqponmlkjihgfe", now: 0)
      _ = client.takeRequest()
      client.receive(response, now: 0, wallClock: 0)
      guard case .restartFailed(_) = client.takeEvent() else { throw MediaError(.fail, "nothing failed") }
      // The server would not know whose these are.
      try client.add(candidate(1), now: 0)
      #expect(client.takeRequest() == nil && client.takeEvent() == nil)
      try client.restart(user: "wxyz", password: "zyxwvutsrqponmlkjihgfe", now: 0)
      #expect(client.takeRequest()?.request.fields["If-Match"] == "*")
    }
  }

  @Test func whepHasCounterOffers() throws {
    let client = try client(.whep)
    _ = client.takeRequest()
    client.receive(HTTPResponse(406, sdp, body: Array("counter".utf8)), now: 0, wallClock: 0)
    #expect(client.takeEvent() == .counterOffer(sdp: "counter", iceServers: []) && client.poll(now: 29 * second) == 30 * second)
    try client.add(candidate(1), now: 0)
    #expect(client.takeRequest() == nil)
    try client.answer("v=0\r\nm=audio 9 Y 8\r\na=mid:a\r\n", user: "uvwx", password: password, now: 29 * second)
    let exchange = try #require(client.takeRequest())
    #expect(
      exchange.url.text == "https://a/session/1?x=y" && exchange.request.method == "PATCH"
        && text(exchange.request.body).hasPrefix("v=0\r\nm=audio"))
    #expect(exchange.request.fields["Content-Type"] == "application/sdp" && exchange.request.fields["If-Match"] == "\"e1\"")
    #expect(refusal { try client.answer("again", user: "uvwx", password: password, now: 0) }?.status == .state)
    client.receive(HTTPResponse(204), now: 0, wallClock: 0)
    #expect(client.takeEvent() == .established)
    let trickle = try #require(client.takeRequest())
    #expect(
      trickle.request.fields["Content-Type"] == ICEFragment.contentType
        && text(trickle.request.body).hasPrefix("m=audio 9 Y 8\r\na=mid:a\r\na=ice-ufrag:uvwx\r\n"))
    let soon = try self.client(.whep)
    _ = soon.takeRequest()
    var until = sdp
    until.set("Content-Type", "application/sdp; valid-until=\"Sun, 06 Nov 1994 08:49:37 GMT\"")
    soon.receive(HTTPResponse(406, until, body: [97]), now: 5, wallClock: 784_111_770 * second)
    #expect(soon.poll(now: 5) == 7 * second + 5)
    let wrong = try self.client(.whep)
    _ = wrong.takeRequest()
    wrong.receive(HTTPResponse(406, until, body: [97]), now: 0, wallClock: 784_111_778 * second)
    #expect(wrong.poll(now: 0) == 30 * second)
    let late = try self.client(.whep)
    _ = late.takeRequest()
    late.receive(HTTPResponse(406, sdp, body: Array("counter".utf8)), now: 0, wallClock: 0)
    _ = late.takeEvent()
    #expect(late.poll(now: 30 * second) == nil && ended(late)?.error.status == .timeout && late.takeRequest()?.request.method == "DELETE")
    let refused = try self.client(.whep)
    _ = refused.takeRequest()
    refused.receive(HTTPResponse(406, ["Content-Type": "text/plain"], body: [97]), now: 0, wallClock: 0)
    #expect(ended(refused)?.error.status == .format && refused.isEnded)
    let unanswered = try self.client(.whep)
    _ = unanswered.takeRequest()
    unanswered.receive(HTTPResponse(406, sdp, body: [97]), now: 0, wallClock: 0)
    _ = unanswered.takeEvent()
    try unanswered.answer("x", user: "uvwx", password: password, now: 0)
    _ = unanswered.takeRequest()
    unanswered.receive(HTTPResponse(422), now: 0, wallClock: 0)
    #expect(ended(unanswered)?.status == 422 && unanswered.takeRequest()?.request.method == "DELETE")
  }

  /// At each moment.
  @Test func whoLeavesLeavesNothing() throws {
    let before = try WHIPClient(.whip, url(), token: nil)
    before.leave(now: 0)
    #expect(events(before) == [.ended(nil)] && before.isEnded && before.takeRequest() == nil)
    let during = try client()
    _ = during.takeRequest()
    during.leave(now: 0)
    during.leave(now: 0)
    #expect(during.takeRequest() == nil && events(during).isEmpty)
    during.receive(HTTPResponse(201, sdp, body: [97]), now: 0, wallClock: 0)
    #expect(during.takeRequest()?.request.method == "DELETE" && events(during).isEmpty)
    during.receive(HTTPResponse(404), now: 0, wallClock: 0)
    #expect(events(during) == [.ended(nil)])
    let refused = try client()
    _ = refused.takeRequest()
    refused.leave(now: 0)
    refused.fail(MediaError(.io, "gone"), now: 0)
    #expect(events(refused) == [.ended(MediaError(.io, "gone"))] && refused.isEnded)
    let counter = try client(.whep)
    _ = counter.takeRequest()
    counter.receive(HTTPResponse(406, sdp, body: [97]), now: 0, wallClock: 0)
    counter.leave(now: 0)
    #expect(counter.takeRequest()?.request.method == "DELETE" && counter.poll(now: .max) == nil)
    let early = try client(.whep)
    _ = early.takeRequest()
    early.leave(now: 0)
    early.receive(HTTPResponse(406, sdp, body: [97]), now: 0, wallClock: 0)
    #expect(early.takeRequest()?.request.method == "DELETE" && early.poll(now: 0) == nil && events(early).isEmpty)
    let trickling = try established()
    try trickling.add(candidate(1), now: 0)
    _ = trickling.takeRequest()
    try trickling.add(candidate(2), now: 0)
    trickling.leave(now: 0)
    trickling.receive(HTTPResponse(503), now: 0, wallClock: 0)
    #expect(trickling.takeRequest()?.request.method == "DELETE")
    trickling.receive(HTTPResponse(500), now: 0, wallClock: 0)
    guard case .ended(let error?) = trickling.takeEvent() else { throw MediaError(.fail, "no error") }
    #expect(error.text.contains("500") && trickling.isEnded)
  }

  @Test func argumentsAreChecked() throws {
    for wrong in ["", "a b", "a\r\nX: y", "é", String(repeating: "a", count: 4_097)] {
      #expect(refusal { _ = try WHIPClient(.whip, url(), token: wrong) }?.status == .invalid)
    }
    let client = try WHIPClient(.whip, url(), token: nil)
    #expect(refusal { try client.start(offer: String(repeating: "a", count: 65_537), user: "", password: "", now: 0) }?.status == .limit)
    try client.start(offer: "v=0", user: "", password: "", now: 0)
    #expect(client.takeRequest()?.request.fields["Authorization"] == nil)
    // Nothing was asked.
    let idle = try established()
    idle.receive(HTTPResponse(404), now: 0, wallClock: 0)
    idle.fail(MediaError(.io, ""), now: 0)
    #expect(idle.takeEvent() == nil && !idle.isEnded)
  }
}
