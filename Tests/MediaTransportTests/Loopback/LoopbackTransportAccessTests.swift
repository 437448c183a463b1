import MediaCore
import Testing

@testable import MediaTransport

/// Answers when it is told to, or at once what it is told to.
private final class Clerk: AccessVerifier {
  let requests = Journal<AccessRequest>()
  let cancelled = Journal<AccessRequest>()
  let answer: AccessRequest.Answer?

  init(_ answer: AccessRequest.Answer? = nil) { self.answer = answer }

  func verify(_ request: AccessRequest) {
    requests.add(request)
    if let answer { request.answer(answer) }
  }

  func cancel(_ request: AccessRequest) { cancelled.add(request) }
  func close() {}
}

@Suite struct LoopbackTransportAccessTests {
  private func open(_ room: TestRoom, _ clerk: Clerk) throws {
    var access = RoomAccess()
    access.verifier = clerk
    try LoopbackTransport.setAccess(access, room: room.name, clock: room.clock)
  }

  @Test func accessEndsAfterItsLifetime() throws {
    let room = TestRoom()
    try open(room, Clerk(.success(AccessGrant(.ordinary, lifetime: 90_000_000_000))))
    let anna = room.peer("anna").connect()
    try room.advance(milliseconds: 59_999)
    #expect(anna.events.entries == ["connected"])
    try room.advance(milliseconds: 1)
    #expect(anna.events.entries == ["connected", "expires in 30000 ms"])
    try room.advance(milliseconds: 29_999)
    #expect(anna.events.entries.count == 2)
    try room.advance(milliseconds: 1)
    #expect(anna.events.entries.last == "disconnected permission")
    room.close(anna)
  }

  @Test func renewalsReplaceWhatWasGranted() throws {
    let room = TestRoom()
    let clerk = Clerk()
    try open(room, clerk)
    let anna = room.peer("anna", token: "one").connect()
    try #require(clerk.requests.entries.last).answer(.success(AccessGrant(.ordinary, lifetime: 10_000_000_000)))
    try room.advance()
    anna.transport.renew(AccessToken("two"))
    try room.advance()
    let request = try #require(clerk.requests.entries.last)
    #expect(request.isRenewal && request.token.value == "two" && request.permissions == .ordinary)
    #expect(anna.events.entries == ["connected"])
    request.answer(.failure(.refused(request, "no")))
    try room.advance()
    #expect(anna.events.entries == ["connected", "renewed: permission"])
    anna.transport.renew(AccessToken("three"))
    try room.advance(milliseconds: 4000)
    try #require(clerk.requests.entries.last).answer(.success(AccessGrant([.receive])))
    try room.advance(milliseconds: 100_000)
    #expect(anna.events.entries == ["connected", "renewed: permission", "permissions of anna 8", "renewed"])
    room.close(anna)
  }

  @Test func theLastTokenIsAnswered() throws {
    let room = TestRoom()
    let (clerk, other) = (Clerk(), Clerk())
    try open(room, clerk)
    let anna = room.peer("anna").connect()
    try #require(clerk.requests.entries.last).answer(.success(AccessGrant(.ordinary)))
    try room.advance()
    for number in 0..<5 {
      anna.transport.renew(AccessToken("\(number)"))
      try room.advance()
    }
    #expect(clerk.cancelled.entries.map(\.token.value) == ["0", "1", "2", "3"])
    try open(room, other)
    try room.advance()
    #expect(other.requests.entries.map(\.token.value) == ["4"] && other.requests.entries[0].isRenewal)
    for request in clerk.requests.entries { request.answer(.success(AccessGrant([]))) }
    try room.advance()
    #expect(anna.events.entries == ["connected"])
    anna.transport.disconnect()
    #expect(other.cancelled.entries.count == 1)
    other.requests.entries[0].answer(.success(AccessGrant([])))
    try room.advance()
    #expect(anna.events.entries == ["connected"])
    room.close(anna)
  }

  @Test func streamsThatAreNotPermittedEnd() throws {
    let room = TestRoom()
    let clerk = Clerk()
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    try open(room, clerk)
    let own = try room.stream(from: anna, to: [bert])
    let other = try room.stream(from: bert, to: [anna])
    anna.transport.renew(AccessToken(""))
    try room.advance()
    try #require(clerk.requests.entries.last).answer(.success(AccessGrant([.publishAudio])))
    try room.advance()
    #expect(bert.events.entries.suffix(3) == ["removed", "receivers 0", "permissions of anna 2"])
    #expect(anna.events.entries.suffix(2) == ["permissions of anna 2", "renewed"])
    #expect(try room.send(100, 1, by: anna, on: own) == .notConnected)
    #expect(try room.send(100, 1, by: bert, on: other) == .noReceiver)
    anna.subscribe(to: other)
    try room.advance()
    #expect(try room.send(100, 2, by: bert, on: other) == .noReceiver)
    #expect(failure { _ = try anna.publish(codec: 0) }?.status == .permission)
    room.close(anna, bert)
  }

  @Test func theTimeGoesOnWhileTheNetworkIsDown() throws {
    let room = TestRoom()
    try open(room, Clerk(.success(AccessGrant(.ordinary, lifetime: 20_000_000_000))))
    let anna = room.peer("anna").connect()
    try room.advance()
    try room.script([.init(at: 0, isDisconnected: true), .init(at: 9_000_000_000)])
    try room.advance(milliseconds: 15_000)
    #expect(
      anna.events.entries
        == ["connected", "network", "reconnecting", "reconnected", "network", "expires in 10000 ms"].filter(anna.events.entries.contains))
    #expect(anna.events.entries.contains("reconnected"))
    try room.advance(milliseconds: 5000)
    #expect(anna.events.entries.last == "disconnected permission")
    room.close(anna)
  }

  /// Whoever leaves is held by the loop for a minute at most.
  @Test func whoLeftIsForgotten() throws {
    let room = TestRoom()
    try open(room, Clerk(.success(AccessGrant(.ordinary, lifetime: AccessGrant.lifetimes.upperBound))))
    weak var transport: LoopbackTransport?
    do {
      let anna = room.peer("anna").connect()
      try room.advance()
      transport = anna.transport
      anna.transport.disconnect()
    }
    try room.advance(milliseconds: 61_000)
    #expect(transport == nil)
  }
}
