import MediaCore
import MediaRuntime
import Testing

@testable import MediaTransport

@Suite struct LoopbackRoomTests {
  @Test func everybodyIsToldOfEverybody() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna"), room.peer("bert"))
    anna.connect()
    try room.advance()
    #expect(anna.events.entries == ["connected"])
    bert.connect()
    try room.advance()
    #expect(anna.events.entries == ["connected", "joined bert"])
    #expect(bert.events.entries == ["connected", "joined anna"])
    bert.transport.disconnect()
    try room.advance()
    #expect(anna.events.entries.last == "left bert")
    #expect(bert.events.entries.count == 2)
    room.close(anna)
  }

  @Test func aTakenUserIdIsRefused() throws {
    let room = TestRoom()
    let (first, second) = (room.peer("anna"), room.peer("anna"))
    first.connect()
    second.connect()
    try room.advance()
    #expect(second.events.entries == ["disconnected exists"])
    #expect(first.events.entries == ["connected"])
    // The refused one leaves nothing behind, and takes nobody along.
    second.transport.disconnect()
    let bert = room.peer("bert").connect()
    try room.advance()
    #expect(bert.events.entries == ["connected", "joined anna"])
    first.transport.disconnect()
    let third = room.peer("anna").connect()
    try room.advance()
    #expect(third.events.entries == ["connected", "joined bert"])
    room.close(bert, third)
  }

  @Test func streamsAreAnnouncedToThoseHereAndThoseToCome() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl"))
    let first = try anna.publish(codec: FourCC.raw)
    let second = try anna.publish(codec: 7)
    try room.advance()
    carl.connect()
    try room.advance()
    #expect(bert.streams.entries.map(\.id) == [first, second])
    #expect(carl.streams.entries.map(\.id) == [first, second])
    #expect(carl.streams.entries.map(\.codec) == [FourCC.raw, 7])
    guard case .video(let format, _) = carl.streams.entries[0].format else { throw MediaError(.format, "no stream of video") }
    #expect(format == TestRoom.format)
    #expect(anna.streams.entries.isEmpty)
    anna.transport.unpublish(first)
    anna.transport.unpublish(first)
    try room.advance()
    #expect(bert.events.entries.filter { $0 == "removed" }.count == 1)
    anna.transport.disconnect()
    try room.advance()
    #expect(bert.events.entries.suffix(2) == ["removed", "left anna"])
    room.close(bert, carl)
  }

  @Test func thePublisherIsToldWhoReceives() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    let id = try room.stream(from: anna, to: [bert])
    #expect(anna.events.entries.suffix(2) == ["receivers 1", "key frame"])
    bert.subscribe(to: id)
    try room.advance()
    #expect(anna.events.entries.filter { $0 == "receivers 1" }.count == 1)
    carl.subscribe(to: id)
    try room.advance()
    #expect(anna.events.entries.suffix(2) == ["receivers 2", "key frame"])
    bert.transport.unsubscribe(from: id)
    bert.transport.unsubscribe(from: id)
    carl.transport.disconnect()
    try room.advance()
    #expect(anna.events.entries.suffix(3) == ["receivers 1", "receivers 0", "left carl"])
    room.close(anna, bert)
  }

  @Test func roomsOfDifferentNamesAndClocksAreApart() throws {
    let (one, other) = (TestRoom("rooms apart 1"), TestRoom("rooms apart 2"))
    let (anna, bert) = (one.peer("anna").connect(), other.peer("anna").connect())
    try one.advance()
    try other.advance()
    #expect(anna.events.entries == ["connected"])
    #expect(bert.events.entries == ["connected"])
    // A virtual clock's room is no other clock's.
    let system = EventLoop("loop", clock: SystemClock())
    let stranger = Peer("stranger", room: one.name, loop: system).connect()
    #expect(stranger.events.wait(for: 1))
    #expect(stranger.events.entries == ["disconnected unsupported"])
    stranger.transport.disconnect()
    system.stop()
    one.close(anna)
    other.close(bert)
  }

  @Test func anEmptyRoomIsForgottenWithItsScript() throws {
    let room = TestRoom()
    try room.script([NetworkScript.Step(bandwidth: 5000)])
    let anna = room.peer("anna").connect()
    try room.advance()
    #expect(anna.events.entries == ["connected", "estimate 5000"])
    room.close(anna)
    // The same name on another clock would be refused, if the room were still there.
    let next = TestRoom(room.name)
    let other = EventLoop("loop", clock: next.clock)
    let bert = Peer("bert", room: room.name, loop: other).connect()
    try next.advance()
    #expect(bert.events.entries == ["connected"])
    bert.transport.disconnect()
    other.stop()
    next.loop.stop()
  }

  @Test func nothingCanBePublishedOutside() throws {
    let room = TestRoom()
    let anna = room.peer("anna")
    #expect(failure { _ = try anna.publish(codec: FourCC.raw) }?.status == .state)
    anna.connect()
    try room.advance()
    anna.transport.disconnect()
    #expect(failure { _ = try anna.publish(codec: FourCC.raw) }?.status == .state)
    room.close(anna)
  }
}
