import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct SessionTests {
  @Test func connectingIsToldInOrder() throws {
    let call = try Call()
    #expect(call.anna.state == .idle)
    try call.anna.connect()
    #expect(call.anna.state == .connecting)
    try call.bert.connect()
    try call.advance()
    #expect(call.anna.state == .connected)
    #expect(call.events(call.anna) == ["connecting", "connected", "joined bert (Bert B.)"])
    #expect(call.events(call.bert) == ["connecting", "connected", "joined anna (anna)"])
    #expect(failure { try call.anna.connect() }?.status == .state)
    call.bert.disconnect()
    try call.advance()
    #expect(call.events(call.bert) == ["disconnecting", "disconnected"])
    #expect(call.events(call.anna) == ["left bert"])
    call.bert.disconnect()
    #expect(call.events(call.bert).isEmpty)
  }

  @Test func whoeverLeftMayComeBack() throws {
    let call = try Call().connect()
    call.bert.disconnect()
    try call.bert.connect()
    try call.advance()
    #expect(call.events(call.bert) == ["disconnecting", "disconnected", "connecting", "connected", "joined anna (anna)"])
    #expect(call.events(call.anna) == ["left bert", "joined bert (Bert B.)"])
  }

  @Test func participantsAreOneselfFirst() throws {
    let call = try Call()
    #expect(call.anna.participants.isEmpty)
    _ = try call.connect()
    #expect(call.bert.participants.map(\.member.userID) == ["bert", "anna"])
    #expect(call.bert.participants.map(\.isLocal) == [true, false])
    #expect(call.bert.participants.map(\.member.displayName) == ["Bert B.", "anna"])
    _ = try call.stream(Make.raw())
    #expect(call.bert.participants.map(\.videoStreamCount) == [0, 1])
    #expect(call.anna.participants.map(\.videoStreamCount) == [1, 0])
    call.anna.disconnect()
    #expect(call.anna.participants.isEmpty)
    try call.advance()
    #expect(call.bert.participants.map(\.member.userID) == ["bert"])
  }

  @Test func aTakenUserIdDisconnectsWithTheReason() throws {
    let call = try Call().connect()
    let second = try call.engine.makeSession(SessionOptions(url: call.room, userID: "anna"))
    try second.connect()
    try call.advance()
    #expect(call.events(second) == ["connecting", "disconnected exists"])
    #expect(second.state == .disconnected)
    #expect(call.anna.state == .connected)
  }

  @Test func badOptionsAreRefusedInWords() throws {
    let call = try Call()
    func status(_ change: (inout SessionOptions) -> Void) -> Status? {
      var options = SessionOptions(url: call.room, userID: "x")
      change(&options)
      return failure { _ = try call.engine.makeSession(options) }?.status
    }
    #expect(status { _ in } == nil)
    #expect(status { $0.url = "https://x" } == .unsupported)
    #expect(status { $0.userID = "" } == .invalid)
    #expect(status { $0.userID = String(repeating: "x", count: 256) } == .invalid)
    #expect(status { $0.displayName = "" } == .invalid)
    #expect(status { $0.eventCapacity = 15 } == .range)
    #expect(status { $0.eventCapacity = 65_537 } == .range)
    #expect(status { $0.eventCapacity = 16 } == nil)
  }

  @Test func aCutHealsAndTheStreamsGoOn() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    try call.script(NetworkScript.Step(isDisconnected: true), NetworkScript.Step(at: 5 * second))
    try call.advance()
    #expect(call.anna.state == .reconnecting)
    try sender.sendPicture(1)
    #expect(try outgoing.readReport(deadline: 0).reason == .notConnected)
    try call.advance(5 * second)
    #expect(call.anna.state == .connected && call.bert.state == .connected)
    try sender.sendPicture(2)
    try call.advance()
    #expect(try outgoing.readReport(deadline: 0).outcome == .sent)
    let frame = try incoming.read(deadline: 0)
    #expect(frame.shade == 2)
    frame.release()
    #expect(call.events(call.anna).suffix(2) == ["reconnecting", "connected"])
  }

  @Test func aCutThatDoesNotHealEndsTheSession() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    _ = (call.events(call.anna), call.events(call.bert))
    try call.script(NetworkScript.Step(isDisconnected: true), user: "anna")
    try call.advance(29 * second)
    #expect(call.anna.state == .reconnecting)
    try call.advance(second)
    #expect(call.events(call.anna) == ["reconnecting", "outgoing stopped", "disconnected timeout"])
    #expect(outgoing.state == .stopped)
    #expect(call.events(call.bert) == ["incoming notAvailable", "removed, notAvailable", "left anna"])
    #expect(incoming.state == .notAvailable)
    try call.script(user: "anna")
    try call.anna.connect()
    try call.advance()
    #expect(call.anna.state == .connected)
  }

  @Test func estimatesAreEventsAndStats() throws {
    let call = try Call()
    try call.script(NetworkScript.Step(bandwidth: 700_000), NetworkScript.Step(at: second, bandwidth: 300_000))
    try call.anna.connect()
    try call.advance()
    #expect(call.events(call.anna) == ["connecting", "connected", "estimate 700000"])
    try call.advance(second)
    #expect(call.events(call.anna) == ["estimate 300000"])
    #expect(call.anna.stats.availableOutgoingBitrate == 300_000)
    call.anna.disconnect()
    #expect(call.anna.stats.availableOutgoingBitrate == 0)
  }

  @Test func aDestroyedSessionDoesNothing() throws {
    let call = try Call().connect()
    call.anna.close()
    call.anna.close()
    #expect(failure { try call.anna.connect() }?.status == .closed)
    let stream = try call.engine.makeOutgoingVideo(Make.raw())
    #expect(failure { try call.anna.start(stream) }?.status == .closed)
    #expect(failure { _ = try call.anna.nextEvent(deadline: .max) }?.status == .closed)
    #expect(call.anna.state == .disconnected)
    try call.advance()
    #expect(call.events(call.bert) == ["left anna"])
  }

  @Test func aSessionMayBeClosedInsideItsOwnCallback() throws {
    let call = try Call()
    let seen = Journal<String>()
    let anna = call.anna
    anna.setEventCallback { [unowned anna] event in
      seen.add(Call.describe(event.event))
      anna.close()
    }
    try anna.connect()
    try call.advance()
    #expect(seen.entries == ["connecting"])
    #expect(call.engine.stats.sessions == 1)
  }

  @Test func statsCountWhatPassed() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.raw())
    let sender = try outgoing.currentSender()
    for _ in 0..<3 { try sender.sendPicture() }
    let bytes = UInt64(3 * (320 * 180 * 3 / 2))
    #expect(call.anna.stats.transport.bytesSent == bytes)
    #expect(call.bert.stats.transport.bytesReceived == bytes)
    #expect(call.bert.stats.participants == 2)
    #expect(call.anna.stats.eventsQueued > 0 && call.anna.stats.eventsDropped == 0)
  }
}
