import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaSDK

/// One participant in the mix, whose sound comes on time, late, in bursts or not at all.
@Suite struct MixerSourceTests {
  /// The bend of eight waves in 960 samples at 0.4, and a little.
  private static let smooth: Float = 0.4 * 0.0524 * 0.0524 * 1.2

  @Test func soundIsKeptBackALittle() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    try bench.run(second)
    let first = try #require(bench.mixed.firstIndex { $0.samples.contains { $0 != 0 } })
    #expect(bench.times[first] <= 80 * millisecond)
    // Faded in within 5 ms, 4 ms late by the limiter, and then as it came.
    let samples = bench.mixed[first].samples
    #expect(samples[0] == 0 && samples[240 + 192] == 0.25 && zip(samples, samples.dropFirst()).allSatisfy { $1 >= $0 })
    #expect(bench.mixed[(first + 1)...].allSatisfy { $0.samples.allSatisfy { $0 == 0.25 } })
    let stats = sender.source.stats
    #expect(stats.underruns == 0 && stats.late == 0 && stats.driftPPM == 0)
    #expect((10 * millisecond...60 * millisecond).contains(stats.kept + 20 * millisecond))
  }

  @Test func whoStopsIsHeardToTheEndAndFades() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    sender.stop(after: 24)
    try bench.run(2 * second)
    let heard = bench.samples(0..<2000).count { $0 != 0 }
    // Half a second but for the edges.
    #expect((23_500...24_300).contains(heard), "\(heard)")
    #expect(bench.bend < 0.01)
    #expect(sender.source.stats.kept == 0)
    #expect(!sender.source.isOver)
    sender.source.end()
    #expect(sender.source.isOver)
  }

  @Test func aShortSoundAloneIsPlayedInTheEnd() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    sender.stop(after: 0)
    try bench.run(500 * millisecond)
    #expect(bench.samples(0..<500).count { $0 != 0 } > 900)
    #expect(bench.samples(200..<500).allSatisfy { $0 == 0 })
  }

  @Test func whatEndsWhileItWaitsIsPlayed() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    sender.stop(after: 0)
    try bench.run(20 * millisecond)
    sender.source.end()
    try bench.run(100 * millisecond)
    #expect(bench.samples(0..<100).count { $0 != 0 } > 900)
    #expect(sender.source.isOver)
  }

  @Test(arguments: [10, 20, 60, 100] as [UInt32])
  func buffersOfAnyLengthAreHeardWhole(milliseconds: UInt32) throws {
    let bench = MixBench()
    let format = AudioFormat(.s16, sampleRate: 48_000, channels: 2, samplesPerBuffer: 48 * milliseconds)
    let sender = try bench.sender(1, format)
    try bench.run(3 * second)
    #expect(bench.samples(300..<3000).allSatisfy { abs($0 - 0.25) < 0.0001 })
    #expect(sender.source.stats.underruns == 0 && sender.source.stats.late == 0)
  }

  @Test func otherRatesAreResampled() throws {
    let bench = MixBench()
    let sender = try bench.tone(1, AudioFormat(.s16, sampleRate: 16_000, channels: 1, samplesPerBuffer: 320))
    try bench.run(500 * millisecond)
    bench.bend = 0
    try bench.run(3 * second)
    #expect(bench.bend < Self.smooth)
    #expect(bench.samples(500..<3500).map(abs).max() ?? 0 > 0.39)
    #expect(sender.source.stats.underruns == 0)
  }

  @Test func whatIsMissingIsSilenceAndTheRestInItsPlace() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    sender.delay = { $0 == 50 || $0 == 51 ? nil : 0 }
    try bench.run(3 * second)
    let samples = bench.samples(200..<3000)
    // 40 ms are silent, and nothing is late or early afterwards.
    #expect((1900...2700).contains(samples.count { $0 == 0 }), "\(samples.count { $0 == 0 })")
    #expect(samples.suffix(48_000).allSatisfy { $0 == 0.25 })
    let last = try #require(bench.mixed.last)
    let age = bench.elapsed - (last.timestamp - second)
    #expect(age < 100 * millisecond, "\(age)")
  }

  @Test func jitterWithinTheReserveIsNotHeard() throws {
    let bench = MixBench()
    let sender = try bench.tone()
    // Up to 8 ms late, one as the other.
    sender.delay = { Int64(($0 * 7) % 9) * millisecond }
    try bench.run(500 * millisecond)
    bench.bend = 0
    try bench.run(20 * second)
    #expect(bench.bend < Self.smooth)
    let stats = sender.source.stats
    #expect(stats.underruns == 0 && stats.late == 0)
    #expect(abs(stats.driftPPM) <= 100, "\(stats.driftPPM)")
  }

  @Test func latenessIsLearnt() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    // Every fifth is 60 ms late, and those behind it wait for it.
    sender.delay = { index in [60, 40, 20, 0, 0][index % 5] * millisecond }
    try bench.run(4 * second)
    let learnt = sender.source.stats
    #expect(learnt.underruns <= 6, "\(learnt.underruns)")
    try bench.run(10 * second)
    #expect(sender.source.stats.underruns <= learnt.underruns + 2, "\(sender.source.stats.underruns)")
    #expect(sender.source.stats.kept <= 300 * millisecond)
  }

  @Test func aBurstIsTakenInAndNothingOfItLost() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    // What was made in 120 ms comes all at once at their end.
    sender.delay = { (100..<106).contains($0) ? Int64(106 - $0) * 20 * millisecond : 0 }
    try bench.run(10 * second)
    let stats = sender.source.stats
    #expect(stats.underruns == 1)
    // The hole is where the sound was late: silence is put in, and what is then too much is taken out, no more.
    #expect(stats.late <= 120 * 48, "\(stats.late)")
    let silent = bench.samples(1000..<10_000).count { $0 == 0 }
    #expect((1000...7000).contains(silent), "\(silent)")
    #expect(bench.samples(3000..<10_000).allSatisfy { $0 > 0.2499 && $0 < 0.2501 })
    #expect(stats.kept < 300 * millisecond)
  }

  /// A sender who was delayed once, and then sends what was captured meanwhile: three seconds later there is no delay, and no click on the way there.
  @Test(arguments: [150, 250, 450] as [Int64], [0.0004, 0.4] as [Float])
  func oneStallIsCaughtUpWithinThreeSeconds(stall: Int64, amplitude: Float) throws {
    let bench = MixBench()
    let sender = try bench.tone(amplitude: amplitude)
    // Twice, with a quarter of a minute between them.
    sender.delay = { index in
      for first in [150, 900] where (first..<first + Int(stall / 20)).contains(index) {
        return (Int64(first) + stall / 20 - Int64(index)) * 20 * millisecond
      }
      return 0
    }
    func age() throws -> Int64 { (bench.elapsed + second - (try #require(bench.mixed.last)).timestamp) / millisecond }
    try bench.run(2900 * millisecond)
    let (usual, kept) = (try age(), sender.source.stats.kept)
    for (number, end) in [3000 + stall, 18_000 + stall].enumerated() {
      try bench.run(end * millisecond + 200 * millisecond - bench.elapsed)
      let late = try age()
      #expect(late >= usual + stall - 60, "\(late), usually \(usual)")
      bench.bend = 0
      try bench.run(2800 * millisecond)
      #expect(bench.bend < Self.smooth * 3 * amplitude / 0.4, "\(bench.bend)")
      let stats = sender.source.stats
      #expect(stats.kept <= kept + 20 * millisecond, "\(stats.kept / millisecond) ms, usually \(kept / millisecond)")
      let caughtUp = try age()
      #expect(caughtUp <= usual + 20, "\(caughtUp), usually \(usual)")
      #expect(stats.underruns == UInt64(number + 1))
      // What was taken out is said.
      #expect(abs(Int64(stats.late) - Int64(number + 1) * (stall - 20) * 48) < Int64(number + 1) * 40 * 48, "\(stats.late / 48) ms")
    }
    let underruns = sender.source.stats.underruns
    try bench.run(20 * second)
    #expect(sender.source.stats.underruns == underruns)
  }

  /// What is heard says when it was captured: what is mixed is stamped so, also after a stall and while it is caught up with.
  @Test(arguments: [150, 450] as [Int64], [10, 20, 100] as [UInt32])
  func stampsAreThoseOfTheCaptureWhileAStallIsCaughtUpWith(stall: Int64, buffer: UInt32) throws {
    let bench = MixBench(AudioFormat(.f32, sampleRate: 48_000, channels: 1, samplesPerBuffer: 48 * buffer))
    let sender = try bench.sender(1, AudioFormat(.f32, sampleRate: 48_000, channels: 1, samplesPerBuffer: 960))
    sender.fill = { frame, captured in
      frame.write { 0.1 + 0.8 * Float(Double(captured) / 1e9 + Double($0) / 48_000) / 10 }
      frame.native.pointee.level = frame.computedLevel
    }
    sender.delay = { (150..<150 + Int(stall / 20)).contains($0) ? (150 + stall / 20 - Int64($0)) * 20 * millisecond : 0 }
    try bench.run(9 * second)
    var errors: [Int64] = []
    for (former, heard) in zip(bench.mixed, bench.mixed.dropFirst()) {
      // Not what fades in or out.
      guard let last = heard.samples.last, last >= 0.1, former.samples.allSatisfy({ $0 >= 0.1 }), heard.samples.allSatisfy({ $0 >= 0.1 })
      else { continue }
      // Of the last sample, as some may have been taken out before it.
      let captured = Int64((Double(last) - 0.1) / 0.8 * 10 * 1e9) + second
      errors.append(heard.timestamp + Int64(buffer) * millisecond - captured)
    }
    #expect(errors.count > Int(6000 / buffer))
    let most = errors.map { abs($0) }.max() ?? .max
    #expect(most <= 20 * millisecond + Int64(buffer) * millisecond / 2, "\(most / millisecond) ms")
    #expect(errors.suffix(Int(2000 / buffer)).allSatisfy { abs($0) <= 5 * millisecond }, "\(errors.map { $0 / millisecond })")
  }

  @Test func aDropoutOfSecondsIsSilenceAndThenAsBefore() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    sender.delay = { (100..<350).contains($0) ? nil : 0 }
    try bench.run(20 * second)
    #expect(bench.samples(2200..<7000).allSatisfy { $0 == 0 })
    #expect(bench.samples(7200..<20_000).allSatisfy { $0 == 0.25 })
    let stats = sender.source.stats
    #expect(stats.kept < 60 * millisecond)
    #expect(stats.late == 0)
    #expect(bench.bend < 0.01)
  }

  @Test func tooMuchIsLeftOutWithoutAStep() throws {
    let bench = MixBench()
    let sender = try bench.tone()
    try bench.run(3 * second)
    bench.bend = 0
    // 400 ms of sound too much, at once: as after a sender who ran ahead.
    let frame = sender.frame
    for index in 0..<20 as Range<Int64> {
      frame.native.pointee.timestamp_ns = bench.clock.now() + index * 20 * millisecond
      sender.source.push(frame, now: bench.clock.now())
    }
    #expect(sender.source.stats.kept > 380 * millisecond)
    try bench.run(20 * second)
    let stats = sender.source.stats
    #expect(stats.kept < 120 * millisecond, "\(stats.kept)")
    #expect(stats.late > 10_000, "\(stats.late)")
    #expect(stats.underruns == 0)
    // From one place to the other within 5 ms: at most both tones at once, never a click.
    #expect(bench.bend < 0.05, "\(bench.bend)")
  }

  @Test(arguments: [-200, 200] as [Int64])
  func aClockThatDriftsIsFollowed(ppm: Int64) throws {
    let format = AudioFormat(.f32, sampleRate: 16_000, channels: 1, samplesPerBuffer: 320)
    let bench = MixBench(format)
    bench.kept = 50
    let sender = try bench.tone(1, format, ppm: ppm)
    try bench.run(500 * millisecond)
    bench.bend = 0
    var kept: [Int64] = []
    for _ in 0..<600 {
      try bench.run(second)
      kept.append(sender.source.stats.kept)
    }
    let stats = sender.source.stats
    #expect(stats.underruns == 0 && stats.late == 0)
    #expect(abs(Int64(stats.driftPPM) - ppm) <= 50, "\(stats.driftPPM)")
    // Ten minutes of it are 120 ms; what is kept stays where it was.
    #expect((kept.max() ?? 0) - (kept.min() ?? 0) < 40 * millisecond)
    #expect(kept.max() ?? 0 < 80 * millisecond)
    // 400 Hz at 16,000: never a click in ten minutes.
    #expect(bench.bend < 0.4 * 0.1571 * 0.1571 * 1.2, "\(bench.bend)")
    #expect(bench.mixed.flatMap(\.left).map(abs).max() ?? 0 > 0.39)
  }

  @Test func whatThereIsNoRoomForIsCounted() throws {
    let bench = MixBench()
    let sender = try bench.sender()
    let frame = sender.frame
    for index in 0..<60 as Range<Int64> {
      frame.native.pointee.timestamp_ns = second + index * 20 * millisecond
      sender.source.push(frame, now: second)
    }
    // A second is the most.
    #expect(sender.source.stats.kept == second)
    #expect(sender.source.stats.late == 10 * 960)
  }
}
