import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import Testing

@testable import MediaServer
@testable import MediaTransport

/// The library's own clients of WHIP and WHEP at the library's own server.
@Suite struct WebServerTests {
  @Test(arguments: [true, false]) func aClientOfWHIPIsAMember(trickles: Bool) throws {
    let house = try ServerHouse()
    let bot = try house.member("bot")
    let client = try house.client(
      "whip", "?user=alice&name=Alice%20A.", at: "10.0.0.1", options: "&trickle=\(trickles ? 1 : 0)", publishes: [true, false])
    #expect(try house.run(for: 5 * second) { client.isHere }, "\(client.events) \(String(describing: client.ending))")
    #expect(bot.has("joined alice") && house.web.memberCount == 1 && house.web.sessionCount == 1)
    try client.call(for: 2 * second)
    #expect(bot.received(isVideo: true) > 50 && bot.received(isVideo: false) > 90, "\(bot.events)")
    #expect(bot.added.map(\.userID) == ["alice", "alice"])
    // As it was sent: nothing is decoded here.
    let sent = try #require(bot.bytes[WebMember.codec(isVideo: true)]?.last)
    #expect(sent.count == 3_000 && Array(sent[..<3]) == [0x31, 1, 0])
    client.link.disconnect()
    #expect(try house.run(for: 2 * second) { bot.has("left alice") })
    #expect(house.web.memberCount == 0 && house.web.sessionCount == 0)
    #expect(house.changes == ["entered alice", "left alice"], "\(house.changes)")
    try house.close()
  }

  @Test func keyFramesAreAskedForAtTheClient() throws {
    let house = try ServerHouse()
    let client = try house.client("whip", at: "10.0.0.1", publishes: [true, false])
    #expect(try house.run(for: 5 * second) { client.isHere })
    try client.call(for: second)
    let before = client.keysWanted
    let bot = try house.member("bot")
    try house.run(for: 500 * millisecond)
    #expect(client.keysWanted > before)
    try client.call(for: second)
    #expect(bot.keysReceived > 0 && bot.received(isVideo: true) > 20)
    try house.close()
  }

  /// A player whose path is lost costs the others no key frames, and gets one when it is back.
  @Test func whoIsAwayAsksForNoKeyFrames() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot", publishes: [true])
    let player = try house.client("whep", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { player.isHere })
    try bot.call(for: 2 * second, audio: nil)
    player.host?.setDisconnected(true)
    let asked = bot.keyFrameRequests
    try bot.call(for: 25 * second, audio: nil, keyInterval: 10_000)
    #expect(bot.keyFrameRequests <= asked + 5, "\(bot.keyFrameRequests - asked)")
    let came = player.received(isVideo: true)
    player.host?.setDisconnected(false)
    try bot.call(for: 5 * second, audio: nil)
    #expect(player.received(isVideo: true) > came + 60, "\(player.received(isVideo: true) - came)")
    bot.link.disconnect()
    player.link.disconnect()
    try house.run(for: 2 * second)
    try house.close()
  }

  @Test func aPlayerReceivesTheRoom() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot", publishes: [true, false])
    let player = try house.client("whep", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { player.isHere }, "\(player.events) \(String(describing: player.ending))")
    try bot.call(for: 2 * second)
    #expect(player.received(isVideo: true) > 50 && player.received(isVideo: false) > 90)
    let sent = try #require(player.bytes[WebMember.codec(isVideo: true)]?.last)
    #expect(sent.count == 3_000)
    // Nobody listens unseen.
    #expect(bot.events.contains { $0.hasPrefix("joined player-") } && bot.has("receivers 1"))
    player.link.disconnect()
    #expect(try house.run(for: 2 * second) { bot.events.contains { $0.hasPrefix("left player-") } })
    try house.close()
  }

  @Test func whatTheRoomHasNotIsNotReceived() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot")
    let early = try house.client("whep", at: "10.0.0.1")
    let foreign = try house.client("whep", "/nobody", at: "10.0.0.2")
    let other = try house.client("whep", "/bot", at: "10.0.0.3")
    #expect(try house.run(for: 3 * second) { foreign.ending != nil })
    #expect(
      foreign.ending?.status == .notFound && foreign.ending?.text.contains("\"nobody\"") == true, "\(String(describing: foreign.ending))")
    // Who comes too early comes again.
    #expect(early.ending == nil && other.ending == nil && !early.isHere && house.web.memberCount == 0)
    try bot.publish(isVideo: true)
    #expect(try house.run(for: 10 * second) { early.isHere && other.isHere })
    try bot.call(for: second, audio: nil)
    #expect(early.received(isVideo: true) > 20 && other.received(isVideo: true) > 20)
    try house.close()
  }

  @Test func aPlayerWaitsForWhoBeginsToEncode() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot")
    let raw = try bot.publish(isVideo: true, codec: FourCC.raw)
    let player = try house.client("whep", at: "10.0.0.1")
    // As a session of this process does when somebody comes who takes encoded frames only.
    #expect(try house.run(for: 2 * second) { bot.events.contains { $0.hasPrefix("joined player") } })
    try house.run(for: 500 * millisecond)
    bot.link.unpublish(raw)
    try bot.publish(isVideo: true)
    #expect(try house.run(for: 500 * millisecond) { player.isHere }, "\(player.events)")
    #expect(house.changes.count == 1)
    try house.close()
  }

  @Test func aStreamTakesThePlaceOfOneThatEnded() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot", publishes: [true, false])
    let player = try house.client("whep", "/bot", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { player.isHere })
    try bot.call(for: second)
    let first = player.received(isVideo: true)
    #expect(first > 20)
    bot.link.unpublish(bot.streams[0])
    try house.run(for: second)
    try bot.publish(isVideo: true)
    try bot.call(for: second, video: 2)
    #expect(player.received(isVideo: true) > first + 20, "\(first) \(player.received(isVideo: true))")
    try house.close()
  }

  @Test func theRoomDecidesWhoEnters() throws {
    let house = try ServerHouse()
    var access = RoomAccess()
    access.verifier = TokenVerifier(house)
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    let refused = try house.client("whip", "?user=alice", at: "10.0.0.1", token: "wrong", publishes: [true])
    #expect(try house.run(for: 5 * second) { refused.ending != nil })
    #expect(refused.ending?.status == .permission, "\(String(describing: refused.ending))")
    // The answer takes half a second.
    let client = try house.client("whip", "?user=bob", at: "10.0.0.2", token: "right", publishes: [true])
    #expect(try house.run(for: 5 * second) { client.isHere })
    // Who may only receive sends nothing.
    let player = try house.client("whip", "?user=carol", at: "10.0.0.3", token: "receive", publishes: [true])
    #expect(try house.run(for: 5 * second) { player.ending != nil })
    #expect(player.ending?.status == .permission)
    #expect(house.web.memberCount == 1)
    try LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock)
    try house.close()
  }

  @Test func aUserIdIsInUseOnce() throws {
    let house = try ServerHouse()
    _ = try house.member("alice")
    let client = try house.client("whip", "?user=alice", at: "10.0.0.1", publishes: [true])
    try house.run(for: second)
    #expect(house.changes.contains("refused alice exists"))
    #expect(!client.isHere)
    try house.close()
  }

  @Test func theServerIsFull() throws {
    let house = try ServerHouse { $0.mostMembers = 1 }
    let first = try house.client("whip", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { first.isHere })
    let next = try house.client("whip", "?user=next", at: "10.0.0.2", publishes: [true])
    try house.run(for: second)
    #expect(!next.isHere && house.changes.contains("refused next full"), "\(house.changes)")
    // It tries again, and there is room.
    first.link.disconnect()
    #expect(try house.run(for: 10 * second) { next.isHere })
    try house.close()
  }

  @Test func aModeratorRemovesAndMutes() throws {
    let house = try ServerHouse()
    var access = RoomAccess()
    access.permissions = .all
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    let bot = try house.member("bot")
    let client = try house.client("whip", "?user=alice", at: "10.0.0.1", publishes: [true, false])
    #expect(try house.run(for: 5 * second) { client.isHere })
    try client.call(for: second)
    try bot.link.mute("alice", true)
    try house.run(for: 100 * millisecond)
    let heard = bot.received(isVideo: false)
    let seen = bot.received(isVideo: true)
    try client.call(for: second)
    #expect(bot.has("muted") && bot.received(isVideo: false) == heard && bot.received(isVideo: true) > seen + 20)
    try bot.link.mute("alice", false)
    try client.call(for: second)
    #expect(bot.has("unmuted") && bot.received(isVideo: false) > heard + 40)
    try bot.link.remove("alice", reason: "enough")
    try house.run(for: second)
    #expect(bot.has("left alice") && house.changes.contains("left alice removed"))
    try LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock)
    try house.close()
  }

  @Test func mediaFlowThroughLoss() throws {
    let house = try ServerHouse()
    let client = try house.client("whip", at: "10.0.0.1", publishes: [true, false])
    client.host?.setConditions(
      up: .init(delay: 20 * millisecond, loss: 30_000), down: .init(delay: 20 * millisecond, loss: 30_000))
    #expect(try house.run(for: 10 * second) { client.isHere })
    try client.call(for: second)
    let player = try house.client("whep", at: "10.0.0.2")
    player.host?.setConditions(
      up: .init(delay: 20 * millisecond, loss: 30_000), down: .init(delay: 20 * millisecond, loss: 30_000))
    #expect(try house.run(for: 10 * second) { player.isHere })
    try client.call(for: 4 * second)
    #expect(player.received(isVideo: true) > 80 && player.received(isVideo: false) > 150, "\(player.frames.mapValues(\.count))")
    try house.close()
  }

  @Test func aClientThatVanishesLeaves() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot")
    let client = try house.client("whip", "?user=alice", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { client.isHere })
    client.host?.setDisconnected(true)
    // ICE notices after 12.5 s.
    #expect(try house.run(for: 50 * second) { bot.has("left alice") })
    #expect(house.web.memberCount == 0)
    try house.close()
  }

  @Test func aClientInAnotherNetworkGoesOn() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot")
    let client = try house.client("whip", "?user=alice", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { client.isHere })
    try client.call(for: second, audio: nil)
    let before = bot.received(isVideo: true)
    try client.host?.move(to: [try #require(SocketAddress("10.0.7.7", port: 0))])
    try client.call(for: 6 * second, audio: nil)
    #expect(bot.received(isVideo: true) > before + 60, "\(before) \(bot.received(isVideo: true)) \(client.events)")
    #expect(!bot.has("left alice") && house.web.sessionCount == 1)
    try house.close()
  }

  @Test func theServerCloses() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot")
    let client = try house.client("whip", "?user=alice", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { client.isHere })
    house.web.close()
    try house.run(for: second)
    #expect(bot.has("left alice") && house.web.memberCount == 0 && house.web.strangerCount == 0)
    try house.close()
  }

  @Test func whatIsNotOfferedIsRefused() throws {
    let house = try ServerHouse()
    func failure(_ configure: (inout WebServer.Options) -> Void) -> MediaError? {
      var options = WebServer.Options([SocketAddress("10.0.9.1", port: 0)!])
      configure(&options)
      do throws(MediaError) {
        _ = try WebServer(room: "x", options: options, loop: house.loop, thread: house.host, network: house.host)
        return nil
      } catch {
        return error
      }
    }
    #expect(failure { $0.addresses = [] }?.status == .invalid)
    #expect(failure { $0.mostMembers = 0 }?.status == .range)
    #expect(failure { $0.isEncrypted = false }?.text.contains("10.0.9.1") == true)
    #expect(failure { _ in } == nil)
    try house.close()
  }
}

/// Asks nobody, and takes half a second.
private final class TokenVerifier: AccessVerifier, @unchecked Sendable {
  private let house: ServerHouse

  init(_ house: ServerHouse) { self.house = house }

  func verify(_ request: AccessRequest) {
    house.loop.schedule(at: house.clock.now() + 500 * millisecond) {
      switch request.token.value {
      case "right": request.answer(.success(AccessGrant(request.permissions)))
      case "receive": request.answer(.success(AccessGrant(.receive)))
      default: request.answer(.failure(.refused(request, "the token is wrong")))
      }
    }
  }

  func cancel(_ request: AccessRequest) {}
  func close() {}
}
