import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaSignalling
@testable import MediaTransport
@testable import MediaWebRTCTransport

@Suite struct LiveKitSessionTests {
  private let house = WebRTCHouse()
  private let server: EmulatedLiveKit
  private let host: EmulatedHost

  init() throws {
    server = try EmulatedLiveKit(house, at: "10.0.8.1")
    host = try house.network.addHost("10.0.0.1")
  }

  private func close(_ end: LiveKitEnd) throws {
    end.room.disconnect()
    try house.run(for: second)
    try house.close()
  }

  /// The next ping is waited for once, however many messages came.
  @Test func messagesLeaveNoTimersThere() throws {
    let a = try LiveKitEnd(server, on: host, house)
    #expect(try house.run(for: 5 * second) { a.isHere }, "\(a.events) \(String(describing: a.ending))")
    let before = try house.idleWork()
    for _ in 0..<1_000 {
      server.say(.participants(LiveKitParticipants()))
      try house.run(for: 5 * millisecond)
    }
    let after = try house.idleWork()
    #expect(a.isHere && before > 0 && after < 2 * before, "\(before) \(after)")
    try close(a)
  }

  /// A server that never answers: the session is made anew, and offers again.
  @Test func anOfferWithoutAnAnswerEndsTheSessionAtTheServer() throws {
    let a = try LiveKitEnd(server, on: host, house)
    #expect(try house.run(for: 5 * second) { a.isHere }, "\(a.events) \(String(describing: a.ending))")
    try a.publish(.audio)
    #expect(try house.run(for: second) { server.offers == 1 }, "\(a.events) \(server.said)")
    try house.run(for: 14 * second)
    #expect(server.joined == 1 && a.isHere && !a.has("reconnecting"))
    #expect(try house.run(for: 5 * second) { server.joined == 2 && server.offers == 2 }, "\(a.events) \(server.said)")
    #expect(a.count("reconnecting") == 1 && a.count("reconnected") == 1 && server.resumed == 0)
    try close(a)
  }
}
