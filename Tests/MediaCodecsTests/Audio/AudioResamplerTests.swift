import CResampler
import Glibc
import MediaCore
import Testing

@testable import MediaCodecs

extension AudioResampler {
  /// In pieces of the lengths given, over and over, and with the rest at the end.
  func all(_ input: [Float], channels: Int = 1, pieces: [Int] = [480], flushing: Bool = true) -> [Float] {
    var output: [Float] = []
    var start = 0
    var turn = 0
    while start < input.count {
      let count = min(pieces[turn % pieces.count] * channels, input.count - start)
      output += piece(Array(input[start..<start + count]), channels: channels)
      start += count
      turn += 1
    }
    if flushing {
      output += [Float](unsafeUninitializedCapacity: outputCapacity(for: 0) * channels) { $1 = flush(into: $0) * channels }
    }
    return output
  }

  func piece(_ input: [Float], channels: Int = 1) -> [Float] {
    let capacity = outputCapacity(for: input.count / channels)
    return [Float](unsafeUninitializedCapacity: capacity * channels) { room, used in
      let count = input.withUnsafeBufferPointer { process($0, into: room) }
      #expect(count <= capacity - 2, "\(count) of \(capacity)")
      used = count * channels
    }
  }
}

@Suite struct AudioResamplerTests {
  static let pairs: [(UInt32, UInt32)] =
    AudioLimits.sampleRates.flatMap { from in AudioLimits.sampleRates.map { (from, $0) } } + [
      (8000, 48000), (96000, 48000), (48000, 192_000), (192_000, 8000), (8000, 192_000), (44100, 11025), (48000, 47999)
    ]

  /// The loops for any processor, and those for this one.
  static let builds = cresampler_is_wide() != 0 ? [false, true] : [false]

  /// Up to 18 kHz, where the transition band begins soon; 0 ppm is made with the rows of the bank alone, the others between them.
  @Test(arguments: builds, [0, 137, -1000] as [Int32]) func fortyFourToFortyEight(isWide: Bool, ppm: Int32) throws {
    for frequency in [100.0, 1000, 5000, 10000, 15000, 18000] {
      let resampler = try AudioResampler(from: 44100, to: 48000, channels: 1, isWide: isWide)
      resampler.setDrift(ppm: ppm)
      let speed = 1 + Double(ppm) * 1e-6
      let output = resampler.all(Tone.samples(frequency, rate: 44100, count: 44100))
      let fit = Tone.fit(output, frequency: frequency * speed, rate: 48000, leaving: 500)
      #expect(fit.ratio > (ppm == 0 && frequency <= 10000 ? 130 : 114), "\(frequency) Hz: \(fit.ratio) dB")
      #expect(frequency > 10000 || fit.ratio > 124, "\(frequency) Hz: \(fit.ratio) dB")
      #expect(abs(20 * log10(fit.amplitude / 0.5)) < 0.001, "\(frequency) Hz: \(fit.amplitude)")
      // In its place: the output is not shifted against the input.
      #expect(abs(fit.phase) < 1e-4)
    }
  }

  @Test(arguments: pairs) func everyPairOfRates(from: UInt32, to: UInt32) throws {
    let resampler = try AudioResampler(from: from, to: to, channels: 2)
    let count = Int(from) / 2
    let tones = [1000, Double(min(from, to)) * 0.35]
    let input = Tone.interleaved(
      Tone.samples(tones[0], rate: Double(from), count: count), Tone.samples(tones[1], rate: Double(from), count: count))
    let output = resampler.all(input, channels: 2, pieces: [Int(from) / 100])
    #expect(abs(output.count / 2 - Int(to) / 2) <= 1, "\(output.count / 2)")
    // Where the filter sees silence too.
    let margin = max(500, 60 * Int(to) / Int(min(from, to)))
    for (side, frequency) in tones.enumerated() {
      let fit = Tone.fit(Tone.channel(side, of: 2, output), frequency: frequency, rate: Double(to), leaving: margin)
      #expect(fit.ratio > 110, "\(from) to \(to), \(frequency) Hz: \(fit.ratio) dB")
      #expect(abs(fit.amplitude - 0.5) < 1e-4 && abs(fit.phase) < 1e-3, "\(from) to \(to), \(frequency) Hz: \(fit)")
    }
  }

  /// From half of the lower rate on, not a little above it only.
  @Test(arguments: pairs.filter { $0.0 > $0.1 }, [0, 137] as [Int32])
  func whatTheLowerRateCannotHoldIsGone(rates: (UInt32, UInt32), ppm: Int32) throws {
    let (from, to) = (Double(rates.0), Double(rates.1))
    for part in [0.501, 0.56, 0.7, 0.9, 1.3] where part * to < 0.49 * from {
      let resampler = try AudioResampler(from: rates.0, to: rates.1, channels: 1)
      resampler.setDrift(ppm: ppm)
      let output = resampler.all(Tone.samples(part * to, rate: from, count: Int(from) / 4), flushing: false).dropFirst(200)
      let power = output.reduce(0) { $0 + Double($1) * Double($1) } / Double(output.count)
      #expect(10 * log10(power / 0.125) < -110, "\(part): \(10 * log10(power / 0.125)) dB")
    }
  }

  @Test(arguments: [(48000, 44100), (16000, 48000), (48000, 48000)] as [(UInt32, UInt32)]) func aConstantStaysOne(from: UInt32, to: UInt32)
    throws
  {
    let resampler = try AudioResampler(from: from, to: to, channels: 1)
    let output = resampler.all([Float](repeating: 0.75, count: Int(from) / 10), flushing: false).dropFirst(200)
    #expect(output.allSatisfy { abs($0 - 0.75) < 2e-7 }, "\(output.min() ?? 0), \(output.max() ?? 0)")
  }

  @Test func unevenPiecesGiveTheSameBits() throws {
    var random = SeededRandom(seed: 7)
    for (from, to) in [(44100, 48000), (48000, 44100), (48000, 16000), (16000, 48000), (48000, 48000)] as [(UInt32, UInt32)] {
      let noise = (0..<20000).map { _ in Float(random.next() >> 40) / Float(1 << 24) - 0.5 }
      let resampler = try AudioResampler(from: from, to: to, channels: 2)
      for drift in [0, 137] as [Int32] {
        resampler.setDrift(ppm: drift)
        let whole = resampler.all(noise, channels: 2, pieces: [10000])
        #expect(resampler.all(noise, channels: 2, pieces: [1, 480, 7, 441, 2, 1000, 33]) == whole)
      }
    }
  }

  /// After any input, the place of the next output in the input is where `delay` says.
  @Test(arguments: pairs) func theDelayIsWhatItSays(from: UInt32, to: UInt32) throws {
    let resampler = try AudioResampler(from: from, to: to, channels: 1)
    resampler.setDrift(ppm: 300)
    #expect(resampler.delay == 0)
    var given = 0
    var made = 0
    for count in [1, 5, 40, 441, 100, 480, 3, 960] {
      made += resampler.piece(Tone.samples(500, rate: Double(from), count: count, from: given)).count
      given += count
      let late = Double(given) / Double(from) - Double(made) / Double(to) * (1 + 300e-6)
      #expect(abs(Double(resampler.delay) - late * 1e9) < 2)
    }
    let lower = Double(min(from, to))
    #expect(Double(resampler.delay) < 45 * 1e9 / lower + 1e9 / Double(to))
    #expect(from < 44100 || to < 44100 || resampler.delay < 1_030_000)
    resampler.reset()
    #expect(resampler.delay == 0)
  }

  @Test func anImpulseComesOutWhereItWent() throws {
    let resampler = try AudioResampler(from: 44100, to: 48000, channels: 1)
    var input = [Float](repeating: 0, count: 4410)
    input[1470] = 1
    let output = resampler.all(input, pieces: [100])
    // 1470 / 44100 is 1600 / 48000.
    let peak = try #require(output.indices.max { output[$0] < output[$1] })
    #expect(peak == 1600)
    for distance in 1..<40 { #expect(abs(output[peak - distance] - output[peak + distance]) < 1e-6) }
  }

  @Test(arguments: [(48000, 48000), (44100, 48000), (48000, 16000)] as [(UInt32, UInt32)], [-1000, -200, 200, 1000] as [Int32])
  func driftGivesSoManyFewerSamples(rates: (UInt32, UInt32), ppm: Int32) throws {
    let resampler = try AudioResampler(from: rates.0, to: rates.1, channels: 1)
    resampler.setDrift(ppm: ppm)
    let speed = 1 + Double(ppm) * 1e-6
    let input = Tone.samples(1000, rate: Double(rates.0) * speed, count: Int(Double(10 * rates.0) * speed))
    let output = resampler.all(input, pieces: [Int(rates.0) / 100])
    #expect(abs(output.count - 10 * Int(rates.1)) <= 2, "\(output.count)")
    let fit = Tone.fit(output, frequency: 1000, rate: Double(rates.1), leaving: 500)
    #expect(fit.ratio > 110, "\(fit.ratio) dB")
  }

  /// A change with every buffer: each output sample must lie where the sum of the steps before it says. A click, or a step that is not the
  /// drift's, stands out of what remains beside the tone.
  @Test(arguments: [(48000, 48000), (44100, 48000), (48000, 16000)] as [(UInt32, UInt32)], [1, 2])
  func aChangingDriftDoesNotClick(rates: (UInt32, UInt32), channels: Int) throws {
    for frequency in [1000.0, 6000] { try changeDrift(rates, frequency, channels) }
  }

  func changeDrift(_ rates: (UInt32, UInt32), _ frequency: Double, _ channels: Int) throws {
    let (from, to) = (Double(rates.0), Double(rates.1))
    let resampler = try AudioResampler(from: rates.0, to: rates.1, channels: channels)
    let length = Int(rates.0) / 100
    var output: [Float] = []
    var times: [Double] = []
    var time = 0.0
    for turn in 0..<300 {
      // To both ends and back, and to 0, where every output falls on a row of the bank.
      let ppm = turn % 3 == 0 ? 0 : Int32(turn * 37 % 201 - 100) * 10
      resampler.setDrift(ppm: ppm)
      let tone = Tone.samples(frequency, rate: from, count: length, from: turn * length)
      let piece = resampler.piece(channels == 1 ? tone : Tone.interleaved([Float](repeating: 0, count: length), tone), channels: channels)
      output += Tone.channel(channels - 1, of: channels, piece)
      while times.count < output.count {
        times.append(time)
        time += (1 + Double(ppm) * 1e-6) / to
      }
    }
    let heard = output[100..<output.count]
    let fit = Tone.fit(heard, frequency: frequency) { times[$0] }
    #expect(fit.ratio > 118, "\(fit.ratio) dB")
    let farthest =
      heard.indices.map { abs(Double(heard[$0]) - fit.amplitude * sin(2 * .pi * frequency * times[$0] + fit.phase)) }.max() ?? 1
    #expect(farthest < 2e-6, "\(farthest)")
  }

  /// As many as lie before the end of the input, for any length and drift.
  @Test(arguments: pairs) func theFlushGivesWhatIsDue(from: UInt32, to: UInt32) throws {
    for channels in 1...2 {
      let resampler = try AudioResampler(from: from, to: to, channels: channels)
      for ppm in [0, 333, -1000] as [Int32] {
        resampler.setDrift(ppm: ppm)
        for count in [0, 1, 2, 43, 44, 45, 441, 1024, 1025, 3000] {
          let output = resampler.all([Float](repeating: 0.5, count: count * channels), channels: channels, pieces: [100, 7])
          let step = UInt64(from) * UInt64(1_000_000 + ppm)
          let due = (UInt64(count) * UInt64(to) * 1_000_000 + step - 1) / step
          guard output.count == Int(due) * channels else {
            Issue.record("\(count) samples, \(ppm) ppm: \(output.count) instead of \(Int(due) * channels)")
            return
          }
        }
      }
    }
  }

  /// What there is no room for is lost, but its time passes.
  @Test func tooLittleRoomShiftsNothing() throws {
    let resampler = try AudioResampler(from: 44100, to: 48000, channels: 1)
    let tone = Tone.samples(1000, rate: 44100, count: 8820)
    let whole = resampler.all(tone, pieces: [4410], flushing: false)
    resampler.reset()
    let first = [Float](unsafeUninitializedCapacity: 100) { room, used in
      used = tone[..<4410].withUnsafeBufferPointer { resampler.process($0, into: room) }
    }
    let second = resampler.piece(Array(tone[4410...]))
    #expect(first == Array(whole[..<100]))
    #expect(second == Array(whole[(whole.count - second.count)...]))
  }

  @Test(arguments: [0, 1, 30, 64, 500], [1, 2]) func primedItGoesOnWithTheNextSample(heard: Int, channels: Int) throws {
    for ppm in [0, -400, 1000] as [Int32] {
      let resampler = try AudioResampler(from: 48000, to: 48000, channels: channels)
      let tone = Tone.samples(1000, rate: 48000, count: 4000)
      let both = channels == 1 ? tone : Tone.interleaved(tone, tone)
      both[..<(heard * channels)].withUnsafeBufferPointer { resampler.prime($0) }
      resampler.setDrift(ppm: ppm)
      #expect(resampler.delay == 0)
      let output = Tone.channel(0, of: channels, resampler.all(Array(both[(heard * channels)...]), channels: channels, pieces: [10, 480]))
      // Without the sound before it the filter sees silence there.
      let settled = heard >= 60 ? 0 : 100
      let end = output.count - 200
      let due = Double(4000 - heard) / (1 + Double(ppm) * 1e-6)
      #expect(abs(Double(output.count) - due) <= 1)
      for index in settled..<end {
        let place = Double(heard) + Double(index) * (1 + Double(ppm) * 1e-6)
        let expected = 0.5 * sin(2 * .pi * 1000 * place / 48000)
        guard abs(Double(output[index]) - expected) < 2e-5 else {
          Issue.record("\(heard) heard, \(ppm) ppm: sample \(index) is \(output[index]) instead of \(expected)")
          break
        }
      }
    }
  }

  @Test func resetForgets() throws {
    let resampler = try AudioResampler(from: 44100, to: 48000, channels: 1)
    let fresh = resampler.all(Tone.samples(1000, rate: 44100, count: 1000), flushing: false)
    resampler.reset()
    #expect(resampler.all(Tone.samples(1000, rate: 44100, count: 1000), flushing: true).starts(with: fresh))
    #expect(resampler.all(Tone.samples(1000, rate: 44100, count: 1000), flushing: false) == fresh)
  }

  @Test func nothingInNothingOut() throws {
    let resampler = try AudioResampler(from: 44100, to: 48000, channels: 2)
    #expect(resampler.piece([], channels: 2).isEmpty)
    #expect(resampler.all([], channels: 2).isEmpty)
    #expect(resampler.process(UnsafeBufferPointer(start: nil, count: 0), into: UnsafeMutableBufferPointer(start: nil, count: 0)) == 0)
  }

  @Test func whatCannotBeIsNamed() {
    #expect(throws: MediaError.self) { try AudioResampler(from: 7999, to: 48000, channels: 1) }
    #expect(throws: MediaError.self) { try AudioResampler(from: 48000, to: 192_001, channels: 1) }
    #expect(throws: MediaError.self) { try AudioResampler(from: 48000, to: 44100, channels: 3) }
  }
}
