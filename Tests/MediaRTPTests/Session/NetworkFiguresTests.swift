import MediaCore
import Testing

@testable import MediaRTP

/// What a session tells of its network is what the simulated way did.
@Suite struct NetworkFiguresTests {
  @Test(arguments: [0.0, 0.05, 0.2]) func lossIsThatOfTheWay(_ loss: Double) throws {
    let call = try TestCall(seed: 11, maximum: 2_000_000)
    call.forth.loss = loss
    try call.film(seconds: 15)
    let (here, there) = (call.sender.networkFigures, call.receiver.networkFigures)
    #expect(here.packetsSent > 500 && here.packetsReported > 200 && here.packetsReported < here.packetsSent)
    let reported = Double(here.reportedLost) / Double(here.packetsReported)
    let counted = Double(there.packetsLost) / Double(there.packetsReceived + UInt64(clamping: max(0, there.packetsLost)))
    // Of sound what is sent again cannot be told from the rest.
    #expect(reported <= loss * 1.3 && reported >= loss * 0.5, "\(reported)")
    #expect(counted <= loss * 1.3 && counted >= loss * 0.5, "\(counted)")
    #expect(here.lastReport.map { call.now - $0 < 6_000_000_000 } == true && there.lastReport == nil)
    #expect(here.roundTrip.map { abs($0 - 40_000_000) < 20_000_000 } == true)
    #expect(here.packetsReceived == 0 && there.packetsSent == 0 && here.estimate == 0 && here.wanted == 0)
  }

  @Test func waysAreAddedUp() {
    var (one, other) = (NetworkFigures(), NetworkFigures())
    (one.packetsSent, one.packetsLost, one.roundTrip) = (3, -2, 5)
    (other.packetsSent, other.packetsLost, other.lastReport) = (.max, 7, 9)
    one.add(other)
    #expect(one.packetsSent == 2 && one.packetsLost == 5 && one.roundTrip == 5 && one.lastReport == 9)
  }

  @Test func reportsThatOvertakeOneAnotherCountOnce() {
    var meter = OutboundMeter()
    func report(_ sequence: UInt32, lost: Int32) {
      meter.received(
        ReportBlock(ssrc: SSRC(1), cumulativeLost: lost, highestSequence: sequence), clockRate: 90_000,
        at: NTPTimestamp(unixNanoseconds: 0), now: 0)
    }
    report(0xFFFF_FFF0, lost: 4)
    #expect(meter.reported == (0, 0))
    report(0x10, lost: 6)
    report(0, lost: 5)
    report(0x20, lost: 5)
    #expect(meter.reported == (0x30, 1), "\(meter.reported)")
  }
}
