import MediaCore
import Testing

@testable import MediaTransport

@Suite struct HubRefusalTests {
  private struct Refusal: Sendable {
    let userID: String
    let host: String?
    let status: Status
  }

  /// By the hub, by the room, and who asks for another room; a member who leaves is not.
  @Test func whoeverHostsLearnsWhoWasRefused() throws {
    let refusals = Monitor<[Refusal]>([])
    let house = try HubHouse { options in
      options.mostMembers = 1
      options.watch = { change in
        guard case .refused(let userID, let address, let error) = change else { return }
        refusals.withLock { $0.append(Refusal(userID: userID, host: address?.host, status: error.status)) }
      }
    }
    defer { house.close() }
    func isRefused(_ name: String, url: HubURL? = nil) throws -> Bool {
      try house.remote(name, url: url).wait { $0.events.contains { $0.hasPrefix("disconnected") } }
    }
    let anna = try house.remote("anna")
    #expect(anna.wait { $0.events.contains("connected") })
    #expect(try isRefused("bert"))
    #expect(try isRefused("carl", url: house.url(room: "elsewhere")))
    anna.transport.disconnect()
    #expect(house.isTrueSoon { house.hub?.memberCount == 0 })
    let seen = refusals.withLock { $0 }
    #expect(seen.map(\.userID) == ["bert", "carl"])
    #expect(seen.map(\.host) == ["127.0.0.1", "127.0.0.1"])
    #expect(seen.map(\.status) == [.full, .notFound])
  }
}
