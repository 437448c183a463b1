import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// Writes down who asks, and answers when it is told to.
private final class Doorman: AccessVerifier {
  let requests = Journal<AccessRequest>()
  let cancelled = Journal<AccessRequest>()
  let closed = Journal<Bool>()

  func verify(_ request: AccessRequest) { requests.add(request) }
  func cancel(_ request: AccessRequest) { cancelled.add(request) }
  func close() { closed.add(true) }

  var last: AccessRequest? { requests.entries.last }
}

@Suite struct AccessTests {
  private func open(_ room: TestRoom, _ change: (inout RoomAccess) -> Void) throws {
    var access = RoomAccess()
    change(&access)
    try LoopbackTransport.setAccess(access, room: room.name, clock: room.clock)
  }

  @Test func aTokenDoesNotPrintItself() {
    let token = AccessToken("very secret")
    #expect(!"\(token)".contains("secret"))
    #expect(!String(reflecting: token).contains("secret"))
    #expect(!String(describing: [token]).contains("secret"))
    var text = ""
    dump(token, to: &text)
    #expect(!text.contains("secret"))
  }

  @Test func permissionsAreThoseOfTheHeader() throws {
    func read(_ bits: UInt32) throws -> Permissions { try Permissions(foreign: bits, default: .receive, argument: "it") }
    #expect(try read(63) == .all)
    #expect(try read(0) == .receive)
    #expect(try read(UInt32(MSDK_MAY_NOTHING)) == [])
    #expect(Permissions.all.foreign == 63 && Permissions([]).foreign == UInt32(MSDK_MAY_NOTHING))
    #expect(Permissions.ordinary == Permissions.all.subtracting(.moderate))
    for bits in [64, 128, UInt32(MSDK_MAY_NOTHING) + 1, .max] as [UInt32] {
      #expect(failure { _ = try Permissions(foreign: bits, default: .all, argument: "it") }?.text.contains("it is \(bits)") == true)
    }
  }

  @Test func theFirstAnswerCounts() throws {
    let room = TestRoom()
    let door = Doorman()
    try open(room) { $0.verifier = door }
    let anna = room.peer("anna", token: "hers").connect()
    try room.advance()
    #expect(anna.events.entries.isEmpty)
    let request = try #require(door.last)
    #expect((request.room, request.member.userID, request.token.value) == (room.name, "anna", "hers"))
    #expect(request.permissions == .ordinary)
    request.answer(.success(AccessGrant([.receive])))
    request.answer(.failure(MediaError(.permission, "too late")))
    try room.advance()
    #expect(anna.events.entries == ["connected"])
    #expect(anna.permissions.entries == [[.receive]])
    #expect(!request.isWanted)
    room.close(anna)
    #expect(door.closed.entries == [true])
  }

  @Test func whoIsRefusedMayTryAgain() throws {
    let room = TestRoom()
    let door = Doorman()
    try open(room) { $0.verifier = door }
    let anna = room.peer("anna").connect()
    try #require(door.last).answer(.failure(MediaError(.permission, "no")))
    try room.advance()
    #expect(anna.events.entries == ["disconnected permission"])
    anna.transport.disconnect()
    let again = room.peer("anna").connect()
    try #require(door.last).answer(.success(AccessGrant(.all)))
    try room.advance()
    #expect(again.events.entries == ["connected"])
    room.close(again)
  }

  @Test func whoLeavesIsNotAskedForAnyMore() throws {
    let room = TestRoom()
    let door = Doorman()
    try open(room) { $0.verifier = door }
    let (anna, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let request = try #require(door.requests.entries.first)
    anna.transport.disconnect()
    #expect(door.cancelled.entries.map(ObjectIdentifier.init) == [ObjectIdentifier(request)])
    #expect(!request.isWanted)
    request.answer(.success(AccessGrant(.all)))
    try #require(door.last).answer(.success(AccessGrant(.all)))
    try room.advance()
    #expect(anna.events.entries.isEmpty)
    #expect(bert.events.entries == ["connected"])
    room.close(bert)
  }

  @Test func anotherVerifierIsAskedAnew() throws {
    let room = TestRoom()
    let (first, second) = (Doorman(), Doorman())
    try open(room) { $0.verifier = first }
    let anna = room.peer("anna").connect()
    let request = try #require(first.last)
    try open(room) { $0.verifier = second }
    #expect(first.closed.entries == [true])
    request.answer(.success(AccessGrant(.all)))
    try room.advance()
    #expect(anna.events.entries.isEmpty)
    try #require(second.last).answer(.success(AccessGrant(.all)))
    try room.advance()
    #expect(anna.events.entries == ["connected"])
    // To an open room everybody who waits comes in.
    let bert = room.peer("bert").connect()
    try LoopbackTransport.setAccess(nil, room: room.name, clock: room.clock)
    try room.advance()
    #expect(bert.events.entries == ["connected", "joined anna"])
    room.close(anna, bert)
  }

  @Test func aDepartedVerifierLetsNobodyIn() throws {
    let room = TestRoom()
    let door = Doorman()
    try open(room) { $0.verifier = door }
    let anna = room.peer("anna").connect()
    try #require(door.last).answer(.success(AccessGrant(.all)))
    let bert = room.peer("bert").connect()
    try room.advance()
    LoopbackTransport.forgetSettings(of: room.clock)
    let carl = room.peer("carl").connect()
    try room.advance()
    #expect(anna.events.entries == ["connected"])
    #expect(bert.events.entries == ["disconnected permission"])
    #expect(carl.events.entries == ["disconnected permission"])
    for peer in [anna, bert, carl] { peer.transport.disconnect() }
    // Empty, it is forgotten.
    let dora = room.peer("dora").connect()
    try room.advance()
    #expect(dora.events.entries == ["connected"])
    room.close(dora)
  }

  @Test func anAnswerDuringACutIsAskedForAgain() throws {
    let room = TestRoom()
    let door = Doorman()
    try open(room) { $0.verifier = door }
    let anna = room.peer("anna").connect()
    let request = try #require(door.last)
    try room.script([NetworkScript.Step(isDisconnected: true), NetworkScript.Step(at: 1000 * millisecond)])
    try room.advance()
    request.answer(.success(AccessGrant(.all)))
    try room.advance(milliseconds: 500)
    #expect(!anna.events.entries.contains("connected"))
    try room.advance(milliseconds: 1000)
    #expect(door.requests.entries.count == 2)
    try #require(door.last).answer(.success(AccessGrant(.all)))
    try room.advance()
    #expect(anna.events.entries.contains("connected"))
    room.close(anna)
  }

  // MARK: The room

  @Test func aFullRoomRefuses() throws {
    let room = TestRoom()
    try open(room) { $0.capacity = 2 }
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try room.advance()
    #expect(carl.events.entries == ["disconnected full"])
    #expect(anna.events.entries == ["connected", "joined bert"])
    bert.transport.disconnect()
    let again = room.peer("carl").connect()
    try room.advance()
    #expect(again.events.entries == ["connected", "joined anna"])
    for capacity in [0, -1, 100_001, .max] { #expect(failure { try open(room) { $0.capacity = capacity } }?.status == .range) }
    room.close(anna, again)
  }

  @Test func aDuplicateReplacesWhoWasThere() throws {
    let room = TestRoom()
    try open(room) {
      $0.capacity = 2
      $0.replacesDuplicates = true
    }
    let (first, bert) = (room.peer("anna").connect(), room.peer("bert").connect())
    let id = try room.stream(from: first, to: [bert])
    let second = room.peer("anna").connect()
    try room.advance()
    #expect(first.events.entries.last == "disconnected removed")
    #expect(second.events.entries == ["connected", "joined bert"])
    #expect(bert.events.entries.suffix(3) == ["removed", "left anna", "joined anna"])
    #expect(try room.send(10, 1, by: first, on: id) == .notConnected)
    #expect(failure { _ = try first.publish(codec: FourCC.raw) }?.status == .state)
    // He who was replaced does not take his successor along.
    first.transport.disconnect()
    try room.advance()
    #expect(bert.events.entries.last == "joined anna")
    room.close(second, bert)
  }

  @Test func whatMayNotBeDoneIsNotDone() throws {
    let room = TestRoom()
    let anna = room.peer("anna").connect()
    let id = try anna.publish(codec: FourCC.raw)
    try open(room) { $0.permissions = [] }
    let bert = room.peer("bert").connect()
    try room.advance()
    #expect(bert.events.entries == ["connected", "joined anna", "added by anna"])
    #expect(failure { _ = try bert.publish(codec: FourCC.raw) }?.status == .permission)
    let sound = StreamFormat.audio(AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 480), kind: 1)
    #expect(
      failure { try bert.transport.publish(bert.transport.makeStreamID(), codec: FourCC.raw, format: sound) }?.text.contains("audio")
        == true)
    let screen = StreamFormat.video(TestRoom.format, kind: 2)
    let id2 = bert.transport.makeStreamID()
    #expect(failure { try bert.transport.publish(id2, codec: FourCC.raw, format: screen) }?.text.contains("screen") == true)
    bert.subscribe(to: id)
    #expect(try room.send(10, 1, by: anna, on: id) == .noReceiver)
    #expect(failure { try bert.transport.remove("anna", reason: "") }?.status == .permission)
    #expect(failure { try bert.transport.mute("anna", true) }?.status == .permission)
    room.close(anna, bert)
  }

  @Test func aModeratorActsOnOthers() throws {
    let room = TestRoom()
    try open(room) { $0.permissions = .all }
    let (anna, bert, carl) = (room.peer("anna").connect(), room.peer("bert").connect(), room.peer("carl").connect())
    try anna.transport.mute("bert", true)
    try anna.transport.mute("bert", false)
    try anna.transport.remove("bert", reason: "late")
    try room.advance()
    #expect(
      bert.events.entries.suffix(4) == ["muted by anna: ", "unmuted by anna: ", "removed by anna: late", "disconnected removed"])
    #expect(carl.events.entries.last == "left bert")
    #expect(failure { try anna.transport.remove("bert", reason: "") }?.status == .notFound)
    #expect(failure { try anna.transport.remove("anna", reason: "") }?.status == .invalid)
    #expect(failure { try bert.transport.remove("anna", reason: "") }?.status == .state)
    #expect(failure { try room.peer("dora").transport.mute("anna", true) }?.status == .state)
    room.close(anna, bert, carl)
  }
}
