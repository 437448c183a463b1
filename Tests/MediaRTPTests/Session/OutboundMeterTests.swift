import Testing

@testable import MediaRTP

@Suite struct OutboundMeterTests {
  private func enqueue(_ meter: inout OutboundMeter, _ size: Int, isKey: Bool, last: Int64) {
    meter.enqueued(size: size, isKeyFrame: isKey, last: last)
  }

  @Test func aPictureCountsWhenItsLastPacketLeft() {
    var meter = OutboundMeter()
    enqueue(&meter, 3000, isKey: true, last: 2)
    enqueue(&meter, 1000, isKey: false, last: 3)
    meter.left(0, after: 5)
    meter.left(1, after: 7)
    #expect(meter.framesSent == 0)
    meter.left(2, after: 9)
    meter.left(3, after: 9)
    #expect(meter.framesSent == 2 && meter.keyFramesSent == 1 && meter.totalPacketSendDelay == 30)
  }

  @Test func aPictureOfWhichAPacketWasGivenUpWasNotSent() {
    var meter = OutboundMeter()
    enqueue(&meter, 3000, isKey: true, last: 1)
    meter.left(0, after: nil)
    meter.left(1, after: 1)
    #expect(meter.framesSent == 0 && meter.keyFramesSent == 0)
  }

  @Test func hugeIsTwoAndAHalfTimesTheAverage() {
    var meter = OutboundMeter()
    for (number, size) in [1000, 1000, 2499, 2500, 4376].enumerated() {
      enqueue(&meter, size, isKey: false, last: Int64(number))
      meter.left(Int64(number), after: 0)
    }
    // 2499 and 2500 stand against 1000 and 1499.7, 4376 against 1749.75.
    #expect(meter.hugeFramesSent == 1, "\(meter.hugeFramesSent)")
  }

  @Test func reportsBecomeStats() {
    var meter = OutboundMeter()
    #expect(meter.remote == nil)
    let clock = NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: 0)
    let sent = clock.time(at: 1_000_000_000).middle
    let block = ReportBlock(
      ssrc: SSRC(1), fractionLost: 64, cumulativeLost: -3, jitter: 90, lastSenderReport: sent, delaySinceLastSenderReport: 65_536 / 10)
    meter.received(block, clockRate: 90_000, at: clock.time(at: 1_150_000_000), now: 1_150_000_000)
    #expect(meter.remote?.packetsLost == -3 && meter.remote?.fractionLost == 0.25 && meter.remote?.jitter == 1_000_000)
    #expect(meter.remote?.roundTripTime.map { abs($0 - 50_000_000) < 100_000 } == true && meter.remote?.roundTripTimeMeasurements == 1)
    #expect(meter.remote?.totalRoundTripTime == meter.remote?.roundTripTime && meter.remote?.timestamp == 1_150_000_000)
  }
}
