import MediaCore
import Testing

@testable import MediaTransport

@Suite struct LoopbackTransportTests {
  @Test func withoutAScriptAUnitIsHandedOverAtOnce() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    let id = try room.stream(from: anna, to: [])
    #expect(try room.send(100, 1, by: anna, on: id) == .noReceiver)
    bert.subscribe(to: id)
    carl.subscribe(to: id)
    #expect(try room.send(100, 2, by: anna, on: id) == .sent)
    #expect(bert.arrivals.entries.map(\.sequence) == [2])
    #expect(carl.arrivals.entries.map(\.sequence) == [2])
    #expect(anna.arrivals.entries.isEmpty)
    bert.transport.unsubscribe(from: id)
    #expect(try room.send(100, 3, by: anna, on: id) == .sent)
    #expect(bert.arrivals.entries.count == 1)
    #expect(carl.arrivals.entries.count == 2)
    anna.transport.unpublish(id)
    #expect(try room.send(100, 4, by: anna, on: id) == .notConnected)
    #expect(anna.transport.stats.bytesSent == 200)
    #expect(carl.transport.stats.bytesReceived == 200)
    #expect(bert.transport.stats.packetsReceived == 1)
    room.close(anna, bert, carl)
  }

  @Test func anOutletFollowsTheRoom() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try room.stream(from: anna, to: [])
    let outlet = anna.transport.outlet(of: id)
    let frame = try VideoFrame.make(TestRoom.format)
    defer { frame.release() }
    #expect(outlet.send(frame, 1) == .noReceiver)
    bert.subscribe(to: id)
    #expect(outlet.send(frame, 2) == .sent)
    #expect(bert.arrivals.entries.map(\.sequence) == [2])
    try room.script([NetworkScript.Step(delay: 40 * millisecond)])
    #expect(outlet.send(frame, 3) == .sent)
    #expect(bert.arrivals.entries.count == 1)
    try room.advance(milliseconds: 40)
    #expect(bert.arrivals.entries.count == 2)
    bert.transport.unsubscribe(from: id)
    #expect(outlet.send(frame, 4) == .noReceiver)
    anna.transport.unpublish(id)
    #expect(outlet.send(frame, 5) == .notConnected)
    room.close(anna, bert)
  }

  @Test func onlyItsPublisherWithdrawsAStream() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try room.stream(from: anna, to: [bert])
    bert.transport.unpublish(id)
    #expect(try room.send(100, 1, by: anna, on: id) == .sent)
    anna.transport.unpublish(id)
    #expect(try room.send(100, 2, by: anna, on: id) == .notConnected)
    room.close(anna, bert)
  }

  @Test func anOutletKeepsNobodyWhoLeft() throws {
    let room = TestRoom()
    let anna = room.peer("anna").connect()
    let id = try room.stream(from: anna, to: [])
    let outlet = anna.transport.outlet(of: id)
    weak var gone: Peer?
    try {
      let bert = room.peer("bert").connect()
      bert.subscribe(to: id)
      let frame = try VideoFrame.make(TestRoom.format)
      defer { frame.release() }
      #expect(outlet.send(frame, 1) == .sent)
      gone = bert
      bert.transport.disconnect()
    }()
    try room.advance(milliseconds: 1)
    #expect(gone == nil)
    room.close(anna)
  }

  @Test func nobodySendsOrReceivesAfterLeaving() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try room.stream(from: anna, to: [bert])
    let before = bert.events.entries
    bert.transport.disconnect()
    #expect(try room.send(100, 1, by: anna, on: id) == .noReceiver)
    anna.transport.disconnect()
    #expect(try room.send(100, 2, by: anna, on: id) == .notConnected)
    try room.advance(milliseconds: 100)
    #expect(bert.arrivals.entries.isEmpty)
    #expect(bert.events.entries == before)
    room.close(anna, bert)
  }

  @Test func delayIsWaitedForToTheNanosecond() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(delay: 40 * millisecond)])
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    // Asking and being answered takes the way twice.
    try room.advance(milliseconds: 79)
    #expect(anna.events.entries.isEmpty)
    try room.advance(milliseconds: 1)
    #expect(anna.events.entries.first == "connected")
    let id = try room.stream(from: anna, to: [bert])
    let start = room.clock.now()
    for picture in 1...3 as ClosedRange<UInt64> {
      #expect(try room.send(100, picture, by: anna, on: id) == .sent)
      try room.advance(milliseconds: 10)
    }
    #expect(bert.arrivals.entries.isEmpty)
    try room.advance(milliseconds: 100)
    #expect(bert.arrivals.entries == (0..<3).map { Peer.Arrival(sequence: $0 + 1, time: start + (Int64($0) * 10 + 40) * millisecond) })
    room.close(anna, bert)
  }

  @Test func bandwidthIsSharedInOrderAndTheQueueIsBounded() throws {
    let room = TestRoom()
    // A unit of 12,500 bytes takes 100 ms.
    try room.script([NetworkScript.Step(bandwidth: 1_000_000, queue: 250 * millisecond)])
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try room.stream(from: anna, to: [bert])
    let start = room.clock.now()
    let results = try (1...5).map { try room.send(12_500, UInt64($0), by: anna, on: id) }
    #expect(results == [.sent, .sent, .sent, .queueFull, .queueFull])
    try room.advance(milliseconds: 1000)
    #expect(bert.arrivals.entries.map { ($0.time - start) / millisecond } == [100, 200, 300])
    #expect(anna.events.entries.contains("estimate 1000000"))
    room.close(anna, bert)
  }

  @Test func whatIsSentIsReceivedOrLost() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(loss: 100_000)], seed: 5)
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try room.stream(from: anna, to: [bert])
    for picture in 1...300 as ClosedRange<UInt64> {
      #expect(try room.send(2400, picture, by: anna, on: id) == .sent)
      try room.advance(milliseconds: 10)
    }
    let (sent, received) = (anna.transport.stats, bert.transport.stats)
    #expect(sent.packetsSent == 600)
    #expect(received.packetsReceived + received.packetsLost == 600)
    #expect((40...80).contains(received.packetsLost))
    #expect(bert.arrivals.entries.count < 300 && bert.arrivals.entries.count > 200)
    #expect(received.bytesReceived == UInt64(bert.arrivals.entries.count) * 2400)
    room.close(anna, bert)
  }

  @Test func whatWasUnderWayWhenTheNetworkWasCutIsLost() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(delay: 50 * millisecond), NetworkScript.Step(at: 1_000 * millisecond, isDisconnected: true)])
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance(milliseconds: 500)
    let id = try room.stream(from: anna, to: [bert])
    try room.advance(milliseconds: 480)
    #expect(try room.send(2400, 1, by: anna, on: id) == .sent)
    try room.advance(milliseconds: 1000)
    #expect(bert.arrivals.entries.isEmpty)
    #expect(bert.transport.stats.packetsReceived + bert.transport.stats.packetsLost == anna.transport.stats.packetsSent)
    room.close(anna, bert)
  }

  @Test func theSameSeedIsTheSameRun() throws {
    func run(_ name: String, seed: UInt64) throws -> [Peer.Arrival] {
      let room = TestRoom(name)
      try room.script(
        [NetworkScript.Step(bandwidth: 2_000_000, delay: 20 * millisecond, jitter: 30 * millisecond, loss: 80_000)], seed: seed)
      let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
      try room.advance(milliseconds: 100)
      let id = try room.stream(from: anna, to: [bert])
      var random = SeededRandom(seed: 3)
      for picture in 1...200 as ClosedRange<UInt64> {
        _ = try room.send(Int.random(in: 100...9000, using: &random), picture, by: anna, on: id)
        try room.advance(milliseconds: 33)
      }
      try room.advance(milliseconds: 1000)
      room.close(anna, bert)
      return bert.arrivals.entries
    }
    let first = try run("seed 1", seed: 11)
    #expect(try run("seed 2", seed: 11) == first)
    #expect(try run("seed 3", seed: 12) != first)
    #expect(first.map(\.sequence) == first.map(\.sequence).sorted())
  }

  @Test func aCutIsAnnouncedAndHeals() throws {
    let room = TestRoom()
    try room.script([
      NetworkScript.Step(), NetworkScript.Step(at: 100 * millisecond, isDisconnected: true), NetworkScript.Step(at: 5_000 * millisecond)
    ])
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try room.stream(from: anna, to: [bert])
    try room.advance(milliseconds: 100)
    #expect(anna.events.entries.last == "reconnecting")
    #expect(bert.events.entries.last == "reconnecting")
    #expect(try room.send(100, 1, by: anna, on: id) == .notConnected)
    try room.advance(milliseconds: 4_899)
    #expect(anna.events.entries.last == "reconnecting")
    try room.advance(milliseconds: 1)
    #expect(anna.events.entries.last == "reconnected")
    #expect(try room.send(100, 2, by: anna, on: id) == .sent)
    try room.advance()
    #expect(bert.arrivals.entries.map(\.sequence) == [2])
    // The first cut's deadline passes, and nothing comes of it.
    try room.advance(milliseconds: 60_000)
    #expect(anna.events.entries.last == "reconnected")
    room.close(anna, bert)
  }

  @Test func thirtySecondsWithoutANetworkAreTheEnd() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(isDisconnected: true)], user: "anna")
    try room.script([NetworkScript.Step(at: 100 * millisecond, isDisconnected: true)], user: "bert")
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try room.advance(milliseconds: 29_999)
    #expect(anna.events.entries.isEmpty)
    #expect(bert.events.entries == ["connected", "joined carl", "reconnecting"])
    try room.advance(milliseconds: 1)
    #expect(anna.events.entries == ["disconnected timeout"])
    try room.advance(milliseconds: 100)
    #expect(bert.events.entries.last == "disconnected timeout")
    #expect(
      carl.events.entries == ["joined bert", "connected", "left bert"] || carl.events.entries == ["connected", "joined bert", "left bert"])
    room.close(anna, bert, carl)
  }

  @Test func whoeverConnectsDuringACutGetsInWhenItHeals() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(isDisconnected: true), NetworkScript.Step(at: 1_000 * millisecond)])
    let anna = room.peer("anna").connect()
    try room.advance(milliseconds: 999)
    #expect(anna.events.entries.isEmpty)
    try room.advance(milliseconds: 1)
    #expect(anna.events.entries == ["connected"])
    room.close(anna)
  }

  @Test func whoeverConnectsDuringACutGetsInWhenTheScriptIsTakenAway() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(isDisconnected: true)])
    let anna = room.peer("anna").connect()
    try room.advance(milliseconds: 1_000)
    #expect(anna.events.entries.isEmpty)
    try room.script([])
    try room.advance(milliseconds: 1_000)
    #expect(anna.events.entries == ["connected"])
    room.close(anna)
  }

  @Test func aUsersScriptGoesBeforeTheRooms() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(bandwidth: 1_000_000)])
    try room.script([NetworkScript.Step(bandwidth: 2_000_000)], user: "bert")
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance()
    #expect(anna.events.entries.contains("estimate 1000000"))
    #expect(bert.events.entries.contains("estimate 2000000"))
    try room.script([], user: "bert")
    try room.advance()
    #expect(bert.events.entries.last == "estimate 1000000")
    try room.script([])
    try room.advance()
    #expect(bert.events.entries.last == "estimate 0")
    room.close(anna, bert)
  }

  @Test func keyFrameRequestsTakeTheWayBack() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(delay: 30 * millisecond)], user: "bert")
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance(milliseconds: 100)
    let id = try room.stream(from: anna, to: [bert])
    let before = anna.events.entries.count
    bert.transport.requestKeyFrame(of: id)
    try room.advance(milliseconds: 29)
    #expect(anna.events.entries.count == before)
    try room.advance(milliseconds: 1)
    #expect(anna.events.entries.last == "key frame" && anna.events.entries.count == before + 1)
    anna.transport.unpublish(id)
    bert.transport.requestKeyFrame(of: id)
    try room.advance(milliseconds: 100)
    #expect(anna.events.entries.count == before + 1)
    room.close(anna, bert)
  }

  @Test func atMost512UnitsAreUnderWayToOneMember() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(delay: 1_000 * millisecond)])
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance(milliseconds: 2_000)
    let id = try room.stream(from: anna, to: [bert])
    for picture in 1...600 as ClosedRange<UInt64> { #expect(try room.send(10, picture, by: anna, on: id) == .sent) }
    try room.advance(milliseconds: 1_000)
    #expect(bert.arrivals.entries.map(\.sequence) == Array(1...512))
    #expect(bert.transport.stats.packetsLost == 88)
    #expect(try room.send(10, 601, by: anna, on: id) == .sent)
    try room.advance(milliseconds: 1_000)
    #expect(bert.arrivals.entries.last?.sequence == 601)
    room.close(anna, bert)
  }

  @Test func unitsUnderWayAreReleasedWhereverTheWayEnds() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(delay: 1_000 * millisecond)])
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance(milliseconds: 2_000)
    let id = try room.stream(from: anna, to: [bert])
    let frame = try VideoFrame.make(TestRoom.format)
    #expect(anna.transport.send(frame, 1, on: id) == .sent)
    #expect(frame.references == 2)
    try room.advance(milliseconds: 1_000)
    #expect(bert.arrivals.entries.count == 1)
    #expect(frame.references == 1)
    #expect(anna.transport.send(frame, 2, on: id) == .sent)
    bert.transport.disconnect()
    try room.advance(milliseconds: 1_000)
    #expect(frame.references == 1)
    // Whoever left receives nothing.
    bert.subscribe(to: id)
    #expect(anna.transport.send(frame, 3, on: id) == .noReceiver)
    let carl = room.peer("carl").connect()
    try room.advance(milliseconds: 2_000)
    carl.subscribe(to: id)
    #expect(anna.transport.send(frame, 4, on: id) == .sent)
    #expect(frame.references == 2)
    // The loop stops with the unit in it.
    room.close(anna, carl)
    #expect(frame.references == 1)
    frame.release()
  }

  /// A member elsewhere takes encoded frames only: raw ones of the same stream pass by.
  @Test func rawFramesReachThoseWhoTakeThem() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try room.advance()
    let id = try room.stream(from: anna, to: [bert])
    carl.transport.subscribe(to: id, .encoded(carl))
    try room.advance()
    let frame = try VideoFrame.make(TestRoom.format)
    #expect(anna.transport.send(frame, 1, on: id) == .sent)
    frame.release()
    #expect(try room.send(10, 2, by: anna, on: id) == .sent)
    #expect(bert.arrivals.entries.map(\.sequence) == [1, 2])
    #expect(carl.arrivals.entries.map(\.sequence) == [2])
    room.close(anna, bert, carl)
  }

  @Test func aMemberThatIsGoneLeavesNoTransportBehind() throws {
    let room = TestRoom()
    weak var weakPeer: Peer?
    weak var weakTransport: LoopbackTransport?
    let bert = room.peer("bert").connect()
    do {
      let anna = room.peer("anna").connect()
      (weakPeer, weakTransport) = (anna, anna.transport)
      _ = try room.stream(from: anna, to: [bert])
      anna.transport.disconnect()
      try room.advance()
    }
    #expect(weakPeer == nil)
    #expect(weakTransport == nil)
    room.close(bert)
  }
}
