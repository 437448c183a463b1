import CMediaSDK
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct AudioMixerTests {
  @Test func aMixOfNobodyIsSilenceByTheClock() throws {
    let bench = MixBench(AudioFormat(.f32, sampleRate: 48_000, channels: 2, samplesPerBuffer: 960))
    try bench.run(second)
    #expect(bench.times == (0...50).map { $0 * 20 * millisecond })
    #expect(bench.mixed.allSatisfy { $0.count == 960 && $0.samples.allSatisfy { $0 == 0 } })
    // As old as what is usually heard, from the first buffer on, and late by what the limiter looks ahead.
    #expect(zip(bench.times, bench.mixed).allSatisfy { $0 + second == $1.timestamp + 54 * millisecond })
    #expect(bench.mixer.stats.heard == 0)
  }

  @Test func timeIsCountedInSamples() throws {
    // 9.977 ms each.
    let bench = MixBench(AudioFormat(.f32, sampleRate: 22_050, channels: 1, samplesPerBuffer: 220))
    try bench.run(10 * second)
    #expect(bench.times.count == 1003)
    for (index, time) in bench.times.enumerated() { #expect(abs(time - Int64(index) * 220 * second / 22_050) <= 1) }
  }

  @Test func theMixIsTheSum() throws {
    let bench = MixBench()
    for (number, value) in [0.1, 0.2, -0.05, 0.25].enumerated() {
      _ = try bench.sender(UInt64(number + 1)) { _ in Float(value) }
    }
    try bench.run(2 * second)
    #expect(bench.samples(500..<2000).allSatisfy { abs($0 - 0.5) < 1e-6 })
    #expect(bench.mixer.stats.heard == 4)
  }

  @Test func theSumIsExactToFullScaleAndNeverLeavesIt() throws {
    for (count, expected) in [(2, 0.6), (3, 0.9), (8, 1)] as [(Int, Float)] {
      let bench = MixBench()
      for number in 1...count { _ = try bench.sender(UInt64(number)) { _ in 0.3 } }
      try bench.run(second)
      let samples = bench.samples(500..<1000)
      #expect(samples.allSatisfy { abs($0 - expected) < 1e-6 && $0 <= 1 }, "\(count): \(samples[0])")
    }
  }

  @Test func aLoudMixIsQuieterAndNotBent() throws {
    let bench = MixBench()
    for number in 1...4 { _ = try bench.tone(UInt64(number), waves: 4, amplitude: 0.5) }
    try bench.run(500 * millisecond)
    bench.bend = 0
    try bench.run(second)
    let samples = bench.samples(500..<1500)
    #expect(samples.allSatisfy { abs($0) <= 1 })
    #expect(samples.max() ?? 0 > 0.999)
    // That of a sine of 1 at its peak; of a sine of 2, cut at 1, it would be 0.05.
    let wave: Float = 2 * .pi * 4 / 960
    #expect(bench.bend < wave * wave * 1.01, "\(bench.bend)")
  }

  @Test func nobodyHoldsItUp() throws {
    let bench = MixBench()
    _ = try bench.sender(1)
    let late = try bench.sender(2)
    late.delay = { $0 > 50 ? 3 * second : 0 }
    let gone = try bench.sender(3)
    gone.stop(after: 60)
    let ended = try bench.sender(4)
    ended.stop(after: 70)
    _ = bench.mixer.source(for: StreamID(value: 5))
    try bench.run(1500 * millisecond)
    ended.source.end()
    try bench.run(1500 * millisecond)
    #expect(bench.times == (0...150).map { $0 * 20 * millisecond })
    #expect(bench.samples(2000..<3000).allSatisfy { $0 == 0.25 })
    #expect(bench.mixer.stats.heard == 1)
    try bench.run(3 * second)
    #expect(bench.mixer.stats.heard == 2)
    #expect(bench.times.count == 301)
  }

  @Test func whatASourceCountedStaysWhenItIsGone() throws {
    let bench = MixBench()
    let sender = try bench.sender(1)
    sender.delay = { (100..<106).contains($0) ? Int64(106 - $0) * 20 * millisecond : 0 }
    sender.stop(after: 200)
    try bench.run(5 * second)
    #expect(bench.mixer.stats.parts.underruns == 1)
    sender.source.end()
    try bench.run(100 * millisecond)
    #expect(bench.mixer.stats.parts.underruns == 1)
    #expect(bench.mixer.source(for: StreamID(value: 1)) !== sender.source)
  }

  @Test func theFirstSoundIsStampedRightAtOnce() throws {
    let bench = MixBench()
    let sender = try bench.sender(1)
    sender.delay = { _ in 300 * millisecond }
    try bench.run(3 * second)
    let heard = try #require(bench.mixed.firstIndex { $0.samples.contains { $0 != 0 } })
    let ages = (heard..<bench.mixed.count).map { (bench.times[$0] + second - bench.mixed[$0].timestamp) / millisecond }
    let (least, most) = try (#require(ages.min()), #require(ages.max()))
    #expect(least >= 300 && most - least <= 20, "\(least) to \(most)")
  }

  @Test func timestampsAreThoseOfTheLoudestAndNeverJump() throws {
    let bench = MixBench()
    let quiet = try bench.sender(1) { _ in 0.01 }
    quiet.delay = { _ in 150 * millisecond }
    let loud = try bench.sender(2) { _ in 0.5 }
    loud.delay = { $0 < 200 ? nil : 5 * millisecond }
    loud.stop(after: 400)
    try bench.run(14 * second)
    let heard = try #require(bench.mixed.firstIndex { $0.samples.contains { $0 != 0 } })
    let steps = zip(bench.mixed[heard...], bench.mixed[(heard + 1)...]).map { $1.timestamp - $0.timestamp }
    #expect(steps.allSatisfy { abs($0 - 20 * millisecond) <= millisecond }, "\(steps.map { $0 / 1000 }.sorted().suffix(3))")
    func age(_ milliseconds: Int64) -> Int64 {
      let index = Int(milliseconds / 20)
      return (bench.times[index] + second - bench.mixed[index].timestamp) / millisecond
    }
    #expect((150...260).contains(age(3900)), "\(age(3900))")
    // From the quiet one's age to the loud one's by a twentieth, and back.
    #expect(age(4100) > 140 && age(7900) < 100, "\(age(4100)), \(age(7900))")
    #expect((150...260).contains(age(13900)), "\(age(13900))")
  }

  @Test func aMixerThatWasHeldUpDoesNotHurry() throws {
    let bench = MixBench()
    _ = try bench.sender(1)
    try bench.run(second)
    let count = bench.mixed.count
    try bench.clock.advance(by: 5 * second)
    try bench.run(100 * millisecond)
    #expect((4...8).contains(bench.mixed.count - count), "\(bench.mixed.count - count)")
  }

  @Test func memoryThatIsAllHeldStopsNothing() throws {
    let bench = MixBench(AudioFormat(.f32, sampleRate: 16_000, channels: 1, samplesPerBuffer: 160))
    var held: [AudioFrame] = []
    for _ in 0..<2100 {
      _ = bench.mixer.mixDue {
        $0.retain()
        held.append($0)
      }
      try bench.clock.advance(by: 10 * millisecond)
    }
    #expect(held.count == 2048)
    for frame in held { frame.release() }
    try bench.run(100 * millisecond)
    #expect(bench.mixed.count >= 5)
  }
}
