import MediaCore
import Testing

@testable import MediaCodecs

/// What the encoder makes of a screen full of text.
@Suite struct VP8ScreenTests {
  private func encoder(isScreen: Bool, bitrate: UInt64 = 1_500_000) throws -> VP8Encoder {
    var settings = VP8EncoderTests.settings(640, 480, bitrate: bitrate)
    settings.isScreen = isScreen
    settings.dropThreshold = 30
    return try VP8Encoder(settings)
  }

  /// Small black letters on white; from another alphabet in one line.
  private func page(_ seed: UInt64, otherLine: Int = -1) -> GuardedFrame {
    let frame = GuardedFrame(.i420, 640, 480)
    let alphabets = [seed, seed + 1].map { seed in
      var random = SeededRandom(seed: seed)
      return (0..<64).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
    }
    frame.fill { plane, row, column in
      guard plane == 0, row % 18 < 12, column % 8 > 0, column % 8 < 7 else { return plane == 0 ? 250 : 128 }
      let letter = alphabets[row / 18 == otherLine ? 1 : 0][(row / 18 * 31 + column / 8 * 7) % 64]
      return letter >> ((row % 18 * 5 + column % 8 * 11) % 61) & 3 == 0 ? 20 : 250
    }
    return frame
  }

  @Test func aNewPageIsReadableAtOnce() throws {
    let frame = page(1)
    let decoder = try VP8Decoder()
    let packet = try encoder(isScreen: true, bitrate: 300_000).mustEncode(frame, at: 0)
    let picture = try #require(try decoder.decode(packet.bytes))
    let psnr = try MovingPicture.psnr(frame, picture)
    #expect(psnr > 33, "\(psnr) dB")
    let blurred = try #require(try VP8Decoder().decode(try encoder(isScreen: false, bitrate: 300_000).mustEncode(frame, at: 0).bytes))
    #expect(try MovingPicture.psnr(frame, blurred) < psnr - 3)
  }

  @Test func itBecomesSharpWhileItStands() throws {
    let frame = page(1)
    let encoder = try encoder(isScreen: true)
    let decoder = try VP8Decoder()
    var psnr = 0.0
    var count = 0
    while !encoder.isSharp || count == 0, count < 30 {
      // Four a second.
      let bytes = try encoder.encode(frame, at: count, fps: 4)?.bytes
      if let bytes, let picture = try decoder.decode(bytes) { psnr = try MovingPicture.psnr(frame, picture) }
      count += 1
    }
    #expect(encoder.isSharp && count <= 20, "\(count) frames")
    #expect(psnr > 39, "\(psnr) dB")
  }

  @Test func whatStandsStillCostsNextToNothing() throws {
    let frame = page(1)
    let encoder = try encoder(isScreen: true)
    var sizes: [Int] = []
    for index in 0..<120 { sizes.append(try encoder.encode(frame, at: index, fps: 15)?.bytes.count ?? 0) }
    let settled = sizes.suffix(30).reduce(0, +) / 30
    #expect(settled < 600, "\(settled) bytes a frame, \(sizes)")
  }

  @Test func aLineThatChangesCostsALine() throws {
    let encoder = try encoder(isScreen: true)
    let first = page(1)
    let whole = try encoder.mustEncode(first, at: 0).bytes.count
    for index in 1..<60 { _ = try encoder.encode(first, at: index, fps: 15) }
    let line = try encoder.mustEncode(page(1, otherLine: 10), at: 60, fps: 15).bytes.count
    // One of 26, with what else there is to say.
    #expect(line * 8 < whole, "\(line) bytes of \(whole)")
  }
}
