import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct OpusDecoderTests {
  private func stream(_ settings: AudioEncoderSettings, packets: Int, units: Int = 8) throws -> [[UInt8]] {
    let encoder = try OpusEncoder(settings)
    var speech = SpeechSource(rate: settings.sampleRate, channels: settings.channels)
    return try (0..<packets).map { _ in try #require(try encoder.packet(speech.next(units * Int(settings.sampleRate) / 400))) }
  }

  @Test(arguments: [1, 2], [4, 8, 16, 24]) func redundancyBringsBackWhatWasLost(channels: Int, units: Int) throws {
    let packets = try stream(
      AudioEncoderSettings(sampleRate: 16000, channels: channels, bitrate: 24_000 * channels, fec: true, expectedLoss: 30), packets: 60,
      units: units)
    let count = units * 120
    var goesOn = 0.0
    var recovered = 0.0
    var concealed = 0.0
    var losses = 0.0
    for lost in stride(from: 10, to: 58, by: 4) {
      let header = try packets[lost + 1].withUnsafeBytes { try OpusPacket(parsing: $0) }
      guard header.hasRedundancy else { continue }
      let decoders = try (0..<3).map { _ in try OpusDecoder(channels: channels) }
      for packet in packets[..<lost] { for decoder in decoders { _ = try decoder.samples(packet, channels: channels) } }
      let original = try decoders[0].samples(packets[lost], channels: channels)
      let again = try #require(try decoders[1].recovered(count, from: packets[lost + 1], channels: channels))
      let madeUp = try decoders[2].concealed(count, channels: channels)
      #expect(again.count == original.count && madeUp.count == original.count)
      recovered += correlation(original[...], again[...])
      concealed += correlation(original[...], madeUp[...])
      losses += 1
      // And it goes on as if nothing had been lost.
      let next = try decoders[0].samples(packets[lost + 1], channels: channels)
      let after = try decoders[1].samples(packets[lost + 1], channels: channels)
      goesOn += correlation(next[...], after[...])
    }
    #expect(losses > 6)
    let name = "recovered \(recovered / losses), concealed \(concealed / losses), after it \(goesOn / losses)"
    #expect(recovered / losses > 0.8 && recovered > concealed + 0.15 * losses && goesOn / losses > 0.85, "\(name)")
  }

  @Test func withoutRedundancyThereIsNone() throws {
    let decoder = try OpusDecoder(channels: 1)
    for settings in [
      AudioEncoderSettings(bitrate: 24_000),
      AudioEncoderSettings(application: .lowDelay, bitrate: 24_000, fec: true, expectedLoss: 30)
    ] {
      for packet in try stream(settings, packets: 20) { #expect(try decoder.recovered(960, from: packet, channels: 1) == nil) }
    }
    // What is shorter than the packet before it cannot be told from it.
    let packets = try stream(AudioEncoderSettings(sampleRate: 16000, bitrate: 24_000, fec: true, expectedLoss: 30), packets: 20)
    #expect(try decoder.recovered(480, from: packets[15], channels: 1) == nil)
    #expect(try decoder.recovered(960, from: packets[15], channels: 1) != nil)
    // After sound without SILK libopus would conceal, and say that it recovered.
    let music = try stream(AudioEncoderSettings(application: .lowDelay), packets: 3)
    _ = try decoder.samples(music[2], channels: 1)
    #expect(try decoder.recovered(960, from: packets[15], channels: 1) == nil)
    decoder.reset()
    #expect(try decoder.recovered(960, from: packets[15], channels: 1) != nil)
  }

  @Test func concealmentGoesOnAndFades() throws {
    let decoder = try OpusDecoder(channels: 1)
    for packet in try stream(AudioEncoderSettings(bitrate: 32_000), packets: 30) { _ = try decoder.samples(packet, channels: 1) }
    let first = try decoder.concealed(960, channels: 1)
    #expect(first.count == 960 && SampleMath.level(first, count: 960) < 40)
    for _ in 0..<100 { _ = try decoder.concealed(960, channels: 1) }
    let last = try decoder.concealed(120, channels: 1)
    let faded = SampleMath.level(last, count: 120)
    #expect(last.count == 120 && faded > 45, "\(faded)")
    for count in [0, -120, 1, 119, 961, 5880, Int.max] {
      let error = try #require(throws: MediaError.self) { try decoder.concealed(count, channels: 1) }
      #expect(error.status == .invalid)
    }
  }

  @Test func channelsAreThoseAskedFor() throws {
    for (sent, wanted) in [(1, 2), (2, 1)] {
      let decoder = try OpusDecoder(channels: wanted)
      for packet in try stream(AudioEncoderSettings(channels: sent), packets: 5) {
        let samples = try decoder.samples(packet, channels: wanted)
        #expect(samples.count == 960 * wanted)
        if wanted == 2 { #expect(Tone.channel(0, of: 2, samples) == Tone.channel(1, of: 2, samples)) }
      }
    }
  }

  @Test func tooLittleRoomIsSaid() throws {
    let decoder = try OpusDecoder(channels: 2)
    let packet = try stream(AudioEncoderSettings(), packets: 1)[0]
    var room = [Float](repeating: 7, count: 1919)
    let error = try #require(throws: MediaError.self) {
      try packet.withUnsafeBytes { data in try room.withUnsafeMutableBufferPointer { _ = try decoder.decode(data, into: $0) } }
    }
    #expect(error.status == .bufferSmall && room.allSatisfy { $0 == 7 })
  }

  @Test func resetForgets() throws {
    let packets = try stream(AudioEncoderSettings(), packets: 20)
    let decoder = try OpusDecoder(channels: 1)
    let fresh = try packets.map { try decoder.samples($0, channels: 1) }
    #expect(try packets.map { try decoder.samples($0, channels: 1) } != fresh)
    decoder.reset()
    #expect(try packets.map { try decoder.samples($0, channels: 1) } == fresh)
  }

  /// Whatever comes: an error or finite samples, as many as the packet says, and then good packets are decoded again.
  @Test func damagedPacketsDoNoHarm() throws {
    var random = SeededRandom(seed: 2024)
    var good: [[UInt8]] = []
    for settings in [
      AudioEncoderSettings(sampleRate: 16000, bitrate: 24_000, fec: true, expectedLoss: 20),
      AudioEncoderSettings(channels: 2, bitrate: 48_000, fec: true, expectedLoss: 20),
      AudioEncoderSettings(channels: 2, application: .audio, bitrate: 96_000)
    ] {
      for units in [4, 8, 24] { good += try stream(settings, packets: 5, units: units) }
    }
    let decoders = try [1, 2].map { try OpusDecoder(channels: $0) }
    var refused = 0
    for turn in 0..<20_000 {
      var packet = good[Int(random.next() % UInt64(good.count))]
      switch random.next() % 4 {
      case 0: packet.removeLast(Int(random.next() % UInt64(packet.count)))
      case 1: packet = (0..<Int(random.next() % 60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      default: break
      }
      for _ in 0..<Int(random.next() % 4) where !packet.isEmpty {
        packet[Int(random.next() % UInt64(packet.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      let channels = turn % 2 + 1
      let decoder = decoders[turn % 2]
      do {
        let count = try packet.withUnsafeBytes { try OpusPacket(parsing: $0) }.toc.duration
        let samples =
          random.next() % 4 == 0
          ? try decoder.recovered(5760, from: packet, channels: channels) ?? [] : try decoder.samples(packet, channels: channels)
        #expect(samples.isEmpty || samples.count == count * channels || samples.count == 5760 * channels)
        #expect(SampleMath.firstNotFinite(samples, count: samples.count) == nil)
      } catch {
        #expect((error as? MediaError)?.status == .corrupt)
        refused += 1
      }
    }
    #expect(refused > 1000)
    let fresh = try OpusDecoder(channels: 1)
    decoders[0].reset()
    for packet in good[..<5] { #expect(try decoders[0].samples(packet, channels: 1) == fresh.samples(packet, channels: 1)) }
  }
}
