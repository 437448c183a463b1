import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct AddressSharesTests {
  private typealias Shares = AddressShares<Int, Int>

  private func prefix(_ host: Int) throws -> AddressPrefix {
    AddressPrefix(try #require(SocketAddress("10.\(host >> 16 & 255).\(host >> 8 & 255).\(host & 255)", port: 1)))
  }

  /// `#expect` takes no call that changes something.
  private func holds(_ condition: Bool, _ place: SourceLocation = #_sourceLocation) { #expect(condition, sourceLocation: place) }

  @Test func theOldestOfTheAddressThatHasMostIsDropped() throws {
    var shares = Shares(capacity: 4)
    let (one, other) = (try prefix(1), try prefix(2))
    holds(shares.add(0, as: 0, from: other) == nil)
    for number in 1...3 { holds(shares.add(number, as: number, from: one) == nil) }
    holds(shares.add(4, as: 4, from: one) == 1)
    holds(shares.add(5, as: 5, from: other) == 2)
    #expect(shares.count == 4 && shares.count(of: one) == 2 && shares.count(of: other) == 2)
    holds(shares.remove(0) == 0 && shares.remove(0) == nil)
    #expect(shares.count(of: other) == 1)
  }

  @Test func anAddressHasItsOwnBound() throws {
    var shares = Shares(capacity: 100, ofAddress: 2)
    for number in 0..<2 { holds(shares.add(number, as: number, from: try prefix(1)) == nil) }
    holds(shares.add(2, as: 2, from: try prefix(1)) == 0)
    holds(shares.add(3, as: 3, from: try prefix(2)) == nil)
  }

  @Test func whoIsFurtherStays() throws {
    var shares = Shares(capacity: 3, stages: 3)
    let here = try prefix(1)
    for number in 0..<3 { holds(shares.add(number, as: number, from: here) == nil) }
    shares.advance(0, to: 1)
    shares.advance(1, to: 2)
    holds(shares.add(3, as: 3, from: here) == 2)
    holds(shares.add(4, as: 4, from: here) == 3)
    // Nobody goes back, or beyond the last.
    shares.advance(1, to: 0)
    shares.advance(1, to: 3)
    holds(shares.add(5, as: 5, from: here) == 4)
  }

  @Test func whoIsDroppedWithoutANewcomerIsChosenTheSameWay() throws {
    var shares = Shares(capacity: 10, stages: 2)
    for number in 0..<3 { holds(shares.add(number, as: number, from: try prefix(number / 2)) == nil) }
    shares.advance(0, to: 1)
    holds(shares.dropOne() == 1)
    holds(shares.dropOne() == 2)
    holds(shares.dropOne() == 0)
    holds(shares.dropOne() == nil)
    #expect(shares.count == 0 && shares.elements.isEmpty)
  }

  @Test func whoIsDroppedForAnotherIsOfAnAddressThatHasMore() throws {
    var shares = Shares(capacity: 8)
    for number in 0..<3 { holds(shares.add(number, as: number, from: try prefix(1)) == nil) }
    holds(shares.add(3, as: 3, from: try prefix(2)) == nil)
    holds(shares.dropOne(for: try prefix(1)) == nil)
    // Three are two more than one.
    holds(shares.dropOne(for: try prefix(2)) == 0)
    holds(shares.dropOne(for: try prefix(2)) == nil)
    holds(shares.dropOne(for: try prefix(3)) == 1)
    // One is as much as anybody's.
    holds(shares.dropOne(for: try prefix(3)) == nil)
  }

  /// A join whose handshake takes a round trip of 100 ms, beside strangers who come at a rate and stay at a stage.
  private func passes(strangers: Int, perSecond: Int, stuckAt stages: [Int], from hosts: [Int], joinsFrom host: Int) throws -> Bool {
    var shares = Shares(capacity: 128, stages: 3)
    var next = 1
    var dropped: Set<Int> = []
    func stranger(_ number: Int) throws {
      if let victim = shares.add(next, as: next, from: try prefix(hosts[number % hosts.count])) { dropped.insert(victim) }
      // A stage is reached at once: an attacker has no way to go.
      shares.advance(next, to: stages[number % stages.count])
      next += 1
    }
    for number in 0..<strangers { try stranger(number) }
    let begin = next
    if let victim = shares.add(0, as: 0, from: try prefix(host)) { dropped.insert(victim) }
    // Its first bytes come 50 ms after it at the latest, the rest 100 ms after them.
    for number in 0..<perSecond * 3 / 20 {
      if number == perSecond / 20 { shares.advance(0, to: 1) }
      try stranger(strangers + number)
    }
    #expect(next - begin == perSecond * 3 / 20 && shares.count <= 128)
    return !dropped.contains(0)
  }

  @Test(arguments: [[0], [1], [2], [0, 1], [0, 1, 2]]) func aFloodFromOneAddressPassesByTheOthers(stages: [Int]) throws {
    #expect(try passes(strangers: 500, perSecond: 4000, stuckAt: stages, from: [1], joinsFrom: 2))
    #expect(try passes(strangers: 500, perSecond: 4000, stuckAt: stages, from: Array(1...60), joinsFrom: 1000))
  }

  /// From its own address a join passes 200 strangers a second, whatever they do, and 2,000 who say nothing.
  @Test(arguments: [[0], [1], [2], [0, 1], [0, 1, 2]]) func aJoinPassesAFloodFromItsOwnAddress(stages: [Int]) throws {
    #expect(try passes(strangers: 500, perSecond: 200, stuckAt: stages, from: [1], joinsFrom: 1))
    if stages == [0] { #expect(try passes(strangers: 500, perSecond: 2000, stuckAt: stages, from: [1], joinsFrom: 1)) }
  }

  /// Of more addresses than there are places those go who said nothing.
  @Test func aFloodFromManyAddressesPassesWhoSaysSomething() throws {
    #expect(try passes(strangers: 500, perSecond: 500, stuckAt: [0], from: Array(2...5000), joinsFrom: 1))
  }

  @Test func whateverHappensTheBoundsHold() throws {
    var random = SeededRandom(seed: 8)
    var shares = Shares(capacity: 20, ofAddress: 7, stages: 3)
    var present: Set<Int> = []
    for number in 0..<20_000 {
      let key = Int.random(in: 0..<60, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0...1:
        let victim = shares.add(key, as: key, from: try prefix(key % 9), stage: Int.random(in: 0..<3, using: &random))
        present.insert(key)
        if let victim { present.remove(victim) }
      case 2: shares.advance(key, to: Int.random(in: 0..<3, using: &random))
      default: holds((shares.remove(key) != nil) == (present.remove(key) != nil))
      }
      if number % 100 == 0 { #expect(Set(shares.elements) == present) }
      #expect(shares.count == present.count && shares.count <= 20)
    }
    for host in 0..<9 { #expect(try shares.count(of: prefix(host)) == present.count { $0 % 9 == host }) }
  }
}
