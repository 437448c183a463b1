import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import MediaSDP
import Testing

@testable import MediaSignalling
@testable import MediaTransport
@testable import MediaWebRTC
@testable import MediaWebRTCTransport

/// A server of WHIP and WHEP on an emulated machine: the library's own, with a peer for each session.
final class EmulatedWHIPServer: @unchecked Sendable {
  let web: EmulatedWebServer
  private let house: WebRTCHouse
  private(set) var pure: WHIPServer
  private(set) var offers: [WHIPServer.Offer] = []
  private(set) var changes: [WHIPServer.Change] = []
  private(set) var ended: [String] = []
  /// In the order in which they came.
  private(set) var sessions: [(name: String, end: WebRTCEnd, offer: String)] = []
  private(set) var errors: [any Error] = []
  /// Of ICE, in each answer.
  var iceServers: [ICEServer] = []
  /// An offer is refused so; nil: it is taken.
  var refuse: (WHIPServer.Offer) -> MediaError? = { _ in nil }
  /// Another reply than its own to a request.
  var intercept: (HTTPRequest) -> EmulatedWebServer.Reply? = { _ in nil }
  /// What becomes of its responses.
  var tamper: (HTTPResponse) -> HTTPResponse = { $0 }
  var methods: [String] { web.requests.map(\.method) }
  var last: WebRTCEnd? { sessions.last?.end }

  init(_ house: WebRTCHouse, at address: String) throws {
    self.house = house
    web = try EmulatedWebServer(house.network, address)
    pure = WHIPServer(random: SeededRandom(seed: 7))
    web.answer = { [unowned self] request, connection in
      do {
        return try intercept(request) ?? answer(request, connection)
      } catch {
        errors.append(error)
        return .response(HTTPResponse(500))
      }
    }
  }

  /// It begins anew, and knows nothing of before.
  func restart() throws {
    for (_, end, _) in sessions { end.transport.disconnect() }
    pure = WHIPServer(random: SeededRandom(seed: 8))
    web.stop()
    try web.open()
  }

  private func answer(_ request: HTTPRequest, _ connection: EmulatedWebServer.Connection) throws -> EmulatedWebServer.Reply {
    switch pure.receive(request) {
    case .other: return .response(HTTPResponse(404))
    case .respond(let response): return .response(response)
    case .offer(let offer):
      offers.append(offer)
      if let error = refuse(offer) { return .response(pure.refuse(offer, error)) }
      try take(offer, connection)
      return .later
    case .change(let change):
      changes.append(change)
      return .response(pure.accept(change, try take(change)))
    case .end(let name, let response):
      ended.append(name)
      sessions.first { $0.name == name }?.end.transport.disconnect()
      return .response(response)
    }
  }

  private func take(_ offer: WHIPServer.Offer, _ connection: EmulatedWebServer.Connection) throws {
    let end = try house.end("webrtc:", on: web.host, publishes: offer.kind == .whep ? [.video, .audio] : [])
    (end.negotiates, end.restarts) = (false, false)
    _ = try end.target.setRemote(.offer, offer.sdp)
    _ = try end.target.describe()
    // As servers do, it takes a while.
    house.loop.schedule(at: house.clock.now() + 20 * millisecond) { [self] in
      guard let sdp = try? end.target.localDescription(), let accepted = try? pure.accept(offer, sdp: sdp, iceServers: iceServers) else {
        return
      }
      sessions.append((accepted.session, end, offer.sdp))
      web.respond(tamper(accepted.response), on: connection)
    }
  }

  private func take(_ change: WHIPServer.Change) throws -> ICEFragment? {
    guard let place = sessions.firstIndex(where: { $0.name == change.session }) else { return nil }
    let end = sessions[place].end
    guard change.isRestart else {
      for candidate in change.fragment.candidates { try end.target.addRemote(candidate: candidate.text, mid: nil) }
      if change.fragment.isLast { try end.target.addRemote(candidate: "", mid: nil) }
      return nil
    }
    sessions[place].offer = WHIPDescriptions.answer(sessions[place].offer, with: change.fragment)
    _ = try end.target.setRemote(.offer, sessions[place].offer)
    _ = try end.target.describe()
    let local = try end.target.localDescription()
    guard let (user, password) = WHIPDescriptions.credentials(in: local) else { throw MediaError(.fail, "no credentials") }
    let candidates = try WHIPDescriptions.lines(of: local).filter { $0.hasPrefix("a=candidate:") }
      .compactMap { try Candidate(parsing: String($0.dropFirst(2))) }
    return ICEFragment(user: user, password: password, candidates: candidates)
  }
}

/// A session's program by WHIP or WHEP.
final class WHIPEnd: MediaEnd, @unchecked Sendable {
  let whip: RoomTransport

  init(_ url: String, token: String = "", on host: EmulatedHost, _ house: WebRTCHouse, publishes: [Transceiver.Kind] = []) throws {
    let scheme = String(try #require(ParsedURL.split(url)).scheme)
    let target = WHIPTarget(url: try WHIPURL(url, scheme: scheme, argument: "url"), network: host)
    let made = try target.makeTransport(
      TransportContext(
        member: Member(userID: "me", displayName: "me"), token: AccessToken(token), loop: house.loop,
        thread: { () throws(MediaError) in host }))
    whip = try #require(made as? RoomTransport)
    super.init(host, house, whip)
    whip.connect(self)
    for kind in publishes { try publish(kind) }
  }

  var isHere: Bool { whip.state.withLock { $0.phase == .here } }
}
