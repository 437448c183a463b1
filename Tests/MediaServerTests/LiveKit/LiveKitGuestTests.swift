import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling
@testable import MediaWebRTCTransport

/// The token says what is granted: "read", "brief", "moderator"; everything that is not "wrong" is let in. "slow": after 50 s.
private final class TokenClerk: AccessVerifier {
  let renewals = Monitor(0)
  private let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  func verify(_ request: AccessRequest) {
    renewals.withLock { $0 += request.isRenewal ? 1 : 0 }
    switch request.token.value {
    case "wrong": request.answer(.failure(.refused(request, "the token is wrong")))
    case "read": request.answer(.success(AccessGrant([.receive])))
    case "brief": request.answer(.success(AccessGrant(.ordinary, lifetime: 2 * second)))
    case "moderator": request.answer(.success(AccessGrant(.all)))
    case "slow": loop.schedule(at: loop.clock.now() + 50 * second) { request.answer(.success(AccessGrant(.ordinary))) }
    default: request.answer(.success(AccessGrant(.ordinary)))
    }
  }

  func cancel(_ request: AccessRequest) {}
  func close() {}
}

/// Sessions in a room without API keys, whose verifier alone judges them.
@Suite struct LiveKitGuestTests {
  private let house: ServerHouse
  private let clerk: TokenClerk

  init() throws {
    house = try ServerHouse { $0.mostMembers = 3 }
    clerk = TokenClerk(house.loop)
  }

  private func verify(_ change: (inout RoomAccess) -> Void = { _ in }) throws {
    var access = RoomAccess()
    access.verifier = clerk
    change(&access)
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
  }

  private func close(_ ends: RoomEnd...) throws {
    for end in ends { end.link.disconnect() }
    #expect(try house.run(for: second) { house.web.memberCount == 0 })
    try LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock)
    try house.close()
  }

  @Test func guestsAndMembersSeeAndHearEachOther() throws {
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try house.session("anna", at: "10.0.0.1", publishes: [true, false])
    let bob = try house.session("böb & co", at: "10.0.0.2", publishes: [true, false])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 2") && bob.has("receivers 2") }, "\(anna.events)")
    for end in [bot, anna, bob] { try end.call(for: 2 * second) }
    #expect(anna.added.count == 4 && bob.added.count == 4 && bot.added.count == 4)
    for (sender, others) in [(anna, [bot, bob]), (bot, [anna, bob])] {
      let before = others.map { ($0.received(isVideo: true), $0.received(isVideo: false)) }
      try sender.call(for: second)
      for (other, before) in zip(others, before) {
        let came = (other.received(isVideo: true) - before.0, other.received(isVideo: false) - before.1)
        #expect(came.0 >= 20 && came.1 >= 35, "\(came)")
      }
    }
    #expect(bot.has("joined böb & co") && house.changes.contains("entered böb & co"))
    bot.link.disconnect()
    try close(anna, bob)
  }

  /// A stream is there when it is published, in the format that its publisher says, and they know who receives it and what they want of it.
  @Test func streamsAreKnownBeforeTheirMedia() throws {
    let bot = try house.member("bot")
    (bot.subscribes, bot.notesOthers) = (false, false)
    let (anna, bob) = (try house.session("anna", at: "10.0.0.1"), try house.session("bob", at: "10.0.0.2"))
    bob.subscribes = false
    #expect(try house.run(for: 5 * second) { anna.isHere && bob.isHere })
    var video = VideoFormat(.nv12, width: 321, height: 241, frameRate: FrameRate(30_000, 1_001), contentHint: 3, expectedDelay: 7_000_000)
    video.color = ColorSpace(primaries: 9, transfer: 16, matrix: 9, fullRange: true)
    let sound = AudioFormat(.f32, sampleRate: 48_000, channels: 1, samplesPerBuffer: 480)
    let (camera, voice) = (try anna.publish(.video(video, kind: 1)), try anna.publish(.audio(sound, kind: 1)))
    #expect(try house.run(for: second) { bot.added.count == 2 && bob.added.count == 2 })
    for end in [bot, bob] {
      for stream in end.added {
        switch stream.format {
        case .video(let format, let kind): #expect(format == video && kind == 1)
        case .audio(let format, let kind): #expect(format == sound && kind == 1)
        }
      }
    }
    try house.run(for: second)
    #expect(!anna.events.contains { $0.hasPrefix("receivers") || $0.hasPrefix("wanted 3") }, "\(anna.events)")
    // The first frame of what is received is the first that is sent after that.
    let seen = try #require(bot.added.first { $0.isVideo }).id
    bot.link.subscribe(to: seen, .encoded(bot))
    #expect(try house.run(for: second) { anna.has("receivers 1") })
    try anna.call(for: 500 * millisecond, audio: nil)
    #expect(bot.received(isVideo: true) >= 14, "\(bot.received(isVideo: true))")
    let bobs = try #require(bob.added.first { $0.isVideo }).id
    bob.link.subscribe(to: bobs, .encoded(bob))
    #expect(try house.run(for: second) { anna.has("receivers 2") })
    bot.link.prefer(VideoPreference(width: 160, height: 120, frameRate: FrameRate(10)), of: seen)
    bob.link.prefer(VideoPreference(width: 80, height: 60, frameRate: FrameRate(5)), of: bobs)
    #expect(try house.run(for: 5 * second) { anna.has("wanted 160x120 at 10") }, "\(anna.events)")
    // Over another connection, too; and what was withdrawn meanwhile is withdrawn.
    anna.host?.resetConnections()
    anna.link.unpublish(voice)
    #expect(try house.run(for: 5 * second) { anna.has("reconnected") && bot.added.count == 1 && bob.added.count == 1 }, "\(bot.events)")
    video.expectedDelay = 9_000_000
    anna.link.setFormat(camera, .video(video, kind: 1))
    try house.run(for: second)
    let late = try house.session("cleo", at: "10.0.0.3")
    #expect(try house.run(for: 5 * second) { late.added.count == 1 })
    if case .video(let format, _)? = late.added.first?.format { #expect(format == video) }
    bot.link.unsubscribe(from: seen)
    late.link.disconnect()
    #expect(try house.run(for: second) { anna.events.last { $0.hasPrefix("receivers") } == "receivers 1" }, "\(anna.events)")
    anna.link.unpublish(camera)
    #expect(try house.run(for: second) { bot.added.isEmpty && bob.added.isEmpty })
    bot.link.disconnect()
    try close(anna, bob)
  }

  /// By the server, by the room, and who asks for another room.
  @Test func theRoomDecidesWhoComesIn() throws {
    try verify { $0.capacity = 3 }
    let bot = try house.member("bot")
    func ending(_ name: String, _ token: String, room: String? = nil, at address: String) throws -> MediaError? {
      let end = try house.session(name, at: address, token: token, room: room)
      _ = try house.run(for: 10 * second) { end.ending != nil }
      return end.ending
    }
    let wrong = try ending("anna", "wrong", at: "10.0.1.1")
    #expect(
      wrong?.status == .permission && wrong?.text.has("does not admit \"anna\": the token is wrong") == true, "\(String(describing: wrong))"
    )
    #expect(try ending("bot", "right", at: "10.0.1.2")?.status == .exists)
    #expect(try ending("anna", "right", room: "another", at: "10.0.1.3")?.status == .notFound)
    let (anna, bob) = (try house.session("anna", at: "10.0.0.1", token: "moderator"), try house.session("bob", at: "10.0.0.2"))
    #expect(try house.run(for: 5 * second) { anna.isHere && bob.isHere })
    #expect(anna.permissions == .all && bob.permissions == .ordinary)
    #expect(try ending("anna", "right", at: "10.0.1.4")?.status == .exists)
    #expect(try ending("cleo", "right", at: "10.0.1.5")?.status == .full)
    #expect(anna.isHere && bob.isHere && bot.isHere)
    let refused = house.changes.filter { $0.hasPrefix("refused") }
    #expect(
      refused.map { String($0.dropFirst(8)) } == ["anna permission", "bot exists", "anna notFound", "anna exists", "cleo full"],
      "\(refused)")
    bot.link.disconnect()
    try close(anna, bob)
  }

  @Test func aRoomMayThinkForLong() throws {
    try verify()
    let anna = try house.session("anna", at: "10.0.0.1", token: "slow")
    #expect(try !house.run(for: 49 * second) { anna.isHere || anna.ending != nil })
    #expect(try house.run(for: 5 * second) { anna.isHere }, "\(String(describing: anna.ending))")
    try close(anna)
  }

  @Test func accessIsRenewedAndEnds() throws {
    try verify()
    let (anna, bob) = (try house.session("anna", at: "10.0.0.1", publishes: [false]), try house.session("bob", at: "10.0.0.2"))
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") && bob.isHere })
    try anna.call(for: second, video: nil, audio: 0)
    #expect(bob.added.count == 1)
    anna.link.renew(AccessToken("wrong"))
    #expect(try house.run(for: second) { anna.has("renewed permission") }, "\(anna.events)")
    anna.link.renew(AccessToken("read"))
    #expect(try house.run(for: second) { anna.has("renewed") && anna.has("anna may 8") && bob.has("anna may 8") && bob.added.isEmpty })
    #expect(throws: MediaError(.permission, "the room does not permit \"anna\" to publish audio")) { _ = try anna.publish(isVideo: false) }
    bob.link.renew(AccessToken("brief"))
    #expect(try house.run(for: 4 * second) { bob.ending?.status == .permission && anna.has("left bob") }, "\(bob.events)")
    #expect(bob.has("renewed") && bob.has("expires in 1000 ms"))
    // While the connection is broken it waits for the next one.
    anna.host?.resetConnections()
    anna.link.renew(AccessToken("moderator"))
    #expect(try house.run(for: 5 * second) { anna.has("reconnected") && anna.has("anna may 63") }, "\(anna.events)")
    try close(anna)
  }

  /// As fast as a connection takes them, for which it is ended; the others are served.
  @Test func aFloodOfTokensEndsItsOwnSessionOnly() throws {
    try verify()
    let (flooder, bob) = (try house.session("flooder", at: "10.0.0.1"), try house.session("bob", at: "10.0.0.2"))
    #expect(try house.run(for: 5 * second) { flooder.isHere && bob.isHere })
    for number in 0..<20_000 { flooder.link.renew(AccessToken("\(number)")) }
    let anna = try house.session("anna", at: "10.0.0.3")
    #expect(try house.run(for: 5 * second) { anna.isHere && bob.has("joined anna") && bob.has("left flooder") })
    #expect(clerk.renewals.withLock { $0 } <= 1_100)
    bob.link.renew(AccessToken("read"))
    #expect(try house.run(for: second) { bob.has("renewed") })
    flooder.link.disconnect()
    try close(anna, bob)
  }

  @Test func moderatorsActFromAnywhere() throws {
    try verify()
    let bot = try house.member("bot")
    let (anna, bob) = (try house.session("anna", at: "10.0.0.1", token: "moderator"), try house.session("bob", at: "10.0.0.2"))
    #expect(try house.run(for: 5 * second) { anna.has("joined bob") && anna.has("joined bot") && bob.isHere })
    #expect(throws: MediaError(.permission, "the room does not permit \"bob\" to moderate")) { try bob.link.mute("anna", true) }
    #expect(throws: MediaError.self) { try anna.link.mute("anna", true) }
    #expect(throws: MediaError.self) { try anna.link.remove("zoe", reason: "") }
    // Who sends nothing is notified, too.
    try anna.link.mute("bob", true)
    #expect(try house.run(for: second) { bob.has("muted by anna: ") }, "\(bob.events)")
    try anna.link.mute("bob", false)
    try anna.link.mute("bot", true)
    #expect(try house.run(for: second) { bob.has("unmuted by anna: ") && bot.has("muted by anna: ") })
    try anna.link.remove("bob", reason: "enough")
    #expect(try house.run(for: second) { bob.ending?.status == .removed && bot.has("left bob") && anna.has("left bob") }, "\(bob.events)")
    #expect(bob.has("removed by anna: enough") && bob.ending?.text.has("enough") == true, "\(String(describing: bob.ending))")
    // What the room does not do is said: they have left meanwhile.
    bot.link.disconnect()
    try anna.link.remove("bot", reason: "")
    #expect(try house.run(for: second) { anna.has("bot is not moderated: notFound") }, "\(anna.events)")
    try close(anna, bob)
  }

  @Test func whatASessionMutedItselfStaysMuted() throws {
    var access = RoomAccess()
    access.permissions = .all
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    let bot = try house.member("bot")
    let anna = try house.session("anna", at: "10.0.0.1", publishes: [false])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") })
    func mutes() -> [String] { bot.events.filter { $0 == "muted" || $0 == "unmuted" } }
    for (isOwn, expected) in [(false, ["muted", "unmuted"]), (true, ["muted", "unmuted", "muted"])] {
      if isOwn { anna.link.setMuted(anna.streams[0], true) }
      try house.run(for: second)
      for isMuted in [true, false] {
        try bot.link.mute("anna", isMuted)
        try house.run(for: second)
      }
      #expect(mutes() == expected, "\(bot.events)")
    }
    bot.link.disconnect()
    try close(anna)
  }

  /// It comes back with a secret of its own, which a sid is not.
  @Test func nobodyTakesTheSessionOfAnother() throws {
    let anna = try house.session("anna", at: "10.0.0.1", publishes: [false])
    let bob = try house.session("bob", at: "10.0.0.2")
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") && bob.isHere })
    let sid = try #require(house.web.liveKit.member("anna")?.sid)
    for token in ["y", "xy", String(repeating: "0", count: 32)] {
      let thief = try house.wire(at: "10.0.3.\(token.count + 1)")
      try thief.openWebSocket(
        "/rtc?auto_subscribe=0&mediasdk=1&room=\(house.room)&identity=anna&reconnect=1&sid=\(sid)", token: token)
      #expect(try house.run(for: 2 * second) { thief.hasEnded }, "\(token)")
    }
    #expect(!anna.has("reconnecting"))
    anna.host?.resetConnections()
    #expect(try house.run(for: 5 * second) { anna.has("reconnected") })
    #expect(!bob.has("left anna"))
    try close(anna, bob)
  }

  /// By what is no WebSocket, or a message in records of one byte: they do not wait in the room until they come back.
  @Test(arguments: [[0], [0x82, 0xFE, 0xFF, 0xFF, 0, 0, 0, 0]] as [[UInt8]]) func whoBreaksABoundKeepsNoPlace(_ first: [UInt8]) throws {
    let wire = try house.wire(at: "10.0.5.1")
    try wire.openWebSocket("/rtc?auto_subscribe=0&room=\(house.room)&identity=mallory")
    #expect(try house.run(for: 2 * second) { house.changes == ["entered mallory"] })
    wire.write(first)
    for _ in 0..<100 {
      for _ in 0..<60 { wire.write([0]) }
      try house.run(for: 2 * millisecond)
    }
    #expect(try house.run(for: second) { house.changes.last == "left mallory limit" }, "\(house.changes)")
    // Whose connection just breaks may come back.
    let anna = try house.session("anna", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { anna.isHere })
    anna.host?.setDisconnected(true)
    anna.host?.resetConnections()
    try house.run(for: 5 * second)
    #expect(house.web.memberCount == 1)
    anna.host?.setDisconnected(false)
    try close(anna)
  }

  /// However long the network is away: its own former place is in the way for a while.
  @Test(arguments: [10, 20, 25, 30, 40, 60] as [Int64]) func anOutageEndsNobody(_ seconds: Int64) throws {
    let bot = try house.member("bot", publishes: [true])
    let anna = try house.session("anna", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") && anna.added.count == 1 })
    anna.host?.setDisconnected(true)
    try house.run(for: seconds * second)
    anna.host?.setDisconnected(false)
    #expect(try house.run(for: 90 * second) { anna.has("reconnected") && bot.others.contains("anna") }, "\(anna.events)")
    try house.run(for: 2 * second)
    let came = anna.received(isVideo: true)
    try bot.call(for: 2 * second, audio: nil)
    #expect(anna.received(isVideo: true) > came + 20 && anna.ending == nil, "\(anna.events) \(String(describing: anna.ending))")
    bot.link.disconnect()
    try close(anna)
  }

  @Test func whoSaysNothingOfThemselvesIsRefused() throws {
    for (path, status) in [
      ("/rtc", 404), ("/rtc?room=\(house.room)", 404), ("/rtc?room=x&identity=anna", 404), ("/rtc?room=\(house.room)&identity=%0A", 400)
    ] {
      let wire = try house.wire(at: "10.0.4.\(path.utf8.count)")
      try wire.openWebSocket(path)
      #expect(try house.run(for: 2 * second) { wire.last?.status == status }, "\(path) \(String(describing: wire.last))")
    }
    try house.close()
  }

  @Test func aServerThatClosesSaysSo() throws {
    let anna = try house.session("anna", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { anna.isHere })
    house.web.close()
    #expect(try house.run(for: 5 * second) { anna.ending?.status == .closed }, "\(anna.events)")
    #expect(anna.ending?.text == "the server is closed")
    anna.link.disconnect()
    try house.close()
  }
}
