import MediaCore
import Testing

@testable import MediaNetwork

@Suite struct WorkSharesTests {
  private typealias Shares = WorkShares<Int>
  private static let second: Int64 = 1_000_000_000

  private func prefix(_ host: Int) throws -> AddressPrefix {
    AddressPrefix(try #require(SocketAddress("10.0.0.\(host)", port: 1)))
  }

  /// `#expect` takes no call that changes something.
  private func holds(_ condition: Bool, _ place: SourceLocation = #_sourceLocation) { #expect(condition, sourceLocation: place) }

  /// Who is served one after the other, each as soon as may be.
  private func served(_ shares: inout Shares, _ prefixes: [Int: AddressPrefix], from now: inout Int64) -> [Int] {
    var order: [Int] = []
    while let (key, time) = shares.next(at: now), let prefix = prefixes[key] {
      now = max(now, time)
      guard shares.ask(key, from: prefix, at: now) == nil else { break }
      shares.charge(at: now)
      order.append(key)
    }
    return order
  }

  @Test func nobodyWaitsWhileSomeIsLeft() throws {
    var shares = Shares(WorkAllowance(burst: 2, perSecond: 10, now: 0))
    let here = try prefix(1)
    for key in 0..<2 {
      holds(shares.ask(key, from: here, at: 0) == nil)
      shares.charge(at: 0)
    }
    holds(shares.ask(2, from: here, at: 0) == Self.second / 10)
    holds(shares.ask(3, from: here, at: 0) == .max)
    // Only the next one, and only when there is some.
    holds(shares.ask(3, from: here, at: Self.second / 10) == .max)
    holds(shares.ask(2, from: here, at: Self.second / 10) == nil)
    #expect(shares.count == 1)
  }

  /// What costs nothing is not counted.
  @Test func whatWasNotDoneIsNotCounted() throws {
    var shares = Shares(WorkAllowance(burst: 1, perSecond: 1, now: 0))
    for key in 0..<100 { holds(shares.ask(key, from: try prefix(1), at: 0) == nil) }
  }

  @Test func anAddressThatAsksForMostDelaysNoOther() throws {
    var shares = Shares(WorkAllowance(burst: 1, perSecond: 100, now: 0))
    shares.charge(at: 0)
    var (prefixes, now): ([Int: AddressPrefix], Int64) = ([:], 0)
    for key in 0..<100 { prefixes[key] = try prefix(1) }
    (prefixes[100], prefixes[101], prefixes[102]) = (try prefix(2), try prefix(2), try prefix(3))
    for (key, prefix) in prefixes.sorted(by: { $0.key < $1.key }) { holds(shares.ask(key, from: prefix, at: 0) != nil) }
    let order = served(&shares, prefixes, from: &now)
    #expect(order.prefix(6) == [0, 100, 102, 1, 101, 2] && order.count == 103)
    #expect(abs(now - 103 * Self.second / 100) < 1000)
  }

  @Test func whoWaitsAsksLater() throws {
    var shares = Shares(WorkAllowance(burst: 1, perSecond: 1, now: 0))
    for key in 0..<2 {
      shares.wait(key, from: try prefix(1))
      shares.wait(key, from: try prefix(1))
    }
    holds(shares.count == 2 && shares.next(at: 0)?.key == 0 && shares.next(at: 0)?.time == 0)
    holds(shares.ask(0, from: try prefix(1), at: 0) == nil)
    shares.charge(at: 0)
    holds(shares.next(at: 0)?.key == 1 && shares.next(at: 0)?.time == Self.second)
  }

  @Test func whoGoesMakesTheNextOneNext() throws {
    var shares = Shares(WorkAllowance(burst: 1, perSecond: 1, now: 0))
    shares.charge(at: 0)
    for key in 0..<3 { holds(shares.ask(key, from: try prefix(key == 1 ? 2 : 1), at: 0) != nil) }
    shares.remove(0)
    holds(shares.next(at: 0)?.key == 2)
    shares.remove(2)
    holds(shares.next(at: 0)?.key == 1)
    shares.remove(1)
    shares.remove(1)
    holds(shares.next(at: 0) == nil && shares.count == 0)
  }
}
