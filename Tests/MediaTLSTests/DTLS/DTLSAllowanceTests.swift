import Testing

@testable import MediaTLS

@Suite struct DTLSAllowanceTests {
  @Test func itIsRefilledByTime() {
    var allowance = DTLSAllowance(3, perSecond: 2, now: 100)
    func takes(at now: Int64) -> Int { (0..<10).filter { _ in allowance.take(now: now) }.count }
    #expect(takes(at: 100) == 3)
    #expect(takes(at: 500_000_099) == 0)
    #expect(takes(at: 500_000_100) == 1)
    #expect(takes(at: 0) == 0)
    #expect(takes(at: 1_250_000_100) == 1)
    #expect(takes(at: 1_500_000_100) == 1)
    #expect(takes(at: .max) == 3)
    #expect(takes(at: .min) == 0)
    var early = DTLSAllowance(3, perSecond: 2, now: .min)
    let isLeft = early.take(now: .max)
    #expect(isLeft)
  }
}
