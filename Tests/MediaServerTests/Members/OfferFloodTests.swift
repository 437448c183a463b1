import MediaCore
import MediaEmulation
import MediaNetwork
import MediaSignalling
import Testing

@testable import MediaServer

/// Who offers and never connects, beside who does.
@Suite struct OfferFloodTests {
  private static let microphone = Array(browserOffer(["audio sendonly"]).utf8)

  private func post(_ wire: WireClient, _ house: ServerHouse, token: String? = nil, body: [UInt8] = microphone) throws {
    var fields: HTTPFields = ["Content-Type": "application/sdp"]
    if let token { fields.append("Authorization", "Bearer \(token)") }
    try wire.get("/whip/\(house.room)", fields, method: "POST", body: body)
  }

  /// So many connections that have made an offer, from one address.
  private func flood(_ house: ServerHouse, from address: String, _ count: Int) throws -> [WireClient] {
    let host = try house.network.addHost(address)
    let wires = try (0..<count).map { _ in try house.wire(from: host) }
    for wire in wires { try post(wire, house) }
    return wires
  }

  @Test func whoNeverConnectsTakesNobodysPlace() throws {
    let house = try ServerHouse()
    let wires = try flood(house, from: "10.0.0.66", 100)
    #expect(try house.run(for: 5 * second) { wires.count { $0.last?.status == 201 } == 100 }, "\(wires.compactMap { $0.last?.status })")
    #expect(house.web.memberCount <= WebTable.mostPending && house.web.sessionCount <= WebTable.mostPending)
    // Others come and stay, whatever comes after them.
    let client = try house.client("whip", "?user=alice", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 2 * second) { client.isHere })
    let more = try flood(house, from: "10.0.0.67", 64)
    #expect(try house.run(for: 5 * second) { more.count { $0.last?.status == 201 } == 64 })
    #expect(client.isHere && house.changes.contains("entered alice") && !house.changes.contains { $0.hasPrefix("left alice") })
    // Nobody of them is there in the end.
    #expect(try house.run(for: 25 * second) { house.web.memberCount == 1 && house.web.sessionCount == 1 })
    for wire in wires + more { wire.close() }
    try house.close()
  }

  @Test func aFullServerTakesThePlaceOfWhoNeverConnects() throws {
    let house = try ServerHouse { $0.mostMembers = 4 }
    let wires = try flood(house, from: "10.0.0.66", 4)
    #expect(try house.run(for: 3 * second) { house.web.memberCount == 4 })
    let client = try house.client("whip", "?user=alice", at: "10.0.0.1", publishes: [true])
    #expect(try house.run(for: 3 * second) { client.isHere && house.web.memberCount == 4 }, "\(house.changes)")
    // A page, too; and not for long may one address have all of the rest.
    let page = try house.page("bob", at: "10.0.0.2")
    #expect(try house.run(for: 2 * second) { page.has("welcome") })
    let next = try house.page("carol", at: "10.0.0.3")
    #expect(try house.run(for: 2 * second) { next.has("welcome") })
    // One place of the flood is left: it is as much as anybody's.
    let last = try house.page("dave", at: "10.0.0.4")
    #expect(try house.run(for: 2 * second) { last.has("disconnected", "maximum") })
    #expect(client.isHere && house.web.memberCount == 4)
    for wire in wires + [page, next, last] { wire.close() }
    try house.close()
  }

  @Test func offersAreShared() throws {
    let house = try ServerHouse { $0.offers = WorkAllowance(burst: 2, perSecond: 5, now: 0) }
    let wires = try flood(house, from: "10.0.0.66", 40)
    try house.run(for: second)
    let answered = wires.count { $0.last != nil }
    #expect((2...8).contains(answered), "\(answered)")
    let other = try house.wire(at: "10.0.0.1")
    try post(other, house)
    // Forty before it would take eight seconds; addresses alternate.
    #expect(try house.run(for: second) { other.last?.status == 201 })
    #expect(try house.run(for: 10 * second) { wires.allSatisfy { $0.last?.status == 201 } })
    for wire in wires + [other] { wire.close() }
    try house.close()
  }

  @Test func longOffersCostMore() throws {
    let house = try ServerHouse { $0.offers = WorkAllowance(burst: 1, perSecond: 10, now: 0) }
    let wire = try house.wire(at: "10.0.0.1")
    let long = Array(browserOffer([String](repeating: "audio sendonly", count: WebTable.mostSections)).utf8)
    try post(wire, house, body: long)
    #expect(try house.run(for: second) { wire.responses.count == 1 })
    try post(wire, house)
    try house.run(for: 600 * millisecond)
    #expect(wire.responses.count == 1 && wire.last?.status == 201)
    #expect(try house.run(for: second) { wire.responses.count == 2 })
    try post(wire, house, body: Array(browserOffer([String](repeating: "audio sendonly", count: WebTable.mostSections + 1)).utf8))
    #expect(try house.run(for: second) { wire.responses.count == 3 })
    #expect(wire.last?.status == 422 && String(decoding: wire.last?.body ?? [], as: UTF8.self).contains("65 sections"))
    try post(wire, house, body: [UInt8](repeating: 0x61, count: WebLink.longestBody + 1))
    #expect(try house.run(for: second) { wire.last?.status == 413 })
    wire.close()
    try house.close()
  }

  @Test func sessionsWithoutAPathAreSharedByAddress() throws {
    let house = try ServerHouse()
    let host = try house.network.addHost("10.0.0.66")
    let honest = try house.page("honest", at: "10.0.0.1")
    #expect(try house.run(for: second) { honest.has("welcome") })
    let line = try house.wire(at: "10.0.0.2")
    try post(line, house, token: honest.value("ticket", in: "welcome"))
    #expect(try house.run(for: second) { line.last?.status == 201 })
    var pages: [WireClient] = []
    for number in 0..<5 {
      let page = try house.wire(from: host)
      try page.openWebSocket("/ws/\(house.room)")
      #expect(try house.run(for: 2 * second) { page.last?.status == 101 })
      try page.say(#"{"type":"join","user":"page-\#(number)","name":"P","token":""}"#)
      #expect(try house.run(for: second) { page.has("welcome") })
      let ticket = try #require(page.value("ticket", in: "welcome"))
      let wire = try house.wire(from: host)
      for number in 1...WebMember.mostPeers {
        try post(wire, house, token: ticket)
        #expect(try house.run(for: second) { wire.responses.count == number })
      }
      pages += [page, wire]
    }
    #expect(house.web.sessionCount <= WebTable.mostUnconnected, "\(house.web.sessionCount)")
    // Whose address has few sessions keeps them.
    let session = try #require(line.last?.fields["Location"])
    try line.get(session)
    #expect(try house.run(for: second) { line.last?.status == 204 })
    for page in pages + [honest, line] { page.close() }
    try house.close()
  }

  @Test func aMemberMakesNoMoreRequestsThanThat() throws {
    let house = try ServerHouse()
    let page = try house.page("alice", at: "10.0.0.1")
    #expect(try house.run(for: second) { page.has("welcome") })
    let ticket = try #require(page.value("ticket", in: "welcome"))
    let wire = try house.wire(at: "10.0.0.2")
    var refused = 0
    for number in 1...Int(WebMember.requests) + 50 {
      try post(wire, house, token: ticket)
      #expect(try house.run(for: second) { wire.responses.count == 2 * number - 1 })
      refused += wire.last?.status == 503 ? 1 : 0
      try wire.get(wire.last?.fields["Location"] ?? "/sessions/none", method: "DELETE")
      #expect(try house.run(for: second) { wire.responses.count == 2 * number })
    }
    #expect(refused > 10, "\(refused)")
    for one in [page, wire] { one.close() }
    try house.close()
  }

  @Test func strangersElsewhereTakeNothingFromMembers() throws {
    let house = try ServerHouse { $0.handshakes = WorkAllowance(burst: 10_000, perSecond: 10_000, now: 0) }
    let host = try house.network.addHost("10.0.0.1")
    let page = try house.wire(from: host)
    try page.openWebSocket("/ws/\(house.room)")
    #expect(try house.run(for: 2 * second) { page.last?.status == 101 })
    try page.say(#"{"type":"join","user":"alice","name":"A","token":""}"#)
    #expect(try house.run(for: second) { page.has("welcome") })
    // What a browser keeps for its next request.
    let kept = try house.wire(from: host)
    #expect(try house.run(for: second) { kept.isOpen })
    let wires = try (0..<WebStrangers.most + 40).map { try house.wire(at: "10.1.\($0 / 200).\($0 % 200 + 1)") }
    #expect(try house.run(for: 5 * second) { wires.count { $0.isOpen } > WebStrangers.most - 10 })
    #expect(house.web.strangerCount == WebStrangers.most + 1, "\(house.web.strangerCount)")
    try kept.get("/\(house.room)")
    #expect(try house.run(for: 2 * second) { kept.last?.status == 200 })
    for wire in wires + [page, kept] { wire.close() }
    try house.close()
  }
}
