import CMediaSDK
import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct VP8EncoderTests {
  static func settings(
    _ width: Int, _ height: Int, bitrate: UInt64 = 1_500_000, threads: Int = 1, preset: EncoderPreset = .realtime
  ) -> VideoEncoderSettings {
    VideoEncoderSettings(
      width: UInt32(width), height: UInt32(height), frameRate: FrameRate(30), threads: threads, preset: preset, targetBitrate: bitrate,
      dropThreshold: 0)
  }

  /// The planes end at pages that may not be touched, so that an encoder reading up to its own block size would be found.
  @Test(arguments: [PixelFormat.nv12, .i420], [(64, 36), (17, 9), (1, 1), (2, 3), (161, 121), (320, 180)])
  func aMovingPictureComesBack(format: PixelFormat, size: (Int, Int)) throws {
    for padding in [0, 9] {
      let encoder = try VP8Encoder(Self.settings(size.0, size.1))
      let decoder = try VP8Decoder()
      let frame = GuardedFrame(format, size.0, size.1, padding: padding)
      for index in 0..<15 {
        MovingPicture.draw(frame, at: index)
        let packet = try encoder.mustEncode(frame, at: index)
        #expect(packet.isKey == (index == 0))
        let picture = try #require(try decoder.decode(packet.bytes))
        #expect(picture.width == UInt32(size.0) && picture.height == UInt32(size.1) && !picture.isCorrupt)
        let psnr = try MovingPicture.psnr(frame, picture)
        #expect(psnr > 30, "\(format.name) \(size), frame \(index): \(psnr) dB")
      }
      #expect(frame.canariesAreAlive)
    }
  }

  /// Each by itself, and at a key frame in between, too.
  @Test func whatIsDroppableCanBeDropped() throws {
    var settings = Self.settings(320, 180, bitrate: 400_000)
    settings.temporalLayers = 2
    let encoder = try VP8Encoder(settings)
    let (all, base, some) = (try VP8Decoder(), try VP8Decoder(), try VP8Decoder())
    let frame = GuardedFrame(.nv12, 320, 180)
    var bytes = (base: 0, upper: 0)
    for index in 0..<90 {
      MovingPicture.draw(frame, at: index)
      let packet = try encoder.mustEncode(frame, at: index, key: index == 45)
      #expect(packet.isDroppable == (index < 45 ? index % 2 == 1 : index % 2 == 0), "\(index)")
      if packet.isDroppable { bytes.upper += packet.bytes.count } else { bytes.base += packet.bytes.count }
      let decoders = [all] + (packet.isDroppable ? [] : [base]) + (packet.isDroppable && index % 3 == 0 ? [] : [some])
      for decoder in decoders {
        let picture = try #require(try decoder.decode(packet.bytes))
        let psnr = try MovingPicture.psnr(frame, picture)
        #expect(!picture.isCorrupt && psnr > 30, "frame \(index): \(psnr) dB")
      }
    }
    #expect((0.45...0.75).contains(Double(bytes.base) / Double(bytes.base + bytes.upper)), "\(bytes)")
    settings.temporalLayers = 3
    #expect(throws: MediaError.self) { try VP8Encoder(settings) }
  }

  /// With frames of both layers that the rate control leaves out: nothing decays.
  @Test func droppableFramesAtALowRate() throws {
    var settings = Self.settings(320, 180, bitrate: 40_000)
    (settings.temporalLayers, settings.dropThreshold) = (2, 30)
    let encoder = try VP8Encoder(settings)
    let (all, base) = (try VP8Decoder(), try VP8Decoder())
    let frame = GuardedFrame(.nv12, 320, 180)
    var made = 0
    for index in 0..<300 {
      MovingPicture.draw(frame, at: index)
      guard let packet = try encoder.encode(frame, at: index) else { continue }
      made += 1
      for decoder in packet.isDroppable ? [all] : [all, base] {
        let psnr = try MovingPicture.psnr(frame, #require(try decoder.decode(packet.bytes)))
        #expect(psnr > 24, "frame \(index): \(psnr) dB")
      }
    }
    #expect((60..<280).contains(made), "\(made)")
  }

  @Test func bothFormatsGiveTheSameBytes() throws {
    let first = try VP8Encoder(Self.settings(161, 121))
    let second = try VP8Encoder(Self.settings(161, 121))
    let nv12 = GuardedFrame(.nv12, 161, 121)
    let i420 = GuardedFrame(.i420, 161, 121)
    for index in 0..<5 {
      MovingPicture.draw(nv12, at: index)
      try VideoConverter.convert(nv12.frame, into: i420.frame)
      let left = try first.mustEncode(nv12, at: index)
      let right = try second.mustEncode(i420, at: index)
      #expect(left.bytes == right.bytes)
    }
  }

  @Test func aLibraryWithoutNV12GetsACopy() throws {
    let first = try VP8Encoder(Self.settings(161, 121))
    let second = try VP8Encoder(Self.settings(161, 121))
    second.takesNV12 = false
    let frame = GuardedFrame(.nv12, 161, 121, padding: 5)
    for index in 0..<5 {
      MovingPicture.draw(frame, at: index)
      let left = try first.mustEncode(frame, at: index)
      let right = try second.mustEncode(frame, at: index)
      #expect(left.bytes == right.bytes)
    }
  }

  @Test(arguments: EncoderPreset.allCases, [1, 2, 8])
  func everyPresetAndThreads(preset: EncoderPreset, threads: Int) throws {
    let encoder = try VP8Encoder(Self.settings(160, 120, threads: threads, preset: preset))
    let decoder = try VP8Decoder(VideoDecoderSettings(threads: threads))
    let frame = GuardedFrame(.nv12, 160, 120)
    for index in 0..<5 {
      MovingPicture.draw(frame, at: index)
      let picture = try #require(try decoder.decode(try encoder.mustEncode(frame, at: index).bytes))
      #expect(try MovingPicture.psnr(frame, picture) > 30)
    }
  }

  @Test func keyFramesWhenAskedFor() throws {
    let encoder = try VP8Encoder(Self.settings(64, 36))
    let frame = GuardedFrame(.nv12, 64, 36)
    var keys: [Int] = []
    for index in 0..<30 {
      MovingPicture.draw(frame, at: index)
      let packet = try encoder.mustEncode(frame, at: index, key: index == 5 || index == 20)
      #expect(try packet.bytes.withUnsafeBytes { try VP8FrameTag(ofFrame: $0) }.isKeyFrame == packet.isKey)
      if packet.isKey { keys.append(index) }
    }
    #expect(keys == [0, 5, 20])
  }

  @Test func timesThatStandStillOrJumpAreTaken() throws {
    let encoder = try VP8Encoder(Self.settings(64, 36))
    let decoder = try VP8Decoder()
    let frame = GuardedFrame(.nv12, 64, 36)
    let second: Int64 = 1_000_000_000
    for (index, time) in [5 * second, 5 * second, 5 * second, 0, .max, .min, 0, 3600 * second, 1].enumerated() {
      MovingPicture.draw(frame, at: index)
      for duration in [0, -1, Int64.max] {
        let result = try encoder.encode(UnsafePointer(frame.frame), timestamp: time, duration: duration, forceKeyFrame: false) {
          Array($0.data)
        }
        let bytes = try #require(result)
        let picture = try #require(try decoder.decode(bytes))
        #expect(try MovingPicture.psnr(frame, picture) > 30)
      }
    }
  }

  @Test func clock() {
    var clock = VP8EncoderClock(FrameRate(25))
    #expect(clock.next(timestamp: 7_000_000, duration: 0) == .init(start: 0, length: 40_000))
    #expect(clock.next(timestamp: 47_000_000, duration: 20_000_000) == .init(start: 40_000, length: 20_000))
    #expect(clock.next(timestamp: 47_000_000, duration: 0).start == 50_000)
    #expect(clock.next(timestamp: 0, duration: 0).start == 90_000)
    #expect(clock.next(timestamp: .max, duration: .max) == .init(start: 1_090_000, length: 1_000_000))
  }

  @Test func framesThatDoNotFitAreRefused() throws {
    let encoder = try VP8Encoder(Self.settings(64, 36))
    for frame in [GuardedFrame(.nv12, 64, 35), GuardedFrame(.bgra, 64, 36)] {
      let error = try #require(throws: MediaError.self) { _ = try encoder.encode(frame, at: 0) }
      #expect(error.status == .format)
    }
    let good = GuardedFrame(.nv12, 64, 36)
    MovingPicture.draw(good, at: 0)
    #expect(try encoder.encode(good, at: 0)?.isKey == true)
  }

  @Test func whatBodyThrowsComesOut() throws {
    let encoder = try VP8Encoder(Self.settings(64, 36))
    let frame = GuardedFrame(.nv12, 64, 36)
    MovingPicture.draw(frame, at: 0)
    let error = try #require(throws: MediaError.self) {
      _ = try encoder.encode(UnsafePointer(frame.frame), timestamp: 0, duration: 0, forceKeyFrame: false) { _ throws(MediaError) in
        throw MediaError(.closed, "no more")
      }
    }
    #expect(error == MediaError(.closed, "no more"))
    #expect(try encoder.encode(frame, at: 1)?.isKey == false)
  }
}
