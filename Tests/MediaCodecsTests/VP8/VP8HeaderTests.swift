import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct VP8HeaderTests {
  /// A key frame's head by hand: version 0, shown, first partition of 5 bytes, 1280x720 with scale 1 across and 2 down.
  static let key: [UInt8] = [0b1011_0000, 0, 0, 0x9D, 0x01, 0x2A, 0x00, 0x45, 0xD0, 0x82, 1, 2, 3, 4, 5]

  private func parse(_ bytes: [UInt8]) throws -> VP8Header { try bytes.withUnsafeBytes { try VP8Header.parse($0) } }

  private func refusal(_ bytes: [UInt8]) -> String? {
    do {
      _ = try parse(bytes)
      return nil
    } catch {
      let error = error as? MediaError
      #expect(error?.status == .corrupt)
      return error?.text
    }
  }

  @Test func keyFrame() throws {
    let header = try parse(Self.key)
    #expect(
      header
        == VP8Header(
          isKeyFrame: true, version: 0, isShown: true, firstPartitionSize: 5, width: 1280, height: 720, horizontalScale: 1,
          verticalScale: 2))
    #expect(header.common == EncodedHeader(isKeyFrame: true, isShown: true, width: 1280, height: 720))
  }

  @Test func interFrame() throws {
    // Version 3, not shown, first partition of 2.
    let header = try parse([0b0100_0111, 0, 0, 9, 9])
    #expect(!header.isKeyFrame && header.version == 3 && !header.isShown && header.firstPartitionSize == 2)
    #expect(header.width == 0 && header.height == 0)
  }

  @Test func everyLengthTooShortIsRefused() {
    for count in 0..<Self.key.count { #expect(refusal(Array(Self.key.prefix(count))) != nil, "\(count) bytes") }
    #expect(refusal([0x9D, 1])?.contains("2 bytes") == true)
  }

  @Test func wrongHeadsAreRefused() {
    func changed(_ index: Int, _ value: UInt8) -> [UInt8] {
      var bytes = Self.key
      bytes[index] = value
      return bytes
    }
    #expect(refusal(changed(4, 2))?.contains("start code 9d 2 2a") == true)
    #expect(refusal(changed(0, 0b1011_1000))?.contains("version 4") == true)
    #expect(refusal(changed(1, 1))?.contains("first partition") == true)
    var flat = Self.key
    flat[8] = 0
    flat[9] = 0x80
    #expect(refusal(flat)?.contains("1280x0") == true)
  }

  @Test func theFirstFrameOfTheClip() throws {
    let clip = try IVFClip("bunny-720p25.ivf")
    let header = try parse(try #require(clip.frames.first))
    #expect(header.isKeyFrame && header.isShown && header.width == 1280 && header.height == 720)
    for frame in clip.frames.dropFirst() { _ = try parse(frame) }
  }
}
