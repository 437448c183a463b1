import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct VP8DecoderTests {
  private func stream(_ width: Int, _ height: Int, frames: Int) throws -> [[UInt8]] {
    let encoder = try VP8Encoder(VP8EncoderTests.settings(width, height))
    let frame = GuardedFrame(.nv12, width, height)
    return try (0..<frames).map { index in
      MovingPicture.draw(frame, at: index)
      return try encoder.mustEncode(frame, at: index).bytes
    }
  }

  private func status(_ body: () throws -> Void) -> Status? {
    do {
      try body()
      return nil
    } catch { return (error as? MediaError)?.status }
  }

  @Test func theWholeClip() throws {
    let clip = try IVFClip("bunny-720p25.ivf")
    let decoder = try VP8Decoder()
    let small = GuardedFrame(.rgba, 321, 179, padding: 4)
    let scratch = ConversionScratch()
    var shown = 0
    for bytes in clip.frames {
      let tag = try bytes.withUnsafeBytes { try VP8FrameTag(ofFrame: $0) }
      #expect(tag.isKeyFrame == (tag.width == 1280 && tag.height == 720) && (tag.isKeyFrame || shown > 0) && tag.isShown)
      let picture = try #require(try decoder.decode(bytes))
      #expect(picture.width == 1280 && picture.height == 720 && !picture.isCorrupt)
      try VideoConverter.convert(picture, color: ColorSpace(), into: small.frame, scratch: scratch)
      shown += 1
    }
    #expect(shown == 132 && small.canariesAreAlive)
    // A picture of a meadow in daylight: neither black nor white, and opaque.
    let pixels = small.pixels(0)
    let mean = pixels.enumerated().filter { $0.offset % 4 != 3 }.reduce(0.0) { $0 + Double($1.element) } / Double(321 * 179 * 3)
    #expect(mean > 40 && mean < 215)
    #expect(pixels.enumerated().allSatisfy { $0.offset % 4 != 3 || $0.element == 255 })
  }

  /// A trailer of metadata that stays at the end of a frame (`FrameTrailer`): the picture is the same.
  @Test func whatFollowsAFrameChangesNothing() throws {
    let clip = try IVFClip("bunny-720p25.ivf")
    let decoders = [try VP8Decoder(), try VP8Decoder()]
    let shown = [GuardedFrame(.i420, 1280, 720), GuardedFrame(.i420, 1280, 720)]
    let scratch = ConversionScratch()
    let trailer = [0xFC, ~248] + [UInt8](repeating: 0x5A, count: 248) + [0] + Array("LKTS".utf8)
    for bytes in clip.frames.prefix(40) {
      for (index, decoder) in decoders.enumerated() {
        let picture = try #require(try decoder.decode(index == 0 ? bytes : bytes + trailer))
        #expect(!picture.isCorrupt)
        try VideoConverter.convert(picture, color: ColorSpace(), into: shown[index].frame, scratch: scratch)
      }
      #expect((0..<3).allSatisfy { shown[0].pixels($0) == shown[1].pixels($0) })
    }
  }

  @Test func aKeyFrameMayChangeTheSize() throws {
    let decoder = try VP8Decoder()
    for (width, height) in [(64, 36), (17, 9), (320, 180), (1, 1), (64, 36)] {
      for bytes in try stream(width, height, frames: 3) {
        let picture = try #require(try decoder.decode(bytes))
        #expect(picture.width == UInt32(width) && picture.height == UInt32(height))
      }
    }
  }

  @Test func aFrameThatNeedsOthersIsRefusedFirst() throws {
    let frames = try stream(64, 36, frames: 3)
    let decoder = try VP8Decoder()
    #expect(decoder.needsKeyFrame)
    #expect(status { _ = try decoder.decode(frames[1]) } == .state)
    _ = try decoder.decode(frames[0])
    #expect(!decoder.needsKeyFrame)
    #expect(try decoder.decode(frames[1]) != nil)
  }

  /// Damage that the head shows, and damage that only libvpx finds: a table of partitions that ends in the middle.
  @Test func afterDamageTheNextKeyFrameIsWaitedFor() throws {
    let encoder = try VP8Encoder(VP8EncoderTests.settings(640, 360, threads: 8))
    let frame = GuardedFrame(.nv12, 640, 360)
    let frames = try (0..<3).map { index in
      MovingPicture.draw(frame, at: index)
      return try encoder.mustEncode(frame, at: index).bytes
    }
    let header = try frames[1].withUnsafeBytes { try VP8FrameTag(ofFrame: $0) }
    let decoder = try VP8Decoder()
    for size in [2 + header.firstPartitionSize, 5 + header.firstPartitionSize] {
      let first = try #require(try decoder.decode(frames[0]))
      #expect(!first.isCorrupt && !decoder.needsKeyFrame)
      #expect(status { _ = try decoder.decode(Array(frames[1].prefix(size))) } == .corrupt)
      #expect(decoder.needsKeyFrame)
      #expect(status { _ = try decoder.decode(frames[2]) } == .state)
    }
    _ = try decoder.decode(frames[0])
    #expect(try decoder.decode(frames[1]) != nil)
  }

  @Test func aPictureDecodedFromTooFewBytesIsMarked() throws {
    let frames = try stream(320, 180, frames: 3)
    let decoder = try VP8Decoder()
    #expect(try decoder.decode(frames[0])?.isCorrupt == false)
    let header = try frames[1].withUnsafeBytes { try VP8FrameTag(ofFrame: $0) }
    let picture = try #require(try decoder.decode(Array(frames[1].prefix(3 + header.firstPartitionSize + 20))))
    #expect(picture.isCorrupt)
    try picture.withFrame(color: ColorSpace()) { frame throws(MediaError) in
      #expect(frame.pointee.flags == 4)
    }
    // What builds on it is as bad.
    #expect(try decoder.decode(frames[2])?.isCorrupt == true)
    #expect(try decoder.decode(frames[0])?.isCorrupt == false)
  }

  @Test func picturesBeyondTheLimitAreRefused() throws {
    let frames = try stream(64, 36, frames: 1)
    let decoder = try VP8Decoder(VideoDecoderSettings(maximumPixels: 64 * 36 - 1))
    #expect(status { _ = try decoder.decode(frames[0]) } == .limit)
    #expect(try VP8Decoder(VideoDecoderSettings(maximumPixels: 64 * 36)).decode(frames[0]) != nil)
  }

  /// Data that arrives broken in every way: cut, with bits flipped, with bytes made up, and from nothing.
  @Test func brokenDataNeverCrashes() throws {
    let streams = [try stream(64, 36, frames: 4), try stream(17, 9, frames: 4)]
    var random = SeededRandom(seed: 4)
    var decoder = try VP8Decoder(VideoDecoderSettings(maximumPixels: 128 * 128))
    let target = GuardedFrame(.rgba, 33, 21, padding: 1)
    let scratch = ConversionScratch()
    var outcomes: [String: Int] = [:]
    for round in 0..<10_000 {
      let frames = streams[round % 2]
      var bytes = frames[Int(random.next() % UInt64(frames.count))]
      switch random.next() % 4 {
      case 0: bytes = Array(bytes.prefix(Int(random.next() % UInt64(bytes.count + 1))))
      case 1:
        for _ in 0...random.next() % 8 { bytes[Int(random.next() % UInt64(bytes.count))] ^= 1 << UInt8(random.next() % 8) }
      case 2:
        let first = Int(random.next() % UInt64(bytes.count))
        for index in first..<bytes.count { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
      default: bytes = (0..<random.next() % 300).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      }
      if round % 1000 == 0 { decoder = try VP8Decoder(VideoDecoderSettings(threads: 1 + round / 1000 % 2, maximumPixels: 128 * 128)) }
      if decoder.needsKeyFrame { _ = try decoder.decode(frames[0]) }
      do {
        if let picture = try decoder.decode(bytes) {
          try VideoConverter.convert(picture, color: ColorSpace(), into: target.frame, scratch: scratch)
          outcomes[picture.isCorrupt ? "damaged" : "decoded", default: 0] += 1
        } else {
          outcomes["not shown", default: 0] += 1
        }
      } catch {
        let status = (error as? MediaError)?.status
        #expect(status == .corrupt || status == .limit, "\(error)")
        outcomes["refused", default: 0] += 1
      }
    }
    // The cases must have reached all the ways out, or they tested nothing.
    #expect(outcomes["decoded", default: 0] > 500 && outcomes["refused", default: 0] > 500, "\(outcomes)")
    #expect(target.canariesAreAlive)
    let good = try #require(try decoder.decode(streams[0][0]))
    #expect(!good.isCorrupt)
  }
}
