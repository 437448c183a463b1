import MediaCore
import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct RemoteCallsTests {
  private let second: Int64 = 1_000_000_000

  private func request(_ id: String, _ method: String = "add", version: UInt32 = 1, timeout: UInt32 = 1_000) -> RemoteCallPart {
    .request(id: id, method: method, timeout: timeout, version: version)
  }

  private func serving() throws -> RemoteCalls {
    var calls = RemoteCalls()
    try calls.register("add")
    return calls
  }

  /// The number, the content and the payload of the next that is read.
  private func read(_ calls: inout RemoteCalls, upTo most: Int = .max) -> String? {
    calls.read(upTo: most).map { message, isTaken in
      "\(message.call) \(message.content) \(String(decoding: message.payload, as: UTF8.self)) \(isTaken)"
    }
  }

  private func code(_ replies: [RemoteCalls.Reply]) -> UInt32? {
    for reply in replies { if case .failure(_, let code, _) = reply.part { return code } }
    return nil
  }

  @Test func aCallIsAcknowledgedAndRespondedTo() throws {
    var calls = RemoteCalls()
    #expect(try calls.begin("x", to: "bob", timeout: 20 * second, now: 0) == 1)
    #expect(calls.schedule() == 7 * second)
    #expect(calls.schedule() == nil)
    // Of somebody else, and of another call.
    for (part, user) in [(RemoteCallPart.response(id: "x"), "eve"), (.response(id: "y"), "bob")] {
      let (replies, isNews) = calls.take(part, [65], from: user, now: 0)
      #expect(replies.isEmpty && !isNews)
    }
    _ = calls.take(.acknowledgement(id: "x"), [], from: "bob", now: 0)
    #expect(!calls.expire(now: 8 * second) && calls.schedule() == 20 * second)
    #expect(calls.take(.response(id: "x"), [65], from: "bob", now: 0).isNews)
    let found = [read(&calls, upTo: 0), read(&calls), read(&calls)]
    #expect(found == ["1 response A false", "1 response A true", nil])
    #expect(!calls.take(.response(id: "x"), [65], from: "bob", now: 0).isNews && read(&calls) == nil)
  }

  @Test func aTimeIsScheduledOnce() throws {
    var calls = try serving()
    let hour = 3_600 * second
    _ = calls.take(request("long", timeout: 3_600_000), [], from: "bob", now: 0)
    #expect(calls.schedule() == hour)
    for number in 0..<100 {
      let now = Int64(number) * second
      _ = calls.take(request("\(number)", timeout: 1), [], from: "bob", now: now)
      #expect(calls.schedule() == now + 1_000_000)
      _ = calls.expire(now: now + 1_000_000)
      #expect(calls.schedule() == nil)
      while calls.read(upTo: .max) != nil {}
    }
    _ = calls.expire(now: hour)
    #expect(calls.schedule() == nil)
  }

  @Test func whatIsNotAnsweredFails() throws {
    var calls = RemoteCalls()
    for (id, timeout) in [("a", 20), ("b", 20), ("c", 3)] as [(String, Int64)] {
      _ = try calls.begin(id, to: id == "b" ? "bob" : "carol", timeout: timeout * second, now: 0)
    }
    _ = calls.take(.acknowledgement(id: "b"), [], from: "bob", now: 0)
    func failures(_ calls: inout RemoteCalls) -> [UInt32] {
      var found: [UInt32] = []
      while let (message, _) = calls.read(upTo: 0) { if case .failure(let code, _) = message.content { found.append(code) } }
      return found
    }
    #expect(calls.expire(now: 3 * second) == true)
    let first = failures(&calls)
    #expect(calls.expire(now: 7 * second) == true)
    let later = failures(&calls)
    #expect(calls.expire(now: 20 * second) == true)
    let last = failures(&calls)
    #expect(first == [1502] && later == [1501] && last == [1502])
    _ = try calls.begin("d", to: "bob", timeout: second, now: 0)
    _ = try calls.begin("e", to: "carol", timeout: second, now: 0)
    #expect(!calls.left("dora") && calls.left("bob") && !calls.leave())
    #expect(failures(&calls) == [1503, 1503])
  }

  @Test func whatIsNoProperRequestIsRefused() throws {
    var calls = try serving()
    #expect(code(calls.take(request("a", "subtract"), [], from: "bob", now: 0).replies) == 1400)
    #expect(code(calls.take(request("a", version: 2), [], from: "bob", now: 0).replies) == 1404)
    #expect(code(calls.take(request("a"), Array(repeating: 65, count: 15_361), from: "bob", now: 0).replies) == 1402)
    #expect(code(calls.take(request("a"), [0xFF], from: "bob", now: 0).replies) == 1500)
    // Without an id nothing can be said of it.
    for id in ["", String(repeating: "x", count: 129)] {
      let (replies, isNews) = calls.take(request(id), [], from: "bob", now: 0)
      #expect(replies.isEmpty && !isNews)
    }
    #expect(read(&calls) == nil)
  }

  @Test func aRequestIsTakenOnceAndEndsOnce() throws {
    var calls = try serving()
    let (replies, isNews) = calls.take(request("a"), [65], from: "bob", now: 0)
    #expect(replies == [RemoteCalls.Reply(part: .acknowledgement(id: "a"))] && isNews)
    let again = calls.take(request("a"), [65], from: "bob", now: 0)
    #expect(again.replies.isEmpty && !again.isNews)
    // The ids are the callers' own.
    #expect(calls.take(request("a"), [66], from: "carol", now: 0).replies.count == 1)
    #expect(try calls.request(1) == RemoteCalls.Request(userID: "bob", id: "a"))
    let found = read(&calls)
    #expect(found == "1 request(method: \"add\", timeout: 1000000000) A true")
    calls.end(1)
    #expect(throws: MediaError.self) { try calls.request(1) }
    // Nobody waits for it any more when it is read.
    #expect(!calls.expire(now: second) && read(&calls) == nil)
  }

  @Test func boundsAreHeld() throws {
    var calls = try serving()
    for number in 0..<RemoteCalls.mostRequestsOfOne { _ = calls.take(request("\(number)"), [], from: "bob", now: 0) }
    #expect(code(calls.take(request("more"), [], from: "bob", now: 0).replies) == 1500)
    for user in 0..<2 * RemoteCalls.mostRequests { _ = calls.take(request("a", timeout: 500), [], from: "\(user)", now: 0) }
    #expect(code(calls.take(request("more"), [], from: "carol", now: 0).replies) == 1500)
    // What nobody has read has no room again when its time is over.
    _ = calls.expire(now: second)
    #expect(code(calls.take(request("more"), [], from: "carol", now: second).replies) == 1500)
    #expect(read(&calls) == nil)
    #expect(code(calls.take(request("more"), [], from: "carol", now: second).replies) == nil)
    for number in 0..<RemoteCalls.mostCalls { _ = try calls.begin("\(number)", to: "bob", timeout: second, now: 0) }
    #expect(throws: MediaError.self) { try calls.begin("more", to: "bob", timeout: second, now: 0) }
    #expect(calls.cancel("1") == true && calls.cancel("1") == false)
    _ = try calls.begin("more", to: "bob", timeout: second, now: 0)
    for number in 1..<RemoteCalls.mostMethods { try calls.register("\(number)") }
    #expect(throws: MediaError.self) { try calls.register("more") }
    #expect(throws: MediaError.self) { try calls.unregister("more") }
  }
}
