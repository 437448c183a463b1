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
    #expect(stats.late == 0)
    // The hole is where the sound was late: silence is put in, nothing is left out.
    let silent = bench.samples(1000..<10_000).count { $0 == 0 }
    #expect((1000...7000).contains(silent), "\(silent)")
    #expect(bench.samples(3000..<10_000).allSatisfy { $0 > 0.2499 && $0 < 0.2501 })
    #expect(stats.kept < 300 * millisecond)
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
