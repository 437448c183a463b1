import MediaCore
import MediaSDP

/// The client's side of the signalling of one participant (LiveKit's protocol, version 0: `LiveKitVersion`). Messages of the server and what
/// the owner wants go in; messages and events come out. It owns no connection, no clock and no random source. A connection that is lost is
/// replaced by another one, over which the session goes on (`interrupt`). After `.failed` another session is another client. Calls come one at a
/// time. Source: the definitions of the protocol (livekit_rtc.proto, livekit_models.proto).
public final class LiveKitClient {
  /// What happened.
  public enum Event: Sendable, Equatable {
    /// The session is in the room, under that identity. Others follow.
    case joined(identity: String, LiveKitAccess, servers: [ICEServer])
    /// It goes on over another connection; others follow. Both connections of WebRTC are to find their paths anew: the server begins with the one
    /// by which the session receives.
    case resumed(servers: [ICEServer])
    /// What it may do has changed.
    case permitted(LiveKitAccess)
    /// Somebody is in the room, or what is known of them has changed.
    case participant(LiveKitOther)
    /// They are not in the room any more.
    case left(identity: String)
    /// Of the connection by which the session receives, to be answered by `answer`. Which track comes in which section.
    case offer(String, tracks: [String: String])
    /// To the offer of the connection by which it publishes.
    case answer(String)
    /// Of the server (RFC 8838).
    case candidate(String, mid: String?, isSubscribing: Bool)
    /// What was announced may be offered now. `carriesMetadata`: the server knows that its frames have trailers, and its receivers are notified.
    case published(cid: String, carriesMetadata: Bool)
    /// It is not taken, or not any longer.
    case refused(cid: String, MediaError)
    /// A moderator muted what was announced so, or ended that: a participant, or (empty) somebody of whom the server says nothing.
    case moderated(cid: String, isMuted: Bool, by: String)
    /// Whether somebody receives each layer of what was announced so, the smallest first.
    case wanted(cid: String, [Bool])
    /// How many receive what was announced so, and in which pixels and frames a second they want it together; 0, or nil: any.
    case demanded(cid: String, receivers: Int, width: UInt32, height: UInt32, rate: FrameRate?)
    /// Somebody began or ended to speak, at that level (RFC 6464); the session itself, too.
    case speaking(identity: String, Bool, level: UInt32)
    /// The token to come back with.
    case token(String)
    /// A moderator did this to the session, or (empty) an administrator; of a removal `.failed` follows.
    case moderatedBy(identity: String, LiveKitModerationAction, reason: String)
    /// What was asked for was not done to somebody.
    case notModerated(identity: String, MediaError)
    /// So many nanoseconds of the session's access remain.
    case expiring(Int64)
    /// The token that was shown was accepted, or was not.
    case renewed(MediaError?)
    /// It is over.
    case failed(SignallingFailure)
  }

  private struct Announcement {
    var request: LiveKitAddTrack
    var sid: String?
    var isMuted: Bool
    /// The server has to answer until then.
    var deadline: Int64
  }

  /// Bytes of a message of the server.
  public static let longest = 1_048_576
  /// Fields of such a message: of each participant that it may name 64.
  static let mostFields = 65_536
  /// Nanoseconds for the server's first message: a room of this library may ask a person whether somebody is let in.
  public static let entryPatience: Int64 = 70_000_000_000
  /// Nanoseconds for its answer to an announcement.
  static let patience: Int64 = 10_000_000_000
  /// And to an offer.
  static let answerPatience: Int64 = 15_000_000_000
  /// Nanoseconds in which a session may go on over another connection. Servers wait longer.
  static let absence: Int64 = 15_000_000_000
  /// In a room, those who are known here; of more nothing is reported.
  static let mostParticipants = 1_024
  /// Tracks of which it is kept what the server was told, and requests of a moderator that it has not answered.
  static let mostWanted = 4_096
  static let mostModerations = 256
  /// Of a track.
  static let mostReceivers: UInt32 = 65_535
  /// Of this version of the protocol the server is told, and the client understands.
  static let protocolVersion = 15

  private static let qualities: [LiveKitQuality] = [.low, .medium, .high]

  private var output: [[UInt8]] = []
  private var events: [Event] = []
  private var isJoined = false
  private var isEnded = false
  private let deadline: Int64
  private var own = LiveKitParticipant()
  /// What the server calls it; empty before `.joined`.
  public private(set) var room = ""
  private var others: [String: LiveKitOther] = [:]
  private var announcements: [String: Announcement] = [:]
  /// The server has to answer the offer until then; nil: none waits.
  private var answerEnd: Int64?
  /// Identities of those who speak.
  private var speakers: Set<String> = []
  private var pingInterval: Int64 = 0
  private var pingTimeout: Int64 = 0
  private var pingAt = Int64.max
  private var heardAt: Int64
  /// Its connection is lost, and it may go on over another one until then.
  private var resumeEnd: Int64?
  /// The server is of this library.
  private(set) public var isExtended = false
  /// MSDK_MAY_* of the session itself; nil: the server does not say.
  private(set) public var mask: UInt32?
  /// Why the server ends the session.
  private var ending: MediaError?
  /// The next message about participants has all who are there.
  private var isCatchingUp = false
  /// What the server was told, and is told again over another connection: tracks that are wanted or not, and how.
  private var wanted: [String: Bool] = [:]
  private var settings: [String: LiveKitTrackSettings] = [:]
  /// What it says of itself, as it was said last; empty: no more of that key.
  private var attributes: [String: String] = [:]
  /// To a server of this library, which has not answered yet: the newest token, and what a moderator asked for.
  private var renewal: LiveKitWish?
  private var moderations: [LiveKitModerationWish] = []
  /// Sids of tracks that the server was told are not sent any longer, until it says the same.
  private var withdrawals: Set<String> = []
  private var nextModeration: UInt32 = 1

  /// The handshake of WebSocket (`target`) begins at `now`. `guest`: in a room of this library without API keys.
  public init(as guest: LiveKitGuest? = nil, now: Int64) {
    (deadline, heardAt) = (now &+ LiveKitClient.entryPatience, now)
    let settings = "protocol=\(LiveKitClient.protocolVersion)&auto_subscribe=0&adaptive_stream=0&\(LiveKitExtension.parameter)=1"
    target = "/rtc?\(settings)&capabilities=\(LiveKitCapability.packetTrailerName)\(guest?.query ?? "")"
  }

  /// What the handshake asks for, after the server's url. Nothing is received that is not asked for.
  public let target: String

  /// The same for a session that goes on; nil: it does not wait for that.
  public var resumeTarget: String? { resumeEnd == nil ? nil : "\(target)&reconnect=1&sid=\(own.sid)" }

  /// How a token is shown: as a field of the handshake, or, where it has what no field can have, in what is asked for.
  public static func credentials(_ token: String) -> (fields: HTTPFields, query: String) {
    if token.isEmpty { return ([:], "") }
    let isPlain = token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isPlain ? (["Authorization": "Bearer \(token)"], "") : ([:], "&access_token=\(HTTPText.escaped(token))")
  }

  /// By which a guest says what it is when it comes, as far as there is room for it.
  public static func introduction(_ attributes: [String: String]) -> (fields: HTTPFields, said: [String: String]) {
    var request = LiveKitJoinRequest()
    var room = LiveKitExtension.mostAttributes
    for (key, value) in attributes.inKeyOrder {
      room -= key.utf8.count + value.utf8.count
      guard room >= 0 else { break }
      request.attributes[key] = value
    }
    if request.attributes.isEmpty { return ([:], [:]) }
    return ([LiveKitExtension.attributes: Base64.urlEncode(request.encoded)], request.attributes)
  }

  /// What an answer means that does not open the signalling.
  public static func failure(_ response: HTTPResponse, of server: String) -> SignallingFailure {
    let words = JanusParticipant.shown(String(decoding: response.body.prefix(1_024), as: UTF8.self), longest: 1_023)
    // A server of this library says exactly what it is.
    if let code = response.fields[LiveKitEntrance.statusField].flatMap({ Int32($0) }), let status = Status(rawValue: code), !words.isEmpty {
      let isFinal = ![.timeout, .closed, .io, .again, .limit].contains(status)
      return SignallingFailure(MediaError(status, words), status: response.status, isFinal: isFinal)
    }
    let (status, isFinal, advice): (Status, Bool, String) =
      switch response.status {
      case 401, 403: (.permission, true, "the access token is not accepted")
      case 404: (.notFound, true, "there is no server of LiveKit, or no such room")
      case 300..<400: (.unsupported, true, "redirects are not followed; use the URL that it leads to")
      case 429: (.full, false, "it has too many requests")
      case 400..<500: (.invalid, true, "the request is not accepted")
      case 101: (.unsupported, true, "its handshake is not the answer to this one's")
      default: (.io, false, "the server failed, or what is before it; try again later")
      }
    let said = JanusParticipant.shown(words, longest: 200)
    let text = "LiveKit: \(server) answered \(response.status) \(response.reason.prefix(64)): \(advice)"
    return SignallingFailure(
      MediaError(status, said.isEmpty ? text : "\(text) (it says: \(said))"), status: response.status, isFinal: isFinal)
  }

  /// The next message for the server; nil: there is none.
  public func takeOutput() -> [UInt8]? { output.isEmpty ? nil : output.removeFirst() }
  /// The next thing that happened; nil: there is none.
  public func takeEvent() -> Event? { events.isEmpty ? nil : events.removeFirst() }

  /// While there is no connection it is not said: what matters then is said when there is.
  private func say(_ request: LiveKitRequest) { if isJoined, !isEnded, resumeEnd == nil { output.append(request.encoded) } }

  // MARK: What the owner wants

  /// The names of layers in descriptions, the smallest first; of two those are the first two.
  public static let layerNames = ["q", "h", "f"]

  /// A track that is about to be offered in a section whose track (a=msid) has the name `cid`. `layers`: the sizes of those of a video, the smallest
  /// first, one to three; none of audio. `carriesMetadata`: its frames have trailers. `.published` or `.refused` follows.
  public func announce(
    _ cid: String, isScreen: Bool, layers: [(width: UInt32, height: UInt32)], isMuted: Bool = false, isEncrypted: Bool = false,
    carriesMetadata: Bool = false, format: Format? = nil, now: Int64
  ) {
    let isVideo = !layers.isEmpty
    let kind = isVideo ? (isScreen ? "screen_share" : "camera") : (isScreen ? "screen_share_audio" : "microphone")
    guard LiveKitAccess(own.permission).sources.contains(kind) else {
      return refuse(cid, MediaError(.permission, "LiveKit: the access token does not grant the session to publish \(kind)"))
    }
    var track = LiveKitAddTrack()
    (track.cid, track.type, track.isMuted, track.encryption) = (cid, isVideo ? .video : .audio, isMuted, isEncrypted ? .gcm : .none)
    (track.width, track.height) = layers.last ?? (0, 0)
    track.source = isVideo ? (isScreen ? .screenShare : .camera) : (isScreen ? .screenShareAudio : .microphone)
    track.name = isVideo ? (isScreen ? "screen" : "camera") : (isScreen ? "screen audio" : "microphone")
    if carriesMetadata, isVideo { track.trailers = LiveKitTrailerFeature.allCases }
    // Where there is one layer, the server need not ask for others.
    track.layers = zip(layers.count > 1 ? LiveKitClient.qualities : [.high], layers).enumerated().map { index, layer in
      var one = LiveKitLayer()
      (one.quality, one.width, one.height) = (layer.0, layer.1.width, layer.1.height)
      if layers.count > 1 { (one.spatialLayer, one.rid) = (Int32(index), LiveKitClient.layerNames[index]) }
      return one
    }
    if isExtended { track.format = format?.message }
    announcements[cid] = Announcement(request: track, isMuted: isMuted, deadline: now &+ LiveKitClient.patience)
    say(.addTrack(track))
  }

  /// What receivers that come later get to know of it. Of a server that does not know it nothing is said.
  public func setFormat(_ cid: String, _ format: Format) {
    guard isExtended, announcements[cid] != nil, announcements[cid]?.request.format != format.message else { return }
    announcements[cid]?.request.format = format.message
    if let request = announcements[cid]?.request { say(.addTrack(request)) }
  }

  /// It is not offered any longer.
  public func withdraw(_ cid: String) {
    if let sid = announcements.removeValue(forKey: cid)?.sid { withdraw(sid: sid) }
  }

  private func withdraw(sid: String) {
    guard isExtended else { return }
    if withdrawals.count < LiveKitClient.mostWanted { withdrawals.insert(sid) }
    say(.wish(.withdraw(LiveKitTrackID(sid: sid))))
  }

  /// Others are notified; before `.published` it goes with that.
  public func setMuted(_ cid: String, _ isMuted: Bool) {
    guard let one = announcements[cid], one.isMuted != isMuted else { return }
    announcements[cid]?.isMuted = isMuted
    if let sid = one.sid { say(.mute(LiveKitMute(sid: sid, isMuted: isMuted))) }
  }

  /// Of the connection by which the session publishes. `.answer` follows, or else `.failed` after 15 seconds. After `.resumed` it is to be
  /// made again.
  public func offer(_ sdp: String, now: Int64) {
    answerEnd = now &+ LiveKitClient.answerPatience
    say(.offer(LiveKitDescription(type: "offer", sdp: sdp)))
  }
  /// To `.offer`.
  public func answer(_ sdp: String) { say(.answer(LiveKitDescription(type: "answer", sdp: sdp))) }

  /// Of this end, found after the description was written; empty: none follows.
  public func add(candidate text: String, mid: String?, isSubscribing: Bool) {
    var trickle = LiveKitTrickle()
    (trickle.target, trickle.isLast) = (isSubscribing ? .subscriber : .publisher, text.isEmpty)
    let candidate: [(String, JSON)] = [("candidate", .text(text)), ("sdpMid", .text(mid ?? "0")), ("sdpMLineIndex", .whole(0))]
    trickle.candidate = JSON.object(candidate).rendered()
    say(.trickle(trickle))
  }

  /// A track is to be received, or not any longer.
  public func want(_ sid: String, _ isWanted: Bool) {
    if wanted.count < LiveKitClient.mostWanted || wanted[sid] != nil { wanted[sid] = isWanted }
    say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: isWanted)))
  }

  /// In which size and rate it is of use, 0: any; and how much it matters, 1 the most, 0: nothing is said.
  public func prefer(_ sid: String, width: UInt32, height: UInt32, rate: UInt32, priority: UInt32) {
    var settings = LiveKitTrackSettings()
    (settings.tracks, settings.quality) = ([sid], .high)
    (settings.width, settings.height, settings.rate, settings.priority) = (width, height, rate, priority)
    if self.settings.count < LiveKitClient.mostWanted || self.settings[sid] != nil { self.settings[sid] = settings }
    say(.trackSettings(settings))
  }

  /// What the session says of itself; nil: no more of that key. Throws `.permission`.
  public func setAttribute(_ key: String, _ value: String?) throws(MediaError) {
    guard LiveKitAccess(own.permission).describes else {
      throw MediaError(
        .permission, "LiveKit: the access token does not grant the session to say something of itself (canUpdateOwnMetadata)")
    }
    attributes[key] = value ?? ""
    say([key: value ?? ""])
  }

  private func say(_ attributes: [String: String]) {
    var metadata = LiveKitMetadata()
    // What is empty stays as it is.
    (metadata.attributes, metadata.name, metadata.metadata) = (attributes, own.name, own.metadata)
    say(.metadata(metadata))
  }

  // MARK: A server of this library

  /// Shows another access token; `.renewed` follows, unless another one is shown before it.
  public func renew(_ token: String) {
    let wish = LiveKitWish.renew(LiveKitRenewal(token: token))
    renewal = wish
    say(.wish(wish))
  }

  /// Removes somebody, or mutes all their audio, or ends that; `.notModerated` follows where it is not done. Throws `.again` if too much waits
  /// for the server.
  public func moderate(_ identity: String, _ action: LiveKitModerationAction, reason: String) throws(MediaError) {
    guard moderations.count < LiveKitClient.mostModerations else {
      throw MediaError(.again, "\(LiveKitClient.mostModerations) requests of a moderator wait for the server's answer")
    }
    let wish = LiveKitModerationWish(identity: identity, action: action, reason: reason, number: nextModeration)
    nextModeration &+= 1
    moderations.append(wish)
    say(.wish(.moderate(wish)))
  }

  private func take(_ notice: LiveKitNotice) {
    isExtended = true
    switch notice {
    case .permissions(let known):
      guard mask != known.mask else { return }
      mask = known.mask
      if isJoined { events.append(.permitted(LiveKitAccess(own.permission, mask: mask))) }
    case .expiring(let expiry): events.append(.expiring(max(0, expiry.remaining)))
    case .renewed(let result):
      renewal = nil
      events.append(.renewed(result.error))
    case .moderated(let it):
      let reason = JanusParticipant.shown(it.reason, longest: LiveKitExtension.longestText)
      events.append(.moderatedBy(identity: JanusParticipant.shown(it.identity), it.action, reason: reason))
    case .moderationAnswered(let result):
      moderations.removeAll { $0.number == result.number }
      if let error = result.error { events.append(.notModerated(identity: JanusParticipant.shown(result.identity), error)) }
    case .ended(let result): ending = result.error
    case .present(let known): catchUp(Set(known.identities))
    case .refused(let result): if let cid = cid(of: result.identity), let error = result.error { refuse(cid, error) }
    case .demand(let demand):
      guard let cid = cid(of: demand.sid) else { return }
      let rate = FrameRate(demand.rateNumerator, demand.rateDenominator)
      let receivers = Int(min(demand.receivers, LiveKitClient.mostReceivers))
      events.append(
        .demanded(cid: cid, receivers: receivers, width: demand.width, height: demand.height, rate: rate.isKnown ? rate : nil))
    case .other: return
    }
  }

  /// Says goodbye; nothing follows.
  public func leave() {
    var leave = LiveKitLeave()
    leave.reason = .clientInitiated
    say(.leave(leave))
    (isEnded, events) = (true, [])
  }

  // MARK: Time

  /// Lets time pass. It is called again then; nil: not before something else happens.
  public func poll(now: Int64) -> Int64? {
    guard !isEnded else { return nil }
    guard isJoined else {
      guard now >= deadline else { return deadline }
      return fail(.timeout, "the server did not let the session in within \(LiveKitClient.entryPatience / 1_000_000_000) s")
    }
    if let resumeEnd {
      guard now >= resumeEnd else { return resumeEnd }
      return fail(.timeout, "the server was not reached within \(LiveKitClient.absence / 1_000_000_000) s to go on with the session")
    }
    if pingTimeout > 0, now >= heardAt &+ pingInterval &+ pingTimeout {
      return fail(.timeout, "the server said nothing for \((pingInterval &+ pingTimeout) / 1_000_000_000) s")
    }
    if let answerEnd, now >= answerEnd {
      return fail(.timeout, "the server did not answer an offer within \(LiveKitClient.answerPatience / 1_000_000_000) s")
    }
    if now >= pingAt {
      var ping = LiveKitPing()
      ping.timestamp = now / 1_000_000
      say(.ping(ping))
      pingAt = now &+ pingInterval
    }
    for (cid, one) in announcements where one.sid == nil && now >= one.deadline {
      refuse(cid, MediaError(.timeout, "LiveKit: the server does not take the track: it did not answer within 10 s"))
    }
    let answers = announcements.values.filter { $0.sid == nil }.map(\.deadline).min()
    return [pingAt, answers ?? .max, answerEnd ?? .max, pingTimeout > 0 ? heardAt &+ pingInterval &+ pingTimeout : .max].min()
  }

  private func refuse(_ cid: String, _ error: MediaError) {
    announcements[cid] = nil
    events.append(.refused(cid: cid, error))
  }

  @discardableResult private func fail(_ status: Status, _ text: String, isFinal: Bool = false) -> Int64? {
    fail(SignallingFailure(MediaError(status, "LiveKit: \(text)"), isFinal: isFinal))
    return nil
  }

  /// The connection is lost, or leads nowhere. False: the session has failed. Else it goes on over another one, which is asked for `resumeTarget`;
  /// it may be lost, too.
  public func interrupt(_ failure: SignallingFailure, now: Int64) -> Bool {
    let isName = own.sid.utf8.allSatisfy { HTTPText.isLetterOrDigit($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
    guard isJoined, !isEnded, !failure.isFinal, isName, !own.sid.isEmpty, now < resumeEnd ?? .max else {
      fail(failure)
      return false
    }
    (resumeEnd, output) = (resumeEnd ?? now &+ LiveKitClient.absence, [])
    return true
  }

  private func resume(_ reconnect: LiveKitReconnect, _ now: Int64) {
    (resumeEnd, answerEnd, isCatchingUp, heardAt) = (nil, nil, true, now)
    pingAt = pingInterval > 0 ? now &+ pingInterval : .max
    events.append(.resumed(servers: LiveKitClient.servers(reconnect.iceServers)))
    for (cid, one) in announcements.inKeyOrder {
      if let sid = one.sid {
        say(.mute(LiveKitMute(sid: sid, isMuted: one.isMuted)))
      } else {
        var request = one.request
        request.isMuted = one.isMuted
        announcements[cid]?.deadline = now &+ LiveKitClient.patience
        say(.addTrack(request))
      }
    }
    for isWanted in [true, false] {
      let tracks = wanted.filter { $0.value == isWanted }.keys.sorted()
      if !tracks.isEmpty { say(.subscription(LiveKitSubscription(tracks: tracks, isWanted: isWanted))) }
    }
    for sid in settings.keys.sorted() { if let known = settings[sid] { say(.trackSettings(known)) } }
    if let renewal { say(.wish(renewal)) }
    for wish in moderations { say(.wish(.moderate(wish))) }
    for sid in withdrawals.sorted() { say(.wish(.withdraw(LiveKitTrackID(sid: sid)))) }
  }

  private static func servers(_ list: [LiveKitICEServer]) -> [ICEServer] {
    list.prefix(8).flatMap { one in
      one.urls.prefix(8).compactMap { ICEServer($0, user: one.username, password: one.credential) }
    }
  }

  /// The connection is lost, or never came about.
  public func fail(_ failure: SignallingFailure) {
    guard !isEnded else { return }
    isEnded = true
    events.append(.failed(failure))
  }

  // MARK: What the server says

  /// One message.
  public func receive(_ bytes: [UInt8], now: Int64) {
    guard !isEnded else { return }
    heardAt = now
    do throws(MediaError) {
      let response = try LiveKitResponse(reading: bytes, longest: LiveKitClient.longest, most: LiveKitClient.mostFields)
      if case .join(let join) = response, !isJoined { return take(join, now) }
      if case .leave(let leave) = response { return take(leave) }
      if case .notice(let notice) = response { return take(notice) }
      guard resumeEnd == nil else {
        if case .reconnect(let reconnect) = response { return resume(reconnect, now) }
        fail(.closed, "the server does not go on with the session")
        return
      }
      // What comes before does not belong to this session.
      if isJoined { try take(response, now) }
    } catch {
      fail(SignallingFailure(error, isFinal: false))
    }
  }

  private func take(_ join: LiveKitJoin, _ now: Int64) {
    guard let participant = join.participant, (1...255).contains(participant.identity.utf8.count) else {
      fail(.corrupt, "the server does not say who the session is")
      return
    }
    (isJoined, own, room) = (true, participant, join.room?.name ?? "")
    let second: Int64 = 1_000_000_000
    (pingInterval, pingTimeout) = (Int64(max(0, join.pingInterval)) * second, Int64(max(0, join.pingTimeout)) * second)
    pingAt = pingInterval > 0 ? now &+ pingInterval : .max
    let servers = LiveKitClient.servers(join.iceServers)
    events.append(.joined(identity: participant.identity, LiveKitAccess(participant.permission, mask: mask), servers: servers))
    for other in join.others { meet(other) }
  }

  private func take(_ leave: LiveKitLeave) {
    let isAgain = leave.action != .disconnect || leave.canReconnect
    // The path by which media goes was lost, which another session may find.
    if let ending { return fail(SignallingFailure(ending, isFinal: !isAgain && ending.status != .timeout)) }
    switch leave.reason {
    case .participantRemoved:
      events.append(.moderatedBy(identity: "", .remove, reason: ""))
      fail(.removed, "a moderator took the session out of the room", isFinal: true)
    case .duplicateIdentity: fail(.exists, "another participant with the session's identity has joined", isFinal: true)
    case .roomDeleted, .roomClosed: fail(.closed, "the room was closed", isFinal: true)
    case .connectionTimeout: fail(.timeout, "the server found no path to the session, or lost it")
    case .serverShutdown: fail(.closed, "the server ends", isFinal: !isAgain)
    default: fail(.closed, "the server ended the session (reason \(leave.reason.rawValue))", isFinal: !isAgain)
    }
  }

  private func take(_ response: LiveKitResponse, _ now: Int64) throws(MediaError) {
    switch response {
    case .offer(let offer):
      let sections = LiveKitOffer(offer.sdp).sections.filter(\.isSent)
      let named = sections.compactMap { section in section.track.map { (section.mid, $0) } }
      events.append(.offer(offer.sdp, tracks: Dictionary(named) { first, _ in first }))
    case .answer(let answer):
      answerEnd = nil
      events.append(.answer(answer.sdp))
    case .trickle(let trickle): try take(trickle)
    case .participants(let update):
      for one in update.participants { meet(one) }
      // A server of this library says apart who is there, of whom it has much to say.
      if !isExtended { catchUp(Set(update.participants.map(\.identity))) }
    case .published(let published): take(published)
    case .unpublished(let track):
      withdrawals.remove(track.sid)
      guard let cid = cid(of: track.sid) else { return }
      refuse(cid, MediaError(.closed, "LiveKit: the server ended the track"))
    case .mute(let mute):
      guard let cid = cid(of: mute.sid), announcements[cid]?.isMuted != mute.isMuted else { return }
      announcements[cid]?.isMuted = mute.isMuted
      events.append(.moderated(cid: cid, isMuted: mute.isMuted, by: JanusParticipant.shown(mute.moderator)))
    case .speakers(let update): for one in update.speakers { take(one) }
    case .subscribedQualities(let update): take(update)
    case .permission, .subscriptionFailure, .subscribed, .streamStates, .qualities, .room, .sections, .reconnect: return
    case .token(let token): if (1...4_095).contains(token.utf8.count) { events.append(.token(token)) }
    case .pong, .moved, .join, .leave, .notice, .other: return
    }
  }

  /// Over another connection: who is there, and what the connection before may have lost.
  private func catchUp(_ here: Set<String>) {
    guard isCatchingUp else { return }
    isCatchingUp = false
    for gone in others.keys.filter({ !here.contains($0) }).sorted() { part(gone) }
    let lost = attributes.filter { (own.attributes[$0.key] ?? "") != $0.value }
    if !lost.isEmpty { say(lost) }
  }

  private func cid(of sid: String) -> String? { announcements.first { $0.value.sid == sid }?.key }

  private func take(_ trickle: LiveKitTrickle) throws(MediaError) {
    guard !trickle.candidate.isEmpty else { return }
    let json = try JSONReader.read(Array(trickle.candidate.utf8), name: "a candidate of LiveKit", mostValues: 64)
    guard let text = json.member("candidate")?.string, text.utf8.count <= 1_024 else { return }
    let mid = json.member("sdpMid")?.string
    let isSubscribing = trickle.target == .subscriber
    events.append(.candidate(text, mid: (mid?.utf8.count ?? 65) <= 64 ? mid : nil, isSubscribing: isSubscribing))
  }

  private func take(_ published: LiveKitTrackPublished) {
    guard let track = published.track else { return }
    // It was withdrawn meanwhile.
    guard let one = announcements[published.cid] else { return withdraw(sid: track.sid) }
    guard one.sid == nil else { return }
    announcements[published.cid]?.sid = track.sid
    let carriesMetadata = !track.trailers.isEmpty && !one.request.trailers.isEmpty
    events.append(.published(cid: published.cid, carriesMetadata: carriesMetadata))
    if one.isMuted != track.isMuted { say(.mute(LiveKitMute(sid: track.sid, isMuted: one.isMuted))) }
  }

  private func take(_ update: LiveKitSubscribedQualities) {
    guard let cid = cid(of: update.track), let layers = announcements[cid]?.request.layers, !layers.isEmpty else { return }
    let said = update.codecs.first { $0.codec == "vp8" }?.qualities ?? update.qualities
    func isWanted(_ quality: LiveKitQuality) -> Bool { said.first { $0.quality == quality }?.isWanted ?? true }
    let wanted = layers.count > 1 ? layers.map { isWanted($0.quality) } : [LiveKitClient.qualities.contains(where: isWanted)]
    events.append(.wanted(cid: cid, wanted))
  }

  private func take(_ speaker: LiveKitSpeaker) {
    let identity = speaker.sid == own.sid ? own.identity : others.values.first { $0.sid == speaker.sid }?.identity
    guard let identity else { return }
    let level = UInt32(127 - 127 * max(0, min(1, speaker.level.isFinite ? speaker.level : 0)))
    if speaker.isActive { speakers.insert(identity) } else if speakers.remove(identity) == nil { return }
    events.append(.speaking(identity: identity, speaker.isActive, level: speaker.isActive ? level : 127))
  }

  private func part(_ identity: String) {
    for track in others[identity]?.tracks ?? [] { (wanted[track.sid], settings[track.sid]) = (nil, nil) }
    others[identity] = nil
    speakers.remove(identity)
    events.append(.left(identity: identity))
  }

  private func meet(_ info: LiveKitParticipant) {
    if info.sid == own.sid || info.identity == own.identity { return change(info) }
    guard info.state != .disconnected else {
      // Somebody of the same identity may have come meanwhile.
      if others[info.identity]?.sid == info.sid { part(info.identity) }
      return
    }
    guard let one = LiveKitOther(info), others[one.identity] != one else { return }
    let former = others[one.identity]
    guard former != nil || others.count < LiveKitClient.mostParticipants else { return }
    if let former, former.sid != one.sid {
      speakers.remove(one.identity)
      events.append(.left(identity: one.identity))
    }
    others[one.identity] = one
    events.append(.participant(one))
  }

  private func change(_ info: LiveKitParticipant) {
    let (former, now) = (LiveKitAccess(own.permission, mask: mask), LiveKitAccess(info.permission ?? own.permission, mask: mask))
    let permission = info.permission ?? own.permission
    (own, own.permission) = (info, permission)
    if former != now { events.append(.permitted(now)) }
  }
}

extension LiveKitClient {
  /// What a session of this library says of what it publishes.
  public enum Format: Sendable, Equatable {
    case video(VideoFormat)
    case audio(AudioFormat)

    var message: LiveKitStreamFormat {
      switch self {
      case .video(let format): LiveKitStreamFormat(format)
      case .audio(let format): LiveKitStreamFormat(format)
      }
    }
  }
}
