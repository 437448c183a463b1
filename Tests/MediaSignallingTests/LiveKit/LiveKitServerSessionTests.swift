import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct LiveKitServerSessionTests {
  private let session: LiveKitServerSession
  private let offer = "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:0\r\na=sendonly\r\na=msid:- camera\r\n"

  init() {
    var request = LiveKitJoinRequest()
    request.settings = LiveKitConnectionSettings(isSubscribing: true)
    session = LiveKitServerSessionTests.make(request)
  }

  private static func make(_ request: LiveKitJoinRequest, isExtended: Bool = false) -> LiveKitServerSession {
    var number = 0
    let own = LiveKitServerSession.Participant(sid: "PA_own", identity: "anna", name: "Anna", metadata: "m", attributes: ["a": "b"])
    return LiveKitServerSession(
      LiveKitJoining(request, isExtended: isExtended), as: own, grants: LiveKitGrants(identity: "anna", room: nil),
      room: LiveKitRoomDescription(sid: "RM_1", name: "lobby", created: 0, mostParticipants: 64)
    ) {
      number += 1
      return "TR_\(number)"
    }
  }

  private func said(_ session: LiveKitServerSession) throws -> [LiveKitResponse] {
    var list: [LiveKitResponse] = []
    while let bytes = session.takeOutput() { list.append(try LiveKitResponse(reading: bytes)) }
    return list
  }

  private func events(_ session: LiveKitServerSession) -> [LiveKitServerSession.Event] {
    var list: [LiveKitServerSession.Event] = []
    while let event = session.takeEvent() { list.append(event) }
    return list
  }

  private func say(_ request: LiveKitRequest) throws { try session.receive(request.encoded, wallTime: 2_000_000_000) }

  private func meet(_ identity: String) {
    session.meet(.init(sid: "PA_\(identity)", identity: identity, name: identity.uppercased()))
  }

  private func announce(_ cid: String, _ type: LiveKitTrackType = .video) throws {
    var track = LiveKitAddTrack()
    (track.cid, track.type, track.source, track.width) = (cid, type, .camera, 640)
    try say(.addTrack(track))
  }

  @Test func whoIsThereIsSaidFirst() throws {
    meet("bob")
    session.add(LiveKitTrack(sid: "TR_9", isVideo: true, isScreen: false, width: 320, height: 240), of: "bob")
    #expect(try said(session).isEmpty)
    session.welcome()
    guard case .join(let join)? = try said(session).first else { throw MediaError(.fail, "no join") }
    #expect(join.room?.name == "lobby" && join.room?.sid == "RM_1" && join.participant?.sid == "PA_own")
    #expect(join.participant?.metadata == "m" && join.participant?.attributes == ["a": "b"])
    #expect(join.participant?.permission?.canPublish == true && join.pingInterval > 0 && join.pingTimeout > join.pingInterval)
    #expect(join.others.map(\.identity) == ["bob"] && join.others[0].tracks.map(\.sid) == ["TR_9"] && join.others[0].isPublisher)
    #expect(join.others[0].tracks[0].mimeType == "video/vp8" && join.others[0].tracks[0].source == .camera)
    // Once.
    session.welcome()
    #expect(try said(session).isEmpty)
  }

  @Test func whoComesAndGoesIsSaid() throws {
    session.welcome()
    _ = try said(session)
    let updates = try [
      { meet("bob") },
      { session.add(LiveKitTrack(sid: "TR_9", isVideo: false, isScreen: true), of: "bob") },
      { session.setMuted("TR_9", true, of: "bob") },
      { session.setAttribute("key", "value", of: "bob") },
      { session.remove("TR_9", of: "bob") },
      { session.part("bob") },
      { session.part("bob") }
    ].flatMap { change in
      change()
      return try participants(session)
    }
    #expect(updates.map(\.version) == [0, 1, 2, 3, 4, 5])
    #expect(updates.map(\.tracks.count) == [0, 1, 1, 1, 0, 0] && updates[1].tracks[0].source == .screenShareAudio)
    #expect(updates[2].tracks[0].isMuted && updates[3].attributes == ["key": "value"])
    #expect(updates.map { $0.state == .disconnected } == [false, false, false, false, false, true])
  }

  private func participants(_ session: LiveKitServerSession) throws -> [LiveKitParticipant] {
    try said(session).flatMap { response throws -> [LiveKitParticipant] in
      guard case .participants(let update) = response else { throw MediaError(.fail, "\(response)") }
      return update.participants
    }
  }

  /// Of what changes while nothing is read, it is said how it is then.
  @Test func whoReadsSlowlyIsNotSentWhatWasInBetween() throws {
    session.welcome()
    _ = try said(session)
    for name in ["bob", "cleo", "dora"] { meet(name) }
    for round in 0..<1_000 { session.setAttribute("round", "\(round)", of: "bob") }
    session.part("cleo")
    meet("cleo")
    var updates = try participants(session)
    #expect(updates.map(\.identity) == ["bob", "cleo", "cleo", "dora"] && updates[0].attributes == ["round": "999"])
    #expect(updates.map { $0.state == .disconnected } == [false, true, false, false])
    session.setAttribute("round", "1000", of: "bob")
    session.part("dora")
    session.end(MediaError(.removed, "by cleo"))
    let last = try said(session)
    guard case .leave? = last.last, last.count == 1 else { throw MediaError(.fail, "\(last)") }
    updates = try participants(session)
    #expect(updates.isEmpty && !session.isOverfull)
  }

  /// Messages stay in their order, and none is long.
  @Test func thoseWhoComeTogetherAreSaidTogether() throws {
    session.welcome()
    _ = try said(session)
    for number in 0..<1_000 { meet("member \(number)") }
    var (messages, longest): ([[UInt8]], Int) = ([], 0)
    while let bytes = session.takeOutput() {
      messages.append(bytes)
      longest = max(longest, bytes.count)
    }
    #expect(messages.count < 20 && longest < 32_768, "\(messages.count) messages of up to \(longest) bytes")
    let responses = try messages.map { try LiveKitResponse(reading: $0) }
    let identities = responses.flatMap {
      if case .participants(let update) = $0 { update.participants.map(\.identity) } else { [String]() }
    }
    #expect(identities.filter { $0.hasPrefix("member") } == (0..<1_000).map { "member \($0)" })
  }

  @Test func longParticipantsAreNotSaidTogether() throws {
    session.welcome()
    _ = try said(session)
    for name in ["bob", "cleo", "dora"] {
      session.meet(.init(sid: "PA_\(name)", identity: name, name: "", metadata: String(repeating: "a", count: 10_000)))
    }
    let list = try said(session)
    #expect(list.count == 3 && list.allSatisfy { $0.encoded.count < LiveKitServerSession.longestTogether })
  }

  /// A session of this library learns with each participant what they may do, and of itself by a notice, which comes first.
  @Test func whatOthersMayDoIsSaidWithThem() throws {
    func masks(_ participants: [LiveKitParticipant]) -> [String: UInt32?] {
      Dictionary(participants.map { ($0.identity, $0.permissions?.mask) }, uniquingKeysWith: { $1 })
    }
    let extended = LiveKitServerSessionTests.make(LiveKitJoinRequest(), isExtended: true)
    let access = LiveKitAccess(sources: LiveKitAccess.all, subscribes: true, describes: true, sendsData: true)
    for session in [session, extended] {
      for (identity, mask) in [("anna", 7), ("bob", 3), ("cleo", 0)] as [(String, UInt32)] {
        session.setAccess(access, mask: mask, of: identity)
        if identity != "anna" { session.meet(.init(sid: "PA_\(identity)", identity: identity, name: "")) }
      }
      session.welcome()
    }
    var list = try said(extended)
    guard case .notice(.permissions(let own))? = list.first, case .join(let join)? = list.last, list.count == 2 else {
      throw MediaError(.fail, "\(list)")
    }
    #expect(own.mask == 7 && masks(join.others) == ["bob": 3, "cleo": 0])
    // One message for all that is new of others.
    extended.setAccess(access, mask: 1, of: "bob")
    extended.setAccess(access, mask: 2, of: "dora")
    extended.meet(.init(sid: "PA_dora", identity: "dora", name: ""))
    list = try said(extended)
    guard case .participants(let update)? = list.first, list.count == 1 else { throw MediaError(.fail, "\(list)") }
    #expect(masks(update.participants) == ["bob": 1, "dora": 2])
    // Who has left and comes again has no permissions of before.
    extended.part("bob")
    extended.meet(.init(sid: "PA_bob2", identity: "bob", name: ""))
    #expect(try masks(participants(extended)) == ["bob": UInt32?.none])
    // To other clients it is not said.
    guard case .join(let plain)? = try said(session).first else { throw MediaError(.fail, "no join") }
    #expect(plain.others.map(\.identity) == ["bob", "cleo"] && plain.others.allSatisfy { $0.permissions == nil })
  }

  @Test func tracksAreAnnounced() throws {
    session.welcome()
    _ = try said(session)
    try announce("camera")
    let said = try said(session)
    guard case .published(let published)? = said.first, case .participants(let own)? = said.last else {
      throw MediaError(.fail, "\(said)")
    }
    #expect(published.cid == "camera" && published.track?.sid == "TR_1" && own.participants.first?.tracks.map(\.sid) == ["TR_1"])
    // A second time: the same.
    try announce("camera")
    #expect(try self.said(session).count == 1)
    var description = LiveKitDescription()
    (description.type, description.sdp, description.id) = ("offer", offer, 7)
    try say(.offer(description))
    #expect(events(session) == [.offer(offer)])
    let track = session.sections.first.flatMap { session.track(of: $0) }
    #expect(track?.sid == "TR_1" && track?.isVideo == true && track?.isScreen == false)
    session.answer("an answer", tracks: ["0": "TR_5"])
    guard case .answer(let answer)? = try self.said(session).first else { throw MediaError(.fail, "no answer") }
    #expect(answer.type == "answer" && answer.sdp == "an answer" && answer.id == 7 && answer.tracks == ["0": "TR_5"])
    session.unpublish("TR_1")
    let last = try self.said(session)
    #expect(last.contains { if case .unpublished(let gone) = $0 { gone.sid == "TR_1" } else { false } })
  }

  /// Programs with LiveKit's SDK wait for it before they speak. It may have been lost with a connection.
  @Test func theFirstReceiverOfATrackIsSaid() throws {
    session.welcome()
    try announce("camera")
    _ = try said(session)
    session.setReceivers("TR_1", 0)
    session.setReceivers("TR_7", 1)
    #expect(try said(session).isEmpty)
    for count in [1, 2, 0, 1] { session.setReceivers("TR_1", count) }
    let news = try said(session)
    guard case .subscribed(let track)? = news.first, news.count == 1 else { throw MediaError(.fail, "\(news)") }
    #expect(track.sid == "TR_1")
    session.resume(LiveKitJoining(LiveKitJoinRequest()))
    #expect(try said(session).contains { if case .subscribed(let track) = $0 { track.sid == "TR_1" } else { false } })
  }

  @Test func muteIsNewsOnce() throws {
    session.welcome()
    try announce("mic", .audio)
    _ = events(session)
    func mute(_ sid: String, _ isMuted: Bool) throws { try say(.mute(LiveKitMute(sid: sid, isMuted: isMuted))) }
    try mute("TR_1", true)
    try mute("TR_1", true)
    try mute("TR_77", true)
    #expect(events(session) == [.muted(sid: "TR_1", true), .confirmed(sid: "TR_1", isMuted: true)])
    // What the server did comes back from the client.
    session.moderate("TR_1", false, by: "bob")
    try mute("TR_1", false)
    #expect(events(session) == [.confirmed(sid: "TR_1", isMuted: false)])
  }

  @Test func subscriptionsAreOfTracksThatAreThere() throws {
    session.welcome()
    meet("bob")
    session.add(LiveKitTrack(sid: "TR_9", isVideo: true, isScreen: false), of: "bob")
    #expect(session.wants("TR_9"))
    try say(.subscription(LiveKitSubscription(tracks: ["TR_9", "TR_8"], isWanted: false)))
    #expect(events(session) == [.wants(sid: "TR_9", false)] && !session.wants("TR_9"))
    var settings = LiveKitTrackSettings()
    (settings.tracks, settings.isPaused) = (["TR_9", "TR_8"], true)
    try say(.trackSettings(settings))
    func prefers(_ width: UInt32, _ height: UInt32, _ layer: Int, _ priority: UInt32) -> LiveKitServerSession.Event {
      .prefers(sid: "TR_9", width: width, height: height, rate: 0, layer: layer, priority: priority)
    }
    #expect(events(session) == [prefers(0, 0, 0, 0), .paused(sid: "TR_9", true)])
    (settings.isPaused, settings.width, settings.height, settings.priority) = (false, 640, 480, 7)
    try say(.trackSettings(settings))
    #expect(events(session) == [prefers(640, 480, 2, 7), .paused(sid: "TR_9", false)])
    (settings.width, settings.quality) = (0, .off)
    try say(.trackSettings(settings))
    #expect(events(session) == [prefers(0, 480, 2, 7), .paused(sid: "TR_9", true)])
    // Somebody who takes nothing by itself.
    let other = LiveKitServerSessionTests.make(
      {
        var request = LiveKitJoinRequest(); request.settings = .init(); return request
      }())
    #expect(!other.wants("TR_9"))
  }

  /// However often a message names one.
  @Test func aMessageChangesATrackOnce() throws {
    session.welcome()
    meet("bob")
    session.add(LiveKitTrack(sid: "TR_9", isVideo: true, isScreen: false), of: "bob")
    let sids = [String](repeating: "TR_9", count: 8_000)
    try say(.subscription(LiveKitSubscription(tracks: sids, isWanted: false)))
    #expect(events(session) == [.wants(sid: "TR_9", false)])
    var settings = LiveKitTrackSettings()
    (settings.tracks, settings.isPaused) = (sids, true)
    try say(.trackSettings(settings))
    let last = events(session)
    #expect(last.count == 2 && last.last == .paused(sid: "TR_9", true))
    settings.tracks = (0..<8_000).map { "TR_\(1_000 + $0)" }
    try say(.trackSettings(settings))
    try say(.subscription(LiveKitSubscription(tracks: settings.tracks, isWanted: true)))
    #expect(events(session).isEmpty)
  }

  /// Of many messages together, too.
  @Test func whatAClientSaysOfItselfIsBounded() throws {
    let access = LiveKitAccess(sources: LiveKitAccess.all, subscribes: true, describes: true, sendsData: true)
    session.setAccess(access, mask: 0, of: "anna")
    session.welcome()
    let text = String(repeating: "a", count: 60_000)
    for number in 0..<40 { try say(.metadata(LiveKitMetadata(attributes: ["key \(number)": text]))) }
    #expect(events(session).count == 1 && session.ownSize < LiveKitServerSession.longestText, "\(session.ownSize)")
    try say(.metadata(LiveKitMetadata(metadata: text)))
    #expect(events(session).isEmpty)
    // Who says less of itself has room for other things.
    try say(.metadata(LiveKitMetadata(metadata: text, attributes: ["key 0": ""])))
    #expect(events(session).count == 1 && session.participant.info.attributes == ["a": "b"])
    let many = Dictionary(uniqueKeysWithValues: (0...LiveKitServerSession.mostAttributes).map { ("\($0)", "b") })
    try say(.metadata(LiveKitMetadata(attributes: many)))
    #expect(events(session).isEmpty && !session.describeOwn(name: "", metadata: "", attributes: many))
    let other = LiveKitServerSessionTests.make(LiveKitJoinRequest())
    other.meet(session.participant)
    other.welcome()
    #expect(try said(other).contains { if case .join(let join) = $0 { join.others.count == 1 } else { false } })
  }

  @Test func candidatesAndPingsAreAnswered() throws {
    session.welcome()
    _ = try said(session)
    var trickle = LiveKitTrickle()
    (trickle.candidate, trickle.isLast) = (#"{"candidate":"candidate:1 1 udp 1 10.0.0.1 5 typ host","sdpMid":"0","sdpMLineIndex":0}"#, true)
    try say(.trickle(trickle))
    #expect(
      events(session) == [
        .candidate("candidate:1 1 udp 1 10.0.0.1 5 typ host", mid: "0", isSubscribing: false),
        .candidate("", mid: nil, isSubscribing: false)
      ])
    try say(.ping(LiveKitPing(timestamp: 5)))
    #expect(try said(session) == [.pong(LiveKitPong(pinged: 5, timestamp: 2_000))])
    trickle.candidate = "{"
    #expect(throws: MediaError.self) { try say(.trickle(trickle)) }
  }

  @Test func tracksAreBounded() throws {
    session.welcome()
    for number in 0..<LiveKitServerSession.mostTracks { try announce("\(number)") }
    #expect(throws: MediaError.self) { try announce("one more") }
    let other = LiveKitServerSessionTests.make(LiveKitJoinRequest())
    other.welcome()
    var track = LiveKitAddTrack()
    for (cid, type) in [("", LiveKitTrackType.audio), (String(repeating: "a", count: 257), .audio), ("data", .data)] {
      (track.cid, track.type) = (cid, type)
      try other.receive(LiveKitRequest.addTrack(track).encoded, wallTime: 0)
    }
    #expect(try !said(other).contains { if case .published = $0 { true } else { false } })
  }

  @Test(arguments: [(Status.removed, LiveKitDisconnectReason.participantRemoved), (.exists, .duplicateIdentity), (.closed, .serverShutdown)]
  )
  func theEndIsSaidWithItsReason(status: Status, reason: LiveKitDisconnectReason) throws {
    session.welcome()
    _ = try said(session)
    session.end(MediaError(status, "a reason"))
    guard case .leave(let leave)? = try said(session).first else { throw MediaError(.fail, "no leave") }
    #expect(leave.reason == reason && leave.action == .disconnect)
    // And nothing afterwards.
    meet("bob")
    session.end(nil)
    #expect(try said(session).isEmpty)
  }

  @Test func whoComesBackIsToldOfEverybody() throws {
    session.welcome()
    meet("bob")
    _ = try said(session)
    // Not told before the connection was lost: before anything else a client learns that the session goes on.
    session.part("bob")
    meet("cleo")
    session.resume(LiveKitJoining(LiveKitJoinRequest()))
    let said = try said(session)
    guard case .reconnect? = said.first, case .participants(let update)? = said.last, said.count == 3 else {
      throw MediaError(.fail, "\(said)")
    }
    #expect(update.participants.map(\.identity) == ["anna", "cleo"])
    guard case .leave(let leave) = try LiveKitResponse(reading: LiveKitServerSession.leave(nil, isAgain: true)) else {
      throw MediaError(.fail, "no leave")
    }
    #expect(leave.action == .reconnect && leave.canReconnect)
  }

  @Test func whoComesBackToALargeRoomIsToldInParts() throws {
    session.welcome()
    let text = String(repeating: "a", count: 60_000)
    for number in 0..<20 {
      session.meet(.init(sid: "PA_\(number)", identity: "member \(number)", name: "", metadata: text))
    }
    func participants() throws -> (identities: [String], longest: Int) {
      var (identities, longest): ([String], Int) = ([], 0)
      while let bytes = session.takeOutput() {
        longest = max(longest, bytes.count)
        guard case .participants(let update) = try LiveKitResponse(reading: bytes, longest: LiveKitClient.longest) else { continue }
        identities += update.participants.map(\.identity)
      }
      return (identities, longest)
    }
    _ = try participants()
    session.resume(LiveKitJoining(LiveKitJoinRequest()))
    let (identities, longest) = try participants()
    #expect(identities.count == 21 && Set(identities).count == 21 && identities.first == "anna")
    #expect(longest <= LiveKitServerSession.longestGroup + 61_000, "\(longest)")
  }

  /// Nothing of it may have reached the client, and it says first how its tracks were before.
  @Test func whoComesBackLearnsWhatHappenedMeanwhile() throws {
    let session = LiveKitServerSessionTests.make(LiveKitJoinRequest(), isExtended: true)
    session.welcome()
    session.meet(.init(sid: "PA_bob", identity: "bob", name: ""))
    var track = LiveKitAddTrack()
    (track.cid, track.type) = ("mic", .audio)
    try session.receive(LiveKitRequest.addTrack(track).encoded, wallTime: 0)
    _ = (try said(session), events(session))
    session.lost()
    var room = LiveKitRoomDescription(sid: "RM_1", name: "lobby", created: 0, mostParticipants: 64)
    room.metadata = "news"
    session.setRoom(room)
    session.speak("bob", true, level: 0)
    session.moderate("TR_1", true, by: "bob")
    session.moderate(.mute, by: "bob", reason: "noise")
    session.resume(LiveKitJoining(LiveKitJoinRequest()))
    let list = try said(session)
    guard list.count > 2, case .reconnect = list[0], case .notice(.moderated(let moderated)) = list[1] else {
      throw MediaError(.fail, "\(list)")
    }
    #expect(moderated.identity == "bob" && moderated.action == .mute && moderated.reason == "noise")
    #expect(list.count { if case .room(let it) = $0 { it.room?.metadata == "news" } else { false } } == 1)
    #expect(list.count { if case .speakers(let it) = $0 { it.speakers.map(\.isActive) == [true] } else { false } } == 1)
    #expect(list.count { $0 == .mute(LiveKitMute(sid: "TR_1", isMuted: true, moderator: "bob")) } == 1)
    let unmute = LiveKitRequest.mute(LiveKitMute(sid: "TR_1", isMuted: false)).encoded
    try session.receive(unmute, wallTime: 0)
    #expect(events(session).isEmpty && session.announced("TR_1")?.isMuted == true)
    try session.receive(unmute, wallTime: 0)
    #expect(events(session) == [.muted(sid: "TR_1", false)])
    // Not once it has said something of the track itself.
    session.resume(LiveKitJoining(LiveKitJoinRequest()))
    #expect(try !said(session).contains { if case .mute = $0 { true } else { false } })
  }

  @Test func whatWaitedForTheConnectionBeforeFollowsTheReturn() throws {
    session.welcome()
    _ = try said(session)
    session.offer("an offer")
    session.setRoom(LiveKitRoomDescription(sid: "RM_1", name: "lobby", created: 0, mostParticipants: 64))
    session.setToken("a ticket")
    try announce("camera")
    session.resume(LiveKitJoining(LiveKitJoinRequest()))
    let list = try said(session)
    guard list.count == 5, case .reconnect = list[0], case .published = list[2], case .room = list[3], case .participants = list[4] else {
      throw MediaError(.fail, "\(list)")
    }
    #expect(list[1] == .token("a ticket"))
  }

  /// Also when it may have got none of it before its connection broke.
  @Test func whoComesBackIsToldWhatIsPausedAndWanted() throws {
    session.welcome()
    meet("bob")
    session.add(LiveKitTrack(sid: "TR_b", isVideo: true, isScreen: false), of: "bob")
    var track = LiveKitAddTrack()
    (track.cid, track.type) = ("camera", .video)
    try session.receive(LiveKitRequest.addTrack(track).encoded, wallTime: 0)
    let published = try said(session).compactMap { if case .published(let it) = $0 { it.track?.sid } else { nil } }
    let own = try #require(published.first)
    session.setWanted(own, layers: [true, true, true])
    #expect(try said(session).isEmpty)
    session.setWanted(own, layers: [true, false])
    session.setPaused("TR_b", true)
    session.setPaused("TR_none", true)
    func states(_ said: [LiveKitResponse]) -> [LiveKitStreamState] {
      said.flatMap {
        if case .streamStates(let it) = $0 { it.states.filter { $0.track == "TR_b" }.map(\.state) } else { [LiveKitStreamState]() }
      }
    }
    #expect(states(try said(session)) == [.paused])
    session.setPaused("TR_b", false)
    _ = try said(session)
    session.resume(LiveKitJoining(LiveKitJoinRequest()))
    let again = try said(session)
    #expect(states(again) == [.active] && again.contains { if case .subscribedQualities(let it) = $0 { it.track == own } else { false } })
  }

  /// Whatever a client says, every byte of it changed or cut off.
  @Test func damagedMessagesHarmNobody() throws {
    session.welcome()
    var settings = LiveKitTrackSettings()
    settings.tracks = ["TR_1"]
    var track = LiveKitAddTrack()
    (track.cid, track.layers) = ("camera", [LiveKitLayer()])
    let requests: [LiveKitRequest] = [
      .addTrack(track), .trackSettings(settings), .ping(LiveKitPing(timestamp: 1)), .mute(LiveKitMute(sid: "TR_1", isMuted: true)),
      .offer(LiveKitDescription(type: "offer", sdp: offer))
    ]
    for bytes in requests.map(\.encoded) {
      for place in bytes.indices {
        try? session.receive(Array(bytes.prefix(place)), wallTime: 0)
        for bit in 0..<8 {
          var damaged = bytes
          damaged[place] ^= 1 << bit
          try? session.receive(damaged, wallTime: 0)
        }
      }
      while let said = session.takeOutput() { _ = try LiveKitResponse(reading: said) }
    }
  }
}
