import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ReportIntervalTests {
  private func seconds(_ bandwidth: Int, _ size: Double, _ members: Int, _ senders: Int, isSender: Bool, minimum: Int64 = 0) -> Double {
    let rule = ReportInterval(bandwidth: bandwidth, averageSize: size, minimum: minimum)
    return Double(rule.calculated(.init(members: members, senders: senders, isSender: isSender))) / 1e9
  }

  @Test func sendersShareAQuarter() {
    // 8000 bits, 100 bytes each: ten packets in a second, two and a half for the one sender, seven and a half for 99.
    #expect(seconds(8000, 100, 100, 1, isSender: true) == 0.4)
    #expect(seconds(8000, 100, 100, 1, isSender: false) == 13.2)
    // Many senders: all share alike.
    #expect(seconds(8000, 100, 100, 50, isSender: true) == 10 && seconds(8000, 100, 100, 50, isSender: false) == 10)
  }

  @Test func whateverTheNumbersTheIntervalIsBounded() {
    #expect(seconds(8000, 100, 2, 1, isSender: true, minimum: 5_000_000_000) == 5)
    #expect(seconds(0, 100, 1_000_000, 0, isSender: false) == 3600)
    #expect(seconds(.max, 100, .max, .max, isSender: true) <= 3600)
    #expect(seconds(-5, 1e300, -5, -7, isSender: false) <= 3600)
    #expect(seconds(8000, 0, 0, 0, isSender: true) == 0)
    var random = SeededRandom(seed: 10)
    let rule = ReportInterval(bandwidth: 0, averageSize: 1e9, minimum: .max)
    #expect(rule.randomised(.init(members: 1, senders: 1, isSender: true), using: &random) <= 2 * 3600 * 1_000_000_000)
  }

  @Test func itIsSpreadEvenly() throws {
    var random = SeededRandom(seed: 11)
    let rule = ReportInterval(bandwidth: 8000, averageSize: 100, minimum: 5_000_000_000)
    let drawn = (0..<10_000).map { _ in
      Double(rule.randomised(.init(members: 2, senders: 0, isSender: false), using: &random)) / 1e9 * (2.71828 - 1.5)
    }
    let (least, most) = (try #require(drawn.min()), try #require(drawn.max()))
    #expect(least >= 2.499 && most <= 7.5)
    #expect(least < 2.51 && most > 7.49)
    let mean: Double = drawn.reduce(0, +) / 10_000
    #expect(abs(mean - 5) < 0.05)
  }
}
