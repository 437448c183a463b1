import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaTLS
import Testing

@testable import MediaTransport

/// Strangers at both ports of a hub, and members whose machines lie. What does not come in time ends its test: others would wait as long for what can
/// come no more.
@Suite(.serialized) struct HubFloodTests {
  /// A machine that says whatever it is told to.
  private final class Liar {
    let line: HubLine
    private let time: TestTime
    private let now: Int64

    init(_ house: HubHouse) throws {
      (time, now) = (house.time, house.clock.now())
      let url = try house.url()
      let socket = try house.network.connect(to: house.address)
      try #require(time.waits { socket.connecting != .waiting })
      line = HubLine(socket, HubConnection(try TLSMachine(client: url.trust), isLimited: false, now: now))
      try #require(wait { line.connection.isOpen }, "no connection")
    }

    func wait(_ body: () -> Bool) -> Bool {
      time.waits {
        _ = line.flush(now: now)
        line.receive(now: now)
        return body()
      }
    }

    var isGone: Bool {
      var most = Int.max
      return line.discard(&most)
    }

    func say(_ bytes: [UInt8]) {
      line.connection.send(HubConnection.frame { $0.block(bytes) }, now: now)
      _ = line.flush(now: now)
    }

    func say(_ request: HubRequest) {
      line.connection.send(HubConnection.frame { request.write(to: &$0) }, now: now)
      _ = line.flush(now: now)
    }

    /// What it is told next, but for what says only that it is heard.
    func next() -> HubNotice? {
      var found: HubNotice?
      _ = wait {
        while let message = line.connection.next(now: now) {
          found = try? message.withUnsafeBytes { try HubNotice(parsing: $0) }
          if case .received = found { continue }
          return true
        }
        return line.connection.failure != nil
      }
      return found
    }

    /// The words with which it is sent away.
    func end() throws -> MediaError {
      while let notice = next() {
        if case .ended(let error) = notice { return error }
      }
      throw MediaError(.fail, "it was not told why it was sent away, \(line.connection.failure.map { "but: \($0.text)" } ?? "and stays")")
    }
  }

  /// Lets in whoever shows the right token, and lets the others wait.
  private final class PatientVerifier: AccessVerifier {
    func verify(_ request: AccessRequest) {
      if request.token.value == "right" { request.answer(.success(AccessGrant(.ordinary))) }
    }

    func cancel(_ request: AccessRequest) {}
    func close() {}
  }

  /// Lets everybody in, and to members who renew their access leaves nothing.
  private final class StrictVerifier: AccessVerifier {
    func verify(_ request: AccessRequest) { request.answer(.success(AccessGrant(request.isRenewal ? [] : .ordinary))) }
    func cancel(_ request: AccessRequest) {}
    func close() {}
  }

  private func hello(_ house: HubHouse, _ name: String, former: (ticket: [UInt8], received: UInt64)? = nil) -> HubRequest {
    .hello(.init(room: house.room, member: Member(userID: name, displayName: ""), token: AccessToken(""), profile: .aesGCM, former: former))
  }

  @Test func whoeverSpeaksWronglyIsSentAwayWithWords() throws {
    let house = try HubHouse()
    defer { house.close() }
    let slot = try #require(HubSlot(index: 0))
    let lies: [(String, [HubRequest])] = [
      ("the first message is not HELLO", [.leave]), ("the first message is not HELLO", [.subscribe(1, slot)]),
      ("no longer knows \"liar\"", [hello(house, "liar", former: ([UInt8](repeating: 1, count: 16), 0))]),
      ("a second hello", [hello(house, "liar"), hello(house, "liar")]),
      ("that it does not know", [hello(house, "liar"), .subscribe(1, slot)]),
      ("that it does not know", [hello(house, "liar"), .requestKeyFrame(0)]),
      ("that it does not publish", [hello(house, "liar"), .setMuted(7, true)]),
      ("a confirmation of messages that were not sent", [hello(house, "liar"), .received(1000)]),
      ("a hub forwards", [hello(house, "liar"), .publish(1, slot, codec: 0, format: HubMessageTests.video)]),
      ("a hub forwards", [hello(house, "liar"), .publish(1, slot, codec: UInt32(MSDK_CODEC_VP8), format: HubMessageTests.sound)])
    ]
    for (words, requests) in lies {
      let liar = try Liar(house)
      for (index, request) in requests.enumerated() {
        // What follows a hello follows its welcome.
        if index == 1 {
          guard case .welcome = liar.next() else { throw MediaError(.fail, "no welcome before \(words)") }
        }
        liar.say(request)
      }
      let error = try liar.end()
      #expect(error.text.contains(words), "\(words): \(error.text)")
      try #require(house.isTrueSoon { house.hub?.memberCount == 0 })
    }
    #expect(house.hub?.memberCount == 0)
  }

  @Test func nonsenseAfterTheWelcomeEndsItsOwnConnectionOnly() throws {
    let house = try HubHouse()
    defer { house.close() }
    let anna = try house.remote("anna")
    try #require(anna.sees("connected"))
    var random = SeededRandom(seed: 11)
    let samples = try HubMessageTests.requests().map { request in try HubMessageTests.bytes { request.write(to: &$0) } }
    for round in 0..<60 {
      let liar = try Liar(house)
      if round % 4 != 0 {
        liar.say(hello(house, "liar \(round)"))
        _ = liar.next()
      }
      for _ in 0..<20 {
        var bytes = samples.randomElement(using: &random) ?? [1]
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
        liar.say(bytes)
      }
      liar.say([255])
      try #require(liar.wait { liar.line.connection.failure != nil || liar.line.connection.next(now: 0) == nil && liar.isGone })
    }
    let last = try Liar(house)
    last.say(hello(house, "last"))
    guard case .welcome = last.next() else { throw MediaError(.fail, "no welcome") }
    last.say([255])
    #expect(try last.end().text.contains("unknown type"))
    try #require(anna.sees("joined liar 1"))
    #expect(!anna.events.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("reconnecting") })
  }

  @Test func aFloodOfMessagesIsEnded() throws {
    let house = try HubHouse()
    defer { house.close() }
    let liar = try Liar(house)
    liar.say(hello(house, "liar"))
    guard case .welcome = liar.next() else { throw MediaError(.fail, "no welcome") }
    for _ in 0..<3000 { liar.say(.received(0)) }
    #expect(try liar.end().text.contains("200 messages a second"))
  }

  @Test func strangersAtTheDoorKeepNobodyOut() throws {
    let house = try HubHouse()
    defer { house.close() }
    let address = try house.address
    // More than may wait, of which each says nothing, or what is no TLS.
    let strangers = try (0..<320).map { number in
      let stranger = try house.network.connect(to: address)
      if number % 2 == 0 { _ = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 300).withUnsafeBytes { stranger.write($0) } }
      return stranger
    }
    // The kernel's own queue is full too: who is turned away there knocks again.
    var anna = try house.remote("anna")
    for _ in 0..<5 {
      _ = anna.wait { $0.events.contains { $0 == "connected" || $0.hasPrefix("disconnected") } }
      if anna.events.contains("connected") { break }
      anna = try house.remote("anna")
    }
    try #require(anna.sees("connected"), "\(anna.events)")
    #expect((house.hub?.guestCount ?? 999) <= HubTable.mostGuests)
    _ = strangers
  }

  /// They come from the same address, two hundred a second, beside a join whose round trip takes 200 ms: forty for each.
  @Test func strangersWhoGoOnComingKeepNobodyOut() throws {
    let house = try HubHouse()
    defer { house.close() }
    let url = try house.url()
    var strangers: [any StreamConnection] = []
    func come(_ count: Int) throws {
      for _ in 0..<count { strangers.append(try house.network.connect(to: house.address)) }
      // So that the hub has seen them.
      house.run(milliseconds: 100)
    }
    try come(200)
    try #require(house.isTrueSoon { house.hub?.guestCount == HubTable.mostGuests })
    for _ in 0..<3 {
      let socket = try house.network.connect(to: house.address)
      try #require(house.isTrueSoon { socket.connecting == .done })
      try come(40)
      let now = house.clock.now()
      let line = HubLine(socket, HubConnection(try TLSMachine(client: url.trust), isLimited: false, now: now))
      _ = line.flush(now: now)
      try come(40)
      try #require(
        house.isTrueSoon {
          line.receive(now: now); return line.connection.isOpen || line.connection.failure != nil
        })
      // More than there is room for: whoever is further stays.
      try come(HubTable.mostGuests + 20)
      let request = hello(house, "late")
      line.connection.send(HubConnection.frame { request.write(to: &$0) }, now: now)
      _ = line.flush(now: now)
      var answer: HubNotice?
      try #require(
        house.isTrueSoon {
          line.receive(now: now)
          if let message = line.connection.next(now: now) { answer = try? message.withUnsafeBytes { try HubNotice(parsing: $0) } }
          return answer != nil || line.connection.failure != nil
        })
      guard case .welcome? = answer else {
        Issue.record("\(line.connection.failure?.text ?? "no welcome")")
        break
      }
      line.socket.shut()
      try #require(house.isTrueSoon { house.hub?.memberCount == 0 })
    }
  }

  /// Whoever is no machine of ours takes nothing once that is known; who is told why they go, not for long, and not in any number.
  @Test func strangersWhoAreSentAwayTakeFewDescriptors() throws {
    let house = try HubHouse()
    defer { house.close() }
    let address = try house.address
    let anna = try house.remote("anna")
    try #require(anna.sees("connected"))
    var strangers: [any StreamConnection] = []
    for number in 0..<400 {
      let stranger = try house.network.connect(to: address)
      try #require(house.isTrueSoon { stranger.connecting == .done })
      _ = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16).withUnsafeBytes { stranger.write($0) }
      strangers.append(stranger)
      try #require(house.hub?.farewellCount == 0)
    }
    try #require(house.isTrueSoon { house.hub?.guestCount == 0 })
    strangers = []
    var liars: [Liar] = []
    for _ in 0..<40 {
      let liar = try Liar(house)
      liar.say(.leave)
      #expect(try liar.end().text.contains("the first message is not HELLO"))
      #expect((house.hub?.farewellCount ?? 999) <= HubTable.mostFarewellsOfAddress)
      liars.append(liar)
    }
    try #require(house.isTrueSoon { house.hub?.farewellCount == 0 })
    #expect(!anna.events.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("reconnecting") })
  }

  /// From elsewhere, faster than there are signatures for them: they wait for theirs, and everybody gets one.
  @Test func handshakesOfStrangersTakeTheirTime() throws {
    let house = try HubHouse()
    defer { house.close() }
    let url = try house.url()
    let anna = try house.remote("anna")
    try #require(anna.sees("connected"))
    let count = 100
    let now = house.clock.now()
    let lines = try (0..<count).map { _ in
      let line = HubLine(try house.connect(from: "127.0.0.2"), HubConnection(try TLSMachine(client: url.trust), isLimited: false, now: now))
      _ = line.flush(now: now)
      return line
    }
    try #require(
      house.isTrueSoon {
        for line in lines {
          line.receive(now: now)
          _ = line.flush(now: now)
        }
        return lines.allSatisfy { $0.connection.isOpen }
      })
    // Not sooner, and not much later.
    let least = (Double(count) - HubTable.handshakes.burst) / HubTable.handshakes.perSecond
    let took = Double(house.clock.now() - now) / 1e9
    #expect(took >= least && took < least + 0.1, "\(took) s")
    #expect(!anna.events.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("reconnecting") })
  }

  /// Who shows a token that nobody has looked at yet takes no place of those who are let in.
  @Test func whoWaitsForAnAnswerTakesNobodysPlace() throws {
    var access = RoomAccess()
    access.verifier = PatientVerifier()
    let house = try HubHouse(hosts: ["127.0.0.1"], { $0.mostMembers = 2 }, access: access)
    defer { house.close() }
    let waiting = try (0..<HubTable.mostWaiting + 6).map { number in
      let liar = try Liar(house)
      liar.say(hello(house, "liar \(number)"))
      return liar
    }
    try #require(house.isTrueSoon { house.hub?.waitingCount == HubTable.mostWaiting })
    // The first of them had to go.
    #expect(try waiting[0].end().text.contains("wait for the room's answer"))
    let (anna, bert) = (try house.remote("anna", token: "right"), try house.remote("bert", token: "right"))
    try #require(anna.sees("connected") && bert.sees("connected"))
    #expect(house.hub?.memberCount == 2)
    let carl = try house.remote("carl", token: "right")
    try #require(carl.sees("disconnected full"))
    #expect(anna.events.filter { $0.hasPrefix("joined") } == ["joined bert"])
  }

  /// Who is not permitted any more may not know it yet: what they ask for is void, and the next they say is no lie.
  @Test func whatIsNotPermittedAnyMoreIsVoid() throws {
    var access = RoomAccess()
    access.verifier = StrictVerifier()
    let house = try HubHouse(access: access)
    defer { house.close() }
    let liar = try Liar(house)
    liar.say(hello(house, "liar"))
    guard case .welcome = liar.next() else { throw MediaError(.fail, "no welcome") }
    func renewals() -> Int {
      liar.say(.renew(AccessToken("")))
      var count = 0
      while let notice = liar.next() {
        if case .ended(let error) = notice { Issue.record("\(error.text)") }
        if case .permissionsChanged = notice { count += 1 }
        if case .accessRenewed(nil) = notice { return count }
      }
      return -1
    }
    #expect(renewals() == 1)
    let slot = try #require(HubSlot(index: HubSlot.perKind))
    liar.say(.publish(1, slot, codec: UInt32(MSDK_CODEC_OPUS), format: HubMessageTests.sound))
    liar.say(.setMuted(1, true))
    liar.say(.unpublish(1))
    liar.say(.subscribe(1, slot))
    let end = try liar.end()
    // It knows of no stream: that alone is a lie.
    #expect(end.text.contains("that it does not know"), "\(end.text)")
    let other = try Liar(house)
    other.say(hello(house, "other"))
    guard case .welcome = other.next() else { throw MediaError(.fail, "no welcome") }
    for number in 0..<33 as Range<Int> { other.say(.setAttribute("\(number)", "")) }
    #expect(try other.end().text.contains("32 attributes"))
  }

  /// What others do takes little memory, and nobody who reads it late is ended for it; who never says that they have read it is.
  @Test func aMemberWhoConfirmsLateIsNotEndedForWhatOthersDo() throws {
    let house = try HubHouse()
    defer { house.close() }
    let anna = house.local("anna")
    try #require(anna.sees("connected"))
    let liar = try Liar(house)
    liar.say(hello(house, "liar"))
    guard case .welcome = liar.next() else { throw MediaError(.fail, "no welcome") }
    let id = try anna.publishSound()
    let peer = try #require(house.peers.first)
    for number in 0..<20_000 {
      anna.transport.setMuted(id, number % 2 == 0)
      // What can be said is said meanwhile.
      if number % 100 == 0 { house.run(milliseconds: 1) }
    }
    anna.transport.unpublish(id)
    try #require(house.isTrueSoon { peer.guarded.withLock { $0.streams.offered.isEmpty && $0.log.count > ReliableOutbox.window } })
    let (count, bytes) = peer.guarded.withLock { ($0.log.count, $0.log.bytes) }
    #expect(count <= ReliableOutbox.window + ReliableOutbox.mostWaiting + 2 && bytes < 200_000, "\(count) messages, \(bytes) bytes")
    var (heard, isRemoved) = (0 as UInt64, false)
    while !isRemoved, let notice = liar.next() {
      if case .ended(let error) = notice { Issue.record("\(error.text)") }
      heard += 1
      if heard == ReliableOutbox.window { liar.say(.received(heard)) }
      if case .streamRemoved = notice { isRemoved = true }
    }
    #expect(isRemoved)
    // The next time nothing is ever confirmed, though something is said.
    let other = try anna.publishSound()
    for number in 0..<2000 {
      anna.transport.setMuted(other, number % 2 == 0)
      if number % 100 == 0 { house.run(milliseconds: 1) }
    }
    var end: MediaError?
    // It has `ReliableOutbox.timeout`; a hub that does not end it says now and then that it is there, for ever.
    let late = house.clock.now() + 60_000_000_000
    while end == nil, liar.line.connection.failure == nil, house.clock.now() < late {
      liar.say(.received(heard - 1))
      _ = liar.wait { liar.line.connection.next(now: 0).map { end = Self.ending($0) ?? end } != nil || liar.line.connection.failure != nil }
    }
    #expect(end?.text.contains("has received none of") == true, "\(end?.text ?? "nothing")")
    try #require(anna.sees("left liar"))
  }

  private static func ending(_ message: [UInt8]) -> MediaError? {
    guard case .ended(let error)? = try? message.withUnsafeBytes({ try HubNotice(parsing: $0) }) else { return nil }
    return error
  }

  @Test func packetsOfStrangersAreCountedAndChangeNothing() throws {
    let house = try HubHouse()
    defer { house.close() }
    let (anna, bert) = (house.local("anna"), try house.remote("bert"))
    try #require(bert.sees("joined anna"))
    let id = try anna.publishVideo()
    bert.transport.subscribe(to: try bert.stream(ofCodec: Int(MSDK_CODEC_VP8)).id, bert)
    try #require(anna.sees("receivers 1"))
    let flood = try house.network.bindDatagrams(to: try #require(SocketAddress("127.0.0.1", port: 0)))
    let target = try house.address
    let terms = try #require((bert.transport as? HubTransport)?.guarded.withLock { $0.media?.terms })
    let batch = DatagramBatch()
    var random = SeededRandom(seed: 3)
    var last: [UInt8] = []
    let rounds = 300
    for number in 0...rounds {
      last = HubMedium.picture(key: number % 5 == 0, 2000, seed: UInt64(number))
      _ = try anna.send(last, FrameID(number + 1), on: id)
      batch.begin()
      // In the last round all say to be the member's.
      for index in 0..<DatagramBatch.capacity {
        guard let slot = batch.slot() else { break }
        for place in 0..<64 { slot[place] = UInt8.random(in: 0...255, using: &random) }
        slot[0] = number == rounds ? 128 : UInt8.random(in: 126...193, using: &random)
        slot[1] = [96, 97, 111, 200, 201, 205, 206].randomElement(using: &random) ?? 0
        // Every other says to be the member's.
        let source = terms.base | UInt32.random(in: 0...127, using: &random)
        if index % 2 == 0 || number == rounds {
          slot.storeBytes(of: source.bigEndian, toByteOffset: slot[1] >= 200 ? 4 : 8, as: UInt32.self)
        }
        _ = batch.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(64)), to: target)
      }
      if number == rounds { house.run(milliseconds: 200) }
      let before = house.hub?.foreignPackets ?? 0
      _ = flood.send(batch)
      house.run(milliseconds: 5)
      if number == rounds { try #require(house.isTrueSoon { house.hub?.foreignPackets ?? 0 > before }) }
    }
    try #require(bert.wait { $0.units.last == last })
    #expect(house.hub?.foreignPackets ?? 0 > 1000)
    #expect(!bert.events.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("reconnecting") })
  }
}
