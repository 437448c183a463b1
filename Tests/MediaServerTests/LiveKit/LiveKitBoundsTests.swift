import MediaCore
import MediaRuntime
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling
@testable import MediaWebRTCTransport

/// What a client of LiveKit's protocol can use up, and what is left of it.
@Suite struct LiveKitBoundsTests {
  /// Somebody who is hurt by nobody.
  private func check(_ house: ServerHouse, _ bob: LiveKitEnd) throws {
    #expect(bob.leave == nil && bob.isHere && house.web.memberCount == 1)
    bob.close()
    try house.close()
  }

  @Test func nothingIsLeftOfWhoHasGone() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot", publishes: [false])
    for number in 1...3 {
      let anna = try LiveKitEnd(house, "anna-\(number)", at: "10.0.0.\(number)", publishes: [true, false])
      #expect(try house.run([anna]) { anna.isHere && anna.published.count == 2 })
      // Of the last one nothing has come when it goes.
      if number < 3 { try anna.media.call(for: second) }
      #expect(house.web.liveKit.counts.sids > 0)
      anna.close()
      #expect(try house.run(for: 30 * second) { house.web.memberCount == 0 })
    }
    bot.link.disconnect()
    try house.run(for: second)
    #expect(house.web.liveKit.counts == (0, 0), "\(house.web.liveKit.counts)")
    try house.close()
  }

  @Test func whoSendsTooManyMessagesLeaves() throws {
    let house = try ServerHouse.forLiveKit()
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    for _ in 0..<Int(LiveKitMember.burst) + 200 { try anna.say(.ping(LiveKitPing(timestamp: 1))) }
    #expect(try house.run([anna, bob]) { house.changes.contains("left anna limit") }, "\(house.changes)")
    anna.close()
    try check(house, bob)
  }

  /// Long ones count for more.
  @Test func whoSendsTooManyBytesLeaves() throws {
    let house = try ServerHouse.forLiveKit()
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    let long = LiveKitSubscription(tracks: [String(repeating: "a", count: 100_000)], isWanted: true)
    for _ in 0..<60 {
      try? anna.say(.subscription(long))
      _ = try house.run([anna, bob], for: 10 * millisecond) { false }
    }
    #expect(try house.run([anna, bob]) { house.changes.contains("left anna limit") }, "\(house.changes)")
    anna.close()
    try check(house, bob)
  }

  /// Who reads again is told what is new, and nothing of what was in between. Who does not read for long loses the connection, and then leaves.
  @Test func whoDoesNotReadMessagesLeaves() throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot")
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3")
    #expect(try house.run([anna, bob, cleo]) { anna.isHere && bob.isHere && cleo.isHere })
    (anna.wire.isDeaf, cleo.wire.isDeaf) = (true, true)
    let before = cleo.said.count
    for number in 0..<2_000 {
      try bot.link.setAttribute("key", String(repeating: "a", count: 1_000) + "\(number)")
      _ = try house.run([bob], for: 5 * millisecond) { false }
    }
    func newest(_ end: LiveKitEnd) -> String { String(end.others["bot"]?.attributes["key"]?.drop { $0 == "a" } ?? "") }
    #expect(newest(bob) == "1999" && newest(cleo) != "1999")
    cleo.wire.isDeaf = false
    #expect(try house.run([bob, cleo], for: second) { newest(cleo) == "1999" }, "\(newest(cleo))")
    #expect(cleo.said.count < before + 1_000, "\(cleo.said.count - before)")
    #expect(try house.run([bob, cleo], for: 45 * second) { house.changes.contains("left anna timeout") }, "\(house.changes)")
    for end in [anna, cleo] { end.close() }
    #expect(try house.run([bob], for: second) { house.web.memberCount == 1 })
    try check(house, bob)
  }

  /// Somebody whose streams come and go all the time. In a third of a minute.
  @Test(arguments: [LiveKitVersion.one, .zero]) func othersDoNotUseUpWhatAClientMaySay(version: LiveKitVersion) throws {
    let house = try ServerHouse.forLiveKit()
    let bot = try house.member("bot")
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2", version: version)
    #expect(try house.run([bob]) { bob.isHere })
    func turns() -> Int {
      bob.said.count { message in
        switch message {
        case .sections, .offer: true
        default: false
        }
      }
    }
    for _ in 0..<600 {
      let stream = try bot.publish(isVideo: true)
      _ = try house.run([bob], for: 20 * millisecond) { false }
      bot.link.unpublish(stream)
      _ = try house.run([bob], for: 10 * millisecond) { false }
    }
    #expect(bob.leave == nil && turns() < Int(WebMember.requests / 2 + 20 * WebMember.requestsPerSecond / 2), "\(turns())")
    #expect(turns() > Int(WebMember.requests / 2), "\(turns())")
    // The last one is there, as soon as it may be.
    try bot.publish(isVideo: true)
    _ = try house.run([bob], for: 2 * second) { false }
    try bot.call(for: second, video: bot.streams.count - 1, audio: nil)
    #expect(bob.receiving.received(isVideo: true) > 20)
    try check(house, bob)
  }

  @Test func anOfferOfTooManySectionsEndsTheSession() throws {
    let house = try ServerHouse.forLiveKit()
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    let sections = [String](repeating: "audio recvonly", count: LiveKitMedia.mostSections + 1)
    try anna.say(.offer(LiveKitDescription(type: "offer", sdp: browserOffer(sections))))
    #expect(try house.run([anna, bob]) { house.changes.contains("left anna format") }, "\(house.changes)")
    anna.close()
    try check(house, bob)
  }

  /// And all of them are seen, as the sections allow.
  @Test func streamsToOneClientAreBounded() throws {
    let house = try ServerHouse.forLiveKit()
    let bots = try (0..<LiveKitMedia.mostLanes / 8 + 1).map { try house.member("bot-\($0)", publishes: [Bool](repeating: false, count: 8)) }
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    #expect(try house.run([anna], for: 10 * second) { anna.tracks.count == LiveKitMedia.mostLanes }, "\(anna.tracks.count)")
    #expect(try house.run([anna], for: second) { anna.tracks.count > LiveKitMedia.mostLanes } == false)
    #expect(anna.others.count == bots.count)
    anna.close()
    try house.close()
  }

  @Test func dataIsBounded() throws {
    let house = try ServerHouse.forLiveKit()
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    _ = try house.run([anna, bob], for: second) { false }
    // user { payload }: more than the burst waits, and comes all the same.
    let count = Int(LiveKitData.burst) + 500
    var sent = 0
    let began = house.clock.now()
    #expect(
      try house.run([anna, bob], for: 10 * second) {
        while sent < count, (try? anna.send([0x12, 3, 0x12, 1, UInt8(sent & 127)])) != nil { sent += 1 }
        return bob.received.count == count
      }, "\(bob.received.count) of \(sent)")
    #expect(house.clock.now() - began > 800 * millisecond)
    try anna.send([0x12, 0xFD, 0xFF, 3] + [UInt8](repeating: 0, count: 65_533))
    #expect(try house.run([anna, bob]) { house.changes.contains("left anna limit") }, "\(house.changes)")
    anna.close()
    try check(house, bob)
  }

  /// Who sends, and others who receive, are not slowed.
  @Test func whoDoesNotReadDataLeaves() throws {
    let house = try ServerHouse.forLiveKit()
    let ends = try ["anna", "bob", "cleo"].enumerated().map { try LiveKitEnd(house, $1, at: "10.0.0.\($0 + 1)") }
    #expect(try house.run(ends) { ends.allSatisfy(\.isHere) })
    _ = try house.run(ends, for: second) { false }
    ends[2].readsData = false
    // user { payload } of 30,000 bytes.
    let packet: [UInt8] = [0x12, 0xB4, 0xEA, 1, 0x12, 0xB0, 0xEA, 1] + [UInt8](repeating: 65, count: 30_000)
    var sent = 0
    #expect(
      try house.run(ends, for: 60 * second) {
        while ends[1].received.count + 20 > sent, (try? ends[0].send(packet)) != nil { sent += 1 }
        return house.changes.contains("left cleo limit")
      }, "\(house.changes) \(sent)")
    #expect(try house.run(ends) { ends[1].received.count == sent } && sent > 130, "\(ends[1].received.count) of \(sent)")
    for end in ends { end.close() }
    try house.close()
  }

  /// A connection takes 1,000 messages one by one, and then none: the first of them leave no timers.
  @Test func heldDataHasOneTimer() throws {
    let house = try ServerHouse()
    let clock = CountingClock(house.clock)
    let loop = EventLoop("counted", clock: clock)
    defer { loop.stop() }
    let table = try WebTable(house.room, WebServer.Options([]), house.host, house.host, loop)
    var options = WebRTCOptions()
    options.hasChannels = true
    let link = WebRTCTransport(options, servers: [], own: "anna", thread: house.host, network: house.host, loop: house.loop)
    let end = RoomEnd(house, link)
    link.connect(end)
    let (sender, receiver) = (try house.member("bot"), try house.member("other"))
    let place = try #require(sender.link as? LoopbackTransport)
    let data = LiveKitData(table, hasRoom: { true }, take: { _, _ in })
    data.open(over: link)
    func send() throws {
      let delivery = try place.send(DataMessage([1]), except: [])
      #expect(data.send([1], isReliable: true, delivery))
      try house.run(for: millisecond)
    }
    for _ in 0..<1_000 { try send() }
    for _ in 0..<50 { #expect(data.send([UInt8](repeating: 1, count: 30_000), isReliable: true, nil)) }
    for _ in 0..<20 {
      try send()
      try house.run(for: 99 * millisecond)
    }
    let before = clock.reads
    for _ in 0..<10 {
      try send()
      try house.run(for: 99 * millisecond)
    }
    #expect(clock.reads - before < 200, "\(clock.reads - before)")
    link.disconnect()
    receiver.link.disconnect()
    table.close()
    try house.close()
  }

  /// Also after the client has waited.
  @Test func dataThatIsNoneEndsTheSessionLater() throws {
    let house = try ServerHouse.forLiveKit()
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    _ = try house.run([anna, bob], for: second) { false }
    for _ in 0..<Int(LiveKitData.burst) + 20 { try anna.send([0x12, 3, 0x12, 1, 65]) }
    try anna.send([0xFF])
    #expect(try house.run([anna, bob]) { house.changes.contains("left anna corrupt") }, "\(house.changes)")
    anna.close()
    try check(house, bob)
  }
}

/// That of another, and how often it was read: before each job of a loop.
private final class CountingClock: MediaClock {
  private let clock: VirtualClock
  private let count = Monitor(0)

  init(_ clock: VirtualClock) { self.clock = clock }

  var reads: Int { count.withLock { $0 } }
  var isVirtual: Bool { true }
  func wallTime() -> Int64 { clock.wallTime() }
  func makeWorker(_ name: String, step: @escaping @Sendable () -> Int64) -> any Worker { clock.makeWorker(name, step: step) }

  func now() -> Int64 {
    count.withLock { $0 += 1 }
    return clock.now()
  }
}
