import CMediaSDK
import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct AudioConverterTests {
  static let ratePairs: [(UInt32, UInt32)] = AudioLimits.sampleRates.flatMap { from in AudioLimits.sampleRates.map { (from, $0) } }

  @Test(arguments: ratePairs) func everyFormatToEveryOther(from: UInt32, to: UInt32) throws {
    let lengths: [(UInt32, UInt32)] = [(10, 10), (10, 20), (20, 10), (30, 20), (10, 0), (50, 100), (100, 30)]
    var turn = Int(from / 50 + to / 10)
    for formats in [(SampleFormat.s16, SampleFormat.s16), (.s16, .f32), (.f32, .s16), (.f32, .f32)] {
      for channels in [(1, 1), (1, 2), (2, 1), (2, 2)] as [(UInt32, UInt32)] {
        let length = lengths[turn % lengths.count]
        turn += 1
        let input = AudioFormat(
          formats.0, sampleRate: from, channels: channels.0, samplesPerBuffer: AudioLimits.samples(sampleRate: from, milliseconds: length.0)
        )
        let output = AudioFormat(
          formats.1, sampleRate: to, channels: channels.1, samplesPerBuffer: AudioLimits.samples(sampleRate: to, milliseconds: length.1))
        try check(input, output)
      }
    }
  }

  private func check(_ input: AudioFormat, _ output: AudioFormat) throws {
    let converter = AudioConverter(to: output, pool: BufferPool(limit: 2))
    var source = ToneSource(input)
    var sound = ConvertedSound()
    while source.position < Int(input.sampleRate) / 8 { try source.send(to: converter, &sound) }
    let unflushed = sound.count
    try converter.flush(into: &sound)
    let name = "\(input) \(input.samplesPerBuffer) to \(output) \(output.samplesPerBuffer)"
    let due = Double(source.position) * Double(output.sampleRate) / Double(input.sampleRate)
    let padding = max(1, Int(output.samplesPerBuffer))
    #expect(sound.count >= Int(due) - 1 && sound.count <= Int(due) + padding + 1, "\(name): \(sound.count) of \(due)")
    #expect(due - Double(unflushed) < Double(padding) + 145, "\(name)")
    var index = 0
    for buffer in sound.buffers {
      #expect(buffer.format.isSameSound(as: output) && buffer.flags & ~UInt32(MSDK_FRAME_WRITABLE) == 0)
      #expect(output.samplesPerBuffer == 0 || buffer.count == Int(output.samplesPerBuffer))
      // Nothing is off by more than rounding: far less than a sample.
      let time = ToneSource.start + MediaTime.nanoseconds(fromUnits: Int64(index), rate: output.sampleRate)
      #expect(abs(buffer.timestamp - time) <= 3, "\(name), sample \(index): \(buffer.timestamp - time)")
      let first = Double(index) * Double(input.sampleRate) / Double(output.sampleRate) + 1e-6
      #expect(buffer.sequence == UInt64(first / Double(input.samplesPerBuffer)) + 1 || first + 1 > Double(source.position), "\(name)")
      index += buffer.count
    }
    for side in 0..<Int(output.channels) {
      let all = sound.channel(side)
      let fit = Tone.fit(all[300..<Int(due) - 300], frequency: 1000) { Double($0) / Double(output.sampleRate) }
      let isExact = input.sampleFormat == .f32 && output.sampleFormat == .f32
      #expect(fit.ratio > (isExact ? 115 : 85), "\(name): \(fit.ratio) dB")
      #expect(abs(fit.phase) < 1e-3 && abs(fit.amplitude - 0.5) < 1e-3, "\(name): \(fit)")
    }
    // Half of full scale: 9 dB below it.
    #expect(sound.buffers[0].level == 9 || input.isSameSound(as: output))
  }

  @Test func whatFitsPassesAsItIs() throws {
    for (wanted, sent) in [(480, 480), (0, 480), (0, 77)] as [(UInt32, Int)] {
      let format = AudioFormat(.s16, sampleRate: 48000, channels: 2, samplesPerBuffer: wanted)
      let converter = AudioConverter(to: format, pool: BufferPool(limit: 0))
      var source = ToneSource(format)
      for flags in [0, MSDK_FRAME_DISCONTINUITY, MSDK_FRAME_END, MSDK_FRAME_CORRUPT] {
        let frame = try source.next(sent, flags: UInt32(flags))
        var sound = ConvertedSound()
        try converter.convert(frame, into: &sound)
        #expect(sound.buffers.map(\.native) == [frame.native])
        #expect(frame.references == 1)
        frame.release()
      }
      var rest = ConvertedSound()
      try converter.flush(into: &rest)
      #expect(rest.buffers.isEmpty)
    }
  }

  @Test func stereoBecomesTheMeanAndMonoBoth() throws {
    let converter = AudioConverter(to: AudioFormat(.s16, sampleRate: 48000, channels: 1), pool: BufferPool(limit: 1))
    let frame = try AudioFrame.make(AudioFormat(.s16, sampleRate: 48000, channels: 2), sampleCount: 3)
    defer { frame.release() }
    for (index, value) in [100, 200, -32768, -32768, 32767, -32767].enumerated() { frame.s16[index] = Int16(value) }
    var sound = ConvertedSound()
    try converter.convert(frame, into: &sound)
    #expect(sound.channel(0).map { $0 * 32768 } == [150, -32768, 0])
  }

  @Test func timesDoNotDriftAway() throws {
    // 220 samples last 9,977,324.26 ns: rounded and added up they would be off by 26 µs at the end.
    let format = AudioFormat(.s16, sampleRate: 22050, channels: 1, samplesPerBuffer: 220)
    let converter = AudioConverter(
      to: AudioFormat(.s16, sampleRate: 22050, channels: 2, samplesPerBuffer: 441), pool: BufferPool(limit: 1))
    var last: Int64 = 0
    var made: Int64 = 0
    let frame = try AudioFrame.make(format, sampleCount: 220)
    defer { frame.release() }
    for turn in 0..<20_000 as Range<Int64> {
      frame.native.pointee.timestamp_ns = 77 + MediaTime.nanoseconds(fromUnits: turn * 220, rate: 22050)
      try converter.convert(frame) {
        last = $0.timestamp
        made += 1
      }
    }
    #expect(made == 20_000 * 220 / 441)
    #expect(abs(last - 77 - MediaTime.nanoseconds(fromUnits: (made - 1) * 441, rate: 22050)) <= 1)
  }

  @Test func timesThatDriftAreFollowed() throws {
    // A device that is slow by 1,000 ppm for 40 s is 40 ms off what is counted, but never 20 from one buffer to the next.
    let format = AudioFormat(.f32, sampleRate: 48000, channels: 1, samplesPerBuffer: 480)
    let converter = AudioConverter(to: AudioFormat(.f32, sampleRate: 16000, channels: 1, samplesPerBuffer: 320), pool: BufferPool(limit: 1))
    var source = ToneSource(format)
    var sound = ConvertedSound()
    for turn in 0..<4000 as Range<Int64> {
      source.shift = turn * 10_000
      try source.send(to: converter, &sound)
    }
    #expect(sound.buffers.count == 1999 && !sound.buffers.contains { $0.isAfterGap })
    for (index, buffer) in sound.buffers.enumerated() {
      let time = ToneSource.start + Int64(index) * 20_020_000
      #expect(abs(buffer.timestamp - time) < 2 * 20_834, "buffer \(index): \(buffer.timestamp - time)")
    }
  }

  @Test(arguments: [48000, 44100] as [UInt32], [20_500_000, -20_500_000, 1_000_000_000, .max, .min] as [Int64])
  func aJumpInTimeIsADiscontinuity(rate: UInt32, jump: Int64) throws {
    let converter = AudioConverter(to: AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 960), pool: BufferPool(limit: 1))
    var source = ToneSource(AudioFormat(.s16, sampleRate: rate, channels: 1, samplesPerBuffer: rate / 100))
    var sound = ConvertedSound()
    for _ in 0..<5 { try source.send(to: converter, &sound) }
    #expect(sound.buffers.count == 2)
    let frame = try source.next()
    defer { frame.release() }
    frame.native.pointee.timestamp_ns = jump.magnitude > 1 << 62 ? jump : frame.timestamp + jump
    try converter.convert(frame, into: &sound)
    // The rest of before, padded with silence.
    #expect(sound.buffers.count == 3)
    let last = sound.buffers[2]
    #expect(last.count == 960 && !last.isAfterGap && last.timestamp == ToneSource.start + 40_000_000)
    #expect(last.samples[470].magnitude > 0.001 && last.samples[481...].allSatisfy { $0 == 0 })
    let time = frame.timestamp
    sound = ConvertedSound()
    try converter.flush(into: &sound)
    #expect(sound.buffers.map(\.isAfterGap) == [true] && sound.buffers.map(\.timestamp) == [time])
  }

  @Test func jitterIsNoDiscontinuity() throws {
    for (length, channels) in [(960, 1), (960, 2), (480, 1)] as [(UInt32, UInt32)] {
      let converter = AudioConverter(
        to: AudioFormat(.s16, sampleRate: 48000, channels: channels, samplesPerBuffer: length), pool: BufferPool(limit: 1))
      var source = ToneSource(AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 480))
      var sound = ConvertedSound()
      for turn in 0..<100 as Range<Int64> {
        source.shift = turn % 2 == 0 ? 0 : 19_000_000
        try source.send(to: converter, &sound)
      }
      #expect(!sound.buffers.contains { $0.isAfterGap } && sound.count == 48000)
    }
  }

  @Test(arguments: [480, 960, 0] as [UInt32]) func aJumpWithNothingInsideIsMarkedToo(length: UInt32) throws {
    let format = AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: length)
    let converter = AudioConverter(to: format, pool: BufferPool(limit: 1))
    var source = ToneSource(format)
    var sound = ConvertedSound()
    for _ in 0..<3 { try source.send(960, to: converter, &sound) }
    source.shift = 30_000_000
    for _ in 0..<3 { try source.send(960, to: converter, &sound) }
    let first = length == 480 ? 6 : 3
    #expect(sound.buffers.enumerated().allSatisfy { ($0.offset == first) == $0.element.isAfterGap })
    #expect(sound.buffers[first].timestamp == ToneSource.start + 90_000_000)
  }

  @Test func anotherFormatIsADiscontinuity() throws {
    let converter = AudioConverter(to: AudioFormat(.f32, sampleRate: 48000, channels: 2, samplesPerBuffer: 960), pool: BufferPool(limit: 1))
    var sound = ConvertedSound()
    var sequence: UInt64 = 0
    for format in [
      AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 480), AudioFormat(.s16, sampleRate: 16000, channels: 1),
      AudioFormat(.f32, sampleRate: 16000, channels: 2), AudioFormat(.f32, sampleRate: 44100, channels: 2),
      AudioFormat(.f32, sampleRate: 48000, channels: 2)
    ] {
      var source = ToneSource(format)
      source.sequence = sequence
      source.shift = Int64(sequence) * 10_000_000
      for _ in 0..<3 { try source.send(Int(format.sampleRate / 100), to: converter, &sound) }
      sequence = source.sequence
    }
    try converter.flush(into: &sound)
    #expect(sound.buffers.map(\.isAfterGap) == [false, false, true, false, true, false, true, false, true, false])
    #expect(sound.buffers.map(\.sequence) == [1, 3, 4, 6, 7, 9, 10, 12, 13, 15])
    for (index, buffer) in sound.buffers.enumerated() {
      #expect(buffer.timestamp == ToneSource.start + Int64(index / 2) * 30_000_000 + Int64(index % 2) * 20_000_000)
      #expect(buffer.count == 960)
    }
  }

  @Test func corruptAndEndAreCarried() throws {
    for rate in [48000, 44100] as [UInt32] {
      let converter = AudioConverter(
        to: AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 960), pool: BufferPool(limit: 2))
      var source = ToneSource(AudioFormat(.s16, sampleRate: rate, channels: 1, samplesPerBuffer: rate / 100))
      for _ in 0..<2 {
        var sound = ConvertedSound()
        for turn in 0..<8 {
          let flags = turn == 2 ? MSDK_FRAME_CORRUPT : turn == 7 ? MSDK_FRAME_END : 0
          try source.send(flags: UInt32(flags), to: converter, &sound)
        }
        #expect(sound.buffers.count == 4)
        #expect(sound.buffers.map { $0.flags & UInt32(MSDK_FRAME_END) != 0 } == [false, false, false, true])
        #expect(sound.buffers[1].flags & UInt32(MSDK_FRAME_CORRUPT) != 0 && sound.buffers[3].flags & UInt32(MSDK_FRAME_CORRUPT) == 0)
        #expect(sound.buffers.allSatisfy { !$0.isAfterGap })
      }
    }
  }

  @Test func withoutATimeThereIsNone() throws {
    let converter = AudioConverter(to: AudioFormat(.s16, sampleRate: 16000, channels: 1, samplesPerBuffer: 160), pool: BufferPool(limit: 1))
    var source = ToneSource(AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 4800))
    var sound = ConvertedSound()
    for turn in 0..<4 {
      let frame = try source.next()
      defer { frame.release() }
      if turn < 3 { frame.native.pointee.timestamp_ns = 0 }
      try converter.convert(frame, into: &sound)
    }
    #expect(sound.buffers.prefix(29).allSatisfy { $0.timestamp == 0 } && sound.buffers.allSatisfy { !$0.isAfterGap })
    #expect(sound.buffers.count == 39 && sound.buffers[38].timestamp > ToneSource.start)
  }

  @Test func anEmptyPoolIsSaidAndMarked() throws {
    let converter = AudioConverter(to: AudioFormat(.f32, sampleRate: 48000, channels: 1, samplesPerBuffer: 480), pool: BufferPool(limit: 1))
    var source = ToneSource(AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 480))
    let first = try source.next()
    defer { first.release() }
    var held: AudioFrame?
    try converter.convert(first) { frame in
      frame.retain()
      held = frame
    }
    let second = try source.next()
    defer { second.release() }
    let error = try #require(throws: MediaError.self) { try converter.convert(second) { _ in } }
    #expect(error.status == .noMemory && error.text.contains("release"))
    held?.release()
    var sound = ConvertedSound()
    try source.send(to: converter, &sound)
    try source.send(to: converter, &sound)
    #expect(sound.buffers.map(\.isAfterGap) == [true, false])
  }

  @Test func whatBodyThrowsComesOut() throws {
    let converter = AudioConverter(to: AudioFormat(.f32, sampleRate: 48000, channels: 1, samplesPerBuffer: 100), pool: BufferPool(limit: 1))
    var source = ToneSource(AudioFormat(.s16, sampleRate: 48000, channels: 1, samplesPerBuffer: 480))
    let frame = try source.next()
    let error = try #require(throws: MediaError.self) {
      try converter.convert(frame) { _ throws(MediaError) in throw MediaError(.closed, "no more") }
    }
    #expect(error == MediaError(.closed, "no more"))
    frame.release()
    var sound = ConvertedSound()
    try source.send(to: converter, &sound)
    #expect(sound.buffers.map(\.isAfterGap) == [true, false, false, false])
    #expect(sound.buffers[0].timestamp == ToneSource.start + 10_000_000)
  }
}
