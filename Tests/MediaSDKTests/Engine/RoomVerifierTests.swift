import Glibc
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct RoomVerifierTests {
  private func configure(_ call: Call, _ change: (inout RoomOptions) -> Void) throws {
    var options = RoomOptions()
    change(&options)
    try call.engine.configureRoom(call.room, options)
  }

  @Test func theFunctionIsAskedOneAfterTheOther() throws {
    let call = try Call()
    let asked = Journal<String>()
    let foreign = Journal<Bool>()
    try configure(call) {
      $0.verification = .function { request in
        asked.add(request.member.userID)
        foreign.add(ForeignCode.isRunning)
        return request.member.userID == "anna" ? .success(AccessGrant([.moderate])) : .failure(.refused(request, "not this time"))
      }
    }
    try call.anna.connect()
    try call.bert.connect()
    // Nothing of it on the thread that connects.
    #expect(asked.entries.isEmpty)
    try call.advance()
    #expect(asked.entries == ["anna", "bert"])
    #expect(foreign.entries == [true, true])
    #expect(call.events(call.anna) == ["connecting", "connected"])
    #expect(call.anna.participants.map(\.member.permissions) == [[.moderate]])
    #expect(call.events(call.bert) == ["connecting", "disconnected permission"])
  }

  @Test func aFunctionThatDoesNotReturnHoldsUpNobodyWhoLeaves() throws {
    let call = try Call(isVirtual: false)
    let inside = Journal<Bool>()
    let mayReturn = Monitor(false)
    try configure(call) {
      $0.verification = .function { _ in
        inside.add(true)
        _ = mayReturn.wait(until: .max) { $0 ? true : nil }
        return .success(AccessGrant(.all))
      }
    }
    try call.anna.connect()
    #expect(inside.wait(for: 1))
    #expect(call.anna.state == .connecting)
    call.anna.disconnect()
    #expect(call.anna.state == .disconnected)
    call.anna.close()
    mayReturn.withLock { $0 = true }
    mayReturn.notify()
    try call.engine.configureRoom(call.room, nil)
    try call.bert.connect()
    for _ in 0..<5000 where call.bert.state != .connected { usleep(1000) }
    #expect(call.bert.state == .connected)
    #expect(call.bert.participants.count == 1)
  }

  @Test func requestsThatWereLeftAreForgotten() throws {
    let call = try Call()
    try configure(call) { $0.verification = .pulled }
    for _ in 0..<100 {
      try call.anna.connect()
      call.anna.disconnect()
    }
    #expect(failure { _ = try call.engine.nextAccessRequest(call.room, deadline: 0) }?.status == .timeout)
    try call.anna.connect()
    let request = try call.engine.nextAccessRequest(call.room, deadline: 0)
    call.anna.disconnect()
    #expect(failure { try call.engine.answer(call.room, request.id) { _ in .success(AccessGrant(.all)) } }?.status == .notFound)
  }

  @Test func whatIsPulledIsAnswered() throws {
    let call = try Call()
    try configure(call) {
      $0.verification = .pulled
      $0.permissions = [.receive]
    }
    try call.anna.connect()
    try call.bert.connect()
    let requests = try (0..<2).map { _ in try call.engine.nextAccessRequest(call.room, deadline: 0) }
    #expect(requests.map(\.member.userID) == ["anna", "bert"])
    try call.engine.answer(call.room, requests[1].id) { .success(AccessGrant($0.permissions)) }
    try call.engine.answer(call.room, requests[0].id) { .failure(.refused($0, "no")) }
    try call.advance()
    #expect(call.anna.state == .disconnected)
    #expect(call.bert.participants.map(\.member.permissions) == [[.receive]])
    #expect(failure { _ = try call.engine.nextAccessRequest("loopback:elsewhere", deadline: 0) }?.status == .state)
  }

  @Test func whoeverWaitsForARequestIsToldOfTheEnd() throws {
    let call = try Call(isVirtual: false)
    try configure(call) { $0.verification = .pulled }
    let (engine, room) = (call.engine, call.room)
    let ends = Journal<Status?>()
    let thread = OSThread {
      ends.add(failure { _ = try engine.nextAccessRequest(room, deadline: .max) }?.status)
    }
    engine.close()
    thread.join()
    // A thread that was late finds nothing to wait for.
    #expect(ends.entries == [.closed] || ends.entries == [.state])
    #expect(failure { try engine.configureRoom(room, nil) } == nil)
  }

  /// The function opens the room from inside, where nothing waits for it; the engine's end does.
  @Test func theEngineWaitsForAFunctionThatReplacedItself() throws {
    let call = try Call(isVirtual: false)
    let inside = Journal<Bool>()
    let hasReturned = Monitor(false)
    let mayReturn = Monitor(false)
    let (engine, room) = (call.engine, call.room)
    try configure(call) {
      $0.verification = .function { _ in
        try? engine.configureRoom(room, nil)
        inside.add(true)
        _ = mayReturn.wait(until: .max) { $0 ? true : nil }
        hasReturned.withLock { $0 = true }
        return .success(AccessGrant(.all))
      }
    }
    try call.anna.connect()
    #expect(inside.wait(for: 1))
    let releaser = OSThread {
      usleep(20_000)
      mayReturn.withLock { $0 = true }
      mayReturn.notify()
    }
    engine.close()
    #expect(hasReturned.withLock { $0 })
    releaser.join()
  }

  @Test func nothingIsLeftBehind() throws {
    weak var verifier: RoomVerifier?
    do {
      let call = try Call()
      try configure(call) { $0.verification = .function { _ in .failure(MediaError(.again, "")) } }
      verifier = call.engine.verifiers.withLock { $0.current.values.first }
      #expect(verifier != nil)
      try call.anna.connect()
      try call.advance()
      #expect(call.anna.state == .connecting)
      call.engine.close()
    }
    #expect(verifier == nil)
  }
}
