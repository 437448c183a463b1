import MediaCore
import MediaRuntime
import Testing

@testable import MediaTransport

@Suite struct LoopbackTransportDataTests {
  private func message(_ text: String, topic: String = "", isLossy: Bool = false, to recipients: [String] = []) -> DataMessage {
    var message = DataMessage(Array(text.utf8))
    (message.topic, message.isLossy, message.recipients) = (topic, isLossy, recipients)
    return message
  }

  private func status(_ body: () throws -> Void) -> Status? {
    do {
      try body()
      return nil
    } catch {
      return (error as? MediaError)?.status
    }
  }

  @Test func itReachesEverybodyElseOrItsRecipientsInOrder() throws {
    let room = TestRoom()
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try room.advance()
    try anna.transport.send(message("1", topic: "chat"))
    try anna.transport.send(message("2", isLossy: true))
    try anna.transport.send(message("3", to: ["carl", "nobody"]))
    try anna.transport.send(message("", to: ["bert"]))
    try room.advance()
    #expect(bert.data.entries == ["anna: 1 chat", "anna: 2  lossy", "anna:  "])
    #expect(carl.data.entries == ["anna: 1 chat", "anna: 2  lossy", "anna: 3 "])
    #expect(anna.data.entries.isEmpty)
    try bert.transport.send(message("4"), except: [ObjectIdentifier(carl.transport)])
    try room.advance()
    #expect(anna.data.entries == ["bert: 4 "] && carl.data.entries.count == 3)
    room.close(anna, bert, carl)
  }

  @Test func whatIsNotPermittedIsRefused() throws {
    let room = TestRoom()
    var access = RoomAccess()
    access.permissions = Permissions.ordinary.subtracting(.sendData)
    try LoopbackTransport.setAccess(access, room: room.name, clock: room.clock)
    let anna = room.peer("anna")
    #expect(status { try anna.transport.send(message("1")) } == .state)
    anna.connect()
    try room.advance()
    #expect(status { try anna.transport.send(message("1")) } == .permission)
    anna.transport.disconnect()
    #expect(status { try anna.transport.send(message("1")) } == .state)
    try LoopbackTransport.setAccess(nil, room: room.name, clock: room.clock)
    room.close(anna)
  }

  @Test(arguments: [0, 4_096]) func whoSendsTooMuchIsRefusedUntilThereIsRoom(_ size: Int) throws {
    let room = TestRoom("much of \(size)")
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance()
    let one = DataMessage(Array(repeating: 1, count: size))
    let most = size == 0 ? DataFlow.mostMessages : DataFlow.mostBytes / size
    for _ in 0..<most {
      try anna.transport.send(one)
    }
    #expect(status { try anna.transport.send(one) } == .again && !anna.transport.hasRoomForData)
    // What may be lost is.
    var lossy = one
    lossy.isLossy = true
    try anna.transport.send(lossy)
    #expect(bert.transport.hasRoomForData)
    try room.advance()
    #expect(bert.data.entries.count == most && anna.events.entries.last == "data writable")
    #expect(anna.events.entries.count { $0 == "data writable" } == 1 && anna.transport.hasRoomForData)
    try anna.transport.send(one)
    try room.advance()
    #expect(bert.data.entries.count == most + 1)
    room.close(anna, bert)
  }

  /// Whose loop has stopped gets nothing, and holds nobody up.
  @Test func aReceiverWhoEndsGivesRoom() throws {
    let room = TestRoom()
    let anna = room.peer("anna").connect()
    let other = EventLoop("other", clock: room.clock)
    let bert = Peer("bert", room: room.name, loop: other).connect()
    try room.advance()
    for _ in 0..<DataFlow.mostMessages { try anna.transport.send(message("1")) }
    #expect(status { try anna.transport.send(message("1")) } == .again)
    other.stop()
    try room.advance()
    #expect(anna.events.entries.last == "data writable")
    try anna.transport.send(message("1"))
    #expect(bert.data.entries.isEmpty)
    room.close(anna, bert)
  }

  // MARK: Under a script

  @Test func aScriptDelaysAndLosesIt() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance()
    try room.script([.init(at: 0, delay: 100_000_000, loss: 300_000)])
    for number in 0..<200 {
      try anna.transport.send(message("\(number)"))
      try anna.transport.send(message("\(number)", isLossy: true))
    }
    try room.advance(milliseconds: 99)
    #expect(bert.data.entries.isEmpty)
    try room.advance(milliseconds: 10_000)
    let (reliable, lossy) = (bert.data.entries.filter { !$0.hasSuffix("lossy") }, bert.data.entries.count { $0.hasSuffix("lossy") })
    #expect(reliable == (0..<200).map { "anna: \($0) " })
    #expect((100..<180).contains(lossy), "\(lossy)")
    room.close(anna, bert)
  }

  @Test func aNarrowLinkRefusesAndSaysWhenThereIsRoom() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance()
    try room.script([.init(at: 0, bandwidth: 100_000)])
    try room.advance()
    let one = DataMessage(Array(repeating: 1, count: 10_000))
    var sent = 0
    while status({ try anna.transport.send(one) }) == nil { sent += 1 }
    #expect((1...20).contains(sent), "\(sent)")
    let rounds = 10
    for _ in 0..<rounds {
      let before = anna.events.entries.count { $0 == "data writable" }
      while anna.events.entries.count(where: { $0 == "data writable" }) == before { try room.advance(milliseconds: 10) }
      while status({ try anna.transport.send(one) }) == nil { sent += 1 }
    }
    #expect(sent > rounds)
    try room.advance(milliseconds: 60_000)
    #expect(bert.data.entries.count == sent)
    room.close(anna, bert)
  }

  @Test func whileTheNetworkIsDownItWaits() throws {
    let room = TestRoom()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try room.advance()
    try room.script([.init(at: 0), .init(at: 1_000_000_000, isDisconnected: true), .init(at: 2_000_000_000)], user: "anna")
    try room.advance(milliseconds: 1_500)
    #expect(anna.events.entries.last == "reconnecting")
    #expect(status { try anna.transport.send(message("1")) } == .again)
    try anna.transport.send(message("2", isLossy: true))
    try room.advance(milliseconds: 1_000)
    #expect(anna.events.entries.suffix(2) == ["reconnected", "data writable"])
    try anna.transport.send(message("3"))
    try room.advance(milliseconds: 100)
    #expect(bert.data.entries == ["anna: 3 "])
    room.close(anna, bert)
  }
}
