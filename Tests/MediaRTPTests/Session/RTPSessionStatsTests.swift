import MediaCore
import Testing

@testable import MediaRTP

/// What both ends count must fit together.
@Suite struct RTPSessionStatsTests {
  private func lossy(_ seed: UInt64) throws -> TestCall {
    let call = try TestCall(seed: seed, maximum: 2_000_000)
    // A receiver counts from the first packet that comes (RFC 3550, appendix A.1): none is lost before.
    try call.film(seconds: 1)
    call.forth.loss = 0.03
    try call.film(seconds: 8)
    // The last ones arrive, so that all that was lost is known to be.
    call.forth.loss = 0
    try call.film(seconds: 2)
    return call
  }

  @Test(arguments: [1, 2, 3] as [UInt64]) func whatWasSentWasReceivedOrLost(_ seed: UInt64) throws {
    let call = try lossy(seed)
    for (stream, ssrc) in [(call.video, SSRC(100)), (call.audio, SSRC(200))] {
      let (sent, received) = try (#require(call.sender.stats(sending: stream)), #require(call.receiver.stats(receiving: ssrc)))
      #expect(sent.ssrc == ssrc && received.ssrc == ssrc)
      // Sound has no source of its own for what is sent again.
      let again = stream == call.video ? received.retransmittedPacketsReceived : 0
      let first = sent.packetsSent - sent.retransmittedPacketsSent
      #expect(Int64(first) == Int64(received.packetsReceived - again) + received.packetsLost, "seed \(seed): \(sent), \(received)")
      #expect(sent.nackCount == received.nackCount && sent.nackCount > 0 && sent.pliCount == received.pliCount)
      // How many were lost is luck, and known here. Sound that was sent again is counted as what it is, and twice if it came twice (RFC 3550).
      let type = stream == call.video ? TestCall.vp8 : TestCall.opus
      let lost = Set(call.lost.filter { $0.toThere && $0.bytes[1] & 127 == type }.map { $0.bytes[2...3] }).count
      #expect(stream == call.video ? received.packetsLost == lost : received.packetsLost < lost, "seed \(seed): \(lost), \(received)")
      #expect(received.packetsRepaired <= lost && 2 * received.packetsRepaired > lost, "seed \(seed): \(lost), \(received)")
      #expect(received.retransmittedPacketsReceived <= sent.retransmittedPacketsSent)
      #expect(sent.firCount == 0)
      #expect(received.lastPacketReceivedTimestamp.map { call.now - $0 < 1_500_000_000 } == true)
      let remote = try #require(sent.remote)
      #expect(remote.packetsLost <= max(received.packetsLost, 0) && remote.fractionLost < 0.3 && remote.roundTripTimeMeasurements > 3)
      #expect(remote.roundTripTime.map { abs($0 - 40_000_000) < 15_000_000 } == true)
      #expect(remote.totalRoundTripTime > 3 * 30_000_000 && remote.jitter < 30_000_000)
    }
  }

  @Test(arguments: [4, 5] as [UInt64]) func picturesAddUp(_ seed: UInt64) throws {
    let call = try lossy(seed)
    let (sent, received) = try (#require(call.sender.stats(sending: call.video)), #require(call.receiver.stats(receiving: SSRC(100))))
    #expect(sent.framesSent == UInt64(call.pictures.count))
    #expect(sent.keyFramesSent == UInt64(call.pictures.filter { $0[0] & 1 == 0 }.count))
    #expect(received.framesReceived <= sent.framesSent && received.keyFramesReceived <= sent.keyFramesSent)
    #expect(received.framesReceived - received.framesDropped == UInt64(call.there.pictures.count))
    #expect(received.jitterBufferEmittedCount == UInt64(call.there.pictures.count))
    #expect(received.framesAssembledFromMultiplePackets > 100 && received.framesAssembledFromMultiplePackets <= received.framesReceived)
    #expect(received.frameWidth == 320 && received.frameHeight == 240)
    let held = received.jitterBufferDelay / Int64(received.jitterBufferEmittedCount)
    #expect(held > 0 && held < 200_000_000 && received.jitterBufferTargetDelay >= 0, "\(held)")
    #expect(sent.totalPacketSendDelay > 0 && sent.targetBitrate == call.sender.target)
    call.sender.setTargetBitrate(5, sending: call.video)
    #expect(call.sender.stats(sending: call.video)?.targetBitrate == 5)
  }

  @Test func soundAddsUp() throws {
    let call = try TestCall(seed: 6, maximum: 1_000_000)
    call.forth.loss = 0.2
    try call.film(seconds: 8)
    let received = try #require(call.receiver.stats(receiving: SSRC(200)))
    #expect(received.jitterBufferEmittedCount == UInt64(call.there.sounds.count * 960))
    #expect(call.there.lost > 5 && received.concealedSamples == UInt64(call.there.concealed))
    #expect(received.concealmentEvents > 0 && received.concealmentEvents <= UInt64(call.there.lost))
    #expect(received.totalSamplesReceived == received.jitterBufferEmittedCount + received.concealedSamples)
    #expect(received.packetsDiscarded < 40)
  }

  @Test func freezesAreThoseOfAnOutage() throws {
    let call = try TestCall(seed: 7, maximum: 500_000)
    try call.film(seconds: 3)
    #expect(call.receiver.stats(receiving: SSRC(100))?.freezeCount == 0)
    call.forth.loss = 1
    try call.film(seconds: 1)
    call.forth.loss = 0
    try call.film(seconds: 4)
    let stats = try #require(call.receiver.stats(receiving: SSRC(100)))
    #expect(stats.freezeCount >= 1 && stats.freezeCount < 4, "\(stats.freezeCount)")
    #expect(stats.totalFreezesDuration > 1_500_000_000 && stats.totalFreezesDuration < 5_000_000_000, "\(stats.totalFreezesDuration)")
  }

  @Test func theWayAddsUp() throws {
    let call = try lossy(8)
    let (here, there) = (call.sender.pathStats, call.receiver.pathStats)
    #expect(here.packetsSent == UInt64(call.forth.packets) && here.bytesSent == UInt64(call.forth.bytes))
    #expect(there.packetsReceived == UInt64(call.forth.arrived) && here.packetsReceived == UInt64(call.back.arrived))
    #expect(there.packetsSent == here.packetsReceived && there.bytesSent == here.bytesReceived && there.packetsSent > 100)
    #expect(here.packetsSent > there.packetsReceived && here.bytesSent > there.bytesReceived)
    #expect(here.availableOutgoingBitrate > 1_000_000 && here.currentRoundTripTime.map { abs($0 - 40_000_000) < 20_000_000 } == true)
    #expect(
      here.queuedPackets == 0 && here.queuedBytes == 0 && here.refusedSends == 0 && here.expiredPackets == 0 && here.loopedPackets == 0)
    // Media alone: what was sent beside it are reports.
    let media = try [call.video, call.audio].map { stream in
      let stats = try #require(call.sender.stats(sending: stream))
      return stats.bytesSent + stats.headerBytesSent
    }
    #expect(media.reduce(0, +) < here.bytesSent && media.reduce(0, +) > here.bytesSent * 9 / 10)
  }

  @Test func feedbackIsTheRarerTheLessComes() throws {
    var counts: [Int] = []
    for maximum in [30_000, 2_000_000] {
      let call = try TestCall(seed: 9, maximum: maximum, start: min(maximum, 1_000_000))
      if maximum < 100_000 {
        // Sound alone: about 45 kbit/s.
        for index in 0..<500 {
          call.run(until: call.now + 20_000_000)
          try [UInt8](repeating: 0xF8, count: 60).withUnsafeBytes {
            try call.sender.send(sound: $0, units: Int64(index) * 960, marker: false, on: call.audio, now: call.now)
          }
        }
      } else {
        try call.film(seconds: 10)
      }
      counts.append(call.back.feedbacks)
    }
    #expect(counts[0] > 35 && counts[0] < 90 && counts[1] > 150, "\(counts)")
  }

  @Test func nothingIsSaidOfWhatIsNot() throws {
    let call = try TestCall(seed: 10)
    #expect(call.sender.stats(sending: 9) == nil && call.sender.stats(sending: -1) == nil && call.receiver.stats(receiving: SSRC(5)) == nil)
    #expect(call.sender.stats(sending: 0)?.remote == nil && call.receiver.receivedStreams.isEmpty)
    call.sender.setTargetBitrate(5, sending: 9)
  }
}
