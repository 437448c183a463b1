import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct OpusEncoderTests {
  @Test(arguments: OpusEncoder.sampleRates, [1, 2]) func everyRateAndLengthComesBack(rate: UInt32, channels: Int) throws {
    // For speech libopus takes the lowest tones away, and shifts the phase of those above.
    for (application, bitrate) in [(OpusApplication.voip, 32_000), (.audio, 64_000), (.lowDelay, 64_000)] {
      for units in [4, 8, 16, 24] {
        let encoder = try OpusEncoder(
          AudioEncoderSettings(sampleRate: rate, channels: channels, application: application, bitrate: bitrate * channels))
        let decoder = try OpusDecoder(channels: channels)
        var speech = SpeechSource(rate: rate, channels: channels)
        var sent: [Float] = []
        var came: [Float] = []
        for _ in 0..<240 / units {
          let samples = speech.next(units * Int(rate) / 400)
          let packet = try #require(try encoder.packet(samples))
          #expect(try packet.withUnsafeBytes { try OpusPacket(parsing: $0) }.toc.duration == units * 120)
          sent += Tone.channel(0, of: channels, samples)
          came += Tone.channel(0, of: channels, try decoder.samples(packet, channels: channels))
        }
        // Every so many samples of what came, as late as the encoder says.
        let factor = 48000 / Int(rate)
        let late = encoder.lookahead * factor
        let kept = stride(from: late, to: came.count, by: factor).map { came[$0] }
        let alike = correlation(sent[2400..<kept.count], kept[2400...])
        #expect(
          alike > (application == .voip ? 0.85 : 0.95), "\(rate) Hz, \(channels) channels, \(application), \(units * 5 / 2) ms: \(alike)")
      }
    }
  }

  @Test func lookahead() throws {
    let settings = AudioEncoderSettings(application: .voip)
    #expect(try OpusEncoder(settings).lookahead == 312)
    var low = settings
    low.application = .lowDelay
    #expect(try OpusEncoder(low).lookahead == 120)
  }

  @Test func shortPacketsToo() throws {
    for units in [1, 2] {
      let encoder = try OpusEncoder(AudioEncoderSettings(application: .lowDelay))
      var speech = SpeechSource(rate: 48000, channels: 1)
      let packet = try #require(try encoder.packet(speech.next(units * 120)))
      #expect(try packet.withUnsafeBytes { try OpusPacket(parsing: $0) }.toc.duration == units * 120)
    }
  }

  @Test func whatCannotBeEncodedIsNamed() throws {
    let encoder = try OpusEncoder(AudioEncoderSettings(channels: 2))
    for count in [0, 1, 240 * 3, 961, 1920 + 1, 7680, 20_000] {
      let error = try #require(throws: MediaError.self) { try encoder.packet([Float](repeating: 0, count: count)) }
      #expect(error.status == .invalid && error.text.contains("accepted: 2.5, 5, 10, 20, 40 or 60 ms"))
    }
    for bad in [Float.nan, .infinity] {
      var samples = [Float](repeating: 0.1, count: 1920)
      samples[77] = bad
      let error = try #require(throws: MediaError.self) { try encoder.packet(samples) }
      #expect(error.text.contains("sample 77 "))
    }
    // Finite ones of any size leave it whole.
    _ = try encoder.packet([Float](repeating: 3e38, count: 1920))
    var speech = SpeechSource(rate: 48000, channels: 2)
    let decoder = try OpusDecoder(channels: 2)
    for _ in 0..<10 {
      let samples = try decoder.samples(try #require(try encoder.packet(speech.next(960))), channels: 2)
      #expect(SampleMath.firstNotFinite(samples, count: samples.count) == nil)
    }
  }

  @Test func whatBodyThrowsComesOut() throws {
    let encoder = try OpusEncoder(AudioEncoderSettings())
    let error = try #require(throws: MediaError.self) {
      try [Float](repeating: 0, count: 960).withUnsafeBufferPointer { samples in
        _ = try encoder.encode(samples) { _ throws(MediaError) in throw MediaError(.closed, "no more") }
      }
    }
    #expect(error == MediaError(.closed, "no more"))
  }

  private func bytes(of encoder: OpusEncoder, packets: Int, _ speech: inout SpeechSource) throws -> Int {
    try (0..<packets).reduce(0) { sum, _ in sum + (try encoder.packet(speech.next(960))?.count ?? 0) }
  }

  @Test func theBitrateIsKeptAndChangesLive() throws {
    let encoder = try OpusEncoder(AudioEncoderSettings(application: .audio, bitrate: 64_000))
    var speech = SpeechSource(rate: 48000, channels: 1)
    let high = try bytes(of: encoder, packets: 50, &speech)
    try encoder.setBitrate(16_000)
    _ = try bytes(of: encoder, packets: 5, &speech)
    let low = try bytes(of: encoder, packets: 50, &speech)
    #expect((5000...11_000).contains(high) && (1200...2800).contains(low), "\(high) and \(low) bytes a second")
    #expect(throws: MediaError.self) { try encoder.setBitrate(5_999) }
    #expect(throws: MediaError.self) { try encoder.setBitrate(510_001) }
  }

  @Test func redundancyFollowsTheExpectedLoss() throws {
    let encoder = try OpusEncoder(AudioEncoderSettings(bitrate: 24_000, fec: true))
    var speech = SpeechSource(rate: 48000, channels: 1)
    func share() throws -> Int {
      try (0..<50).filter { _ in
        try encoder.packet(speech.next(960))?.withUnsafeBytes { try OpusPacket(parsing: $0) }.hasRedundancy == true
      }.count
    }
    #expect(try share() == 0)
    try encoder.setExpectedLoss(25)
    #expect(try share() > 40)
    #expect(throws: MediaError.self) { try encoder.setExpectedLoss(-1) }
    #expect(throws: MediaError.self) { try encoder.setExpectedLoss(101) }
  }

  @Test(arguments: [OpusApplication.voip, .audio]) func dtxLeavesSilenceOut(application: OpusApplication) throws {
    let encoder = try OpusEncoder(AudioEncoderSettings(application: application, bitrate: 24_000, dtx: true))
    var speech = SpeechSource(rate: 48000, channels: 1)
    for _ in 0..<50 { #expect(try encoder.packet(speech.next(960)) != nil) }
    var gap = 0
    var longest = 0
    var sent = 0
    for _ in 0..<100 {
      if try encoder.packet([Float](repeating: 0, count: 960)) == nil {
        gap += 1
        longest = max(longest, gap)
      } else {
        sent += 1
        gap = 0
      }
    }
    // One every 400 ms, after it has made sure of the silence.
    #expect(sent < 25, "\(sent) of 100")
    #expect((15...20).contains(longest), "\(longest)")
    var first: Int?
    for turn in 0..<5 where try encoder.packet(speech.next(960)) != nil { first = first ?? turn }
    #expect(first == 0)
  }

  @Test func withoutDTXEveryPacketComes() throws {
    let encoder = try OpusEncoder(AudioEncoderSettings(bitrate: 6_000))
    for _ in 0..<100 { #expect(try encoder.packet([Float](repeating: 0, count: 960)) != nil) }
  }
}
