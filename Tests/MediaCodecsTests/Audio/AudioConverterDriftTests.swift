import Glibc
import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct AudioConverterDriftTests {
  /// The first engaging, in the middle of sound that passed as it is, or was cut anew: each sample lies where its buffer's time says, and
  /// the buffers lie end to end.
  @Test(arguments: [(480, 480), (480, 960), (480, 0), (33, 480)] as [(UInt32, UInt32)], [-1000, 150, 1000] as [Int32])
  func itEngagesSeamlessly(lengths: (UInt32, UInt32), ppm: Int32) throws {
    for sampleFormat in SampleFormat.allCases {
      let converter = AudioConverter(
        to: AudioFormat(sampleFormat, sampleRate: 48000, channels: 2, samplesPerBuffer: lengths.1), pool: BufferPool(limit: 1))
      var source = ToneSource(AudioFormat(sampleFormat, sampleRate: 48000, channels: 2, samplesPerBuffer: lengths.0))
      var sound = ConvertedSound()
      while source.position < 9600 { try source.send(to: converter, &sound) }
      converter.setDrift(ppm: ppm)
      let engaged = source.position
      let since = ToneSource.start + MediaTime.nanoseconds(fromUnits: Int64(engaged), rate: 48000)
      while source.position < 48000 { try source.send(to: converter, &sound) }
      let passed = sound.count
      try converter.flush(into: &sound)
      #expect(!sound.buffers.contains { $0.isAfterGap })
      var end = ToneSource.start
      var worst = 0.0
      var place = 0
      var mixedEnd = 0
      for buffer in sound.buffers {
        // A buffer's length on the input's clock is longer or shorter than its samples by the drift.
        let isAfter = buffer.timestamp >= since
        #expect(abs(buffer.timestamp - end) < (isAfter && place != mixedEnd ? 3 : 22_000), "\(buffer.timestamp - end)")
        let speed = isAfter ? 1 + Double(ppm) * 1e-6 : 1
        let time = Double(buffer.timestamp - ToneSource.start) / 1e9
        for (index, sample) in Tone.channel(0, of: 2, buffer.samples).enumerated() where place + index < passed - 100 {
          // The buffer in which it engages has both speeds.
          let isMixed = !isAfter && time + Double(buffer.count) / 48000 > Double(engaged) / 48000 + 1e-8
          if isMixed && sampleFormat == .s16 { continue }
          let at = isMixed ? time + Double(index) / 48000 : time + Double(index) * speed / 48000
          let tolerance = isMixed ? 2 * .pi * 1000 * Double(buffer.count) / 48000 * 1e-3 : 0
          worst = max(worst, abs(Double(sample) - 0.5 * sin(2 * .pi * 1000 * at)) - tolerance)
        }
        place += buffer.count
        if !isAfter { mixedEnd = place }
        end = buffer.timestamp + Int64((Double(buffer.count) * speed / 48000 * 1e9).rounded())
      }
      #expect(worst < 5e-5, "\(worst)")
      let due = Double(engaged) + Double(source.position - engaged) / (1 + Double(ppm) * 1e-6)
      #expect(abs(Double(sound.count) - due) <= 2 || lengths.1 != 0)
    }
  }

  /// One more sample of a tone is told by the two before it: any click, repeat or gap shows at once.
  @Test(arguments: [44100, 48000] as [UInt32]) func changingItNeverClicks(rate: UInt32) throws {
    let converter = AudioConverter(to: AudioFormat(.f32, sampleRate: 48000, channels: 1, samplesPerBuffer: 480), pool: BufferPool(limit: 1))
    var source = ToneSource(AudioFormat(.f32, sampleRate: rate, channels: 1, samplesPerBuffer: rate / 100))
    var sound = ConvertedSound()
    for turn in 0..<300 {
      if turn >= 20 { converter.setDrift(ppm: Int32(turn * 71 % 401 - 200) * 5) }
      try source.send(to: converter, &sound)
    }
    let tone = sound.channel(0)
    let turn = 2 * cos(2 * .pi * 1000 / 48000.0)
    var worst = 0.0
    for index in 200..<tone.count - 200 {
      worst = max(worst, abs(Double(tone[index + 1]) - turn * Double(tone[index]) + Double(tone[index - 1])))
    }
    // Where the pitch changes by 2,000 ppm the tone has a bend of 0.5 * 0.131 * 0.002; a sample left out would be 0.06.
    #expect(worst < 1.5e-4, "\(worst)")
    #expect(!sound.buffers.contains { $0.isAfterGap })
  }

  @Test func tenSecondsHaveTheRightNumberOfSamples() throws {
    for ppm in [-200, 200] as [Int32] {
      let converter = AudioConverter(to: AudioFormat(.s16, sampleRate: 48000, channels: 1), pool: BufferPool(limit: 1))
      converter.setDrift(ppm: ppm)
      var source = ToneSource(AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 480))
      var count = 0
      for _ in 0..<1000 {
        let frame = try source.next()
        defer { frame.release() }
        try converter.convert(frame) { count += $0.sampleCount }
      }
      try converter.flush { count += $0.sampleCount }
      let due = 480_000 / (1 + Double(ppm) * 1e-6)
      #expect(abs(Double(count) - due) <= 1.5, "\(count)")
    }
  }

  @Test func withoutDriftADiscontinuityDisengages() throws {
    let format = AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 480)
    let converter = AudioConverter(to: format, pool: BufferPool(limit: 1))
    var source = ToneSource(format)
    var sound = ConvertedSound()
    converter.setDrift(ppm: 500)
    for _ in 0..<3 { try source.send(to: converter, &sound) }
    converter.setDrift(ppm: 0)
    for _ in 0..<3 { try source.send(to: converter, &sound) }
    source.shift = 1_000_000_000
    for _ in 0..<2 { try source.send(to: converter, &sound) }
    let frame = try source.next()
    defer { frame.release() }
    sound = ConvertedSound()
    try converter.convert(frame, into: &sound)
    #expect(sound.buffers.map(\.native) == [frame.native])
  }
}
