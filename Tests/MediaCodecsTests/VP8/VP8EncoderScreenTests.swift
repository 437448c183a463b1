import MediaCore
import Testing

@testable import MediaCodecs

/// Coloured letters everywhere: more than what a slow network takes at once.
@Suite struct VP8EncoderScreenTests {
  private static let (width, height) = (1280, 720)

  private func page(_ seed: UInt64) -> GuardedFrame {
    let frame = GuardedFrame(.i420, Self.width, Self.height)
    var random = SeededRandom(seed: seed)
    let letters = (0..<(Self.width / 8) * (Self.height / 18)).map { _ in UInt64.random(in: 0...UInt64.max, using: &random) }
    frame.fill { plane, row, column in
      let (y, x) = plane == 0 ? (row, column) : (2 * row, 2 * column)
      guard y / 18 < Self.height / 18 else { return plane == 0 ? 250 : 128 }
      let letter = letters[y / 18 * (Self.width / 8) + x / 8]
      if plane > 0 { return UInt8(truncatingIfNeeded: letter >> (plane == 1 ? 40 : 48)) }
      let isStroke = y % 18 < 11 && letter >> UInt64(y % 18 * 3) & 7 == UInt64(x % 8)
      return isStroke ? 20 + UInt8(truncatingIfNeeded: letter >> 56) / 4 : 250
    }
    return frame
  }

  /// What leaves within two seconds at that rate, and when the receiver has it.
  @Test(arguments: [135_000, 900_000] as [UInt64]) func whatDoesNotLeaveInTimeIsCoarseAndBecomesSharp(_ bitrate: UInt64) throws {
    var settings = VP8EncoderTests.settings(Self.width, Self.height, bitrate: bitrate)
    settings.isScreen = true
    let (encoder, decoder) = (try VP8Encoder(settings), try VP8Decoder())
    let longest = Int(bitrate) * 2 / 8
    encoder.setLongestFrame(longest)
    var now: Int64 = 0
    for number in UInt64(1)...2 {
      let frame = page(number)
      let start = now
      var (first, last, keys, count) = (0.0, 0.0, 0, 0)
      while last <= 32, now - start < 60_000_000_000 {
        let packet = try encoder.encode(frame.frame, timestamp: now, duration: 0, forceKeyFrame: false) { ($0.isKeyFrame, Array($0.data)) }
        let (isKey, bytes) = packet ?? (false, [])
        // What makes a page sharper that has been seen whole is not begun anew.
        #expect(bytes.count <= (count < 20 ? longest : longest * 3 / 2), "page \(number), \(now) ns: \(bytes.count) bytes")
        if !bytes.isEmpty, let picture = try decoder.decode(bytes), count % 8 == 0 { last = try MovingPicture.psnr(frame, picture) }
        count += bytes.isEmpty ? 0 : 1
        keys += isKey ? 1 : 0
        if now == start { first = last }
        now += max(250_000_000, 8_000_000_000 * Int64(bytes.count) / Int64(bitrate))
      }
      #expect(keys == 1, "page \(number)")
      #expect(first > 9 && last > 32, "page \(number): \(first) dB, and \(last) dB after \(Double(now - start) / 1e9) s")
      // Some 550 kB in all, and not much besides.
      #expect(Double(now - start) / 1e9 < 6_000_000 / Double(bitrate) + 5, "page \(number): \(Double(now - start) / 1e9) s")
    }
  }

  @Test func withoutABoundNothingIsCoarse() throws {
    var settings = VP8EncoderTests.settings(Self.width, Self.height, bitrate: 135_000)
    settings.isScreen = true
    let encoder = try VP8Encoder(settings)
    let frame = page(1)
    let size = try encoder.encode(frame.frame, timestamp: 0, duration: 0, forceKeyFrame: false) { $0.data.count }
    #expect((size ?? 0) > 200_000)
  }
}
