import MediaCore
import MediaSDP

/// The client's side of one session of WHIP (RFC 9725) or WHEP (draft-ietf-wish-whep): which request of HTTP comes next, and what its
/// response means. It owns no connection: its driver takes a request (`takeRequest`), sends it over a connection to its URL, and hands in
/// what came of it (`receive`, `fail`). One request is in flight at a time. After `.failed` or `.ended` another session is another client
/// (`ReconnectPolicy`). Calls come one at a time.
public final class WHIPClient {
  /// Which of the two.
  public enum Kind: Sendable {
    /// Media are sent.
    case whip
    /// Media are received.
    case whep

    /// For errors.
    var name: String { self == .whip ? "WHIP" : "WHEP" }
  }

  /// To be sent.
  public struct Exchange: Sendable, Equatable {
    /// Over a connection to its host and port, with TLS if it is secure.
    public let url: HTTPURL
    /// With Host and a token, if the URL may know it.
    public let request: HTTPRequest
  }

  /// What happened.
  public enum Event: Sendable, Equatable {
    /// To the offer; the session is there.
    case answer(sdp: String, iceServers: [ICEServer])
    /// Of WHEP, instead of an answer: to be answered by `answer` within 30 s, or the time that the server says.
    case counterOffer(sdp: String, iceServers: [ICEServer])
    /// The answer to the counter-offer was taken; the session is there.
    case established
    /// The credentials and candidates of the server's new generation.
    case restarted(ICEFragment)
    /// There is no new generation: the session goes on as it is, or another one is made.
    case restartFailed(SignallingFailure)
    /// No candidates are trickled any more. The session goes on; it may still connect, as the server learns addresses from checks.
    case trickleFailed(SignallingFailure)
    /// There is no session. If the server may still have one, a request that ends it is taken next.
    case failed(SignallingFailure)
    /// After `leave`. What went wrong at that is for the log.
    case ended(MediaError?)
  }

  private enum Stage {
    case new, offering, countering, established, ended
  }

  enum Task: Equatable {
    case offer
    case answer(String)
    case trickle(ICEFragment)
    case restart(ICEFragment)
    case leave
  }

  let kind: Kind
  private let endpoint: HTTPURL
  private let token: String?
  private var stage = Stage.new
  private var events: [Event] = []
  private var isLeaving = false

  // The request that is in flight.
  private var task: Task?
  private var exchange: Exchange?
  private var url: HTTPURL
  private var trail = RedirectTrail()

  // The session.
  private var offer = ""
  /// Origins that may know the token.
  private var trusted: [HTTPURL]
  private var resource: HTTPURL?
  private var tag: String?
  private var counterEnds: Int64?

  // ICE.
  private var section = ICEFragment.Section(firstOf: "")
  private var user: String?
  private var password: String?
  private var candidates: [Candidate] = []
  private var isLast = false
  private var canTrickle = true
  private var wantsRestart = false
  private var repeats = 0
  private var repeatAt: Int64?

  /// How often candidates are sent again.
  static let trickles = 3
  static let sdp = "application/sdp"
  /// Bytes of a description.
  static let longestSDP = 65_536

  /// `token`: sent as Bearer (RFC 6750) to the origin of this URL, and to that of the session that this origin names; nil: none. Throws
  /// `.invalid` for one that cannot be sent.
  public init(_ kind: Kind, _ url: HTTPURL, token: String?) throws(MediaError) {
    if let token {
      guard HTTPText.isTarget(token), token.utf8.count <= 4_096 else {
        throw MediaError(.invalid, "the token has \(token.utf8.count) bytes; accepted: 1 to 4096 visible letters of ASCII")
      }
    }
    (self.kind, endpoint, self.url, self.token, trusted) = (kind, url, url, token, [url])
  }

  // MARK: What the owner wants

  /// The first call. `user` and `password` are of ICE, for what is trickled. Throws `.state` when it was called, `.limit` for more than
  /// 65,536 bytes.
  public func start(offer: String, user: String, password: String, now: Int64) throws(MediaError) {
    guard stage == .new else { throw MediaError(.state, "a session of WHIP is started twice") }
    try WHIPClient.check(offer, "the offer")
    (self.offer, self.user, self.password, stage) = (offer, user, password, .offering)
    section = ICEFragment.Section(firstOf: offer)
    perform(.offer, endpoint)
  }

  /// To `.counterOffer`, with the credentials of ICE in it. Throws `.state` when there is none, `.limit`.
  public func answer(_ sdp: String, user: String, password: String, now: Int64) throws(MediaError) {
    guard stage == .countering, counterEnds != nil, let resource else {
      throw MediaError(.state, "there is no counter-offer to be answered")
    }
    try WHIPClient.check(sdp, "the answer")
    (self.user, self.password, section, counterEnds) = (user, password, ICEFragment.Section(firstOf: sdp), nil)
    perform(.answer(sdp), resource)
  }

  /// Of this end, found after the offer was written. They are sent together when the server can take them. Throws `.limit` for more than
  /// 128 that wait.
  public func add(_ candidate: Candidate, now: Int64) throws(MediaError) {
    guard canTrickle, !isLeaving, stage != .ended else { return }
    guard candidates.count < ICEFragment.mostCandidates else {
      throw MediaError(.limit, "\(candidates.count) candidates wait to be sent; accepted: at most \(ICEFragment.mostCandidates)")
    }
    candidates.append(candidate)
    advance(now)
  }

  /// None of this generation follows.
  public func endOfCandidates(now: Int64) {
    guard canTrickle, stage != .ended else { return }
    isLast = true
    advance(now)
  }

  /// A new generation of ICE; `.restarted` or `.restartFailed` follows. Candidates of the one before are not sent any more. Throws `.state`
  /// unless there is a session.
  public func restart(user: String, password: String, now: Int64) throws(MediaError) {
    guard stage == .established, !isLeaving else { throw MediaError(.state, "ICE is restarted without a session") }
    (self.user, self.password, candidates, isLast) = (user, password, [], false)
    (wantsRestart, canTrickle, repeats, repeatAt) = (true, true, 0, nil)
    advance(now)
  }

  /// Ends the session at the server; `.ended` follows. A session that the server is just making is ended when it is there.
  public func leave(now: Int64) {
    guard stage != .ended, !isLeaving else { return }
    (isLeaving, candidates, counterEnds, repeatAt) = (true, [], nil, nil)
    if stage == .new { return end(nil) }
    advance(now)
  }

  // MARK: The driver

  /// The next request, once. Its result is handed to `receive` or `fail`.
  public func takeRequest() -> Exchange? {
    defer { exchange = nil }
    return exchange
  }

  /// The next thing that happened; nil: there is none.
  public func takeEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  /// Nothing follows, and no request is in flight.
  public var isEnded: Bool { stage == .ended && task == nil }

  /// Lets time pass. It is called again then; nil: not before something else happens.
  public func poll(now: Int64) -> Int64? {
    if let counterEnds, now >= counterEnds {
      finish(SignallingFailure(MediaError(.timeout, "WHEP: the counter-offer was not answered in time"), isFinal: false))
    }
    if let repeatAt, now >= repeatAt {
      self.repeatAt = nil
      advance(now)
    }
    return [counterEnds, repeatAt].compactMap { $0 }.min()
  }

  /// The response to the request that was taken. `wallClock`: nanoseconds since 1970, for dates in it.
  public func receive(_ response: HTTPResponse, now: Int64, wallClock: Int64) {
    guard let task, exchange == nil else { return }
    if response.status == 307 || response.status == 308 {
      do throws(SignallingFailure) {
        return perform(task, try trail.next(response, from: url, kind), isRedirect: true)
      } catch {
        return failed(task, error, now)
      }
    }
    self.task = nil
    if let tag = response.fields["ETag"], response.status < 300 { self.tag = tag }
    switch task {
    case .offer: takeAnswer(response, now, wallClock)
    case .answer where [200, 201, 204].contains(response.status): establish(.established, now)
    case .trickle where [200, 204].contains(response.status): (repeats, repeatAt) = (0, nil)
    case .restart where response.status == 200: takeRestart(response, now, wallClock)
    case .leave where (200..<300).contains(response.status) || [404, 410].contains(response.status): end(nil)
    default: failed(task, SignallingFailure(response, to: kind, url, wallClock: wallClock), now)
    }
    advance(now)
  }

  /// There is no response to the request that was taken: no connection, no trust, no time.
  public func fail(_ error: MediaError, now: Int64) {
    guard let task, exchange == nil else { return }
    failed(task, SignallingFailure(error, isFinal: error.status == .untrusted), now)
    advance(now)
  }

  // MARK: Requests

  private var name: String { kind.name }

  private static func check(_ sdp: String, _ what: String) throws(MediaError) {
    guard sdp.utf8.count <= longestSDP else {
      throw MediaError(.limit, "\(what) has \(sdp.utf8.count) bytes; accepted: at most \(longestSDP)")
    }
  }

  private func perform(_ task: Task, _ url: HTTPURL, isRedirect: Bool = false) {
    if !isRedirect { trail = RedirectTrail() }
    trail.visit(url)
    var fields: HTTPFields = ["Host": url.hostField]
    // Nobody learns it by a redirect, and nobody who listens.
    if let token, trusted.contains(where: { url.hasOrigin(of: $0) }) { fields.append("Authorization", "Bearer \(token)") }
    var (method, body): (String, [UInt8]) = ("PATCH", [])
    switch task {
    case .offer:
      (method, body) = ("POST", Array(offer.utf8))
      fields.append("Accept", WHIPClient.sdp)
      fields.append("Content-Type", WHIPClient.sdp)
    case .answer(let sdp):
      body = Array(sdp.utf8)
      fields.append("Content-Type", WHIPClient.sdp)
      if let tag { fields.append("If-Match", tag) }
    case .trickle(let fragment), .restart(let fragment):
      body = fragment.bytes(in: section)
      fields.append("Content-Type", ICEFragment.contentType)
      if case .restart = task { fields.append("If-Match", "*") } else if let tag { fields.append("If-Match", tag) }
    case .leave: method = "DELETE"
    }
    (self.task, self.url) = (task, url)
    exchange = Exchange(url: url, request: HTTPRequest(method, url.target, fields, body: body))
  }

  /// What is to be done now, unless a request is in flight.
  private func advance(_ now: Int64) {
    guard task == nil, stage == .established || stage == .countering, let resource else { return }
    if isLeaving { return perform(.leave, resource) }
    guard stage == .established, repeatAt == nil else { return }
    let isRestart = wantsRestart
    guard isRestart || (canTrickle && (!candidates.isEmpty || isLast)) else { return }
    let fragment = ICEFragment(user: user, password: password, candidates: candidates, isLast: isLast)
    (candidates, isLast, wantsRestart) = ([], false, false)
    perform(isRestart ? .restart(fragment) : .trickle(fragment), resource)
  }

  // MARK: Responses

  private func takeAnswer(_ response: HTTPResponse, _ now: Int64, _ wallClock: Int64) {
    let answer = WHIPAnswer(response: response, url: url, kind: kind)
    guard response.status == 201 || answer.isCounterOffer else {
      return finish(SignallingFailure(response, to: kind, url, wallClock: wallClock))
    }
    do throws(SignallingFailure) {
      let resource = try answer.resource()
      (self.resource, tag) = (resource, response.fields["ETag"])
      // Who has the token may say who else is to have it (RFC 9725, section 4.7.1).
      if url.hasOrigin(of: endpoint) { trusted.append(resource) }
      let (sdp, servers) = (try answer.sdp(), ICEServerLinks.read(response.fields))
      guard answer.isCounterOffer else { return establish(.answer(sdp: sdp, iceServers: servers), now) }
      stage = .countering
      guard !isLeaving else { return }
      counterEnds = now &+ answer.validity(wallClock: wallClock)
      events.append(.counterOffer(sdp: sdp, iceServers: servers))
    } catch {
      finish(error)
    }
  }

  private func establish(_ event: Event, _ now: Int64) {
    stage = .established
    if !isLeaving { events.append(event) }
  }

  private func takeRestart(_ response: HTTPResponse, _ now: Int64, _ wallClock: Int64) {
    func refused(_ what: String) {
      restartFailed(SignallingFailure(MediaError(.corrupt, "\(name): the answer to a restart \(what)"), status: 200, isFinal: true))
    }
    guard response.fields.contentType == ICEFragment.contentType else { return refused("is not of the type \(ICEFragment.contentType)") }
    do throws(MediaError) {
      let fragment = try ICEFragment(parsing: response.body)
      guard fragment.user != nil, fragment.password != nil else { return refused("has no ice-ufrag and ice-pwd") }
      if !isLeaving, !wantsRestart { events.append(.restarted(fragment)) }
    } catch {
      refused("is refused: \(error.text)")
    }
  }

  private func restartFailed(_ failure: SignallingFailure) {
    // A newer one may succeed.
    guard !wantsRestart else { return }
    (canTrickle, candidates, isLast) = (false, [], false)
    if !isLeaving { events.append(.restartFailed(failure)) }
  }

  private func failed(_ task: Task, _ failure: SignallingFailure, _ now: Int64) {
    self.task = nil
    let isGone = failure.status == 404 || failure.status == 410
    switch task {
    case .offer, .answer: finish(failure)
    case .leave: end(failure.error)
    case .trickle, .restart:
      guard !isGone else {
        resource = nil
        return finish(SignallingFailure(failure.error, status: failure.status, isFinal: false))
      }
      if case .trickle(let fragment) = task { trickleFailed(fragment, failure, now) } else { restartFailed(failure) }
    }
    advance(now)
  }

  private func trickleFailed(_ fragment: ICEFragment, _ failure: SignallingFailure, _ now: Int64) {
    guard !isLeaving, !wantsRestart, canTrickle else { return }
    repeats += 1
    guard failure.isFinal || repeats > WHIPClient.trickles else {
      candidates = Array((fragment.candidates + candidates).prefix(ICEFragment.mostCandidates))
      isLast = isLast || fragment.isLast
      repeatAt = now &+ max(failure.retryAfter ?? 0, 1_000_000_000)
      return
    }
    (canTrickle, candidates, isLast) = (false, [], false)
    events.append(.trickleFailed(failure))
  }

  /// There is no session; what the server may have of one is ended.
  private func finish(_ failure: SignallingFailure) {
    (candidates, counterEnds, repeatAt, stage) = ([], nil, nil, .ended)
    events.append(isLeaving ? .ended(failure.error) : .failed(failure))
    if let resource { perform(.leave, resource) }
  }

  private func end(_ error: MediaError?) {
    // What follows a failure was said with it.
    if stage != .ended { events.append(.ended(error)) }
    (stage, task) = (.ended, nil)
  }
}
