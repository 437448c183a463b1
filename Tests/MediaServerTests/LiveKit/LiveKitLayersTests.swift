import MediaCore
import MediaEmulation
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling

/// A client that publishes in several layers, of which everybody gets one.
@Suite struct LiveKitLayersTests {
  /// Bytes of a frame: 96, 384 and 1,440 kbit/s.
  private static let sizes = [400, 1_600, 6_000]

  private let house: ServerHouse

  init() throws { house = try ServerHouse.forLiveKit() }

  /// Thirty frames a second, and a key frame each second.
  private func call(_ anna: LiveKitEnd, _ ends: [LiveKitEnd], for time: Int64, sizes: [Int] = sizes) throws {
    for number in 0..<(time * 30 / second) {
      try anna.sendLayers(sizes, isKey: number % 30 == 0)
      _ = try house.run([anna] + ends, for: second / 30) { false }
    }
  }

  /// What came of the last so many frames: how many of which layer.
  private func layers(_ end: RoomEnd, of count: Int) -> [Int: Int] {
    let frames = end.bytes[WebMember.codec(isVideo: true)] ?? []
    return Dictionary(frames.suffix(count).map { (LiveKitLayersTests.sizes.firstIndex(of: $0.count) ?? -1, 1) }, uniquingKeysWith: +)
  }

  private func count(_ end: RoomEnd) -> Int { end.received(isVideo: true) }

  @Test(arguments: [LiveKitVersion.one, .zero]) func eachGetsTheLayerThatItsPathTakes(version: LiveKitVersion) throws {
    let bot = try house.member("bot")
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1", version: version)
    let (bob, cleo) = (try LiveKitEnd(house, "bob", at: "10.0.0.2", version: version), try LiveKitEnd(house, "cleo", at: "10.0.0.3"))
    let ends = [bob, cleo]
    #expect(try house.run([anna] + ends) { anna.isHere && bob.isHere && cleo.isHere })
    bob.host.setConditions(down: .init(at: 0, bandwidth: 300_000, delay: 10 * millisecond))
    try anna.publishLayers()
    #expect(try house.run([anna] + ends) { anna.published.count == 1 })
    // One stream for everybody.
    try call(anna, ends, for: 15 * second)
    #expect(bot.added.count == 1 && bob.others["anna"]?.tracks.count == 1, "\(bot.events)")
    let before = (count(bob.receiving), count(cleo.receiving), count(bot))
    try call(anna, ends, for: 6 * second)
    let came = (count(bob.receiving) - before.0, count(cleo.receiving) - before.1, count(bot) - before.2)
    #expect(came.0 > 165 && layers(bob.receiving, of: came.0) == [0: came.0], "\(came) \(layers(bob.receiving, of: came.0))")
    #expect(came.1 > 170 && layers(cleo.receiving, of: came.1) == [2: came.1], "\(came) \(layers(cleo.receiving, of: came.1))")
    // Of the process: no path in between.
    #expect(came.2 > 175 && layers(bot, of: came.2) == [2: came.2], "\(came)")
    // The path is wide again.
    bob.host.setConditions(down: .init(at: 0, bandwidth: 5_000_000, delay: 10 * millisecond))
    try call(anna, ends, for: 20 * second)
    #expect(layers(bob.receiving, of: 60) == [2: 60], "\(layers(bob.receiving, of: 60))")
    for end in [anna] + ends { end.close() }
    try house.close()
  }

  /// Of 106 kbit/s for the smallest layer, headers included, 63 are left without its droppable frames. The others get all.
  @Test func onANarrowPathDroppableFramesAreDropped() throws {
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    let (bob, cleo) = (try LiveKitEnd(house, "bob", at: "10.0.0.2"), try LiveKitEnd(house, "cleo", at: "10.0.0.3"))
    let ends = [bob, cleo]
    #expect(try house.run([anna] + ends) { anna.isHere && bob.isHere && cleo.isHere })
    bob.host.setConditions(down: .init(at: 0, bandwidth: 75_000, delay: 10 * millisecond))
    try anna.publishLayers()
    #expect(try house.run([anna] + ends) { anna.published.count == 1 })
    func call(for time: Int64) throws {
      for number in 0..<(time * 30 / second) {
        let isUpper = number % 2 == 1
        try anna.sendLayers(
          LiveKitLayersTests.sizes.map { isUpper ? $0 * 4 / 5 : $0 * 6 / 5 }, isKey: number % 30 == 0, isDroppable: isUpper)
        _ = try house.run([anna] + ends, for: second / 30) { false }
      }
    }
    func sizes(_ end: RoomEnd, after count: Int) -> [Int: Int] {
      Dictionary((end.bytes[WebMember.codec(isVideo: true)] ?? []).dropFirst(count).map { ($0.count, 1) }, uniquingKeysWith: +)
    }
    try call(for: 20 * second)
    let (before, others) = (count(bob.receiving), count(cleo.receiving))
    try call(for: 10 * second)
    let (came, all) = (sizes(bob.receiving, after: before), sizes(cleo.receiving, after: others))
    #expect(came[480] ?? 0 > 140 && came[320] ?? 0 < 30 && came.count <= 2, "\(came)")
    #expect(all[7_200] ?? 0 > 140 && all[4_800] ?? 0 > 140, "\(all)")
    // There is room again for all, and for the best.
    bob.host.setConditions(down: .init(at: 0, bandwidth: 5_000_000, delay: 10 * millisecond))
    try call(for: 20 * second)
    let last = sizes(bob.receiving, after: count(bob.receiving) - 60)
    #expect(last[7_200] ?? 0 >= 28 && last[4_800] ?? 0 >= 28, "\(last)")
    // Who shows 15 frames a second has no use for the others.
    var settings = LiveKitTrackSettings()
    (settings.tracks, settings.quality, settings.rate) = ([try #require(bob.others["anna"]?.tracks.first?.sid)], .high, 15)
    try bob.say(.trackSettings(settings))
    try call(for: second)
    let slow = count(bob.receiving)
    try call(for: 4 * second)
    #expect(sizes(bob.receiving, after: slow).keys.elementsEqual([7_200]), "\(sizes(bob.receiving, after: slow))")
    for end in [anna] + ends { end.close() }
    try house.close()
  }

  /// Of two videos one, until there is room for both.
  @Test func whatHasNoRoomIsPausedAndSaid() throws {
    let bot = try house.member("bot", publishes: [true])
    let anna = try LiveKitEnd(house, "anna", at: "10.0.0.1")
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    bob.host.setConditions(down: .init(at: 0, bandwidth: 200_000, delay: 10 * millisecond))
    try anna.publishLayers()
    #expect(try house.run([anna, bob]) { anna.published.count == 1 })
    /// What the bot sends has 240 kbit/s, and the smallest of anna's layers 96.
    func call(for time: Int64) throws {
      for number in 0..<(time * 30 / second) {
        try anna.sendLayers(LiveKitLayersTests.sizes, isKey: number % 30 == 0)
        bot.send(0, isVideo: true, isKey: number % 30 == 0, size: 1_000)
        _ = try house.run([anna, bob], for: second / 30) { false }
      }
    }
    func sizes(of count: Int) -> [Int: Int] {
      let frames = (bob.receiving.bytes[WebMember.codec(isVideo: true)] ?? []).suffix(count)
      return Dictionary(frames.map { ($0.count, 1) }, uniquingKeysWith: +)
    }
    try call(for: 30 * second)
    let sid = try #require(bob.others["bot"]?.tracks.first?.sid)
    func states() -> [LiveKitStreamInfo] {
      bob.said.flatMap { if case .streamStates(let update) = $0 { update.states } else { [] as [LiveKitStreamInfo] } }
    }
    // Whether there is room is tried from time to time.
    let paused = try #require(states().first { $0.state == .paused })
    #expect(paused.track == sid && paused.participant == bob.others["bot"]?.sid, "\(states())")
    #expect(sizes(of: 300)[400] ?? 0 >= 240, "\(sizes(of: 300)) \(states())")
    bob.host.setConditions(down: .init(at: 0, bandwidth: 5_000_000, delay: 10 * millisecond))
    try call(for: 20 * second)
    #expect(states().last?.track == sid && states().last?.state == .active, "\(states())")
    #expect((25...35).contains(sizes(of: 60)[1_000] ?? 0) && (25...35).contains(sizes(of: 60)[6_000] ?? 0), "\(sizes(of: 60))")
    bot.link.disconnect()
    for end in [anna, bob] { end.close() }
    try house.close()
  }

  @Test func aClientSaysWhichLayerIsOfUse() throws {
    let bot = try house.member("bot")
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    try anna.publishLayers()
    try call(anna, [bob], for: 5 * second)
    #expect(layers(bob.receiving, of: 15) == [2: 15] && layers(bot, of: 15) == [2: 15])
    var settings = LiveKitTrackSettings()
    settings.tracks = [try #require(bob.others["anna"]?.tracks.first?.sid)]
    for (quality, width, height, layer) in [
      (LiveKitQuality.medium, UInt32(0), UInt32(0), 1), (.low, 0, 0, 0), (.high, 0, 0, 2), (.low, 640, 480, 1), (.low, 300, 200, 0),
      (.high, 1_280, 960, 2)
    ] {
      (settings.quality, settings.width, settings.height) = (quality, width, height)
      try bob.say(.trackSettings(settings))
      try call(anna, [bob], for: 2 * second)
      #expect(layers(bob.receiving, of: 15) == [layer: 15], "\(quality) \(width)x\(height): \(layers(bob.receiving, of: 15))")
    }
    #expect(layers(bot, of: 15) == [2: 15])
    // A member of the process, too.
    bot.link.prefer(VideoPreference(width: 640, height: 480), of: bot.added[0].id)
    try call(anna, [bob], for: 2 * second)
    #expect(layers(bot, of: 15) == [1: 15])
    let paused = count(bob.receiving)
    settings.quality = .off
    try bob.say(.trackSettings(settings))
    try call(anna, [bob], for: 2 * second)
    #expect(count(bob.receiving) < paused + 15)
    for end in [anna, bob] { end.close() }
    try house.close()
  }

  /// Of two videos for one of which there is room: the one that the client says.
  @Test(arguments: ["bot", "dog"])
  func whatMattersMoreIsSent(favourite: String) throws {
    let bots = [try house.member("bot", publishes: [true]), try house.member("dog", publishes: [true])]
    let bob = try LiveKitEnd(house, "bob", at: "10.0.0.2")
    #expect(try house.run([bob]) { bob.isHere && bob.others["bot"]?.tracks.count == 1 && bob.others["dog"]?.tracks.count == 1 })
    bob.host.setConditions(down: .init(at: 0, bandwidth: 200_000, delay: 10 * millisecond))
    var settings = LiveKitTrackSettings()
    (settings.tracks, settings.quality, settings.priority) = ([try #require(bob.others[favourite]?.tracks.first?.sid)], .high, 1)
    try bob.say(.trackSettings(settings))
    for number in 0..<900 {
      for (place, bot) in bots.enumerated() { bot.send(0, isVideo: true, isKey: number % 30 == 0, size: 1_000 + place) }
      _ = try house.run([bob], for: second / 30) { false }
    }
    let sizes = (bob.receiving.bytes[WebMember.codec(isVideo: true)] ?? []).suffix(300).map(\.count)
    let favoured = sizes.filter { $0 == (favourite == "bot" ? 1_000 : 1_001) }.count
    #expect(favoured > 240, "\(favoured) of \(sizes.count)")
    bob.close()
    for bot in bots { bot.link.disconnect() }
    try house.close()
  }

  /// The same of a session, which says it by names: the dog's is high, or the bot's low. Without that the bot's would be sent, which takes less.
  @Test(arguments: [VideoPreference.Priority.high, .low])
  func whatMattersMoreToASessionIsSent(priority: VideoPreference.Priority) throws {
    let bots = [try house.member("bot", publishes: [true]), try house.member("dog", publishes: [true])]
    let anna = try house.session("anna", at: "10.0.0.1", token: LiveKitEnd.token(house, "anna"), url: "", publishes: [])
    #expect(try house.run(for: 5 * second) { anna.isHere && anna.added.count == 2 })
    anna.host?.setConditions(down: .init(at: 0, bandwidth: 200_000, delay: 10 * millisecond))
    let said = try #require(anna.added.first { $0.userID == (priority == .high ? "dog" : "bot") }?.id)
    anna.link.prefer(VideoPreference(priority: priority), of: said)
    for number in 0..<900 {
      for (place, bot) in bots.enumerated() { bot.send(0, isVideo: true, isKey: number % 30 == 0, size: 1_000 + place) }
      _ = try house.run(for: second / 30) { false }
    }
    let sizes = (anna.bytes[WebMember.codec(isVideo: true)] ?? []).suffix(300).map(\.count)
    let favoured = sizes.filter { $0 == 1_001 }.count
    #expect(favoured > 240, "\(favoured) of \(sizes.count)")
    anna.link.disconnect()
    for bot in bots { bot.link.disconnect() }
    try house.close()
  }

  /// What nobody wants need not be sent.
  @Test func thePublisherIsToldWhichLayersAreWanted() throws {
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    try anna.publishLayers()
    try call(anna, [bob], for: 3 * second)
    let sid = try #require(anna.published.first?.sid)
    func wanted() -> [Bool]? {
      let updates = anna.said.compactMap { if case .subscribedQualities(let update) = $0 { update } else { nil } }
      return updates.last { $0.track == sid }?.qualities.map(\.isWanted)
    }
    #expect(wanted() == nil)
    var settings = LiveKitTrackSettings()
    (settings.tracks, settings.quality) = ([sid], .medium)
    try bob.say(.trackSettings(settings))
    try call(anna, [bob], for: 4 * second)
    #expect(wanted() == nil)
    try call(anna, [bob], for: 2 * second)
    #expect(wanted() == [true, true, false])
    // It does as it is told, and comes back at once.
    try call(anna, [bob], for: 2 * second, sizes: [400, 1_600, 0])
    settings.quality = .high
    try bob.say(.trackSettings(settings))
    #expect(try house.run([anna, bob], for: second) { wanted() == [true, true, true] })
    try call(anna, [bob], for: 4 * second)
    #expect(layers(bob.receiving, of: 30) == [2: 30])
    try bob.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: false)))
    #expect(try house.run([anna, bob], for: 6 * second) { wanted() == [false, false, false] })
    try bob.say(.subscription(LiveKitSubscription(tracks: [sid], isWanted: true)))
    #expect(try house.run([anna, bob], for: second) { wanted()?[0] == true })
    for end in [anna, bob] { end.close() }
    try house.close()
  }

  @Test func aLayerThatThePublisherStopsIsReplaced() throws {
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    try anna.publishLayers()
    try call(anna, [bob], for: 3 * second)
    try call(anna, [bob], for: 4 * second, sizes: [400, 1_600, 0])
    #expect(layers(bob.receiving, of: 30) == [1: 30], "\(layers(bob.receiving, of: 30))")
    try call(anna, [bob], for: 6 * second)
    #expect(layers(bob.receiving, of: 30) == [2: 30], "\(layers(bob.receiving, of: 30))")
    for end in [anna, bob] { end.close() }
    try house.close()
  }

  @Test func layersMayHaveOtherNamesAndBeFewer() throws {
    let (anna, bob) = (try LiveKitEnd(house, "anna", at: "10.0.0.1"), try LiveKitEnd(house, "bob", at: "10.0.0.2"))
    #expect(try house.run([anna, bob]) { anna.isHere && bob.isHere })
    try anna.publishLayers(["one", "two"])
    try call(anna, [bob], for: 5 * second, sizes: [400, 1_600])
    #expect(layers(bob.receiving, of: 30) == [1: 30], "\(layers(bob.receiving, of: 30))")
    for end in [anna, bob] { end.close() }
    try house.close()
  }
}
