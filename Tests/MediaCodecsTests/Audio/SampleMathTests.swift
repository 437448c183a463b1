import Glibc
import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct SampleMathTests {
  /// Lengths around those of vectors.
  static let counts = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 63, 480, 1001]

  private func noise(_ count: Int, _ seed: UInt64 = 1, scale: Float = 1) -> [Float] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in (Float(random.next() >> 40) / Float(1 << 23) - 1) * scale }
  }

  @Test func toFloatAndBackIsExact() {
    let all = (Int(Int16.min)...Int(Int16.max)).map { Int16($0) }
    var floats = [Float](repeating: 9, count: all.count)
    SampleMath.toFloat(all, &floats, count: all.count)
    #expect(floats.first == -1 && floats.last == 32767.0 / 32768 && floats[32768] == 0)
    var back = [Int16](repeating: 9, count: all.count)
    SampleMath.toS16(floats, &back, count: all.count)
    #expect(back == all)
  }

  @Test func toS16RoundsAndClips() {
    let unit: Float = 0x1p-15
    let cases: [(Float, Int16)] = [
      (0.4 * unit, 0), (0.6 * unit, 1), (-0.6 * unit, -1), (1.5 * unit, 2), (2.5 * unit, 2), (-1.5 * unit, -2), (1, 32767), (-1, -32768),
      (0.99999, 32767), (1.5, 32767), (-1.5, -32768), (3e38, 32767), (-3e38, -32768), (.infinity, 32767), (-.infinity, -32768),
      (.nan, 0), (-0.0, 0), (.leastNonzeroMagnitude, 0)
    ]
    // Over and over, so that vectors and what is left behind them are both seen.
    let many = (0..<9).flatMap { _ in cases }
    var result = [Int16](repeating: 5, count: many.count)
    SampleMath.toS16(many.map(\.0), &result, count: many.count)
    for (index, one) in many.enumerated() { #expect(one.0.isNaN || result[index] == one.1, "\(one.0): \(result[index])") }
  }

  @Test(arguments: counts) func addUpAndDownMix(count: Int) {
    let a = noise(count + 1, 1)
    let b = noise(count + 1, 2)
    var sum = a
    SampleMath.add(b, to: &sum, count: count)
    for index in 0..<count { #expect(sum[index] == a[index] + b[index]) }
    #expect(sum[count] == a[count])

    var both = [Float](repeating: 7, count: 2 * count + 1)
    SampleMath.monoToStereo(a, &both, count: count)
    for index in 0..<count { #expect(both[2 * index] == a[index] && both[2 * index + 1] == a[index]) }
    #expect(both[2 * count] == 7)

    var one = [Float](repeating: 7, count: count + 1)
    let pairs = Tone.interleaved(a, b)
    SampleMath.stereoToMono(pairs, &one, count: count)
    for index in 0..<count { #expect(one[index] == (a[index] + b[index]) / 2) }
    #expect(one[count] == 7)
  }

  @Test(arguments: counts, [1, 2]) func rampsAreStraight(count: Int, channels: Int) {
    let source = noise(count * channels + 1, scale: 0.9)
    var ramped = source
    SampleMath.ramp(&ramped, channels: channels, count: count, from: 0.25, to: 1.5)
    var whole = source.map { Int16($0 * 20000) }
    let before = whole
    SampleMath.ramp(&whole, channels: channels, count: count, from: 0.25, to: 1.5)
    for index in 0..<count * channels {
      let gain = 0.25 + 1.25 * Float(index / channels) / Float(count)
      #expect(abs(ramped[index] - source[index] * gain) < 1e-6)
      #expect(abs(Float(whole[index]) - Float(before[index]) * gain) < 0.51)
    }
    #expect(ramped.last == source.last && whole.last == before.last)
    SampleMath.ramp(&whole, channels: channels, count: count, from: 8, to: 8)
    for index in 0..<count * channels where before[index].magnitude > 16384 { #expect([32767, -32768].contains(whole[index])) }
  }

  @Test func aGainOfOneChangesNothing() {
    let source = noise(100)
    var ramped = source
    SampleMath.ramp(&ramped, channels: 1, count: 100, from: 1, to: 1)
    #expect(ramped == source)
  }

  @Test(arguments: counts) func peakAndNotFinite(count: Int) {
    let samples = noise(count, 5)
    #expect(SampleMath.peak(samples, count: count) == samples.map(\.magnitude).max() ?? 0)
    #expect(SampleMath.firstNotFinite(samples, count: count) == nil)
    for bad in [Float.nan, .infinity, -.infinity, .signalingNaN] {
      for index in [0, count / 2, count - 1] where index >= 0 && index < count {
        var broken = samples
        broken[index] = bad
        broken[count - 1] = bad
        #expect(SampleMath.firstNotFinite(broken, count: count) == index)
        #expect(!SampleMath.peak(broken, count: count).isFinite)
      }
    }
  }

  @Test func levels() {
    #expect(SampleMath.level([Float](), count: 0) == 127)
    #expect(SampleMath.level([Float](repeating: 0, count: 480), count: 480) == 127)
    #expect(SampleMath.level([Int16](repeating: 0, count: 480), count: 480) == 127)
    #expect(SampleMath.level([Float](repeating: 1, count: 481), count: 481) == 0)
    #expect(SampleMath.level([Float](repeating: 9, count: 481), count: 481) == 0)
    #expect(SampleMath.level([Int16](repeating: .min, count: 48000), count: 48000) == 0)
    // A full sine is 3 dB below a full square; what is ten times smaller is 20 dB lower.
    for (amplitude, expected) in [(1.0, 3), (0.1, 23), (0.01, 43), (0.001, 63), (1e-5, 103)] {
      let tone = Tone.samples(1000, rate: 48000, count: 9600, amplitude: amplitude)
      #expect(SampleMath.level(tone, count: tone.count) == UInt32(expected))
      var whole = [Int16](repeating: 0, count: tone.count)
      SampleMath.toS16(tone, &whole, count: tone.count)
      if amplitude > 1e-4 { #expect(SampleMath.level(whole, count: whole.count) == UInt32(expected)) }
    }
    // The least that is not silence: one sample of the least value.
    var whole = [Int16](repeating: 0, count: 480)
    whole[100] = 1
    #expect(SampleMath.level(whole, count: 480) == 117)
    #expect(SampleMath.level([Float.nan, 1], count: 2) == 127)
  }
}
