import Testing

@testable import MediaRTP

/// What a session makes of the other end's control packets.
@Suite struct RTPSessionControlTests {
  /// Without transport-wide feedback: after half a minute in which so many 256ths of each stream's packets are lost. Most are of video.
  private func estimate(lostVideo: UInt8, lostAudio: UInt8, isVideoFirst: Bool) throws -> (target: Int, loss: Double) {
    let second: Int64 = 1_000_000_000
    var settings = RTPSettings(cname: "a", clock: NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: 0), seed: 1)
    settings.hasTransportFeedback = false
    settings.bitrates = .init(minimum: 30_000, start: 5_000_000, maximum: 10_000_000)
    let (session, out) = (RTPSession(settings, receiving: [:], now: 0), TestCall.End())
    let video = try session.addStream(OutgoingRTP(.vp8, ssrc: SSRC(1), payloadType: 96))
    let audio = try session.addStream(OutgoingRTP(.opus, ssrc: SSRC(2), payloadType: 111))
    let sound: [UInt8] = [31 << 3] + [UInt8](repeating: 7, count: 60)
    var highest: [SSRC: UInt32] = [:]
    for tick in 0..<1_500 as Range<Int64> {
      let now = tick * second / 50
      try sound.withUnsafeBytes { try session.send(sound: $0, units: tick * 960, marker: false, on: audio, now: now) }
      if tick % 2 == 0 {
        let frame = TestFrame.make(.vp8, session.target / 8 / 25 * 8 / 10, isKey: tick == 0, Int(tick))
        try frame.withUnsafeBytes {
          try session.send($0, number: UInt16(truncatingIfNeeded: tick / 2), units: tick * 1_800, on: video, now: now)
        }
      }
      for step in 0..<4 as Range<Int64> { _ = session.poll(now: now + step * 5_000_000, out) }
      for (packet, isControl) in out.out where !isControl {
        let front = try reading(packet) { bytes in
          let view = try RTPHeaderView(parsing: bytes)
          return (ssrc: view.ssrc, sequence: view.sequence)
        }
        highest[front.ssrc] = UInt32(front.sequence.rawValue)
      }
      out.out = []
      guard tick % 50 == 49 else { continue }
      let blocks = [(SSRC(1), lostVideo), (SSRC(2), lostAudio)].map {
        ReportBlock(ssrc: $0.0, fractionLost: $0.1, highestSequence: highest[$0.0] ?? 0)
      }
      let report = written { ReceiverReport(ssrc: SSRC(9)).write(to: &$0, (isVideoFirst ? blocks : blocks.reversed())[...]) }
      reading(report) { session.receive($0, now: now + second / 50 - 1, out) }
    }
    return (session.target, session.estimator.loss)
  }

  @Test func whatIsLostOfOneStreamCountsWhereverItsBlockStands() throws {
    let (first, last) = (
      try estimate(lostVideo: 128, lostAudio: 0, isVideoFirst: true), try estimate(lostVideo: 128, lostAudio: 0, isVideoFirst: false)
    )
    #expect(first.target == last.target && first.loss == last.loss, "\(first) \(last)")
    #expect(first.loss > 0.2 && first.target < 3_000_000, "\(first)")
  }

  /// Half of the audio is little of all.
  @Test func eachStreamCountsByItsPackets() throws {
    let (first, last) = (
      try estimate(lostVideo: 0, lostAudio: 128, isVideoFirst: false), try estimate(lostVideo: 0, lostAudio: 128, isVideoFirst: true)
    )
    #expect(first.target == last.target && first.loss == last.loss, "\(first) \(last)")
    #expect(first.loss > 0 && first.loss < 0.15 && first.target > 3_000_000, "\(first)")
  }
}
