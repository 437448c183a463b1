import CMediaSDK
import MediaCore
import Testing

@testable import MediaTransport

/// What members of a hub say of themselves.
@Suite(.serialized) struct HubAttributesTests {
  private func knows(_ witness: HubWitness, _ user: String, _ expected: [String: String]) -> Bool {
    witness.wait { _ in
      let attributes = (witness.transport as? HubTransport)?.guarded.withLock { $0.room.members[user] }
      return attributes.map { found in found.keys == expected.keys.sorted() && expected.allSatisfy { found[$0.key] == $0.value } } == true
    }
  }

  @Test func everybodyLearnsOfThem() throws {
    let house = try HubHouse()
    let anna = house.local("anna")
    #expect(anna.sees("connected"))
    try anna.transport.setAttribute("a", "1")
    let bert = try house.remote("bert")
    // Wherever its hello is by now.
    for number in 0..<10 { try bert.transport.setAttribute("b\(number % 2)", "\(number)") }
    #expect(bert.sees("joined anna") && knows(bert, "anna", ["a": "1"]))
    #expect(anna.sees("joined bert"))
    #expect(
      house.isTrueSoon { (anna.transport as? LoopbackTransport)?.attributes(of: "bert").map { $0["b0"] == "8" && $0["b1"] == "9" } == true }
    )
    let carl = try house.remote("carl")
    #expect(carl.sees("joined bert") && carl.sees("joined anna"))
    #expect(knows(carl, "bert", ["b0": "8", "b1": "9"]) && knows(carl, "anna", ["a": "1"]))
    try bert.transport.setAttribute("b0", nil)
    try anna.transport.setAttribute("a", "2")
    #expect(carl.sees("bert b0=nothing") && carl.sees("anna a=2") && anna.sees("bert b0=nothing") && bert.sees("anna a=2"))
    #expect(!bert.events.contains { $0.hasPrefix("bert") })
    house.close()
  }

  /// More than is kept for somebody: who reads slowly is told the latest.
  @Test func whoIsSlowGetsTheLatestOnly() throws {
    let house = try HubHouse()
    let members = (0..<4).map { house.local("member \($0)") }
    for member in members { #expect(member.sees("connected")) }
    let bert = try house.remote("bert")
    for number in members.indices { #expect(bert.sees("joined member \(number)")) }
    let peer = try #require(house.peers.first)
    for round in 0..<2000 {
      for member in members {
        try member.transport.setAttribute("\(round % 32)", String(repeating: "x", count: 1000) + "\(round)")
        if round % 7 == 0 { try member.transport.setAttribute("\(round % 32)", nil) }
      }
    }
    for member in members { try member.transport.setAttribute("last", nil) }
    for number in members.indices {
      let actual = try #require((members[number].transport as? LoopbackTransport)?.attributes(of: "member \(number)"))
      #expect(
        house.isTrueSoon {
          (bert.transport as? HubTransport)?.guarded.withLock { $0.room.members["member \(number)"]?.changes(to: actual).isEmpty } == true
        })
    }
    #expect(house.isTrueSoon { peer.guarded.withLock { $0.owed.users.isEmpty && $0.log.bytes < ReliableOutbox.most / 2 } })
    #expect(!bert.events.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("reconnecting") })
    house.close()
  }

  /// As fast as a connection takes them: they pass slowly, and the others are served.
  @Test func aFloodOfAttributesIsSlowedDown() throws {
    let house = try HubHouse()
    let (flooder, bert) = (try house.remote("flooder"), try house.remote("bert"))
    #expect(flooder.sees("connected") && bert.sees("connected"))
    let begin = house.clock.now()
    for number in 0..<5000 { try flooder.transport.setAttribute("\(number % 32)", String(repeating: "x", count: 1000) + "\(number)") }
    let anna = try house.remote("anna")
    #expect(anna.sees("connected") && bert.sees("joined anna"))
    try anna.transport.setAttribute("mood", "calm")
    #expect(bert.sees("anna mood=calm"))
    let count = bert.events.filter { $0.hasPrefix("flooder ") }.count
    let seconds = Double(house.clock.now() - begin) / 1e9
    // Each counts as eight.
    #expect(Double(count) <= 70 + 12.5 * (seconds + 1), "\(count) in \(seconds) s")
    for peer in house.peers { #expect(peer.guarded.withLock { $0.log.bytes } < 500_000) }
    #expect(!bert.events.contains { $0.hasPrefix("disconnected") || $0.hasPrefix("reconnecting") })
    house.close()
  }
}
