import MediaCore
import MediaRuntime
import MediaSignalling
import MediaTransport

/// How clients come by LiveKit's protocol; on the network thread.
extension WebTable {
  /// Whether the request is of that protocol. It is answered, now or when the room has.
  func takeLiveKit(_ request: HTTPRequest, _ connection: WebConnection) -> Bool {
    var userID: String?
    do throws(MediaError) {
      guard let entrance = try LiveKitEntrance(request) else { return false }
      if entrance.purpose != .validate {
        userID = options.accessKeys.isEmpty ? entrance.guest?.identity : LiveKitToken.claims(of: entrance.token)?.identity ?? ""
      }
      let entry = try entry(entrance)
      switch entrance.purpose {
      case .validate: connection.respond(HTTPResponse(200, text: "success"))
      case .join:
        switch WebSocketOffer.read(request) {
        case .other: connection.respond(HTTPResponse(426, text: "a client of LiveKit asks for WebSocket here"))
        case .refused(let response): connection.respond(response)
        case .offer(let offer): try join(try entrance.joining(), entry, offer, connection)
        }
      }
    } catch {
      if let userID { options.watch?(.refused(userID: userID, at: connection.address, because: error)) }
      connection.respond(WebTable.response(error))
    }
    return true
  }

  /// Whether the request is of the API. It is answered, now or on the loop.
  func takeService(_ request: HTTPRequest, _ connection: WebConnection) -> Bool {
    do throws(MediaError) {
      guard let asked = try LiveKitServiceRequest(request) else { return false }
      let grants = try read(asked.token)
      let (name, call) = try asked.read()
      try authorize(call, of: name, grants)
      guard !service.isFlooded(by: request.body.count, now: clock.now()) else {
        throw MediaError(.limit, "the API is asked more than \(Int(LiveKitService.perSecond)) times a second")
      }
      loop.post { [self] in connection.respond(service.answer(call, of: grants.identity, to: asked)) }
    } catch {
      connection.respond(LiveKitServiceRequest.refusal(error))
    }
    return true
  }

  private func authorize(_ call: LiveKitServiceRequest.Call, of name: String, _ grants: LiveKitGrants) throws(MediaError) {
    if case .listRooms = call {
      guard grants.listsRooms else { throw MediaError(.permission, "the access token does not grant roomList") }
      return
    }
    guard grants.isAdministrator, grants.room == nil || grants.room == name else {
      throw MediaError(.permission, "the access token does not grant roomAdmin of that room")
    }
    guard name == room else { throw MediaError(.notFound, "there is no room \"\(name.prefix(64))\" here") }
  }

  /// Without API keys it is a session of this library that says who it is, and the room alone judges its token.
  private func entry(_ entrance: LiveKitEntrance) throws(MediaError) -> LiveKitMember.Entry {
    guard options.accessKeys.isEmpty, let guest = entrance.guest else {
      return LiveKitMember.Entry(grants: try verify(entrance.token), token: entrance.token, isGuest: false)
    }
    guard guest.room == room else { throw MediaError(.notFound, "there is no room \"\(guest.room.prefix(64))\" here") }
    var grants = LiveKitGrants(identity: guest.identity, room: room)
    (grants.name, grants.updatesMetadata, grants.publishesData) = (guest.name, true, true)
    return LiveKitMember.Entry(grants: grants, token: entrance.token, isGuest: true)
  }

  private func read(_ token: String) throws(MediaError) -> LiveKitGrants {
    guard !options.accessKeys.isEmpty else {
      let accepted = "accepted: sessions of MediaSDK whose URL has #room="
      throw MediaError(.unsupported, "the server has no API key, by which clients of LiveKit's protocol join; \(accepted)")
    }
    guard !token.isEmpty else { throw MediaError(.permission, "there is no access token") }
    return try LiveKitToken.verify(token, now: clock.wallTime() / 1_000_000_000) { options.accessKeys[$0] }
  }

  /// Whether another token is of somebody who is in the room.
  func checkRenewal(_ token: String, of identity: String) throws(MediaError) {
    guard try verify(token).identity == identity else { throw MediaError(.permission, "the access token is of another participant") }
  }

  /// With which somebody comes back whose token, which was verified, is about to expire; nil: it is not.
  func refreshed(_ token: String) -> String? {
    let expires = clock.wallTime() / 1_000_000_000 + LiveKitMember.refreshedLifetime
    return LiveKitToken.prolonged(token, until: expires) { options.accessKeys[$0] }
  }

  private func verify(_ token: String) throws(MediaError) -> LiveKitGrants {
    let grants = try read(token)
    guard grants.joins else { throw MediaError(.permission, "the access token does not grant roomJoin") }
    guard !grants.isHidden else { throw MediaError(.permission, "the access token is of a hidden participant, and a room here has none") }
    guard grants.room == nil || grants.room == room else { throw MediaError(.permission, "the access token is of another room") }
    return grants
  }

  /// A 404 would have clients of LiveKit try another version of the protocol.
  static func response(_ error: MediaError) -> HTTPResponse {
    let status =
      switch error.status {
      case .permission: 401
      case .invalid, .corrupt, .range: 400
      case .exists: 409
      case .unsupported, .notFound: 404
      case .limit, .full, .again, .closed, .timeout: 503
      default: 500
      }
    var response = HTTPResponse(status, text: error.text)
    response.fields.set(LiveKitEntrance.statusField, String(error.status.rawValue))
    return response
  }

  private func join(
    _ joining: LiveKitJoining, _ entry: LiveKitMember.Entry, _ offer: WebSocketOffer, _ connection: WebConnection
  ) throws(MediaError) {
    let entry = entry.isGuest ? entry.saying(joining.attributes) : entry
    let member = try makeMember(entry.grants)
    if let sid = joining.resumed {
      return loop.post { [self] in
        guard connection.upgrade(offer, for: .liveKit) else { return }
        guard let known = liveKit.member(member.userID), known.sid == sid, known.isProven(by: entry), known.resume(joining, connection)
        else {
          connection.send(.bytes(LiveKitMember.comeAgain))
          return connection.close("the participant has left")
        }
      }
    }
    let newcomer = LiveKitMember(member, joining, entry, offer, connection, self)
    try wait(for: newcomer)
    connection.belong(to: newcomer)
    loop.post { [self] in
      // A token of an API key proves who somebody is: who comes a second time takes their own place. Of others the room decides.
      if !entry.isGuest {
        for former in liveKit.arrive(newcomer, as: member.userID) { former.leave(MediaError(.exists, "the participant has joined again")) }
      }
      newcomer.start()
    }
  }

  private func makeMember(_ grants: LiveKitGrants) throws(MediaError) -> Member {
    var member = try makeMember(grants.identity, grants.name.isEmpty ? nil : grants.name, prefix: "participant")
    // What the room does not take, members who speak this protocol know all the same.
    for (key, value) in grants.attributes.inKeyOrder
    where ParticipantAttributes.isKey(key) && value.utf8.count <= ParticipantAttributes.longestValue {
      _ = try? member.attributes.set(key, value)
    }
    return member
  }
}
