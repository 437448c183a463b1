import MediaCore
import MediaNetwork
import MediaRuntime
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling

/// Clients of LiveKit's protocol in a room.
@Suite struct LiveKitMemberTests {
  @Test(arguments: [LiveKitVersion.one, .zero]) func aClientAndAMemberOfThisProcessSeeAndHearEachOther(version: LiveKitVersion) throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [true, false], version: version)
    #expect(try house.run([anna]) { anna.isHere && anna.media.has("receivers 1") })
    #expect(anna.join?.others.map(\.identity) == ["bot"] && anna.join?.others.first?.tracks.count == 2)
    #expect(anna.published.map(\.name) == ["a track", "a track"])
    #expect(house.changes.contains("entered anna") && bot.has("joined anna"))
    try anna.media.call(for: second)
    #expect(try house.run([anna]) { bot.added.count == 2 }, "\(bot.events)")
    try anna.media.call(for: 2 * second)
    #expect(bot.received(isVideo: true) > 40 && bot.received(isVideo: false) > 80, "\(bot.frames.mapValues(\.count))")
    try bot.call(for: 2 * second)
    #expect(
      anna.receiving.received(isVideo: true) > 40 && anna.receiving.received(isVideo: false) > 80,
      "\(anna.receiving.frames.mapValues(\.count))")
    // Which track comes in which section.
    let tracks = anna.others["bot"]?.tracks.map(\.sid) ?? []
    #expect(Set(version == .one ? Array(anna.tracks.values) : anna.offers.last ?? []) == Set(tracks))
    anna.close()
    #expect(try house.run([]) { bot.has("left anna") && house.web.memberCount == 0 })
    try house.close()
  }

  @Test func sectionsAreAskedForWhereSomeAreMissing() throws {
    let house = try ServerHouse.forLiveKit()
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    #expect(try house.run([anna]) { anna.isHere })
    let bots = try (0..<3).map { try house.member("bot-\($0)", publishes: [true, false]) }
    #expect(try house.run([anna]) { anna.tracks.count == 6 }, "\(anna.tracks)")
    for bot in bots { try bot.call(for: second) }
    #expect(try house.run([anna]) { anna.media.added.count == 6 }, "\(anna.media.events)")
    // Of a stream that has ended another one gets the section.
    let sections = anna.said.count { if case .sections = $0 { true } else { false } }
    bots[0].link.disconnect()
    let late = try house.member("late", publishes: [true])
    #expect(try house.run([anna]) { Set(anna.tracks.values).isSuperset(of: anna.others["late"]?.tracks.map(\.sid) ?? ["none"]) })
    #expect(anna.said.suffix(20).contains { if case .sections(let missing) = $0 { missing == LiveKitSections() } else { false } })
    #expect(sections > 0 && anna.others["bot-0"] == nil)
    _ = late
    anna.close()
    try house.close()
  }

  /// Of version 0: what has ended is offered no longer, and what comes again is another one, in a section of its own.
  @Test func theServerOffersWhatItSends() throws {
    let house = try ServerHouse.forLiveKit()
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", version: .zero)
    #expect(try house.run([anna]) { anna.isHere })
    #expect(anna.join?.isSubscriberPrimary == true && anna.offers == [[]])
    let bots = try (0..<3).map { try house.member("bot-\($0)", publishes: [true, false]) }
    #expect(try house.run([anna]) { anna.offers.last?.count == 6 }, "\(anna.offers)")
    for bot in bots { try bot.call(for: second) }
    #expect(try house.run([anna]) { anna.receiving.added.count == 6 }, "\(anna.receiving.events)")
    let sid = try #require(anna.others["bot-1"]?.tracks.first { $0.type == .video }?.sid)
    try anna.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: false)))
    #expect(try house.run([anna]) { anna.offers.last?.contains(sid) == false && anna.receiving.added.count == 5 })
    try anna.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: true)))
    #expect(try house.run([anna]) { anna.offers.last?.contains(sid) == true })
    let before = anna.receiving.received(isVideo: true)
    try bots[1].call(for: second, audio: nil)
    #expect(anna.receiving.added.count == 6 && anna.receiving.received(isVideo: true) > before + 20, "\(anna.receiving.events)")
    try anna.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: false)))
    #expect(try house.run([anna]) { anna.offers.last?.contains(sid) == false })
    bots[0].link.disconnect()
    let late = try house.member("late", publishes: [true])
    #expect(try house.run([anna]) { anna.offers.last?.count == 4 && anna.offers.last?.contains(sid) == false }, "\(anna.offers)")
    let count = anna.offers.count
    try anna.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: true)))
    #expect(try house.run([anna]) { anna.offers.count > count && anna.offers.last?.contains(sid) == true })
    try late.call(for: second, audio: nil)
    #expect(anna.receiving.received(isVideo: true) > 10)
    anna.close()
    try house.close()
  }

  @Test func whatIsPublishedLaterAndWithdrawnIsKnown() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [true])
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    try anna.media.call(for: second, audio: nil)
    #expect(try house.run([anna, bob]) { bob.others["anna"]?.tracks.count == 1 && bot.added.count == 1 })
    #expect(bob.others["anna"]?.tracks.first?.name == "a track" && bob.others["anna"]?.tracks.first?.source == .camera)
    try anna.publish(isVideo: false)
    #expect(try house.run([anna, bob]) { anna.published.contains { $0.type == .audio } })
    try house.run(for: second)
    try anna.media.call(for: second)
    #expect(try house.run([anna, bob]) { bob.others["anna"]?.tracks.count == 2 && bot.added.count == 2 }, "\(bot.events)")
    try anna.unpublish(0)
    #expect(try house.run([anna, bob]) { bob.others["anna"]?.tracks.map(\.type) == [.audio] && bot.added.count == 1 })
    anna.close()
    bob.close()
    try house.close()
  }

  /// Anna publishes audio, of that sid, in a room whose members may do everything.
  private func inModeratedCall(_ body: (ServerHouse, _ bot: RoomEnd, _ anna: LiveKitEnd, _ sid: String) throws -> Void) throws {
    let house = try ServerHouse.forLiveKit()
    var access = RoomAccess()
    access.permissions = .all
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    defer { try? LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock) }
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [false])
    #expect(try house.run([anna]) { anna.isHere })
    try anna.media.call(for: second, video: nil, audio: 0)
    #expect(try house.run([anna]) { bot.added.count == 1 && anna.published.count == 1 })
    let sid = try #require(anna.published.first?.sid)
    try body(house, bot, anna, sid)
    anna.close()
    try house.close()
  }

  /// A client confirms what it was asked for, and the first confirmation comes after the second request.
  @Test func lateConfirmationsUndoNothing() throws {
    try inModeratedCall { house, bot, anna, sid in
      for isMuted in [true, false] {
        try bot.link.mute("anna", isMuted)
        #expect(try house.run([anna]) { bot.has(isMuted ? "muted" : "unmuted") })
      }
      for isMuted in [true, false] { try anna.say(.mute(LiveKitMute(sid: sid, isMuted: isMuted))) }
      _ = try house.run([anna], for: second) { false }
      #expect(bot.events.filter { $0 == "muted" || $0 == "unmuted" } == ["muted", "unmuted"], "\(bot.events)")
      // What is the client's own word counts.
      try anna.say(.mute(LiveKitMute(sid: sid, isMuted: true)))
      #expect(try house.run([anna]) { bot.events.last == "muted" }, "\(bot.events)")
    }
  }

  /// What she muted herself stays muted, and what a moderator has muted she may unmute.
  @Test func aModeratorEndsTheirOwnMutesOnly() throws {
    try inModeratedCall { house, bot, anna, sid in
      func mutes() -> [String] { bot.events.filter { $0 == "muted" || $0 == "unmuted" } }
      func told() -> [Bool] { anna.said.compactMap { if case .mute(let mute) = $0 { mute.isMuted } else { nil } } }
      try anna.say(.mute(LiveKitMute(sid: sid, isMuted: true)))
      #expect(try house.run([anna]) { mutes() == ["muted"] })
      for isMuted in [true, false] {
        try bot.link.mute("anna", isMuted)
        _ = try house.run([anna], for: second) { false }
      }
      #expect(told().isEmpty && mutes() == ["muted"], "\(anna.said) \(bot.events)")
      // She ends the moderator's mute, after which there is none to be ended.
      try anna.say(.mute(LiveKitMute(sid: sid, isMuted: false)))
      #expect(try house.run([anna]) { mutes().last == "unmuted" })
      try bot.link.mute("anna", true)
      #expect(try house.run([anna]) { told() == [true] && mutes().count == 3 })
      for isMuted in [false, true] { try anna.say(.mute(LiveKitMute(sid: sid, isMuted: isMuted))) }
      #expect(try house.run([anna]) { mutes() == ["muted", "unmuted", "muted", "unmuted", "muted"] }, "\(bot.events)")
      try bot.link.mute("anna", false)
      _ = try house.run([anna], for: second) { false }
      #expect(told() == [true] && mutes().count == 5, "\(anna.said) \(bot.events)")
    }
  }

  /// LiveKit's SDK confirms each mute twice; what it says then is its own.
  @Test func whatAClientSaysAfterItsConfirmationsIsItsOwn() throws {
    try inModeratedCall { house, bot, anna, sid in
      func mutes() -> [String] { bot.events.filter { $0 == "muted" || $0 == "unmuted" } }
      for (number, isMuted) in [true, false].enumerated() {
        try bot.link.mute("anna", isMuted)
        #expect(try house.run([anna]) { anna.said.count { if case .mute = $0 { true } else { false } } == number + 1 })
        for _ in 0..<2 { try anna.say(.mute(LiveKitMute(sid: sid, isMuted: isMuted))) }
      }
      for (number, isMuted) in [true, false].enumerated() {
        try anna.say(.mute(LiveKitMute(sid: sid, isMuted: isMuted)))
        #expect(try house.run([anna]) { mutes().count == number + 3 }, "\(bot.events)")
      }
      #expect(mutes() == ["muted", "unmuted", "muted", "unmuted"])
    }
  }

  @Test func muteAndModerationGoBothWays() throws {
    let house = try ServerHouse.forLiveKit()
    var access = RoomAccess()
    access.permissions = .all
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    defer { try? LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock) }
    let bot = try house.member("bot", publishes: [false])
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [true, false])
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    try anna.media.call(for: second)
    #expect(try house.run([anna, bob]) { bot.added.count == 2 && bob.others["anna"]?.tracks.count == 2 })
    func track(_ type: LiveKitTrackType) -> LiveKitTrackInfo? { bob.others["anna"]?.tracks.first { $0.type == type } }
    for type in [LiveKitTrackType.audio, .video] {
      try anna.say(.mute(LiveKitMute(sid: track(type)?.sid ?? "", isMuted: true)))
      #expect(try house.run([anna, bob]) { track(type)?.isMuted == true })
    }
    #expect(bot.has("muted"))
    try anna.say(.mute(LiveKitMute(sid: track(.audio)?.sid ?? "", isMuted: false)))
    #expect(try house.run([anna, bob]) { track(.audio)?.isMuted == false && bot.has("unmuted") })
    bot.link.setMuted(bot.streams[0], true)
    #expect(try house.run([anna, bob]) { bob.others["bot"]?.tracks.first?.isMuted == true })
    try bot.link.mute("anna", true)
    #expect(try house.run([anna, bob]) { anna.said.contains { if case .mute(let mute) = $0 { mute.isMuted } else { false } } })
    #expect(try house.run([anna, bob]) { track(.audio)?.isMuted == true })
    // What is published later is not.
    try anna.publish(isVideo: false)
    #expect(try house.run([anna, bob]) { Set(anna.published.map(\.sid)).count == 3 })
    _ = try house.run([anna, bob], for: second) { false }
    let count = bot.received(isVideo: false)
    for _ in 0..<50 {
      anna.media.send(2, isVideo: false)
      try house.run(for: 20 * millisecond)
    }
    #expect(try house.run([anna, bob]) { bob.others["anna"]?.tracks.count == 3 })
    #expect(bob.others["anna"]?.tracks.count { $0.type == .audio && $0.isMuted } == 1 && bot.received(isVideo: false) > count)
    try bot.link.remove("anna", reason: "")
    #expect(try house.run([anna, bob]) { anna.leave != nil && bob.others["anna"] == nil })
    #expect(anna.leave?.reason == .participantRemoved && anna.leave?.action == .disconnect)
    anna.close()
    bob.close()
    try house.close()
  }

  @Test func whoTakesNothingByItselfSubscribes() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot", publishes: [true])
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", isSubscribing: false)
    #expect(try house.run([anna]) { anna.isHere && anna.others["bot"]?.tracks.count == 1 })
    try bot.call(for: second, audio: nil)
    #expect(anna.tracks.isEmpty && anna.media.added.isEmpty)
    let sid = try #require(anna.others["bot"]?.tracks.first?.sid)
    try anna.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: true)))
    #expect(try house.run([anna]) { anna.tracks.count == 1 })
    try bot.call(for: second, audio: nil)
    #expect(anna.media.received(isVideo: true) > 10)
    var settings = LiveKitTrackSettings()
    (settings.tracks, settings.isPaused) = ([sid], true)
    try anna.say(.trackSettings(settings))
    try house.run(for: 500 * millisecond)
    let count = anna.media.received(isVideo: true)
    try bot.call(for: second, audio: nil)
    #expect(anna.media.received(isVideo: true) == count)
    settings.isPaused = false
    try anna.say(.trackSettings(settings))
    try bot.call(for: second, audio: nil)
    #expect(anna.media.received(isVideo: true) > count + 10)
    try anna.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: false)))
    try house.run(for: 500 * millisecond)
    let last = anna.media.received(isVideo: true)
    try bot.call(for: second, audio: nil)
    #expect(anna.media.received(isVideo: true) == last)
    // Taken again, it is in no section of which the client was not told that it had ended.
    let (before, answered) = (anna.tracks, anna.answers.count)
    try anna.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: true)))
    #expect(try house.run([anna]) { anna.answers.count > answered && anna.tracks.values.contains(sid) }, "\(anna.answers)")
    #expect(anna.tracks != before || anna.answers[answered...].contains { !$0.values.contains(sid) }, "\(anna.answers)")
    try bot.call(for: second, audio: nil)
    #expect(anna.media.received(isVideo: true) > last + 10)
    anna.close()
    try house.close()
  }

  @Test(arguments: [LiveKitVersion.one, .zero]) func whoLosesTheConnectionComesBack(version: LiveKitVersion) throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot", publishes: [true])
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [false], version: version)
    #expect(try house.run([anna]) { anna.isHere })
    anna.breakSignalling()
    try bot.call(for: 5 * second, audio: nil)
    #expect(!bot.has("left anna"))
    let late = try house.member("late")
    try anna.comeBack()
    #expect(try house.run([anna]) { anna.said.contains { if case .reconnect = $0 { true } else { false } } })
    #expect(try house.run([anna]) { anna.others["late"] != nil })
    _ = try house.run([anna], for: second) { false }
    let count = anna.receiving.received(isVideo: true)
    try bot.call(for: second, audio: nil)
    #expect(anna.receiving.received(isVideo: true) > count + 20)
    // It has the sid of somebody who is not here.
    anna.breakSignalling()
    try anna.comeBack(as: "PA_nobody")
    #expect(try house.run([anna]) { anna.leave?.action == .reconnect })
    // It stays away.
    anna.breakSignalling()
    #expect(try house.run(for: 25 * second) { bot.has("left anna") && late.has("left anna") })
    #expect(house.changes.last == "left anna timeout")
    anna.close()
    try house.close()
  }

  /// And before it that the session goes on.
  @Test(arguments: [LiveKitVersion.one, .zero]) func whoComesBackLearnsThatAModeratorMutedThem(version: LiveKitVersion) throws {
    let house = try ServerHouse.forLiveKit()
    var access = RoomAccess()
    access.permissions = .all
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    defer { try? LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock) }
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [false], version: version)
    #expect(try house.run([anna]) { anna.isHere && anna.published.count == 1 })
    anna.breakSignalling()
    try house.run(for: second)
    try bot.link.mute("anna", true)
    try house.run(for: second)
    let before = anna.said.count
    try anna.comeBack()
    func news() -> ArraySlice<LiveKitResponse> { anna.said[before...] }
    #expect(try house.run([anna]) { news().contains { if case .mute(let mute) = $0 { mute.isMuted } else { false } } }, "\(news())")
    #expect(news().contains { if case .room = $0 { true } else { false } })
    guard case .reconnect? = news().first else { throw MediaError(.fail, "\(news())") }
    anna.close()
    try house.close()
  }

  @Test func whoComesTwiceTakesTheirOwnPlace() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot")
    let first = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    #expect(try house.run([first]) { first.isHere })
    let second = try LiveKitEnd(house, "anna", at: "10.0.0.2")
    #expect(try house.run([first, second]) { second.isHere && first.leave?.reason == .duplicateIdentity })
    #expect(first.join?.participant?.sid != second.join?.participant?.sid && bot.events.count { $0 == "joined anna" } == 2)
    #expect(house.web.memberCount == 1)
    first.close()
    second.close()
    try house.close()
  }

  @Test func whatTheTokenDoesNotGrantIsNotDone() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot", publishes: [true])
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [true]) { ($0.publishes, $0.subscribes) = (false, false) }
    #expect(try house.run([anna]) { anna.isHere })
    #expect(anna.join?.participant?.permission?.canPublish == false && anna.join?.participant?.permission?.canSubscribe == false)
    try anna.media.call(for: second, audio: nil)
    try bot.call(for: second, audio: nil)
    #expect(bot.added.isEmpty && anna.tracks.isEmpty && anna.media.frames.isEmpty)
    anna.close()
    try house.close()
  }

  @Test func tracksAreOfSourcesThatTheTokenGrants() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [true, false]) { $0.sources = ["microphone"] }
    #expect(try house.run([anna]) { anna.isHere && anna.published.count == 2 })
    try anna.media.call(for: 2 * second)
    #expect(bot.added.map(\.isVideo) == [false])
    anna.close()
    try house.close()
  }

  /// Video of a microphone is of no source that a token grants.
  @Test func theSourceOfATrackIsOfItsType() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", publishes: [false]) { $0.sources = ["microphone"] }
    #expect(try house.run([anna]) { anna.isHere && anna.published.count == 1 })
    anna.source = .microphone
    try anna.publish(isVideo: true)
    #expect(try house.run([anna]) { anna.answers.count == 2 && anna.published.contains { $0.type == .video && $0.source == .microphone } })
    try anna.media.call(for: 2 * second, video: 1, audio: 0)
    #expect(bot.added.map(\.isVideo) == [false])
    anna.close()
    try house.close()
  }

  /// Even where the room lets everybody moderate.
  @Test func whoseTokenIsOfNoAdministratorDoesNotModerate() throws {
    let house = try ServerHouse.forLiveKit()
    var access = RoomAccess()
    access.permissions = .all
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    defer { try? LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock) }
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    let zoe = try LiveKitEnd(house, "zoe", at: "10.0.0.2") { $0.isAdministrator = true }
    #expect(try house.run([anna, zoe]) { anna.isHere && zoe.isHere })
    try anna.say(.wish(.moderate(LiveKitModerationWish(identity: "bot", action: .remove))))
    #expect(try house.run([anna, zoe], for: second) { bot.ending != nil } == false)
    try zoe.say(.wish(.moderate(LiveKitModerationWish(identity: "bot", action: .remove))))
    #expect(try house.run([anna, zoe]) { bot.ending?.status == .removed })
    anna.close()
    zoe.close()
    try house.close()
  }

  @Test func whatAClientSaysOfItselfIsKnown() throws {
    let house = try ServerHouse.forLiveKit()
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1") {
      ($0.updatesMetadata, $0.metadata, $0.attributes) = (true, "first", ["a": "1"])
    }
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.isHere && bob.others["anna"]?.metadata == "first" })
    #expect(bob.others["anna"]?.attributes == ["a": "1"])
    try anna.say(.metadata(LiveKitMetadata(metadata: "second", name: "Anna B.", attributes: ["a": "", "b": "2"])))
    #expect(try house.run([anna, bob]) { bob.others["anna"]?.metadata == "second" })
    #expect(bob.others["anna"]?.attributes == ["b": "2"] && bob.others["anna"]?.name == "Anna B.")
    let late = try LiveKitEnd(house, "late", at: "10.0.0.3")
    #expect(try house.run([anna, bob, late]) { late.join != nil })
    #expect(late.others["anna"]?.metadata == "second" && late.others["anna"]?.attributes == ["b": "2"])
    // Whose token does not grant it is not heard.
    try bob.say(.metadata(LiveKitMetadata(metadata: "mine")))
    #expect(try house.run([anna, bob], for: second) { anna.others["bob"]?.metadata == "mine" } == false)
    for end in [anna, bob, late] { end.close() }
    try house.close()
  }

  @Test(arguments: [LiveKitVersion.one, .zero]) func dataReachesThoseItIsFor(version: LiveKitVersion) throws {
    let house = try ServerHouse.forLiveKit()
    let ends = try (1...3).map { try LiveKitEnd(house, "member-\($0)", at: "10.0.0.\($0)", version: version) }
    #expect(try house.run(ends) { ends.allSatisfy(\.isHere) })
    _ = try house.run(ends, for: second) { false }
    // user { payload: "hi" }, for everybody, and for one.
    try ends[0].send([0x12, 4, 0x12, 2, 0x68, 0x69])
    try ends[0].send([0x12, 4, 0x12, 2, 0x68, 0x6F, 0x2A, 8] + Array("member-2".utf8))
    #expect(try house.run(ends) { ends[1].received.count == 2 && ends[2].received.count == 1 })
    #expect(ends[1].received.map(\.identity) == ["member-1", "member-1"] && ends[0].received.isEmpty)
    #expect(ends[1].received[0].sid == ends[0].join?.participant?.sid)
    // What is none ends the session of who sent it, and no other.
    try ends[0].send([0xFF])
    #expect(try house.run(ends) { ends[0].leave != nil && ends[1].leave == nil })
    for end in ends { end.close() }
    try house.close()
  }

  /// LiveKit's SDK for browsers names them there alone.
  @Test func dataReachesThoseWhoAreNamedInIt() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot")
    let ends = try ["anna", "bob", "cleo"].enumerated().map { try LiveKitEnd(house, $1, at: "10.0.0.\($0 + 1)") }
    #expect(try house.run(ends) { ends.allSatisfy(\.isHere) })
    _ = try house.run(ends, for: second) { false }
    // user { identity: "cleo", payload: "A" }, for "bob"; user { payload: "B" }, for the sid of cleo, and for one that nobody has.
    let named: [[UInt8]] = [[0x12, 14, 0x2A, 4], Array("cleo".utf8), [0x12, 1, 65, 0x32, 3], Array("bob".utf8)]
    try ends[0].send(named.flatMap { $0 })
    let sid = Array((ends[2].join?.participant?.sid ?? "").utf8)
    try ends[0].send([0x12, UInt8(5 + sid.count), 0x12, 1, 66, 0x1A, UInt8(sid.count)] + sid)
    try ends[0].send([0x12, 9, 0x12, 1, 67, 0x1A, 4] + Array("PA_x".utf8))
    #expect(try house.run(ends) { !ends[1].received.isEmpty && !ends[2].received.isEmpty })
    _ = try house.run(ends, for: second) { false }
    let data = try ends.map { try $0.received.map { try $0.userData()?.bytes ?? [] } }
    #expect(data == [[], [[65]], [[66]]] && bot.data.isEmpty, "\(data) \(bot.data)")
    #expect(ends[1].received.first?.identity == "anna")
    for end in ends { end.close() }
    try house.close()
  }

  /// It waits for the channel, which comes after signalling.
  @Test func dataReachesWhoHasJustCome() throws {
    let house = try ServerHouse.forLiveKit()
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    #expect(try house.run([anna]) { anna.isHere })
    try house.run(for: second)
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.others["bob"] != nil })
    #expect(!bob.media.isHere)
    for number in 0..<10 { try anna.send([0x12, 3, 0x12, 1, UInt8(number)]) }
    #expect(try house.run([anna, bob]) { bob.received.count == 10 }, "\(bob.received.count)")
    anna.close()
    bob.close()
    try house.close()
  }

  @Test func theRoomsVerifierIsAskedWithTheToken() throws {
    let house = try ServerHouse.forLiveKit()
    let verifier = SeenTokens()
    var access = RoomAccess()
    access.verifier = verifier
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    #expect(try house.run([anna]) { anna.isHere })
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([bob]) { bob.wire.last != nil })
    #expect(bob.wire.last?.status == 401 && house.changes.contains("refused bob permission"), "\(house.changes)")
    let shown = try #require(verifier.seen.withLock { $0.first })
    #expect(try LiveKitToken.verify(shown, now: house.clock.wallTime() / second) { _ in LiveKitEnd.secret }.identity == "anna")
    try LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock)
    anna.close()
    bob.close()
    try house.close()
  }

  /// Though its media has never come.
  @Test func whatIsOfferedNoLongerIsForgotten() throws {
    let house = try ServerHouse.forLiveKit()
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    #expect(try house.run([anna]) { anna.isHere })
    func tracks() -> Int? { house.web.liveKit.member("anna")?.look { $0.whole.tracks.count } }
    for round in 0..<3 {
      try anna.publish(isVideo: round % 2 == 0)
      #expect(try house.run([anna]) { anna.answers.count == 2 * round + 2 && tracks() == 1 }, "\(anna.answers.count)")
      try anna.unpublish(round)
      #expect(try house.run([anna]) { anna.answers.count == 2 * round + 3 && tracks() == 0 }, "\(anna.answers.count)")
    }
    anna.close()
    try house.close()
  }

  /// Neither what they say nor how fast they say it is for whom the room has not let in.
  @Test func whoWaitsForTheRoomsAnswerGetsNoData() throws {
    let house = try ServerHouse.forLiveKit()
    var access = RoomAccess()
    access.verifier = SlowVerifier(house.loop)
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    defer { try? LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock) }
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    _ = try house.run([anna, bob], for: second) { false }
    let dora = try LiveKitEnd(house, "dora", at: "10.0.0.3")
    let ends = [anna, bob, dora]
    _ = try house.run(ends, for: second) { false }
    let place = try #require(house.web.liveKit.member("anna")?.place)
    // user { payload } of 30,000 bytes: of all together more than a sender may have under way.
    let packet: [UInt8] = [0x12, 0xB4, 0xEA, 1, 0x12, 0xB0, 0xEA, 1] + [UInt8](repeating: 65, count: 30_000)
    var (sent, isSlowed) = (0, false)
    #expect(
      try house.run(ends, for: 8 * second) {
        while sent < 45, (try? anna.send(packet)) != nil { sent += 1 }
        if !place.hasRoomForData { isSlowed = true }
        return bob.received.count == 45
      }, "\(bob.received.count) of \(sent)")
    #expect(!isSlowed && dora.join == nil && house.web.liveKit.member("dora") == nil)
    #expect(try house.run(ends, for: 12 * second) { dora.isHere })
    _ = try house.run(ends, for: second) { false }
    #expect(dora.received.isEmpty)
    try anna.send([0x12, 4, 0x12, 2, 0x68, 0x69])
    #expect(try house.run(ends) { dora.received.count == 1 })
    for end in ends { end.close() }
    try house.close()
  }

  @Test func badTokensAreRefusedAtOnce() throws {
    let house = try ServerHouse.forLiveKit()
    let host = try house.network.addHost("10.0.1.1")
    func answer(_ token: String?, _ path: String? = nil) throws -> HTTPResponse? {
      let wire = try house.wire(from: host)
      defer { wire.close() }
      try wire.openWebSocket(path ?? LiveKitEnd.path(LiveKitJoinRequest()), token: token)
      _ = try house.run(for: 3 * second) { wire.last != nil }
      return wire.last
    }
    let good = try LiveKitEnd.token(house, "anna")
    let other = try LiveKitEnd.token(house, "anna") { $0.room = "another" }
    let none = try LiveKitEnd.token(house, "anna") { $0.joins = false }
    let hidden = try LiveKitEnd.token(house, "anna") { $0.isHidden = true }
    let forged = String(good.dropLast(2)) + (good.hasSuffix("AA") ? "BB" : "AA")
    for token in [nil, "a.b.c", other, none, hidden, forged] { #expect(try answer(token)?.status ?? 0 >= 400, "\(token ?? "none")") }
    #expect(try answer(good, "/rtc/v1?join_request=AA")?.status == 400)
    #expect(try answer(good, "/rtc/v1/validate")?.status == 200 && answer(forged, "/rtc/v1/validate")?.status == 401)
    #expect(house.web.memberCount == 0 && !house.changes.contains { $0.hasPrefix("entered") })
    let closed = try ServerHouse()
    let wire = try closed.wire(at: "10.0.0.1")
    try wire.openWebSocket(LiveKitEnd.path(LiveKitJoinRequest()), token: good)
    #expect(try closed.run(for: 3 * second) { wire.last?.status == 404 })
    wire.close()
    try closed.close()
    try house.close()
  }
}

/// Lets in who is called anna, and keeps what was shown.
private final class SeenTokens: AccessVerifier {
  let seen = Monitor<[String]>([])

  func verify(_ request: AccessRequest) {
    seen.withLock { $0.append(request.token.value) }
    let isAnna = request.member.userID == "anna"
    request.answer(isAnna ? .success(AccessGrant(request.permissions)) : .failure(.refused(request, "it is not Anna")))
  }

  func cancel(_ request: AccessRequest) {}
  func close() {}
}

/// Lets everybody in, who is called dora after 10 s.
private final class SlowVerifier: AccessVerifier {
  private let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  func verify(_ request: AccessRequest) {
    guard request.member.userID == "dora" else { return request.answer(.success(AccessGrant(.ordinary))) }
    loop.schedule(at: loop.clock.now() + 10 * second) { request.answer(.success(AccessGrant(.ordinary))) }
  }

  func cancel(_ request: AccessRequest) {}
  func close() {}
}
