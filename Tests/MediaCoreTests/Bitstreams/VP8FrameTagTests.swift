import Testing

@testable import MediaCore

@Suite struct VP8FrameTagTests {
  /// A key frame's head by hand: version 0, shown, first partition of 5 bytes, 1280x720 with scale 1 across and 2 down.
  static let key: [UInt8] = [0b1011_0000, 0, 0, 0x9D, 0x01, 0x2A, 0x00, 0x45, 0xD0, 0x82, 1, 2, 3, 4, 5]

  private func parse(_ bytes: [UInt8]) throws -> VP8FrameTag { try bytes.withUnsafeBytes { try VP8FrameTag(ofFrame: $0) } }
  private func begin(_ bytes: [UInt8]) throws -> VP8FrameTag { try bytes.withUnsafeBytes { try VP8FrameTag(parsing: $0) } }

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
    let tag = try parse(Self.key)
    #expect(tag.isKeyFrame && tag.version == 0 && tag.isShown && tag.firstPartitionSize == 5 && tag.headSize == 15)
    #expect(tag.width == 1280 && tag.height == 720 && tag.horizontalScale == 1 && tag.verticalScale == 2)
  }

  @Test func interFrame() throws {
    // Version 3, not shown, first partition of 2.
    let header = try parse([0b0100_0111, 0, 0, 9, 9])
    #expect(!header.isKeyFrame && header.version == 3 && !header.isShown && header.firstPartitionSize == 2 && header.headSize == 5)
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

  /// The first packet of a frame has no more than its beginning.
  @Test func whatFollowsTheTagMayBeCutOff() throws {
    #expect(try begin(Array(Self.key.prefix(10))) == parse(Self.key))
    #expect(try begin([0x31, 1, 0]).headSize == 12)
    #expect(try begin([0b0100_1011, 0, 0]).version == 5)
    for count in 0..<10 { #expect(failure { _ = try begin(Array(Self.key.prefix(count))) }?.status == .corrupt, "\(count) bytes") }
  }

  @Test func spoiltFramesDoNoHarm() throws {
    var random = SeededRandom(seed: 3)
    for _ in 0..<20_000 {
      var bytes = Array(Self.key.prefix(Int(random.next() % 16)))
      for _ in 0..<random.next() % 3 where !bytes.isEmpty {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      guard let whole = try? parse(bytes) else { continue }
      #expect(try begin(bytes) == whole && whole.headSize <= bytes.count)
    }
  }
}
