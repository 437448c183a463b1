import Glibc
import Testing

@testable import MediaCodecs

@Suite struct AudioLimiterTests {
  /// What comes out of one channel in buffers of 20 ms, without the delay.
  private func limited(_ samples: [Float], sampleRate: Int = 48_000) -> [Float] {
    var limiter = AudioLimiter(sampleRate: sampleRate, channels: 1)
    var result = samples + Array(repeating: 0, count: limiter.delay)
    let step = sampleRate / 50
    result.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      for start in stride(from: 0, to: buffer.count, by: step) { limiter.limit(base + start, count: min(step, buffer.count - start)) }
    }
    return Array(result.dropFirst(limiter.delay))
  }

  private func tone(_ frequency: Double, _ amplitude: Double, sampleRate: Int = 48_000, seconds: Int = 2) -> [Float] {
    (0..<sampleRate * seconds).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / Double(sampleRate))) }
  }

  /// Of a tone: what is left of it without its best sine, in dB of that sine. `samples` are a whole number of waves.
  private func distortion(_ samples: ArraySlice<Float>, _ frequency: Double, sampleRate: Int) -> Double {
    var (real, imaginary, power) = (0.0, 0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let angle = 2 * Double.pi * frequency * Double(index) / Double(sampleRate)
      real += Double(sample) * cos(angle)
      imaginary += Double(sample) * sin(angle)
      power += Double(sample) * Double(sample)
    }
    let wave = 2 * (real * real + imaginary * imaginary) / Double(samples.count)
    return 10 * log10(max(power - wave, 1e-12 * wave) / wave)
  }

  @Test func whatStaysWithinIsNotTouched() {
    var generator = SystemRandomNumberGenerator()
    let noise = (0..<20_000).map { _ in Float.random(in: -1...1, using: &generator) }
    #expect(limited(noise) == noise)
  }

  @Test(arguments: [16_000, 22_050, 48_000])
  func looksLessThanFiveMillisecondsAhead(sampleRate: Int) {
    #expect(AudioLimiter(sampleRate: sampleRate, channels: 2).delay * 1000 < 5 * sampleRate)
  }

  @Test(arguments: [25.0, 50, 100, 440, 997, 3000, 5003, 11_000], [1.001, 1.5, 3, 30])
  func aToneStaysATone(frequency: Double, amplitude: Double) {
    let result = limited(tone(frequency, amplitude))
    #expect(result.allSatisfy { $0.magnitude <= 1 })
    // The second second, a whole number of waves of each.
    #expect(distortion(result[48_000..<96_000], frequency, sampleRate: 48_000) < -60)
    #expect((result[48_000...].max() ?? 0) > 0.99)
  }

  @Test func aPeakIsMetByARampAndLeftSlowly() {
    var samples = [Float](repeating: 0.5, count: 96_000)
    for index in 20_000..<20_100 { samples[index] = 2 }
    let result = limited(samples)
    #expect(result[..<19_800].allSatisfy { $0 == 0.5 })
    #expect(result[20_000..<20_100].allSatisfy { abs($0 - 1) < 1e-6 })
    // 4 ms down, held for 25, and back to where it was; no step between samples of equal height.
    for index in 19_800..<95_999 where samples[index] == samples[index + 1] {
      #expect(abs(result[index + 1] - result[index]) < 0.002, "at \(index)")
    }
    #expect(abs(result[20_100] - 0.25) < 0.002 && abs(result[21_000] - 0.25) < 0.002)
    #expect(result[30_000] > 0.4)
    // A second later nothing is left of it.
    #expect(result[68_100...].allSatisfy { $0 == 0.5 })
  }

  @Test func channelsAreLimitedAlike() {
    var limiter = AudioLimiter(sampleRate: 48_000, channels: 2)
    var samples: [Float] = (0..<19_200).map { $0 % 2 == 0 ? 2 : 0.4 }
    limiter.limit(&samples, count: samples.count)
    #expect(abs(samples[19_198] - 1) < 1e-6 && abs(samples[19_199] - 0.2) < 1e-6)
  }

  @Test func theLargestNumbersStayWithin() {
    let result = limited([1e10, -1e10, 3e38, -.infinity, .infinity, 0.5] + tone(440, 0.5, seconds: 4))
    #expect(result.allSatisfy { $0.magnitude <= 1 })
    #expect(result.last.map { abs($0) } ?? 1 <= 0.5 && (result.suffix(4800).max() ?? 0) == 0.5)
  }
}
