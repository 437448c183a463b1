import MediaCore
import Testing

@testable import MediaSCTP

/// What an other end can take.
@Suite struct BoundsTests {
  @Test func moreChannelsThanMayBeAreClosed() throws {
    let peer = try HostilePeer()
    for stream in 0..<512 {
      peer.data(HostilePeer.open, stream: stream * 2, kind: 50)
      if stream % 64 == 0 { peer.wait(0.1) }
    }
    peer.wait(1)
    #expect(peer.talk.opened(1).count == 256)
    #expect(peer.talk.server.channels.count == 256)
    #expect(peer.talk.server.counts.channelsRefused == 256)
    #expect(peer.talk.error(of: 1) == nil)
  }

  @Test func streamsThatWereNotAgreedOnAreNone() throws {
    let peer = try HostilePeer()
    for stream in stride(from: 1024, to: 65_536, by: 2) {
      peer.data(HostilePeer.open, stream: stream, kind: 50)
      if stream % 512 == 0 { peer.wait(0.01) }
    }
    peer.wait(1)
    #expect(peer.talk.opened(1).isEmpty && peer.talk.server.channels.isEmpty)
    #expect(peer.talk.server.resetting.isEmpty)
  }

  @Test func aStreamOfThisEndIsRefused() throws {
    let peer = try HostilePeer()
    peer.data(HostilePeer.open, stream: 1, kind: 50)
    peer.data(HostilePeer.open, stream: 2, kind: 50)
    peer.data(HostilePeer.open, stream: 2, sequence: 1, kind: 50)
    peer.wait(1)
    #expect(peer.talk.opened(1).map(\.stream) == [2])
    #expect(peer.talk.server.counts.channelsRefused == 2)
  }

  @Test func messagesForNoChannelAreIgnored() throws {
    let peer = try HostilePeer()
    peer.data([1], stream: 0)
    peer.data([2], stream: 0, sequence: 1, kind: 50)
    peer.data([9], stream: 4, kind: 50)
    peer.data(HostilePeer.open, stream: 2, kind: 50)
    for (sequence, kind) in [0, 52, 54, 99, 0xffff_ffff].enumerated() {
      peer.data([1], stream: 2, sequence: sequence + 1, kind: UInt32(kind))
    }
    peer.data([7], stream: 2, sequence: 6, kind: 53)
    peer.wait(1)
    #expect(peer.talk.messages(1) == [[7]])
    #expect(peer.talk.server.counts.messagesIgnored == 8)
  }

  @Test func aMessageLongerThanAnnouncedClosesItsChannel() throws {
    var small = DataChannelSettings()
    small.mostBytes = 5000
    let peer = try HostilePeer(server: small)
    peer.data(HostilePeer.open, stream: 0, kind: 50)
    peer.data(HostilePeer.open, stream: 2, kind: 50)
    peer.wait(1)
    for part in 0..<6 { peer.data([UInt8](repeating: 1, count: 1000), stream: 0, sequence: 1, flags: part == 0 ? 2 : part == 5 ? 1 : 0) }
    peer.data([2], stream: 2, sequence: 1)
    peer.wait(1)
    #expect(peer.talk.messages(1) == [[2]])
    #expect(peer.talk.server.channels.values.filter { $0.error?.status == .limit }.map(\.info.stream) == [0])
    #expect(peer.talk.error(of: 1) == nil)
  }

  @Test func whatIsNotTakenStopsTheOtherEnd() throws {
    let talk = try DataTalk()
    let (id, theirs) = try talk.channel()
    talk.takes[1] = false
    var sent = 0
    for _ in 0..<100 {
      while (try? talk.client.send(DataTalk.message(sent, size: 10_000), isText: false, on: id, now: talk.now)) != nil { sent += 1 }
      talk.run(for: DataTalk.second)
    }
    // Each end keeps a megabyte, and the events one more.
    #expect((200...420).contains(sent))
    talk.client.close(id, now: talk.now)
    talk.run(for: 300 * DataTalk.second)
    #expect(talk.error(of: 0) == nil)
    talk.takes[1] = true
    talk.run(for: 60 * DataTalk.second)
    #expect(talk.messages(1) == (0..<sent).map { DataTalk.message($0, size: 10_000) })
    #expect(talk.closed(1) == [theirs] && talk.closed(0) == [id])
  }

  @Test func takingGoesOnWithWhatTheLibraryHas() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    talk.takes[1] = false
    for number in 0..<1000 { try talk.client.send([UInt8(number & 255)], isText: false, on: id, now: talk.now) }
    talk.run(for: 10 * DataTalk.second)
    var taken = 0
    while let event = talk.server.takeEvent() {
      if case .message(_, let bytes, _) = event {
        #expect(bytes == [UInt8(taken & 255)])
        taken += 1
      }
    }
    #expect(taken == 1000)
  }

  @Test func manySmallMessagesThatAreNotTakenStopTheOtherEnd() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    talk.takes[1] = false
    var sent = 0
    for _ in 0..<60 {
      while (try? talk.client.send([UInt8(sent & 255)], isText: false, on: id, now: talk.now)) != nil { sent += 1 }
      talk.run(for: DataTalk.second)
    }
    #expect(sent < 30_000)
    talk.takes[1] = true
    talk.run(for: 120 * DataTalk.second)
    #expect(talk.messages(1) == (0..<sent).map { [UInt8($0 & 255)] })
  }

  @Test func beginningsAreCounted() throws {
    let talk = try DataTalk()
    talk.run(for: 1)
    let begin = try #require(talk.sent[0].first)
    var answers = 0
    for _ in 0..<1000 {
      talk.give(begin, to: 1)
      while talk.server.takePacket() != nil { answers += 1 }
    }
    #expect(answers <= 65)
    talk.run(for: 60 * DataTalk.second)
  }

  @Test func anAssociationThatIsUpIsNotBegunAgain() throws {
    let talk = try DataTalk()
    let (id, _) = try talk.channel()
    let begin = talk.sent[0][0]
    for place in 0..<4 {
      var other = begin
      other[16 + place] ^= 0x55
      talk.give(DamageTests.signed(other), to: 1)
    }
    #expect(talk.server.takePacket() == nil)
    #expect(talk.server.counts.packetsDropped == 4)
    try talk.client.send([1], isText: false, on: id, now: talk.now)
    talk.run(for: DataTalk.second)
    #expect(talk.messages(1) == [[1]])
  }

  @Test func resetsOfEverythingAreBounded() throws {
    let peer = try HostilePeer()
    // Outgoing resets of all streams, of some twice, and of streams that are none; more streams; a new association.
    var request: UInt32 = peer.number
    for round in 0..<2000 {
      peer.data(HostilePeer.open, stream: round * 2 % 1024, sequence: 0, kind: 50)
      let last = HostilePeer.u32(peer.number &- 1)
      let streams = (0..<round % 20).flatMap { HostilePeer.u16((round + $0) * 2 % 65_536) }
      let body = HostilePeer.u16(13) + HostilePeer.u16(16 + streams.count) + HostilePeer.u32(request) + HostilePeer.u32(0) + last + streams
      peer.send(HostilePeer.chunk(130, 0, body))
      peer.send(
        HostilePeer.chunk(
          130, 0, HostilePeer.u16(17) + HostilePeer.u16(12) + HostilePeer.u32(request &+ 1) + HostilePeer.u16(60_000) + [0, 0]))
      request &+= 1
      if round % 50 == 0 { peer.wait(0.5) }
    }
    peer.wait(10)
    #expect(peer.talk.server.channels.count <= 256 && peer.talk.server.resetting.count <= 1024)
  }
}
