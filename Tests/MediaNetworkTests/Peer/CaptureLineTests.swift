import Testing

@testable import MediaNetwork

private let ms: Int64 = 1_000_000

@Suite struct CaptureLineTests {
  private func times(_ line: inout CaptureLine, _ stamps: [Int64], captured: (Int64) -> Int64?) -> [Int64] {
    stamps.map { line.time($0 * ms, captured: captured($0).map { $0 * ms }, at: ($0 + 1000) * ms) / ms }
  }

  @Test func beforeAReportTheFirstArrivalIsTheTime() {
    var line = CaptureLine(0, at: 1000 * ms)
    let times = self.times(&line, [0, 20, 60]) { _ in nil }
    #expect(times == [1000, 1020, 1060])
  }

  @Test func reportsAreFollowedForward() {
    var line = CaptureLine(0, at: 1000 * ms)
    let times = self.times(&line, [0, 20, 40]) { $0 == 0 ? nil : $0 + 1100 }
    #expect(times == [1000, 1120, 1140])
  }

  /// 200 ms too late at first: right after 400, and never closer together than half of what the stamps say.
  @Test func whatIsMovedBackIsNotSqueezed() {
    var line = CaptureLine(0, at: 1000 * ms)
    let stamps = Array(stride(from: 0, through: 1000, by: 20)) as [Int64]
    let times = self.times(&line, stamps) { $0 < 200 ? nil : $0 + 800 }
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 >= 10 }, "\(times)")
    for (stamp, time) in zip(stamps, times) where stamp >= 600 { #expect(time == stamp + 800) }
  }

  @Test func theSendersOwnStepBackIsFollowed() {
    var line = CaptureLine(0, at: 1000 * ms)
    let times = self.times(&line, [6000, 6033, 1066, 1099]) { _ in nil }
    #expect(times == [7000, 7033, 2066, 2099])
  }

  @Test func aStampFarAwayBeginsAnotherTimeLine() {
    var line = CaptureLine(0, at: 1000 * ms)
    let times = [(20, 1020), (20_000, 1040), (20_020, 1060)].map { line.time($0 * ms, captured: nil, at: $1 * ms) / ms }
    #expect(times == [1020, 1040, 1060])
  }
}
