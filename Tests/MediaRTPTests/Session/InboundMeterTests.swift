import Testing

@testable import MediaRTP

@Suite struct InboundMeterTests {
  @Test func concealmentInARowIsOneEvent() {
    var meter = InboundMeter()
    meter.concealed(samples: 960)
    meter.concealed(samples: 960)
    meter.handedOn(samples: 960, arrival: 0, target: 0, at: 0)
    meter.concealed(samples: 480)
    #expect(meter.concealedSamples == 2400 && meter.concealmentEvents == 2 && meter.emitted == 960)
  }

  @Test func delaysCountForEachSample() {
    var meter = InboundMeter()
    meter.handedOn(samples: 960, arrival: 1_000_000, target: 5_000_000, at: 3_000_000)
    meter.handedOn(samples: 480, arrival: 9_000_000, target: 6_000_000, at: 9_000_000)
    #expect(meter.bufferDelay == 960 * 2_000_000 && meter.targetDelay == 960 * 5_000_000 + 480 * 6_000_000 && meter.emitted == 1440)
  }
}
