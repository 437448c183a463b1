import MediaCore

/// The server's side of the signalling of one participant (LiveKit's protocol, both versions of it: `LiveKitVersion`).
/// Messages and what the room does go in; messages and events come out. It owns no connection, no clock and no random source. Calls come one
/// at a time.
///
/// Before `welcome` it gathers who is in the room. After it, what a client sends is handed to `receive`, and each offer is answered before the
/// next one is taken.
public final class LiveKitServerSession {
  /// What the client wants.
  public enum Event: Sendable, Equatable {
    /// To be answered by `answer`.
    case offer(String)
    /// To `offer`, of version 0.
    case answer(String)
    /// Of the client (RFC 8838); empty: none follows. It is of the connection by which it subscribes, of version 0, or of the other, or
    /// only, one.
    case candidate(String, mid: String?, isSubscribing: Bool)
    /// It muted a track of its own, or ended that.
    case muted(sid: String, Bool)
    /// It says of a track what is known: where a moderator changed it, it confirms that.
    case confirmed(sid: String, isMuted: Bool)
    /// It takes a track of another from now on, or does not any more.
    case wants(sid: String, Bool)
    /// A track is not to be sent for the moment, or is again.
    case paused(sid: String, Bool)
    /// What is of use to it of a track: pixels in which it is shown and frames a second, 0 if it does not say, and the best of its layers.
    case prefers(sid: String, width: UInt32, height: UInt32, rate: UInt32, layer: Int, priority: UInt32)
    /// It says something else of itself: a name and metadata, where they are not empty, and attributes, of which an empty one is removed.
    case describes(name: String, metadata: String, attributes: [String: String])
    /// A session of this library shows another access token.
    case renews(token: String)
    /// It asks to remove or mute somebody.
    case moderates(identity: String, LiveKitModerationAction, reason: String, number: UInt32)
    /// A session of this library announces a track, or says another format of it.
    case announced(sid: String)
    /// It does not send it any longer, or never did.
    case withdrawn(sid: String)
    /// It leaves.
    case left
  }

  /// Who it is.
  public struct Participant: Sendable, Equatable {
    var info: LiveKitParticipant

    /// `joined`: seconds since 1970. Name, metadata and attributes are what everybody in the room may read.
    public init(
      sid: String, identity: String, name: String, metadata: String = "", attributes: [String: String] = [:], joined: Int64 = 0
    ) {
      info = LiveKitParticipant()
      (info.sid, info.identity, info.name, info.metadata, info.attributes) = (sid, identity, name, metadata, attributes)
      (info.state, info.joinedAt) = (.active, joined)
    }

    init(_ info: LiveKitParticipant) { self.info = info }

    /// What they may do, where it is known.
    public var access: LiveKitAccess? {
      get { info.permission.map { LiveKitAccess($0) } }
      set { info.permission = newValue?.permission }
    }
    /// Of anybody.
    public var sid: String { info.sid }
    /// Of anybody.
    public var identity: String { info.identity }
    /// What they publish.
    public var tracks: [LiveKitTrack] {
      get { info.tracks.map { LiveKitTrack($0) } }
      set { (info.tracks, info.isPublisher) = (newValue.map(\.info), !newValue.isEmpty) }
    }
  }

  /// Bytes of a message of the client's: those of a description, and of what surrounds it.
  public static let longest = 131_072
  /// Tracks that a client may have announced at a time.
  static let mostTracks = 64
  /// Layers of a track count from 0, the smallest.
  static let bestLayer = 2
  /// Bytes of a name that a client gives a track or a section.
  static let longestName = 256
  /// Bytes of participants in the message by which a client learns who is there.
  static let longestGroup = 262_144
  /// Bytes of participants in one message about changes, of which one alone may have more.
  static let longestTogether = 16_384
  /// Bytes of messages that wait, without participants.
  static let mostOutput = 1_048_576
  /// Bytes of a name, metadata and attributes together.
  public static let longestText = 65_536
  /// Attributes of a participant.
  public static let mostAttributes = 256
  /// Seconds between two pings of a client, and after which it gives the connection up. 0 ends the official SDK.
  static let pingInterval: Int32 = 10
  static let pingTimeout: Int32 = 20

  private var room: LiveKitRoomDescription
  private var own: LiveKitParticipant
  private var others: [String: LiveKitParticipant] = [:]
  private let request: LiveKitJoinRequest
  /// In which the client speaks.
  public let version: LiveKitVersion
  /// It is a session of this library.
  public let isExtended: Bool
  /// It takes frames that end with their metadata (`FrameTrailer`), of tracks that say so.
  public var takesTrailers: Bool { request.client?.capabilities.contains(.packetTrailer) ?? false }
  private let makeSID: () -> String
  private var isWelcome = false
  private var isEnded = false
  /// Its connection is lost, and it may come back.
  private var isAway = false
  /// Of tracks that the client has announced, by their cids.
  private var announced: [String: LiveKitTrack] = [:]
  /// By sid, which layers of a track the client was told to send.
  private var wantedLayers: [String: [Bool]] = [:]
  /// What participants may do, by their identities.
  private var masks: [String: UInt32] = [:]
  /// By sid, whether a track of somebody else was said to be paused last.
  private var paused: [String: Bool] = [:]
  /// By identity, what was said last of those who have spoken.
  private var speakers: [String: LiveKitSpeaker] = [:]
  /// By sid, how a moderator set tracks of which the client has said nothing since.
  private var moderated: [String: LiveKitMute] = [:]
  /// Those of them that were sent again to a session of this library, which first says how they were before its connection was lost.
  private var reminded: Set<String> = []
  /// By sid, what others want of a track of the client's.
  private var demands: [String: LiveKitDemand] = [:]
  /// By sid, tracks of the client's of which it knows that somebody receives them.
  private var received: Set<String> = []
  /// Tracks that it said something of; others are taken if it takes everything.
  private var wanted: [String: Bool] = [:]
  private var offer = LiveKitOffer("")
  private var offerID: UInt32 = 0
  /// What is to be said, in order: messages, and participants (by their identities) as they are when their turn comes, so that whoever reads
  /// slowly is not sent all that was in between.
  private enum Output {
    /// `isPassing`: of no use over another connection.
    case message([UInt8], isPassing: Bool)
    case participant(String)
  }

  /// From `first` on.
  private var output: [Output] = []
  private var first = 0
  private var outputSize = 0
  /// Those who are in the output.
  private var changed: Set<String> = []
  /// Those of them who have left, as others knew them.
  private var departed: [String: LiveKitParticipant] = [:]
  /// From `firstEvent` on.
  private var events: [Event] = []
  private var firstEvent = 0

  /// `makeSID` makes one for each track that the client announces, "TR_…", which no other has.
  public init(
    _ joining: LiveKitJoining, as participant: Participant, grants: LiveKitGrants, room: LiveKitRoomDescription,
    makeSID: @escaping () -> String
  ) {
    (request, version, isExtended) = (joining.request, joining.version, joining.isExtended)
    (self.makeSID, own) = (makeSID, participant.info)
    self.room = room
    var permission = LiveKitPermission()
    (permission.canSubscribe, permission.canPublish) = (grants.subscribes, grants.publishes)
    permission.canPublishData = grants.publishesData ?? grants.publishes
    permission.canUpdateMetadata = grants.updatesMetadata
    own.permission = permission
  }

  /// The next message for the client; nil: there is none.
  public func takeOutput() -> [UInt8]? {
    // Those who come one after the other go together.
    var (participants, size): ([LiveKitParticipant], Int) = ([], 0)
    loop: while size < LiveKitServerSession.longestTogether, let next = nextOutput {
      switch next {
      case .message(let bytes, _):
        guard participants.isEmpty else { break loop }
        skipOutput()
        outputSize -= bytes.count
        return bytes
      case .participant(let identity):
        let news = [departed[identity], info(of: identity)].compactMap { $0 }
        let more = news.reduce(0) { $0 + $1.roughSize }
        guard participants.isEmpty || size + more <= LiveKitServerSession.longestTogether else { break loop }
        skipOutput()
        changed.remove(identity)
        departed[identity] = nil
        participants += news
        size += more
      }
    }
    return participants.isEmpty ? nil : LiveKitResponse.participants(LiveKitParticipants(participants: participants)).encoded
  }

  private var nextOutput: Output? { first < output.count ? output[first] : nil }

  private func skipOutput() {
    first += 1
    guard first == output.count else { return }
    output.removeAll(keepingCapacity: first <= 64)
    first = 0
  }

  /// More waits than a client that reads lets wait.
  public var isOverfull: Bool { outputSize > LiveKitServerSession.mostOutput }
  /// The next thing that happened; nil: there is none.
  public func takeEvent() -> Event? {
    guard firstEvent < events.count else {
      (events, firstEvent) = ([], 0)
      return nil
    }
    defer { firstEvent += 1 }
    return events[firstEvent]
  }

  private func say(_ response: LiveKitResponse) {
    let isPassing = isPassing(response)
    if !isEnded, !(isAway && isPassing) { append(response.encoded, isPassing: isPassing) }
  }

  private func append(_ message: [UInt8], isPassing: Bool) {
    output.append(.message(message, isPassing: isPassing))
    outputSize += message.count
  }

  /// Who comes back is sent it anew, or asks for it anew.
  private func isPassing(_ response: LiveKitResponse) -> Bool {
    switch response {
    case .reconnect, .participants, .room, .speakers, .qualities, .streamStates, .subscribedQualities, .subscribed, .mute, .offer, .pong:
      true
    case .notice(.permissions), .notice(.present), .notice(.demand): true
    // Sessions of this library offer again what was not answered.
    case .answer: isExtended
    default: false
    }
  }

  // MARK: Coming and going

  /// The room has let the client in: it is told who is there.
  public func welcome() {
    guard !isWelcome else { return }
    isWelcome = true
    var join = LiveKitJoin()
    (join.room, join.participant) = (room.info, own)
    let (first, rest) = firstOthers()
    join.others = first
    (join.pingInterval, join.pingTimeout) = (LiveKitServerSession.pingInterval, LiveKitServerSession.pingTimeout)
    // The client waits for that connection first, and offers the other one as soon as it has something to send.
    join.isSubscriberPrimary = version == .zero
    say(.join(join))
    for identity in rest { tell(identity) }
    for track in request.tracks { announce(track) }
    if let offer = request.offer { take(offer: offer) }
  }

  /// Others in one message, and those who would make it too long and follow.
  private func firstOthers() -> (first: [LiveKitParticipant], rest: ArraySlice<String>) {
    var (first, size, rest): ([LiveKitParticipant], Int, ArraySlice<String>) = ([], 0, others.keys.sorted()[...])
    while let one = rest.first.flatMap({ info(of: $0) }) {
      size += one.encoded.count
      guard first.isEmpty || size <= LiveKitServerSession.longestGroup else { break }
      first.append(one)
      rest.removeFirst()
    }
    return (first, rest)
  }

  /// The connection is lost. What is not said anew when the client comes back waits for it.
  public func lost() {
    forgetPassing()
    isAway = true
  }

  /// The client has come back over another connection, as the same participant.
  public func resume(_ joining: LiveKitJoining) {
    guard !isEnded else { return }
    forgetPassing()
    isAway = false
    // Before anything else it learns that the session goes on.
    let waiting = output
    output = []
    say(.reconnect(LiveKitReconnect()))
    output += waiting
    say(.room(LiveKitRoomUpdate(room: room.info)))
    if let mask = masks[own.identity] { notify(.permissions(LiveKitPermissions(mask: mask))) }
    if isExtended {
      let others = others.keys.sorted()
      say(.participants(LiveKitParticipants(participants: [own])))
      notify(.present(LiveKitPresent(identities: others)))
      for identity in others { tell(identity) }
    } else {
      let (first, rest) = firstOthers()
      say(.participants(LiveKitParticipants(participants: [own] + first)))
      for identity in rest { tell(identity) }
    }
    say(speakers.inKeyOrder.map(\.value))
    for (sid, mute) in moderated.inKeyOrder {
      if isExtended { reminded.insert(sid) }
      say(.mute(mute))
    }
    for (sid, qualities) in wantedLayers.inKeyOrder { sayWanted(sid, qualities) }
    for (sid, isPaused) in paused.inKeyOrder { sayPaused(sid, isPaused) }
    for sid in received.sorted() { say(.subscribed(LiveKitTrackID(sid: sid))) }
    for (_, demand) in demands.inKeyOrder { notify(.demand(demand)) }
    if let offer = joining.request.offer { take(offer: offer) }
  }

  /// It is told that it has to go, and nothing afterwards.
  public func end(_ error: MediaError?) {
    guard !isEnded else { return }
    // Who is in the room is nothing to it any more.
    forgetPassing()
    if let error { notify(.ended(LiveKitResult(error))) }
    append(LiveKitServerSession.leave(error, isAgain: false), isPassing: false)
    isEnded = true
  }

  /// That a client has to go. `isAgain`: it is to come back as another participant.
  public static func leave(_ error: MediaError?, isAgain: Bool) -> [UInt8] {
    var leave = LiveKitLeave()
    (leave.action, leave.canReconnect) = (isAgain ? .reconnect : .disconnect, isAgain)
    leave.reason =
      switch error?.status {
      case .removed?: .participantRemoved
      case .exists?: .duplicateIdentity
      case .closed?: .serverShutdown
      case .timeout?: .connectionTimeout
      case nil: .clientInitiated
      default: .unknown
      }
    return LiveKitResponse.leave(leave).encoded
  }

  // MARK: The room

  /// What the client is told of somebody, or of itself.
  private func info(of identity: String) -> LiveKitParticipant? {
    guard identity != own.identity, var one = others[identity] else { return identity == own.identity ? own : nil }
    if isExtended { one.permissions = masks[identity].map { LiveKitPermissions(mask: $0) } }
    return one
  }

  /// Of somebody, the client itself, too.
  private func tell(_ identity: String) {
    guard isWelcome, !isEnded, !isAway, changed.insert(identity).inserted else { return }
    output.append(.participant(identity))
  }

  /// What waits and is of no use over another connection.
  private func forgetPassing() {
    output = output[first...].filter { if case .message(_, isPassing: false) = $0 { true } else { false } }
    outputSize = output.reduce(0) { if case .message(let bytes, _) = $1 { $0 + bytes.count } else { $0 } }
    (first, changed, departed) = (0, [], [:])
  }

  private func change(_ identity: String, _ body: (inout LiveKitParticipant) -> Void) {
    guard var one = others[identity] else { return }
    body(&one)
    one.version += 1
    one.isPublisher = !one.tracks.isEmpty
    others[identity] = one
    tell(identity)
  }

  /// Something of it has changed.
  public func setRoom(_ room: LiveKitRoomDescription) {
    self.room = room
    if isWelcome { say(.room(LiveKitRoomUpdate(room: room.info))) }
  }

  /// Somebody is in the room.
  public func meet(_ participant: Participant) {
    others[participant.identity] = participant.info
    tell(participant.identity)
  }

  /// They are not any more.
  public func part(_ identity: String) {
    (masks[identity], speakers[identity]) = (nil, nil)
    guard var gone = others.removeValue(forKey: identity) else { return }
    (gone.state, gone.tracks) = (.disconnected, [])
    gone.version += 1
    // Of one who came and went meanwhile the client need not know; of another one of that name it knows.
    if isWelcome, !isAway, departed[identity] == nil { departed[identity] = gone }
    tell(identity)
  }

  /// What somebody may do from now on, the client itself, too; before `meet` or `welcome`: with that. `mask`: MSDK_MAY_*.
  public func setAccess(_ access: LiveKitAccess, mask: UInt32, of identity: String) {
    masks[identity] = mask
    guard identity == own.identity else { return change(identity) { $0.permission = access.permission } }
    notify(.permissions(LiveKitPermissions(mask: mask)))
    own.permission = access.permission
    own.version += 1
    tell(identity)
  }

  /// They said something else of themselves; nil: no more of that key.
  public func setAttribute(_ key: String, _ value: String?, of identity: String) {
    change(identity) { $0.attributes[key] = value }
  }

  /// The same, of all that a client of this protocol says of itself (`Event.describes`).
  public func describe(_ identity: String, name: String, metadata: String, attributes: [String: String]) {
    change(identity) { LiveKitServerSession.describe(&$0, name, metadata, attributes) }
  }

  /// The client, as it asked for or as an administrator did; `.describes` follows. False: with what is known of it, it is too much.
  public func describeOwn(name: String, metadata: String, attributes: [String: String]) -> Bool {
    var described = own
    LiveKitServerSession.describe(&described, name, metadata, attributes)
    guard described.textSize <= LiveKitServerSession.longestText, described.attributes.count <= LiveKitServerSession.mostAttributes else {
      return false
    }
    own = described
    follow()
    events.append(.describes(name: name, metadata: metadata, attributes: attributes))
    return true
  }

  /// They publish it.
  public func add(_ track: LiveKitTrack, of identity: String) {
    change(identity) { one in
      one.tracks.removeAll { $0.sid == track.sid }
      one.tracks.append(track.info)
      if !isExtended { one.tracks[one.tracks.count - 1].format = nil }
    }
  }

  /// They do not any more.
  public func remove(_ sid: String, of identity: String) {
    wanted[sid] = nil
    change(identity) { one in one.tracks.removeAll { $0.sid == sid } }
  }

  /// They muted it, or ended that.
  public func setMuted(_ sid: String, _ isMuted: Bool, of identity: String) {
    change(identity) { one in
      for place in one.tracks.indices where one.tracks[place].sid == sid { one.tracks[place].isMuted = isMuted }
    }
  }

  /// Somebody began or ended to speak, at that level (RFC 6464); the client itself, too.
  public func speak(_ identity: String, _ isSpeaking: Bool, level: UInt32) {
    guard isWelcome, let sid = identity == own.identity ? own.sid : others[identity]?.sid else { return }
    var speaker = LiveKitSpeaker()
    (speaker.sid, speaker.isActive) = (sid, isSpeaking)
    speaker.level = isSpeaking ? max(0, min(1, 1 - Float(min(level, 127)) / 127)) : 0
    speakers[identity] = speaker
    say([speaker])
  }

  private func say(_ speakers: [LiveKitSpeaker]) {
    if !speakers.isEmpty { say(.speakers(LiveKitSpeakers(speakers: speakers))) }
  }

  /// How well participants are connected, by their identities; the client itself, too. Of others nothing is said. Not kept for one that comes back.
  public func setQualities(_ qualities: [String: LiveKitConnectionQuality]) {
    var update = LiveKitQualities()
    for (identity, quality) in qualities.inKeyOrder {
      guard let sid = sid(of: identity) else { continue }
      update.updates.append(LiveKitQualityInfo(sid: sid, quality: quality))
    }
    if isWelcome, !update.updates.isEmpty { say(.qualities(update)) }
  }

  /// A track of somebody else is not sent to the client, as its path has no room, or is again.
  public func setPaused(_ sid: String, _ isPaused: Bool) {
    // Said again to a client that comes back, which may not have got it.
    paused = paused.filter { known in others.values.contains { $0.tracks.contains { $0.sid == known.key } } }
    paused[sid] = isPaused
    sayPaused(sid, isPaused)
  }

  private func sayPaused(_ sid: String, _ isPaused: Bool) {
    guard isWelcome, let one = others.values.first(where: { $0.tracks.contains { $0.sid == sid } }) else { return }
    var update = LiveKitStreamStates()
    update.states = [LiveKitStreamInfo(participant: one.sid, track: sid, state: isPaused ? .paused : .active)]
    say(.streamStates(update))
  }

  /// A moderator muted a track of the client's, or ended that: a participant, or (empty) an administrator.
  public func moderate(_ sid: String, _ isMuted: Bool, by moderator: String) {
    // The client says so, too, which is no news then.
    if let cid = announced.first(where: { $0.value.sid == sid })?.key { announced[cid]?.isMuted = isMuted }
    follow()
    var mute = LiveKitMute()
    (mute.sid, mute.isMuted) = (sid, isMuted)
    if isExtended { mute.moderator = moderator }
    if announced(sid) != nil { moderated[sid] = mute }
    say(.mute(mute))
  }

  // MARK: Sessions of this library

  private func notify(_ notice: LiveKitNotice) { if isExtended { say(.notice(notice)) } }

  /// With which it comes back: a secret of its own.
  public func setToken(_ token: String) { say(.token(token)) }

  /// So many nanoseconds of its access remain.
  public func warn(remaining: Int64) { notify(.expiring(LiveKitExpiry(remaining: remaining))) }

  /// The token that it showed was accepted, or was not.
  public func renewed(_ error: MediaError?) { notify(.renewed(LiveKitResult(error))) }

  /// How many receive a track of the client's. Others than sessions of this library learn of the first: programs of theirs wait for it before they speak.
  public func setReceivers(_ sid: String, _ count: Int) {
    if !isExtended, count > 0, announced(sid) != nil, received.insert(sid).inserted { say(.subscribed(LiveKitTrackID(sid: sid))) }
    demand(sid) { $0.receivers = UInt32(clamping: count) }
  }

  /// What they want of it together: pixels and frames a second; 0, or nil: any.
  public func setWish(_ sid: String, width: UInt32, height: UInt32, rate: FrameRate?) {
    demand(sid) { demand in
      (demand.width, demand.height) = (width, height)
      (demand.rateNumerator, demand.rateDenominator) = (rate?.numerator ?? 0, rate?.denominator ?? 0)
    }
  }

  private func demand(_ sid: String, _ change: (inout LiveKitDemand) -> Void) {
    guard isExtended, announced(sid) != nil else { return }
    var demand = demands[sid] ?? LiveKitDemand(sid: sid)
    change(&demand)
    demands[sid] = demand
    notify(.demand(demand))
  }

  /// Of all its audio, or of the session itself, by a member or (empty) an administrator; of a removal `end` follows.
  public func moderate(_ action: LiveKitModerationAction, by identity: String, reason: String) {
    notify(.moderated(LiveKitModerated(identity: identity, action: action, reason: reason)))
  }

  /// What it asked for by that number was done, or was not.
  public func answer(moderation number: UInt32, of identity: String, _ error: MediaError?) {
    notify(.moderationAnswered(LiveKitResult(error, identity: identity, number: number)))
  }

  // MARK: Layers

  /// Which layers of a track of the client's anybody wants, the smallest first. It need not send what is above them: servers do not ask clients to leave
  /// out a layer below another one.
  public func setWanted(_ sid: String, layers: [Bool]) {
    guard !layers.isEmpty, announced.contains(where: { $0.value.sid == sid }) else { return }
    let qualities = (0..<3).map { layers[min($0, layers.count - 1)...].contains(true) }
    // At first it sends all.
    guard wantedLayers[sid] ?? [true, true, true] != qualities else { return }
    wantedLayers[sid] = qualities
    sayWanted(sid, qualities)
  }

  private func sayWanted(_ sid: String, _ wanted: [Bool]) {
    var update = LiveKitSubscribedQualities()
    update.track = sid
    update.qualities = zip([LiveKitQuality.low, .medium, .high], wanted).map { LiveKitSubscribedQuality(quality: $0, isWanted: $1) }
    let codec = announced.first { $0.value.sid == sid }?.value.codec ?? "vp8"
    update.codecs = [LiveKitSubscribedCodec(codec: codec, qualities: update.qualities)]
    say(.subscribedQualities(update))
  }

  /// Who the client is, as others are told of it when they come: what it publishes they learn from the room.
  public var participant: Participant {
    var info = own
    (info.tracks, info.isPublisher) = ([], false)
    return Participant(info)
  }

  /// Bytes of what is known of the client, as others are sent it.
  public var ownSize: Int { own.encoded.count }

  /// The client with what it publishes and may do.
  public var whole: Participant { Participant(own) }

  // MARK: Negotiation

  /// The sections of the offer that was taken last.
  public var sections: [LiveKitOffer.Section] { offer.sections }
  /// The participant's sid, by which streams of one are bound together.
  public func sid(of identity: String) -> String? { identity == own.identity ? own.sid : others[identity]?.sid }
  /// Of the others, those who have these sids.
  public func identities(of sids: [String]) -> [String] {
    let sids = Set(sids)
    return sids.isEmpty ? [] : others.values.filter { sids.contains($0.sid) }.map(\.identity)
  }
  /// The track that the client announced for a section; nil: it did not.
  public func track(of section: LiveKitOffer.Section) -> LiveKitTrack? { section.track.flatMap { announced[$0] } }
  /// What the client announced by that name; nil: it did not, or not any longer.
  public func announced(_ sid: String) -> LiveKitTrack? { announced.values.first { $0.sid == sid } }
  /// Whether the client takes it.
  public func wants(_ sid: String) -> Bool { wanted[sid] ?? (request.settings?.isSubscribing ?? true) }

  /// To the last offer. `tracks`: the sid of what is sent, by the mid of its section.
  public func answer(_ sdp: String, tracks: [String: String]) {
    var description = LiveKitDescription()
    (description.type, description.sdp, description.id, description.tracks) = ("answer", sdp, offerID, tracks)
    say(.answer(description))
  }

  /// Of the connection by which the client subscribes, of version 0.
  public func offer(_ sdp: String) {
    var description = LiveKitDescription()
    (description.type, description.sdp) = ("offer", sdp)
    say(.offer(description))
  }

  /// Of this end, found after the answer, or after the offer of the connection by which the client subscribes.
  public func trickle(_ candidate: String, mid: String?, isSubscribing: Bool) {
    var trickle = LiveKitTrickle()
    trickle.target = isSubscribing ? .subscriber : .publisher
    trickle.candidate = JSON.object([
      ("candidate", .text(candidate)), ("sdpMid", .text(mid ?? "0")), ("sdpMLineIndex", .whole(0))
    ]).rendered()
    say(.trickle(trickle))
  }

  /// The client is to offer so many sections more in which it receives; of none it is to offer again.
  public func require(audio: Int, video: Int) {
    var sections = LiveKitSections()
    (sections.audio, sections.video) = (UInt32(clamping: audio), UInt32(clamping: video))
    say(.sections(sections))
  }

  /// The publishing of what was announced has ended, or (an error) is refused.
  public func unpublish(_ sid: String, because error: MediaError? = nil) {
    guard let cid = announced.first(where: { $0.value.sid == sid })?.key else { return }
    if let error { notify(.refused(LiveKitResult(error, identity: sid))) }
    (announced[cid], wantedLayers[sid], demands[sid], moderated[sid]) = (nil, nil, nil, nil)
    received.remove(sid)
    reminded.remove(sid)
    follow()
    var gone = LiveKitTrackID()
    gone.sid = sid
    say(.unpublished(gone))
  }

  /// What others are told of the client's tracks.
  private func follow() {
    own.tracks = announced.values.map(\.info).sorted { $0.sid < $1.sid }
    own.isPublisher = !own.tracks.isEmpty
    own.version += 1
    tell(own.identity)
  }

  // MARK: What the client says

  /// One message. Throws `.corrupt` and `.limit` for what ends the connection.
  public func receive(_ bytes: [UInt8], wallTime: Int64) throws(MediaError) {
    switch try LiveKitRequest(reading: bytes, longest: LiveKitServerSession.longest) {
    case .offer(let offer): take(offer: offer)
    case .answer(let answer): if version == .zero { events.append(.answer(answer.sdp)) }
    case .trickle(let trickle): try take(trickle)
    case .addTrack(let track):
      guard announced.count < LiveKitServerSession.mostTracks else {
        throw MediaError(.limit, "LiveKit: a client announces more than \(LiveKitServerSession.mostTracks) tracks")
      }
      announce(track)
    case .mute(let mute):
      if reminded.remove(mute.sid) != nil, moderated[mute.sid]?.isMuted != mute.isMuted { return }
      moderated[mute.sid] = nil
      guard let cid = announced.first(where: { $0.value.sid == mute.sid })?.key else { return }
      guard announced[cid]?.isMuted != mute.isMuted else { return events.append(.confirmed(sid: mute.sid, isMuted: mute.isMuted)) }
      announced[cid]?.isMuted = mute.isMuted
      events.append(.muted(sid: mute.sid, mute.isMuted))
      follow()
    case .subscription(let change):
      for sid in known(change.tracks + change.participantTracks.flatMap(\.tracks)) {
        wanted[sid] = change.isWanted
        events.append(.wants(sid: sid, change.isWanted))
      }
    case .trackSettings(let settings):
      for sid in known(settings.tracks) {
        let (layer, isPaused) = (Int(settings.quality.rawValue), settings.isPaused || settings.quality == .off)
        // Of one that says its size the quality is not read.
        let best = settings.width > 0 && settings.height > 0 ? LiveKitServerSession.bestLayer : min(layer, LiveKitServerSession.bestLayer)
        events.append(
          .prefers(
            sid: sid, width: settings.width, height: settings.height, rate: settings.rate, layer: best, priority: settings.priority))
        events.append(.paused(sid: sid, isPaused))
      }
    case .ping(let ping):
      var pong = LiveKitPong()
      (pong.pinged, pong.timestamp) = (ping.timestamp, wallTime / 1_000_000)
      say(.pong(pong))
    case .leave: events.append(.left)
    case .metadata(let change): take(change)
    case .wish(.renew(let renewal)): events.append(.renews(token: renewal.token))
    case .wish(.moderate(let wish)):
      let reason = JanusParticipant.shown(wish.reason, longest: LiveKitExtension.longestText)
      events.append(.moderates(identity: wish.identity, wish.action, reason: reason, number: wish.number))
    case .wish(.withdraw(let track)): if announced(track.sid) != nil { events.append(.withdrawn(sid: track.sid)) }
    // What is known of what it has and of whom it lets receive is not needed here, or not yet.
    case .syncState, .subscriptionPermission, .wish(.other), .other: return
    }
  }

  /// Those of tracks of others, each once.
  private func known(_ sids: [String]) -> [String] {
    var left = Set(others.values.flatMap { $0.tracks.map(\.sid) })
    return sids.filter { left.remove($0) != nil }
  }

  private func take(offer description: LiveKitDescription) {
    (offer, offerID) = (LiveKitOffer(description.sdp), description.id)
    events.append(.offer(description.sdp))
  }

  private func take(_ trickle: LiveKitTrickle) throws(MediaError) {
    let isSubscribing = version == .zero && trickle.target == .subscriber
    if !trickle.candidate.isEmpty {
      let json = try JSONReader.read(Array(trickle.candidate.utf8), name: "a candidate of LiveKit", mostValues: 64)
      if let text = json.member("candidate")?.string, text.utf8.count <= 1_024 {
        let mid = json.member("sdpMid")?.string
        events.append(.candidate(text, mid: (mid?.utf8.count ?? 65) <= 64 ? mid : nil, isSubscribing: isSubscribing))
      }
    }
    if trickle.isLast { events.append(.candidate("", mid: nil, isSubscribing: isSubscribing)) }
  }

  private func take(_ change: LiveKitMetadata) {
    guard own.permission?.canUpdateMetadata == true, change.name.utf8.count <= LiveKitServerSession.longestName else { return }
    _ = describeOwn(name: change.name, metadata: change.metadata, attributes: change.attributes)
  }

  private static func describe(_ one: inout LiveKitParticipant, _ name: String, _ metadata: String, _ attributes: [String: String]) {
    if !name.isEmpty { one.name = name }
    if !metadata.isEmpty { one.metadata = metadata }
    for (key, value) in attributes { one.attributes[key] = value.isEmpty ? nil : value }
  }

  private func announce(_ request: LiveKitAddTrack) {
    let isFit = [request.cid, request.name, request.stream].allSatisfy { $0.utf8.count <= LiveKitServerSession.longestName }
    guard isFit, !request.cid.isEmpty, request.type != .data, announced.count < LiveKitServerSession.mostTracks else { return }
    // One that is announced twice is the same.
    let (isNew, former) = (announced[request.cid] == nil, announced[request.cid]?.info.format)
    var track = announced[request.cid] ?? LiveKitTrack(request, sid: makeSID())
    // But a session of this library may say another format.
    track.info.format = isExtended ? request.format ?? former : nil
    announced[request.cid] = track
    var published = LiveKitTrackPublished()
    (published.cid, published.track) = (request.cid, track.info)
    say(.published(published))
    if isNew { follow() }
    if isExtended, isNew || track.info.format != former { events.append(.announced(sid: track.sid)) }
  }
}

extension LiveKitParticipant {
  /// Bytes of its encoding, about.
  fileprivate var roughSize: Int { textSize + identity.utf8.count + 64 + 512 * tracks.count + 8 * attributes.count }

  /// Bytes of what is said of it.
  fileprivate var textSize: Int {
    attributes.reduce(name.utf8.count + metadata.utf8.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
  }
}
