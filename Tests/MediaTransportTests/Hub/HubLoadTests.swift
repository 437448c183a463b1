import Testing

@testable import MediaTransport

@Suite struct HubLoadTests {
  private static let millisecond: Int64 = 1_000_000

  /// Units of a size, so many a second.
  private func load(size: Int, perSecond: Int64, seconds: Int64) -> HubLoad {
    var load = HubLoad()
    for index in 0...(seconds * perSecond) { load.add(size, now: 5 + index * 1_000_000_000 / perSecond) }
    return load
  }

  @Test func headersCount() {
    let sound = load(size: 80, perSecond: 50, seconds: 4).rate(at: 4_000_000_000)
    #expect(abs(sound - 60_000) < 3000, "\(sound)")
    // Three packets each.
    let pictures = load(size: 3000, perSecond: 30, seconds: 4).rate(at: 4_000_000_000)
    #expect(abs(pictures - 770_400) < 40_000, "\(pictures)")
  }

  @Test func nothingIsKnownAtFirst() {
    var load = HubLoad()
    #expect(load.rate(at: 0) == 0)
    load.add(10_000, now: 0)
    #expect(load.rate(at: 500 * Self.millisecond) == 0)
  }

  @Test func whatCeasesTakesNothing() {
    let load = load(size: 1000, perSecond: 30, seconds: 3)
    #expect(load.rate(at: 4_000_000_000) > 200_000)
    #expect(load.rate(at: 60_000_000_000) < 1000)
  }

  @Test func anySizeIsTaken() {
    var load = HubLoad()
    load.add(-5, now: 0)
    load.add(.max, now: 1)
    load.add(.max, now: 2_000_000_000)
    #expect(load.rate(at: 2_000_000_000) > 0)
  }
}
