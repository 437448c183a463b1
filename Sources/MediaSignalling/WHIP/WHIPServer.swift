import MediaCore
import MediaSDP

/// What a server of rooms does with requests of WHIP (RFC 9725) and WHEP (draft-ietf-wish-whep): it finds what each asks for, and writes
/// the responses that its owner decides on. It knows which sessions there are, and holds none. One for all connections of a server
/// (`HTTPServerConnection`), whose requests its driver hands in. Calls come one at a time.
///
///     POST /whip/ROOM                  somebody sends media to a room
///     POST /whep/ROOM[/PARTICIPANT]    somebody receives those of everybody there, or of one
///     PATCH, DELETE /sessions/ID       candidates, a restart of ICE, the end
public final class WHIPServer {
  /// What a request is for.
  public enum Step: Sendable, Equatable {
    /// Something else; the owner's pages.
    case other
    /// That is the answer to it.
    case respond(HTTPResponse)
    /// To be answered by `accept` or `refuse`.
    case offer(Offer)
    /// To be answered by `accept` or `refuse`.
    case change(Change)
    /// The session has ended; that is the answer to it.
    case end(session: String, HTTPResponse)
  }

  /// Somebody asks to take part.
  public struct Offer: Sendable, Equatable {
    /// Which of the two.
    public let kind: WHIPClient.Kind
    /// 1 to 255 bytes, without control characters.
    public let room: String
    /// As a room's; of WHEP; nil: everybody.
    public let participant: String?
    /// The Bearer token, as it came; nil: none. A secret.
    public let token: String?
    /// The description; it is UTF-8, and nothing else is known of it.
    public let sdp: String
    let origin: String?
  }

  /// Candidates, or a new generation of ICE.
  public struct Change: Sendable, Equatable {
    /// The one of `accept`.
    public let session: String
    /// As of an offer.
    public let token: String?
    /// What came. Of a restart it has credentials.
    public let fragment: ICEFragment
    /// The client has begun a new generation.
    public let isRestart: Bool
    let origin: String?
  }

  private struct Session {
    let section: ICEFragment.Section
    /// ice-ufrag of the client's generation, if its offer had one.
    var user: String?
    var generation = 1

    var tag: String { "\"\(generation)\"" }
  }

  /// Pages of these origins may use it from a browser; nil: all. A page has no token by itself, so that it can do no more than a program.
  private let origins: [String]?
  private var random: any RandomNumberGenerator
  private var sessions: [String: Session] = [:]

  /// Sessions at a time; more are refused with 503.
  public static let mostSessions = 4_096
  /// Bytes of a room's or a participant's name.
  static let longestName = 255
  /// Seconds after which a client that found no room may come again.
  private static let retryAfter = "2"

  /// `random`: for the names of sessions, which nobody may be able to guess.
  public init(origins: [String]? = nil, random: any RandomNumberGenerator) {
    (self.origins, self.random) = (origins, random)
  }

  // MARK: Requests

  /// For each request of each connection.
  public func receive(_ request: HTTPRequest) -> Step {
    let segments = request.path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    guard segments.count >= 2, segments[0].isEmpty, ["whip", "whep", "sessions"].contains(segments[1]) else { return .other }
    let origin = request.fields["Origin"]
    func refuse(_ status: Int, _ text: String, _ fields: HTTPFields = [:]) -> Step { .respond(answer(status, text, fields, origin)) }

    let isSession = segments[1] == "sessions"
    let names = segments.dropFirst(2).map { WHIPServer.name($0) }
    guard names.count == 1 || (names.count == 2 && segments[1] == "whep"), !names.contains(nil), let name = names[0] else {
      return refuse(404, "there is nothing here; accepted: /whip/ROOM, /whep/ROOM, /whep/ROOM/PARTICIPANT")
    }
    let methods = isSession ? "DELETE, OPTIONS, PATCH" : "OPTIONS, POST"
    if request.method == "OPTIONS" { return .respond(options(request, methods, isSession, origin)) }
    // There is nothing to be shown (RFC 9725, section 4.1).
    if request.method == "GET" || request.method == "HEAD" {
      return isSession && sessions[name] == nil ? refuse(404, "there is no such session") : .respond(answer(204, nil, [:], origin))
    }
    guard request.method == (isSession ? "PATCH" : "POST") || (isSession && request.method == "DELETE") else {
      return refuse(405, "\(request.method) is not for this; accepted: \(methods)", ["Allow": methods])
    }
    let token: String?
    switch WHIPServer.token(request.fields) {
    case .success(let found): token = found
    case .failure(let refusal): return refuse(401, refusal.error.text, ["WWW-Authenticate": "Bearer"])
    }
    guard isSession else {
      return offer(request, segments[1] == "whip" ? .whip : .whep, name, names.count == 2 ? names[1] : nil, token, origin)
    }
    guard let session = sessions[name] else { return refuse(404, "there is no such session, or it has ended") }
    guard request.method == "DELETE" else { return change(request, name, session, token, origin) }
    sessions[name] = nil
    return .end(session: name, answer(200, nil, [:], origin))
  }

  private func offer(
    _ request: HTTPRequest, _ kind: WHIPClient.Kind, _ room: String, _ participant: String?, _ token: String?, _ origin: String?
  ) -> Step {
    guard request.fields.contentType == WHIPClient.sdp else {
      return .respond(answer(415, "an offer is of the type \(WHIPClient.sdp)", ["Accept-Post": WHIPClient.sdp], origin))
    }
    guard request.body.count <= WHIPClient.longestSDP else {
      return .respond(answer(413, "an offer has \(request.body.count) bytes; accepted: at most \(WHIPClient.longestSDP)", [:], origin))
    }
    guard let sdp = String(validating: request.body, as: UTF8.self), !sdp.isEmpty else {
      return .respond(answer(400, "an offer is a description in UTF-8", [:], origin))
    }
    guard sessions.count < WHIPServer.mostSessions else { return .respond(refusal(MediaError(.full, ""), nil, origin)) }
    return .offer(Offer(kind: kind, room: room, participant: participant, token: token, sdp: sdp, origin: origin))
  }

  private func change(_ request: HTTPRequest, _ name: String, _ session: Session, _ token: String?, _ origin: String?) -> Step {
    func refuse(_ status: Int, _ text: String, _ fields: HTTPFields = [:]) -> Step { .respond(answer(status, text, fields, origin)) }
    guard request.fields.contentType == ICEFragment.contentType else {
      return refuse(415, "a change is of the type \(ICEFragment.contentType)", ["Accept-Patch": ICEFragment.contentType])
    }
    let tags = request.fields.elements("If-Match")
    guard !tags.isEmpty else { return refuse(428, "If-Match is missing; accepted: the session's ETag, or * for a restart of ICE") }
    // The RFC says *, and its examples "*".
    let isAny = tags == ["*"] || tags == ["\"*\""]
    guard isAny || tags.contains(session.tag) else { return refuse(412, "If-Match is not the session's ETag: ICE was restarted since") }
    do throws(MediaError) {
      let fragment = try ICEFragment(parsing: request.body)
      // Other credentials are another generation, whatever the tag says (RFC 9725, section 4.3.3).
      let isOther = fragment.user != nil && session.user != nil && fragment.user != session.user
      let isRestart = isAny || isOther
      guard !isRestart || (fragment.user != nil && fragment.password != nil) else {
        return refuse(400, "a restart of ICE has no ice-ufrag and ice-pwd")
      }
      return .change(Change(session: name, token: token, fragment: fragment, isRestart: isRestart, origin: origin))
    } catch {
      return refuse(error.status == .limit ? 413 : 400, error.text)
    }
  }

  // MARK: What the owner decides

  /// The answer to an offer: the session's name, for `Change` and `ended`, and the response. Throws `.full` when there are too many.
  public func accept(_ offer: Offer, sdp: String, iceServers: [ICEServer] = []) throws(MediaError) -> (
    session: String, response: HTTPResponse
  ) {
    guard sessions.count < WHIPServer.mostSessions else {
      throw MediaError(.full, "there are \(sessions.count) sessions of WHIP and WHEP; accepted: at most \(WHIPServer.mostSessions)")
    }
    let session = Session(section: ICEFragment.Section(firstOf: sdp), user: WHIPServer.user(offer.sdp))
    let name = [random.next(), random.next()].reduce(into: "") { text, bits in
      for shift in stride(from: 60, through: 0, by: -4) { text += String(bits >> UInt64(shift) & 15, radix: 16) }
    }
    sessions[name] = session
    var fields: HTTPFields = ["Content-Type": WHIPClient.sdp, "Location": "/sessions/\(name)", "ETag": session.tag]
    fields.append("Accept-Patch", ICEFragment.contentType)
    ICEServerLinks.write(iceServers, to: &fields)
    return (name, share(HTTPResponse(201, fields, body: Array(sdp.utf8)), offer.origin))
  }

  /// Why there is no session. `.again` says that there is nothing to receive yet, of WHEP.
  public func refuse(_ offer: Offer, _ error: MediaError) -> HTTPResponse {
    guard offer.kind == .whep, error.status == .again else { return refusal(error, offer.token, offer.origin) }
    // Nobody sends yet (draft-ietf-wish-whep, section 4.2).
    return answer(409, error.text, ["Retry-After": WHIPServer.retryAfter], offer.origin)
  }

  /// The answer to a change; nil without one, which is right for candidates. Of a restart: this end's new credentials, and candidates.
  public func accept(_ change: Change, _ fragment: ICEFragment?) -> HTTPResponse {
    guard var session = sessions[change.session] else { return answer(404, "the session has ended", [:], change.origin) }
    guard change.isRestart, let fragment else { return answer(204, nil, [:], change.origin) }
    session.generation &+= 1
    session.user = change.fragment.user
    sessions[change.session] = session
    let fields: HTTPFields = ["Content-Type": ICEFragment.contentType, "ETag": session.tag]
    return share(HTTPResponse(200, fields, body: fragment.bytes(in: session.section)), change.origin)
  }

  /// Why nothing changes.
  public func refuse(_ change: Change, _ error: MediaError) -> HTTPResponse { refusal(error, change.token, change.origin) }

  /// The session is over for another reason than DELETE: its peer connection failed, or the room closed.
  public func ended(_ session: String) { sessions[session] = nil }

  // MARK: Responses

  private func refusal(_ error: MediaError, _ token: String?, _ origin: String?) -> HTTPResponse {
    switch error.status {
    case .permission where token == nil: answer(401, error.text, ["WWW-Authenticate": "Bearer"], origin)
    case .permission: answer(403, error.text, [:], origin)
    case .notFound: answer(404, error.text, [:], origin)
    case .exists: answer(409, error.text, [:], origin)
    case .invalid, .corrupt: answer(400, error.text, [:], origin)
    case .format, .unsupported, .range: answer(422, error.text, [:], origin)
    case .limit, .full, .again, .closed: answer(503, "there is no room at the moment", ["Retry-After": WHIPServer.retryAfter], origin)
    // What went wrong here is not for strangers.
    default: answer(500, "the server failed", [:], origin)
    }
  }

  private func answer(_ status: Int, _ text: String?, _ fields: HTTPFields, _ origin: String?) -> HTTPResponse {
    var response = text.map { HTTPResponse(status, text: $0) } ?? HTTPResponse(status)
    for field in fields.list { response.fields.append(field.name, field.value) }
    return share(response, origin)
  }

  /// For pages in browsers (the fetch standard's CORS).
  private func share(_ response: HTTPResponse, _ origin: String?) -> HTTPResponse {
    var response = response
    guard let allowed = allowed(origin) else { return response }
    response.fields.append("Access-Control-Allow-Origin", allowed)
    response.fields.append("Access-Control-Expose-Headers", "Location, ETag, Link, Accept-Patch, Retry-After")
    if origins != nil { response.fields.append("Vary", "Origin") }
    return response
  }

  private func allowed(_ origin: String?) -> String? {
    guard let origins else { return "*" }
    return origin.flatMap { origins.contains($0) ? $0 : nil }
  }

  private func options(_ request: HTTPRequest, _ methods: String, _ isSession: Bool, _ origin: String?) -> HTTPResponse {
    var fields: HTTPFields = ["Allow": methods]
    fields.append(isSession ? "Accept-Patch" : "Accept-Post", isSession ? ICEFragment.contentType : WHIPClient.sdp)
    if request.fields["Access-Control-Request-Method"] != nil, allowed(origin) != nil {
      fields.append("Access-Control-Allow-Methods", methods)
      fields.append("Access-Control-Allow-Headers", "Authorization, Content-Type, If-Match")
      fields.append("Access-Control-Max-Age", "86400")
    }
    return answer(200, nil, fields, origin)
  }

  // MARK: Parts of requests

  private static func name(_ segment: Substring) -> String? {
    guard let name = ParsedURL.decoded(segment), (1...longestName).contains(name.utf8.count),
      name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
    else { return nil }
    return name
  }

  /// ice-ufrag of a description; nil: none, or several.
  private static func user(_ sdp: String) -> String? {
    var found: Set<String> = []
    for line in sdp.utf8.split(whereSeparator: { $0 == HTTPText.lineFeed || $0 == HTTPText.carriageReturn }) {
      if line.starts(with: "a=ice-ufrag:".utf8) { found.insert(String(Substring(line.dropFirst(12)))) }
    }
    return found.count == 1 ? found.first : nil
  }

  /// RFC 6750, section 2.1.
  static func token(_ fields: HTTPFields) -> Result<String?, SignallingFailure> {
    let values = fields.values("Authorization")
    guard let value = values.first else { return .success(nil) }
    let parted = HTTPText.cut(value[...], at: HTTPText.space)
    let token = HTTPText.trimmed(parted?.after ?? "")
    guard values.count == 1, HTTPText.equal(parted?.before ?? "", "Bearer"), HTTPText.isTarget(token) else {
      return .failure(
        SignallingFailure(MediaError(.invalid, "Authorization is not understood; accepted: Bearer and a token"), isFinal: true))
    }
    return .success(String(token))
  }
}
