import MediaCore
import Testing

@testable import MediaSCTP

@Suite struct DataChannelsTests {
  @Test func bothEndsBeginAndAreUp() throws {
    let talk = try DataTalk()
    talk.run(for: DataTalk.second)
    #expect(talk.events[0] == [.up(streams: 1024)])
    #expect(talk.events[1] == [.up(streams: 1024)])
  }

  @Test func aChannelOfTheClientIsOpened() throws {
    let talk = try DataTalk()
    let id = try talk.client.open(
      label: "chat", protocol: "proto", isOrdered: false, reliability: .retransmissions(3), priority: 512, now: talk.now)
    talk.run(for: DataTalk.second)
    let info = try #require(talk.opened(1).first)
    #expect(info.stream == 0 && info.label == Array("chat".utf8) && info.protocol == Array("proto".utf8))
    #expect(!info.isOrdered && info.reliability == .retransmissions(3) && info.priority == 512 && info.isIncoming && !info.isNegotiated)
    #expect(talk.opened(0).map(\.id) == [id])
  }

  @Test func aChannelOfTheServerHasAnOddStream() throws {
    let talk = try DataTalk()
    _ = try talk.server.open(label: "a", now: talk.now)
    _ = try talk.server.open(label: "b", now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.opened(0).map(\.stream) == [1, 3])
  }

  @Test func messagesOfAllKindsArrive() throws {
    let talk = try DataTalk()
    let (id, theirs) = try talk.channel()
    try talk.client.send(Array("hello".utf8), isText: true, on: id, now: talk.now)
    try talk.client.send([1, 2, 3], isText: false, on: id, now: talk.now)
    try talk.client.send([], isText: true, on: id, now: talk.now)
    try talk.client.send([], isText: false, on: id, now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(
      talk.events[1].suffix(4) == [
        .message(theirs, Array("hello".utf8), isText: true), .message(theirs, [1, 2, 3], isText: false), .message(theirs, [], isText: true),
        .message(theirs, [], isText: false)
      ])
    try talk.server.send([9], isText: false, on: theirs, now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.events[0].last == .message(id, [9], isText: false))
  }

  @Test func messagesMayBeSentBeforeTheOtherEndKnows() throws {
    let talk = try DataTalk()
    let id = try talk.client.open(label: "early", isOrdered: false, now: talk.now)
    for number in 0..<20 { try talk.client.send([UInt8(number)], isText: false, on: id, now: talk.now) }
    talk.run(for: DataTalk.second)
    #expect(talk.messages(1) == (0..<20).map { [UInt8($0)] })
  }

  @Test func anEndThatIsGoneIsReported() throws {
    let talk = try DataTalk()
    let (id, theirs) = try talk.channel()
    talk.client.close(now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.error(of: 1)?.status == .io)
    #expect(talk.closed(1) == [theirs])
    #expect(throws: MediaError.self) { try talk.client.send([1], isText: false, on: id, now: talk.now) }
    #expect(talk.client.nextDeadline == .max)
  }

  @Test func nothingIsReportedAfterTheEnd() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    talk.takes = [false, false]
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    talk.client.close(now: talk.now)
    talk.run(for: DataTalk.second)
    // One has ended it, and one has lost it.
    talk.server.close(now: talk.now)
    #expect(talk.client.takeEvent() == nil && talk.server.takeEvent() == nil)
    talk.client.poll(now: talk.now + DataTalk.second)
    talk.server.poll(now: talk.now + DataTalk.second)
    #expect(talk.client.takeEvent() == nil && talk.server.takeEvent() == nil)
    talk.client.close(id, now: talk.now)
    #expect(throws: MediaError.self) { try talk.server.open(label: "a", now: talk.now) }
  }

  @Test func anEndThatIsReleasedIsReported() throws {
    let talk = try DataTalk()
    _ = try talk.channel()
    talk.remove(0)
    talk.run(for: 200 * DataTalk.second)
    #expect(talk.error(of: 1)?.status == .timeout)
  }

  @Test func noPacketIsLongerThanAsked() throws {
    for size in [576, 1160, 1163] {
      var settings = DataChannelSettings()
      settings.packetSize = size
      let talk = try DataTalk(client: settings, server: settings)
      let (id, _) = try talk.channel()
      try talk.client.send(DataTalk.message(1, size: 100_000), isText: false, on: id, now: talk.now)
      talk.run(for: 5 * DataTalk.second)
      #expect(talk.messages(1).map(\.count) == [100_000])
      #expect(talk.sent.joined().allSatisfy { $0.count <= size })
      #expect(talk.sent[0].contains { $0.count > size - 4 })
    }
  }

  @Test func settingsOutOfRangeAreRefused() throws {
    let changes: [(inout DataChannelSettings) -> Void] = [
      { $0.ownPort = 0 }, { $0.mostBytes = 1023 }, { $0.mostBytes = 16_777_217 }, { $0.mostBufferedBytes = 65_535 },
      { $0.mostBufferedBytes = 67_108_865 }, { $0.streams = 1 }, { $0.streams = 65_536 }, { $0.mostChannels = 0 },
      { $0.mostChannels = 65_536 }, { $0.packetSize = 575 }, { $0.packetSize = 1164 }
    ]
    for change in changes {
      var settings = DataChannelSettings()
      change(&settings)
      let error = #expect(throws: MediaError.self) { try DataTalk(client: settings) }
      #expect(error?.status == .range)
    }
  }

  @Test func theSameSeedGivesTheSamePackets() throws {
    func packets(_ seed: UInt64) throws -> [[[UInt8]]] {
      let talk = try DataTalk(seed: seed)
      talk.lost = 10
      talk.jitter = 20_000_000
      let (id, _) = try talk.channel()
      for number in 0..<50 { try talk.client.send(DataTalk.message(number, size: 3000), isText: false, on: id, now: talk.now) }
      talk.run(for: 30 * DataTalk.second)
      // Cookies and heartbeats have the number of the association in the process, and so have another checksum.
      return talk.sent.map { $0.map { DataTalk.kinds($0).isDisjoint(with: [2, 4, 5, 10]) ? $0 : [$0[12]] } }
    }
    #expect(try packets(7) == packets(7))
    #expect(try packets(7)[0][0] != packets(8)[0][0])
  }
}
