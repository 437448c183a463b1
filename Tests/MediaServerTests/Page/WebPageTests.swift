import MediaCore
import MediaNetwork
import MediaSignalling
import Testing

@testable import MediaServer
@testable import MediaTransport

@Suite struct WebPageTests {
  @Test func thePageIsServed() throws {
    let house = try ServerHouse()
    let client = try house.wire(at: "10.0.0.1")
    try client.get("/")
    #expect(try house.run(for: 2 * second) { client.responses.count == 1 })
    #expect(client.last?.status == 307 && client.last?.fields["Location"] == "/\(house.room)")
    try client.get("/\(house.room)")
    #expect(try house.run(for: 2 * second) { client.responses.count == 2 })
    let page = try #require(client.last)
    #expect(page.status == 200 && page.fields.contentType == "text/html")
    #expect(String(decoding: page.body, as: UTF8.self) == PageSource.html)
    // Nothing runs and nothing is loaded but what the page has.
    let policy = try #require(page.fields["Content-Security-Policy"])
    #expect(policy.contains("default-src 'none'") && policy.contains("'\(PageSource.script)'") && !policy.contains("unsafe"))
    for (path, status) in [("/other", 404), ("/\(house.room)/x", 404), ("/%zz", 404), ("/ws/\(house.room)", 426), ("/favicon.ico", 404)] {
      try client.get(path)
      let count = client.responses.count
      #expect(try house.run(for: 2 * second) { client.responses.count == count + 1 })
      #expect(client.last?.status == status, "\(path)")
    }
    try client.get("/\(house.room)", method: "PUT")
    #expect(try house.run(for: 2 * second) { client.responses.count == 8 } && client.last?.status == 405)
    client.close()
    try house.close()
  }

  @Test func onLoopbackItIsServedWithoutTLS() throws {
    let house = try ServerHouse {
      $0.addresses = [SocketAddress("127.0.0.1", port: 80)!]
      $0.isEncrypted = false
    }
    #expect(house.web.fingerprint == nil && house.web.url == "http://127.0.0.1:80/\(house.room)")
    let client = try house.wire(from: house.host)
    try client.get("/\(house.room)")
    #expect(try house.run(for: 2 * second) { client.last?.status == 200 })
    client.close()
    try house.close()
  }

  @Test func aPageIsAMember() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot", publishes: [true, false])
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: 2 * second) { page.has("welcome", "alice") && page.has("stream", "audio", "bot") })
    #expect(bot.has("joined alice") && page.has("joined", "bot") && page.has("stream", "video", "bot"))
    bot.link.setMuted(bot.streams[1], true)
    bot.link.setSpeaking(bot.streams[1], true, level: 30)
    #expect(try house.run(for: second) { page.has("\"muted\"", "true") && page.has("speaking", "bot") })
    // Its sessions are the member's: no other one joins.
    let ticket = try #require(page.value("ticket", in: "welcome"))
    #expect(ticket.utf8.count == 32)
    let camera = try house.client("whip", at: "10.0.0.2", token: ticket, publishes: [true, false])
    let player = try house.client("whep", "/bot", at: "10.0.0.3", token: ticket)
    #expect(try house.run(for: 5 * second) { camera.isHere && player.isHere })
    #expect(house.web.memberCount == 1 && house.web.sessionCount == 2)
    try camera.call(for: second)
    try bot.call(for: second)
    #expect(bot.received(isVideo: true) > 20 && player.received(isVideo: true) > 20)
    #expect(bot.added.allSatisfy { $0.userID == "alice" } && !bot.events.contains { $0.hasPrefix("joined player") })
    try page.say(#"{"type":"mute","muted":true}"#)
    #expect(try house.run(for: second) { bot.has("muted") })
    // What belongs to it ends with it.
    try page.say(#"{"type":"leave"}"#)
    #expect(try house.run(for: 5 * second) { bot.has("left alice") && house.web.sessionCount == 0 && page.hasEnded })
    page.close()
    try house.close()
  }

  @Test func aPageThatClosesHasLeft() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot")
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: 2 * second) { bot.has("joined alice") })
    page.close()
    #expect(try house.run(for: 5 * second) { bot.has("left alice") })
    // One that vanishes, too: it answers no ping.
    let silent = try house.page("bob", at: "10.0.0.2")
    #expect(try house.run(for: 2 * second) { bot.has("joined bob") })
    silent.isDeaf = true
    #expect(try house.run(for: 40 * second) { bot.has("left bob") })
    try house.close()
  }

  /// What waits for it is bounded, long before it is given up for its silence.
  @Test func aPageThatDoesNotReadLeaves() throws {
    let house = try ServerHouse()
    let bot = try house.member("bot")
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: 2 * second) { bot.has("joined alice") })
    let stream = try bot.publish(isVideo: false)
    page.isDeaf = true
    let began = house.clock.now()
    for number in 0..<20_000 where !bot.has("left alice") {
      bot.link.setMuted(stream, number % 2 == 0)
      if number % 20 == 0 { try house.run(for: 5 * millisecond) }
    }
    #expect(bot.has("left alice") && house.clock.now() - began < 10 * second, "\(house.changes)")
    page.close()
    try house.close()
  }

  @Test func theRoomsRefusalIsSaid() throws {
    let house = try ServerHouse()
    _ = try house.member("alice")
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: 2 * second) { page.has("disconnected", "already in use") && page.hasEnded })
    #expect(house.web.memberCount == 0)
    try house.close()
  }

  @Test(arguments: [#"{"type":"mute","muted":true}"#, "nonsense", "{\"type\":\"join\",\"user\":\"\\u0007\"}"])
  func whatIsNoFirstMessageEndsTheConnection(text: String) throws {
    let house = try ServerHouse()
    let page = try house.wire(at: "10.0.0.1")
    try page.openWebSocket("/ws/\(house.room)")
    #expect(try house.run(for: 2 * second) { page.last?.status == 101 })
    try page.say(text)
    #expect(try house.run(for: 5 * second) { page.has("disconnected") && page.hasEnded && house.web.strangerCount == 0 })
    #expect(house.web.memberCount == 0)
    try house.close()
  }

  @Test func aPageThatFloodsIsPutOut() throws {
    let house = try ServerHouse()
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: 2 * second) { page.has("welcome") })
    for _ in 0..<200 { try page.say(#"{"type":"mute","muted":true}"#) }
    #expect(try house.run(for: 5 * second) { page.has("disconnected", "too many") && house.web.memberCount == 0 })
    try house.close()
  }

  @Test func aPageJoinsOnce() throws {
    let house = try ServerHouse()
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: 2 * second) { page.has("welcome") })
    try page.say(#"{"type":"join","user":"bob"}"#)
    #expect(try house.run(for: 5 * second) { page.has("disconnected", "second time") && house.web.memberCount == 0 })
    try house.close()
  }
}
