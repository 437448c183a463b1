import Testing

@testable import MediaRTP

@Suite struct IncomingRateTests {
  @Test func itIsThatOfTheLastHalfSecond() {
    var rate = IncomingRate()
    for index in Int64(0)..<100 { rate.arrived(1250, at: index * 10_000_000) }
    #expect(rate.bitrate.map { abs($0 - 1_000_000) < 30_000 } == true, "\(String(describing: rate.bitrate))")
    for index in Int64(0)..<20 { rate.arrived(100, at: 1_000_000_000 + index * 100_000_000) }
    #expect(rate.bitrate.map { abs($0 - 8000) < 2000 } == true, "\(String(describing: rate.bitrate))")
  }

  @Test func silenceIsFromTheLastOn() {
    var rate = IncomingRate()
    #expect(!rate.isSilent(at: 1_000_000_000))
    rate.arrived(100, at: 1_000_000_000)
    #expect(!rate.isSilent(at: 1_200_000_000) && rate.isSilent(at: 1_200_000_001))
  }

  /// Else the silence would count, and reports on what comes then be rare.
  @Test func afterASilenceItIsMeasuredAnew() {
    var rate = IncomingRate()
    for index in Int64(0)..<100 { rate.arrived(1250, at: index * 10_000_000) }
    for index in Int64(0)..<60 {
      rate.arrived(1250, at: 3_000_000_000 + index * 10_000_000)
      if index < 50 { #expect(rate.bitrate == nil) }
    }
    #expect(rate.bitrate.map { abs($0 - 1_000_000) < 30_000 } == true, "\(String(describing: rate.bitrate))")
  }

  @Test func nothingIsKnownAtFirstAndExtremesDoNoHarm() {
    var rate = IncomingRate()
    rate.arrived(100, at: 5)
    #expect(rate.bitrate == nil)
    rate.arrived(.max, at: .max)
    rate.arrived(.max, at: .min)
    rate.arrived(1, at: 0)
    #expect(rate.bitrate.map { $0 >= 0 } ?? true)
  }
}
