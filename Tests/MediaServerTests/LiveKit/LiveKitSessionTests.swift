import MediaCore
import MediaEmulation
import MediaNetwork
import MediaTransport
import Testing

@testable import MediaServer
@testable import MediaSignalling
@testable import MediaWebRTCTransport

/// Sessions of this library by LiveKit's protocol, in a room of this library.
@Suite struct LiveKitSessionTests {
  private let house: ServerHouse

  init() throws { house = try ServerHouse.forLiveKit() }

  /// From a machine of its own. It publishes when it is in the room.
  private func session(_ identity: String, at address: String, token: String? = nil, publishes: [Bool] = []) throws -> RoomEnd {
    try house.session(identity, at: address, token: try token ?? LiveKitEnd.token(house, identity), url: "", publishes: publishes)
  }

  private func close(_ ends: RoomEnd...) throws {
    for end in ends { end.link.disconnect() }
    #expect(try house.run(for: second) { house.web.memberCount == 0 })
    try house.close()
  }

  @Test func sessionsClientsAndMembersSeeAndHearEachOther() throws {
    let bot = try house.member("bot", publishes: [true, false])
    let anna = try session("anna", at: "10.0.0.1", publishes: [true, false])
    let bob = try session("bob", at: "10.0.0.2", publishes: [true, false])
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3", publishes: [true, false])
    #expect(try house.run([cleo]) { cleo.isHere && cleo.media.has("receivers 1") && anna.has("receivers 3") && bob.has("receivers 3") })
    for end in [bot, anna, bob, cleo.media] { try end.call(for: second) }
    #expect(try house.run([cleo]) { [bot, anna, bob].allSatisfy { $0.added.count == 6 } }, "\(anna.events)")
    #expect(Set(anna.events.filter { $0.hasPrefix("joined") }) == ["joined bot", "joined bob", "joined cleo"])
    #expect(anna.added.contains { $0.userID == "cleo" && $0.isVideo })
    _ = try house.run([cleo], for: second) { false }
    for (sender, others) in [(anna, [bot, bob, cleo.media]), (cleo.media, [bot, anna, bob]), (bot, [anna, bob, cleo.media])] {
      let before = others.map { ($0.received(isVideo: true), $0.received(isVideo: false)) }
      try sender.call(for: second)
      for (other, before) in zip(others, before) {
        let came = (other.received(isVideo: true) - before.0, other.received(isVideo: false) - before.1)
        // Of 30 and 50: after a pause the path is measured anew, and what is behind a picture waits.
        #expect(came.0 >= 20 && came.1 >= 35, "\(came) \(other.events)")
      }
    }
    cleo.close()
    #expect(try house.run(for: second) { anna.has("left cleo") && anna.added.count == 4 })
    bot.link.disconnect()
    try close(anna, bob)
  }

  @Test func streamsComeAndGo() throws {
    let bot = try house.member("bot", publishes: [true])
    bot.subscribes = false
    let anna = try session("anna", at: "10.0.0.1", publishes: [true])
    // It is there when media comes, and nobody receives it until somebody wants it.
    try anna.call(for: second, audio: nil)
    #expect(anna.added.count == 1 && bot.added.count == 1 && bot.received(isVideo: true) == 0)
    bot.link.subscribe(to: bot.added[0].id, .encoded(bot))
    try anna.call(for: second, audio: nil)
    #expect(bot.received(isVideo: true) > 20)
    // Of another: not any longer, and again.
    try bot.call(for: second, audio: nil)
    #expect(anna.received(isVideo: true) > 20)
    anna.link.unsubscribe(from: anna.added[0].id)
    try house.run(for: second)
    let count = anna.received(isVideo: true)
    try bot.call(for: second, audio: nil)
    #expect(anna.received(isVideo: true) == count)
    anna.link.subscribe(to: anna.added[0].id, .encoded(anna))
    try bot.call(for: 2 * second, audio: nil)
    #expect(anna.received(isVideo: true) > count + 20)
    // What ends is another one when it comes again.
    anna.link.unpublish(anna.streams[0])
    #expect(try house.run(for: 5 * second) { bot.added.isEmpty })
    bot.subscribes = true
    try anna.publish(isVideo: true)
    #expect(try house.run(for: 5 * second) { anna.events.count { $0 == "receivers 1" } == 2 })
    try anna.call(for: 2 * second, video: 1, audio: nil)
    #expect(bot.added.count == 1 && bot.received(isVideo: true) > 60, "\(bot.received(isVideo: true)) \(bot.events)")
    bot.link.disconnect()
    #expect(try house.run(for: second) { anna.has("left bot") && anna.added.isEmpty })
    try close(anna)
  }

  /// Each receiver gets one, and what nobody gets is not to be sent.
  @Test func aSessionPublishesInLayers() throws {
    let sizes = [400, 1_600, 6_000]
    let bot = try house.member("bot")
    let (anna, bob) = (try session("anna", at: "10.0.0.1"), try session("bob", at: "10.0.0.2"))
    #expect(try house.run(for: 5 * second) { anna.isHere && bob.isHere })
    try anna.publishLayers()
    func call(for time: Int64) throws {
      for number in 0..<(time * 30 / second) {
        try anna.sendLayers(sizes, isKey: number % 30 == 0)
        _ = try house.run(for: second / 30) { false }
      }
    }
    func layers(_ end: RoomEnd) -> [Int: Int] {
      let frames = (end.bytes[WebMember.codec(isVideo: true)] ?? []).suffix(30)
      return Dictionary(frames.map { (sizes.firstIndex(of: $0.count) ?? -1, 1) }, uniquingKeysWith: +)
    }
    try call(for: 10 * second)
    #expect(bot.added.count == 1 && bob.added.count == 1)
    #expect(layers(bot) == [2: 30] && layers(bob) == [2: 30], "\(layers(bot)) \(layers(bob)) \(anna.layers)")
    bob.link.prefer(VideoPreference(width: 320, height: 240), of: bob.added[0].id)
    try call(for: 3 * second)
    #expect(layers(bot) == [2: 30] && layers(bob) == [0: 30], "\(layers(bot)) \(layers(bob)) \(anna.layers)")
    bot.link.prefer(VideoPreference(width: 640, height: 480), of: bot.added[0].id)
    try call(for: 8 * second)
    #expect(layers(bot) == [1: 30] && layers(bob) == [0: 30] && anna.layers == [true, true, false])
    bot.link.unsubscribe(from: bot.added[0].id)
    bob.link.unsubscribe(from: bob.added[0].id)
    try call(for: 7 * second)
    #expect(anna.layers == [false, false, false])
    bob.link.subscribe(to: bob.added[0].id, .encoded(bob))
    #expect(try house.run(for: second) { anna.layers == [true, false, false] })
    try call(for: 2 * second)
    #expect(layers(bob) == [0: 30])
    bot.link.disconnect()
    try close(anna, bob)
  }

  @Test func muteSpeakersAndAttributesReachOthers() throws {
    let bot = try house.member("bot", publishes: [false])
    let token = try LiveKitEnd.token(house, "anna") { $0.updatesMetadata = true }
    let anna = try session("anna", at: "10.0.0.1", token: token, publishes: [false])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") && anna.added.count == 1 })
    try anna.call(for: second, video: nil, audio: 0)
    anna.link.setMuted(anna.streams[0], true)
    #expect(try house.run(for: second) { bot.has("muted") })
    anna.link.setMuted(anna.streams[0], false)
    bot.link.setMuted(bot.streams[0], true)
    #expect(try house.run(for: second) { bot.has("unmuted") && anna.has("muted") })
    bot.link.setSpeaking(bot.streams[0], true, level: 30)
    #expect(try house.run(for: second) { anna.has("bot speaks") })
    bot.link.setSpeaking(bot.streams[0], false, level: 127)
    #expect(try house.run(for: second) { anna.has("bot is silent") })
    try bot.link.setAttribute("hand", "up")
    try anna.link.setAttribute("mood", "good")
    #expect(try house.run(for: second) { anna.has("bot says hand=up") && bot.has("anna says mood=good") }, "\(anna.events) \(bot.events)")
    try bot.link.setAttribute("hand", nil)
    try anna.link.setAttribute("mood", nil)
    #expect(try house.run(for: second) { anna.has("bot says hand=nil") && bot.has("anna says mood=nil") }, "\(anna.events) \(bot.events)")
    bot.link.disconnect()
    try close(anna)
  }

  /// It is said once, and the server may not know of the stream by then.
  @Test func whoSpeaksBeforeTheyAreHeardIsASpeaker() throws {
    let bot = try house.member("bot")
    let anna = try session("anna", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { anna.isHere })
    try anna.publish(isVideo: false)
    anna.link.setSpeaking(anna.streams[0], true, level: 30)
    anna.level = 30
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") })
    try anna.call(for: second, video: nil, audio: 0)
    #expect(bot.has("anna speaks"), "\(bot.events)")
    anna.link.setSpeaking(anna.streams[0], false, level: 127)
    try anna.call(for: second, video: nil, audio: 0)
    #expect(bot.has("anna is silent"))
    bot.link.disconnect()
    try close(anna)
  }

  private func message(_ text: String, topic: String = "", isLossy: Bool = false, to recipients: [String] = []) -> DataMessage {
    var message = DataMessage(Array(text.utf8))
    (message.topic, message.isLossy, message.recipients) = (topic, isLossy, recipients)
    return message
  }

  @Test func partsOfCallsReachSessionsClientsAndMembers() throws {
    let bot = try house.member("bot")
    let anna = try session("anna", at: "10.0.0.1")
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3", version: .one)
    #expect(try house.run([cleo]) { cleo.isHere && anna.has("joined cleo") })
    _ = try house.run([cleo], for: second) { false }
    func send(_ part: RemoteCallPart, _ payload: String, to recipient: String, from end: RoomEnd) throws {
      var message = message(payload, to: [recipient])
      message.content = .call(part)
      try end.link.send(message)
    }
    let request = RemoteCallPart.request(id: "x", method: "add", timeout: 1_000, version: 1)
    for (end, others) in [(anna, ["bot", "cleo"]), (bot, ["anna", "cleo"])] {
      for other in others { try send(request, "A", to: other, from: end) }
    }
    var failure = LiveKitUserData(identity: "", bytes: [66], topic: "", isLossy: false, destinations: ["bot"])
    failure.content = .call(.failure(id: "x", code: 7, text: "no"))
    try cleo.send(failure.packet(sid: ""))
    failure.destinations = ["anna"]
    try cleo.send(failure.packet(sid: ""))
    #expect(try house.run([cleo]) { bot.calls.count == 2 && anna.calls.count == 2 && cleo.received.count == 2 })
    let refused = "cleo: \(RemoteCallPart.failure(id: "x", code: 7, text: "no")) [66]"
    #expect(Set(bot.calls) == ["anna: \(request) [65]", refused] && Set(anna.calls) == ["bot: \(request) [65]", refused])
    #expect(try cleo.received.allSatisfy { try $0.userData()?.content == .call(request) && $0.userData()?.bytes == [65] })
    #expect(bot.data.isEmpty && anna.data.isEmpty)
    cleo.close()
    bot.link.disconnect()
    try close(anna)
  }

  /// It has no path yet.
  @Test(arguments: [LiveKitVersion.zero, .one])
  func dataWaitsForWhoIsOnTheWayIntoTheRoom(version: LiveKitVersion) throws {
    let bot = try house.member("bot")
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3", version: version)
    #expect(try house.run([cleo]) { bot.has("joined cleo") })
    #expect(!cleo.isHere)
    for number in 0..<100 { try bot.link.send(message("\(number)")) }
    #expect(try house.run([cleo]) { cleo.received.count == 100 })
    let texts = try cleo.received.compactMap { try $0.userData().map { String(decoding: $0.bytes, as: UTF8.self) } }
    #expect(texts == (0..<100).map { "\($0)" })
    cleo.close()
    try close(bot)
  }

  @Test func streamsOfDataReachSessionsClientsAndMembers() throws {
    let bot = try house.member("bot")
    let anna = try session("anna", at: "10.0.0.1")
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3", version: .one)
    #expect(try house.run([cleo]) { cleo.isHere && anna.has("joined cleo") })
    _ = try house.run([cleo], for: second) { false }
    var info = DataStreamInfo(isText: true)
    (info.topic, info.attributes) = ("chat", ["a": "1"])
    let parts: [DataStreamPart] = [.begin(id: "x", info), .chunk(id: "x", index: 0), .end(id: "x", reason: "", attributes: [:])]
    for end in [anna, bot] {
      for part in parts {
        var message = message(part == parts[1] ? "A" : "")
        message.content = .stream(part)
        try end.link.send(message)
      }
    }
    for part in parts {
      var data = LiveKitUserData(identity: "", bytes: part == parts[1] ? [65] : [], topic: "", isLossy: false, destinations: [])
      data.content = .stream(part)
      try cleo.send(data.packet(sid: ""))
    }
    #expect(try house.run([cleo]) { bot.dataStreams.count == 6 && anna.dataStreams.count == 6 && cleo.received.count == 6 })
    for (end, others) in [(anna, ["bot", "cleo"]), (bot, ["anna", "cleo"])] {
      for other in others {
        let found = end.dataStreams.filter { $0.hasPrefix(other) }
        #expect(found == parts.map { "\(other): \($0) \($0 == parts[1] ? [65] : [])" })
      }
    }
    let received = try cleo.received.compactMap { try $0.userData() }
    for user in ["anna", "bot"] {
      #expect(received.filter { $0.identity == user }.map(\.content) == parts.map { .stream($0) })
    }
    cleo.close()
    bot.link.disconnect()
    try close(anna)
  }

  /// What is encrypted goes through as it is.
  @Test func encryptedDataReachesSessionsClientsAndMembers() throws {
    let bot = try house.member("bot")
    let anna = try session("anna", at: "10.0.0.1")
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3", version: .one)
    #expect(try house.run([cleo]) { cleo.isHere && anna.has("joined cleo") })
    _ = try house.run([cleo], for: second) { false }
    let nonce = Array(1...12) as [UInt8]
    for end in [anna, bot] {
      var message = DataMessage([7, 8])
      message.content = .sealed(nonce: nonce, index: 3)
      try end.link.send(message)
    }
    var data = LiveKitUserData(identity: "", bytes: [9], topic: "", isLossy: false, destinations: ["bot"])
    data.content = .sealed(nonce: nonce, index: 15)
    try cleo.send(data.packet(sid: ""))
    #expect(try house.run([cleo]) { bot.data.count == 2 && anna.data.count == 1 && cleo.received.count == 2 })
    #expect(bot.data.sorted() == ["anna: sealed \(nonce) 3 [7, 8]", "cleo: sealed \(nonce) 15 [9]"])
    #expect(anna.data == ["bot: sealed \(nonce) 3 [7, 8]"])
    let received = try cleo.received.compactMap { try $0.userData() }
    #expect(received.map(\.identity).sorted() == ["anna", "bot"])
    #expect(received.allSatisfy { $0.content == .sealed(nonce: nonce, index: 3) && $0.bytes == [7, 8] })
    cleo.close()
    bot.link.disconnect()
    try close(anna)
  }

  @Test(arguments: [LiveKitVersion.zero, .one]) func dataReachesSessionsClientsAndMembers(_ version: LiveKitVersion) throws {
    let bot = try house.member("bot")
    let (anna, bob) = (try session("anna", at: "10.0.0.1"), try session("bob", at: "10.0.0.2"))
    let cleo = try LiveKitEnd(house, "cleo", at: "10.0.0.3", version: version)
    #expect(try house.run([cleo]) { cleo.isHere && anna.has("joined cleo") && bob.has("joined cleo") })
    _ = try house.run([cleo], for: second) { false }
    func sent(_ end: LiveKitEnd) -> [LiveKitUserData] { end.received.compactMap { try? $0.userData() } }
    for (end, name) in [(anna, "anna"), (bot, "bot")] {
      try end.link.send(message("hello of \(name)", topic: "chat"))
      try end.link.send(message("position of \(name)", isLossy: true))
      try end.link.send(message("for bob of \(name)", to: ["bob"]))
    }
    try cleo.send(
      LiveKitUserData(identity: "x", bytes: Array("hello of cleo".utf8), topic: "t", isLossy: false, destinations: []).packet(sid: ""))
    try cleo.send(
      LiveKitUserData(identity: "", bytes: Array("for bot of cleo".utf8), topic: "", isLossy: false, destinations: ["bot"]).packet(sid: ""))
    // What is none for programs.
    try cleo.send([0x4A, 2, 0x12, 0])
    try cleo.send([0x12, 2, 0x12, 9])
    #expect(try house.run([cleo]) { bob.data.count == 7 && bot.data.count == 4 && anna.data.count == 3 && sent(cleo).count == 4 })
    #expect(
      Set(bob.data) == [
        "anna: hello of anna chat", "anna: position of anna  lossy", "anna: for bob of anna ", "bot: hello of bot chat",
        "bot: position of bot  lossy", "bot: for bob of bot ", "cleo: hello of cleo t"
      ], "\(bob.data)")
    #expect(
      Set(bot.data) == ["anna: hello of anna chat", "anna: position of anna  lossy", "cleo: hello of cleo t", "cleo: for bot of cleo "])
    #expect(Set(anna.data) == ["bot: hello of bot chat", "bot: position of bot  lossy", "cleo: hello of cleo t"], "\(anna.data)")
    #expect(
      Set(sent(cleo).map { "\($0.identity) \(String(decoding: $0.bytes, as: UTF8.self)) \($0.topic) \($0.isLossy)" }) == [
        "anna hello of anna chat false", "anna position of anna  true", "bot hello of bot chat false", "bot position of bot  true"
      ])
    #expect(cleo.received.allSatisfy { !$0.sid.isEmpty })
    cleo.close()
    bot.link.disconnect()
    try close(anna, bob)
  }

  @Test func dataNeedsAGrantAndTheRoomsPermission() throws {
    let bot = try house.member("bot")
    let token = try LiveKitEnd.token(house, "anna") { $0.publishesData = false }
    let anna = try session("anna", at: "10.0.0.1", token: token)
    let bob = try session("bob", at: "10.0.0.2")
    #expect(try house.run(for: 5 * second) { anna.isHere && bob.isHere && bot.has("joined bob") })
    // Sessions are told, and ask for nothing; who sends all the same is not passed on.
    #expect(anna.permissions?.contains(.sendData) == false && bob.permissions?.contains(.sendData) == true)
    try anna.link.send(message("1"))
    try house.run(for: 2 * second)
    #expect(bot.data.isEmpty && bob.data.isEmpty)
    try bob.link.send(message("2"))
    #expect(try house.run(for: 2 * second) { bot.data == ["bob: 2 "] && anna.data == ["bob: 2 "] })
    bot.link.disconnect()
    try close(anna, bob)
  }

  /// Data comes by another connection than the news of who is there.
  @Test func dataWaitsForTheNewsOfItsSender() throws {
    let token = try LiveKitEnd.token(house, "anna")
    var network: HeldStreamsNetwork?
    let anna = try house.session("anna", at: "10.0.0.1", token: token, url: "", publishes: []) { host in
      let made = HeldStreamsNetwork(host)
      network = made
      return made
    }
    #expect(try house.run(for: 5 * second) { anna.isHere })
    // She has to have a connection that receives.
    let bob = try session("bob", at: "10.0.0.2", token: try LiveKitEnd.token(house, "bob") { $0.updatesMetadata = true })
    #expect(try house.run(for: 5 * second) { bob.isHere && anna.has("joined bob") })
    try bob.link.send(message("0"))
    #expect(try house.run(for: second) { anna.data == ["bob: 0 "] })
    network?.isHeld = true
    let cleo = try session("cleo", at: "10.0.0.3")
    #expect(try house.run(for: 5 * second) { cleo.isHere && bob.has("joined cleo") })
    try cleo.link.send(message("1"))
    #expect(try house.run(for: second) { bob.data == ["cleo: 1 "] })
    try house.run(for: second / 10)
    #expect(!anna.has("joined cleo") && anna.data == ["bob: 0 "])
    network?.isHeld = false
    // With which the server writes to her.
    try bob.link.setAttribute("mood", "fine")
    #expect(try house.run(for: second / 10) { anna.has("joined cleo") && anna.data == ["bob: 0 ", "cleo: 1 "] })
    // If there is no news it is not lost.
    network?.isHeld = true
    let dora = try session("dora", at: "10.0.0.4")
    #expect(try house.run(for: 5 * second) { dora.isHere && bob.has("joined dora") })
    try dora.link.send(message("2"))
    #expect(try house.run(for: 2 * second) { anna.data.last == "dora: 2 " })
    #expect(!anna.has("joined dora"))
    network?.isHeld = false
    try close(anna, bob, cleo, dora)
  }

  /// What was sent before the session leaves arrives, be it the first, for which a channel has to be agreed on.
  @Test(arguments: [1, 20, 2_500]) func dataArrivesBeforeItsSenderLeaves(_ count: Int) throws {
    let bot = try house.member("bot")
    let anna = try session("anna", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { anna.isHere && bot.has("joined anna") })
    for number in 0..<count { try anna.link.send(message("\(number)", to: ["bot"])) }
    anna.link.prepareToDisconnect()
    anna.link.disconnect()
    #expect(try house.run(for: 5 * second) { bot.has("left anna") })
    #expect(bot.data == (0..<count).map { "anna: \($0) " })
    // Not for long, if nothing arrives.
    let bob = try session("bob", at: "10.0.0.2")
    #expect(try house.run(for: 5 * second) { bob.isHere && bot.has("joined bob") })
    bob.host?.setDisconnected(true)
    try bob.link.send(message("lost"))
    bob.link.prepareToDisconnect()
    bob.link.disconnect()
    try house.run(for: 6 * second)
    bob.host?.setDisconnected(false)
    #expect(try house.run(for: 60 * second) { bot.has("left bob") })
    #expect(bot.data.count == count)
    bot.link.disconnect()
    try house.run(for: second)
    try house.close()
  }

  /// Much at once is refused at the sender, in time, and arrives whole and in order.
  @Test func muchDataWaitsForRoom() throws {
    let bot = try house.member("bot")
    let anna = try session("anna", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { anna.isHere && bot.has("joined anna") })
    var (sent, refusals) = (0, 0)
    let text = String(repeating: "x", count: 10_000)
    while sent < 300 {
      do {
        try anna.link.send(message("\(sent)\(text)"))
        sent += 1
      } catch {
        #expect(error.status == .again)
        refusals += 1
        let before = anna.events.count { $0 == "data writable" }
        #expect(try house.run(for: 5 * second) { anna.events.count { $0 == "data writable" } > before })
      }
    }
    #expect(refusals > 0)
    #expect(try house.run(for: 20 * second) { bot.data.count == 300 }, "\(bot.data.count)")
    #expect(bot.data.enumerated().allSatisfy { $0.element.hasPrefix("anna: \($0.offset)x") })
    bot.link.disconnect()
    try close(anna)
  }

  /// Who sends faster than a client takes it waits, in the process and elsewhere; but not for long for one that takes nothing.
  @Test(arguments: [false, true]) func whoSendsMuchWaitsForClients(_ isClient: Bool) throws {
    let bot = try house.member("bot")
    let anna = try session("anna", at: "10.0.0.1")
    let bob = try session("bob", at: "10.0.0.2")
    #expect(try house.run(for: 5 * second) { anna.isHere && bob.isHere && bot.has("joined bob") && anna.has("joined bob") })
    let sender = isClient ? bob : bot
    bob.host?.setConditions(down: .init(at: 0, delay: 20_000_000))
    anna.host?.setConditions(down: .init(at: 0, bandwidth: 8_000_000, delay: 20_000_000))
    let text = String(repeating: "x", count: 15_000)
    func send(_ range: Range<Int>) throws {
      for number in range {
        while true {
          do {
            try sender.link.send(message("\(number)\(text)"))
            break
          } catch {
            #expect(error.status == .again)
            let before = sender.events.count { $0 == "data writable" }
            #expect(try house.run(for: 10 * second) { sender.events.count { $0 == "data writable" } > before })
          }
        }
      }
    }
    try send(0..<600)
    #expect(try house.run(for: 30 * second) { anna.data.count == 600 }, "\(anna.data.count) \(anna.events.suffix(3))")
    #expect(anna.isHere && !anna.has("reconnecting"))
    // 3 MB, of which a connection keeps one and the sender one.
    anna.host?.setDisconnected(true)
    let begin = house.clock.now()
    try send(600..<800)
    #expect(house.clock.now() - begin < 10 * second)
    anna.host?.setDisconnected(false)
    #expect(try house.run(for: 60 * second) { anna.data.count == 800 }, "\(anna.data.count) \(anna.events.suffix(3))")
    if !isClient { #expect(bob.data.count == 800) }
    bot.link.disconnect()
    try close(anna, bob)
  }

  @Test func aModeratorMutesAndRemoves() throws {
    var access = RoomAccess()
    access.permissions = .all
    try LoopbackTransport.setAccess(access, room: house.room, clock: house.clock)
    defer { try? LoopbackTransport.setAccess(nil, room: house.room, clock: house.clock) }
    let bot = try house.member("bot")
    let anna = try session("anna", at: "10.0.0.1", publishes: [false])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") })
    try anna.call(for: second, video: nil, audio: 0)
    try bot.link.mute("anna", true)
    #expect(try house.run(for: second) { anna.has("muted") }, "\(anna.events)")
    #expect(throws: MediaError.self) { try anna.link.remove("bot", reason: "") }
    try bot.link.remove("anna", reason: "")
    #expect(try house.run(for: 5 * second) { anna.ending != nil })
    #expect(anna.ending?.status == .removed && bot.has("left anna"), "\(anna.events) \(bot.events) \(house.changes)")
    #expect(!anna.has("reconnecting") && !anna.has("left bot"), "\(anna.events)")
    bot.link.disconnect()
    try close(anna)
  }

  /// Whose token grants roomAdmin: by the server's API.
  @Test func aSessionModerates() throws {
    let bot = try house.member("bot", publishes: [false])
    let anna = try session("anna", at: "10.0.0.1", token: try LiveKitEnd.token(house, "anna") { $0.isAdministrator = true })
    let bob = try session("bob", at: "10.0.0.2", publishes: [false, false])
    try bob.call(for: second, video: nil, audio: 0)
    try bob.call(for: second, video: nil, audio: 1)
    #expect(try house.run(for: 5 * second) { anna.added.count == 3 }, "\(anna.events)")
    #expect(anna.permissions?.contains(.moderate) == true && bob.permissions?.contains(.moderate) == false)
    #expect(throws: MediaError.self) { try bob.link.mute("bot", true) }
    #expect(throws: MediaError.self) { try anna.link.mute("anna", true) }
    #expect(throws: MediaError.self) { try anna.link.mute("nobody", true) }
    // One request for each stream.
    try anna.link.mute("bob", true)
    #expect(
      try house.run(for: second) { bob.events.count { $0 == "muted" } == 2 && bot.events.count { $0 == "muted" } == 2 }, "\(bob.events)")
    try anna.link.mute("bob", false)
    #expect(try house.run(for: second) { bob.events.count { $0 == "unmuted" } == 2 && bot.events.count { $0 == "unmuted" } == 2 })
    #expect(bob.events.count { $0 == "muted by anna: " } == 2 && bob.events.count { $0 == "unmuted by anna: " } == 2, "\(bob.events)")
    try anna.link.mute("bot", true)
    try anna.link.remove("bob", reason: "it is late")
    #expect(try house.run(for: 5 * second) { bob.ending?.status == .removed && bot.has("muted by anna: ") && anna.has("left bob") })
    #expect(bob.has("removed by anna: it is late") && bob.ending?.text.hasSuffix("by \"anna\": it is late") == true, "\(bob.events)")
    // What the server does not do is said.
    bot.link.disconnect()
    try anna.link.remove("bot", reason: "")
    #expect(try house.run(for: second) { anna.has("bot is not moderated: notFound") }, "\(anna.events)")
    try close(anna, bob)
  }

  @Test func whatIsRefusedForGoodEndsTheSession() throws {
    for (number, (token, status)) in [
      (try LiveKitEnd.token(house, "anna") { $0.joins = false }, Status.permission),
      (try LiveKitEnd.token(house, "anna") { $0.room = "another" }, .permission)
    ].enumerated() {
      let anna = try session("anna", at: "10.0.1.\(number + 1)", token: token)
      #expect(try house.run(for: 5 * second) { anna.ending != nil })
      #expect(anna.ending?.status == status, "\(String(describing: anna.ending))")
    }
    #expect(throws: MediaError(.permission, "the session has no access token; LiveKit needs one (a JWT), which names the room")) {
      _ = try session("anna", at: "10.0.2.1", token: "")
    }
    #expect(throws: MediaError.self) { _ = try session("anna", at: "10.0.2.2", token: "a.b") }
    // Of somebody whose place it would take.
    #expect(throws: MediaError.self) { _ = try session("anna", at: "10.0.2.3", token: LiveKitEnd.token(house, "bob")) }
    // The token permits no tracks.
    let bob = try session("bob", at: "10.0.0.2", token: try LiveKitEnd.token(house, "bob") { $0.publishes = false })
    #expect(try house.run(for: 5 * second) { bob.isHere })
    #expect(throws: MediaError(.permission, "the room does not permit \"bob\" to publish video")) { try bob.publish(isVideo: true) }
    #expect(throws: MediaError.self) { try bob.link.setAttribute("mood", "good") }
    #expect(bob.isHere)
    try close(bob)
  }

  /// A connection by which nothing is sent stays.
  /// With what the server gave it: its own token has expired, and so has the first of those.
  @Test(arguments: [100, 1_000] as [Int64]) func whoseTokenHasExpiredComesBack(_ seconds: Int64) throws {
    let now = house.clock.wallTime() / second
    let token = try LiveKitToken.make(
      LiveKitGrants(identity: "anna", room: house.room), key: LiveKitEnd.key, secret: LiveKitEnd.secret, now: now, expires: now + 30)
    let anna = try session("anna", at: "10.0.0.1", token: token)
    #expect(try house.run(for: 5 * second) { anna.isHere })
    let sid = house.web.liveKit.member("anna")?.sid
    try house.run(for: seconds * second)
    anna.host?.resetConnections()
    #expect(try house.run(for: 10 * second) { anna.has("reconnected") }, "\(anna.events) \(house.changes)")
    #expect(house.web.liveKit.member("anna")?.sid == sid)
    // Who shows the token that has expired is not let in.
    let late = try session("anna", at: "10.0.0.2", token: token)
    #expect(try house.run(for: 5 * second) { late.ending?.status == .permission }, "\(late.events)")
    try close(anna)
  }

  @Test func whoIsSilentStays() throws {
    let bot = try house.member("bot", publishes: [true])
    let anna = try session("anna", at: "10.0.0.1", publishes: [true])
    try house.run(for: 90 * second)
    #expect(!anna.has("reconnecting") && !anna.has("receivers 0") && anna.isHere, "\(anna.events)")
    try anna.call(for: second, audio: nil)
    #expect(bot.received(isVideo: true) > 20)
    bot.link.disconnect()
    try close(anna)
  }

  /// It is the same session to others, and to itself.
  @Test func aBrokenConnectionIsReplaced() throws {
    let (bot, gone) = (try house.member("bot", publishes: [true]), try house.member("gone", publishes: [true]))
    let anna = try session("anna", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 2") && anna.added.count == 2 })
    for round in 1...3 {
      anna.host?.resetConnections()
      if round == 1 { gone.link.disconnect() }
      #expect(try house.run(for: 5 * second) { anna.events.count { $0 == "reconnected" } == round }, "\(anna.events)")
      let (sent, came) = (bot.received(isVideo: true), anna.received(isVideo: true))
      try bot.call(for: second, audio: nil)
      try anna.call(for: second, audio: nil)
      #expect(bot.received(isVideo: true) > sent + 20 && anna.received(isVideo: true) > came + 20, "\(round): \(anna.events)")
    }
    #expect(anna.has("left gone") && anna.added.map(\.userID) == ["bot"] && anna.events.count { $0 == "reconnecting" } == 3)
    #expect(!bot.has("left anna") && bot.events.count { $0 == "joined anna" } == 1 && bot.added.count == 1, "\(bot.events)")
    #expect(anna.events.count { $0 == "receivers 1" } == 1 && !anna.has("receivers 0"))
    // What is wanted, muted and said is known afterwards, too.
    anna.host?.resetConnections()
    let late = try anna.publish(isVideo: false)
    anna.link.setMuted(late, true)
    anna.link.unsubscribe(from: anna.added[0].id)
    #expect(try house.run(for: 5 * second) { anna.events.count { $0 == "reconnected" } == 4 })
    try house.run(for: second)
    for _ in 0..<20 {
      anna.send(1, isVideo: false)
      try house.run(for: 20 * millisecond)
    }
    #expect(bot.added.count == 2 && bot.has("muted"), "\(bot.events)")
    let count = anna.received(isVideo: true)
    try bot.call(for: second, audio: nil)
    #expect(anna.received(isVideo: true) == count)
    bot.link.disconnect()
    try close(anna)
  }

  /// Its others are not asked for key frames that it does not get; when it is back it gets one.
  @Test func aSessionThatIsAwayAsksForNoKeyFrames() throws {
    let bot = try house.member("bot", publishes: [true])
    let anna = try session("anna", at: "10.0.0.1")
    #expect(try house.run(for: 5 * second) { anna.added.count == 1 && bot.has("receivers 1") })
    try bot.call(for: 2 * second, audio: nil)
    anna.host?.setDisconnected(true)
    let asked = bot.keyFrameRequests
    try bot.call(for: 12 * second, audio: nil, keyInterval: 10_000)
    #expect(bot.keyFrameRequests <= asked + 4, "\(bot.keyFrameRequests - asked)")
    anna.host?.setDisconnected(false)
    let came = anna.received(isVideo: true)
    try bot.call(for: 5 * second, audio: nil)
    #expect(anna.received(isVideo: true) > came + 60, "\(anna.received(isVideo: true) - came) \(anna.events)")
    bot.link.disconnect()
    try close(anna)
  }

  /// Where the server has given it up, another session takes its place.
  @Test func aSessionThatIsAwayForLongBeginsAnew() throws {
    let bot = try house.member("bot", publishes: [true])
    let anna = try session("anna", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") && anna.added.count == 1 })
    anna.host?.resetConnections()
    anna.host?.setDisconnected(true)
    try house.run(for: 25 * second)
    #expect(bot.has("left anna") && anna.has("reconnecting"))
    anna.host?.setDisconnected(false)
    #expect(try house.run(for: 60 * second) { anna.has("reconnected") && bot.events.count { $0 == "joined anna" } == 2 }, "\(anna.events)")
    try house.run(for: 2 * second)
    let came = anna.received(isVideo: true)
    try bot.call(for: second, audio: nil)
    #expect(anna.received(isVideo: true) > came + 20)
    bot.link.disconnect()
    try close(anna)
  }

  @Test func anotherAddressKeepsTheSession() throws {
    let bot = try house.member("bot", publishes: [true])
    let anna = try session("anna", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") && anna.added.count == 1 })
    try house.run(for: 2 * second)
    try anna.host?.move(to: [try #require(SocketAddress("10.0.0.9", port: 0))])
    #expect(try house.run(for: 60 * second) { anna.has("reconnected") }, "\(anna.events)")
    #expect(!bot.has("left anna") && anna.events.count { $0 == "receivers 1" } == 1 && !anna.has("removed"), "\(anna.events)")
    try house.run(for: 2 * second)
    let (sent, came) = (bot.received(isVideo: true), anna.received(isVideo: true))
    try bot.call(for: second, audio: nil)
    try anna.call(for: second, audio: nil)
    #expect(bot.received(isVideo: true) > sent + 20 && anna.received(isVideo: true) > came + 20, "\(anna.events)")
    bot.link.disconnect()
    try close(anna)
  }

  @Test func aRoomThatIsClosedEndsTheSession() throws {
    let anna = try session("anna", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 5 * second) { anna.has("receivers 1") || anna.isHere })
    house.web.close()
    #expect(try house.run(for: 5 * second) { anna.ending != nil })
    #expect(anna.ending?.status == .closed && !anna.has("reconnecting"), "\(anna.events)")
    try house.close()
  }
}
