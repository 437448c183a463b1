import CMediaSDK
import MediaCore
import Testing

@testable import MediaEncryption

/// Frames that a sealer made, and others, opened.
@Suite struct SealedFrameTests {
  private let pool = BufferPool(limit: 64)
  private let ring = FrameKeyRing(of: "anna")
  private static let (vp8, opus) = (UInt32(MSDK_CODEC_VP8), UInt32(MSDK_CODEC_OPUS))

  /// A generator whose numbers are known.
  private struct Counter: RandomNumberGenerator {
    var value: UInt64 = 0
    mutating func next() -> UInt64 {
      value += 1
      return value
    }
  }

  private func frame(_ bytes: [UInt8], _ codec: UInt32 = SealedFrameTests.vp8) throws -> EncodedFrame {
    var attributes = msdk_encoded_frame()
    (attributes.codec, attributes.timestamp_ns, attributes.sequence) = (codec, 77, 5)
    return try #require(try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) })
  }

  /// Derives at once.
  private func opener(_ ring: FrameKeyRing, _ codec: UInt32 = SealedFrameTests.vp8) -> FrameOpener {
    FrameOpener(ring, of: "anna", codec: codec, most: 8) { $0() }
  }

  private func opened(_ outcome: OpeningOutcome<EncodedFrame>) -> [UInt8]? {
    guard case .opened(let frame) = outcome else { return nil }
    defer { frame.release() }
    return Array(frame.bytes)
  }

  private func key(_ text: String) throws -> FrameKey { try FrameKey(Array(text.utf8), argument: "key") }

  /// Made by Python's cryptography, of a nonce and an index of its own.
  @Test func aFrameOfAnotherProgramIsOpened() throws {
    let text = "112233214806f94e4e8d90ec7ec78f0255893bbb4a2fdd81a215c340bf05d86b087ec894ebca5f6465666768696a6b6c6d6e6f0c03"
    let digits = Array(text.utf8)
    let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)! }
    try ring.set(try key("correct horse"), of: nil, index: 3)
    let sealed = try frame(bytes)
    #expect(opener(ring).index(of: sealed) == 3)
    let plain = try #require(opened(try opener(ring).open(sealed)))
    #expect(plain == [0x11, 0x22, 0x33] + (0..<20).map { UInt8($0) })
    sealed.release()
  }

  @Test(arguments: [
    ([0x10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], vp8, 10), ([0x11, 1, 2, 3], vp8, 3), ([0x78, 9, 9], opus, 1), ([0x78], opus, 1)
  ])
  func whatServersReadStaysReadable(bytes: [UInt8], codec: UInt32, clear: Int) throws {
    try ring.set(try key("k"), of: nil, index: 0)
    let sealer = FrameSealer(ring, codec: codec, random: Counter())
    let plain = try frame(bytes, codec)
    let (sealed, index) = try #require(try sealer.seal(plain))
    #expect(index == 0 && sealed.bytes.count == bytes.count + 30)
    #expect(Array(sealed.bytes.prefix(clear)) == Array(bytes.prefix(clear)))
    #expect(bytes.count == clear || Array(sealed.bytes[clear..<bytes.count]) != Array(bytes[clear...]))
    #expect(sealed.native.pointee.timestamp_ns == 77 && sealed.native.pointee.sequence == 5 && sealed.native.pointee.codec == codec)
    guard case .opened(let opened) = try opener(ring, codec).open(sealed) else { throw MediaError(.fail, "not opened") }
    #expect(Array(opened.bytes) == bytes && opened.native.pointee.timestamp_ns == 77)
    for one in [plain, sealed, opened] { one.release() }
  }

  @Test func noNonceIsUsedTwice() throws {
    try ring.set(try key("k"), of: nil, index: 0)
    let (first, other) = (
      FrameSealer(ring, codec: SealedFrameTests.vp8, random: Counter()),
      FrameSealer(ring, codec: SealedFrameTests.vp8, random: Counter(value: 9))
    )
    let plain = try frame([0x11, 1, 2, 3])
    var nonces: Set<[UInt8]> = []
    for sealer in [first, other] {
      for _ in 0..<50 {
        let (sealed, _) = try #require(try sealer.seal(plain))
        nonces.insert(Array(sealed.bytes.suffix(14).prefix(12)))
        sealed.release()
      }
    }
    #expect(nonces.count == 100)
    plain.release()
  }

  /// Every byte of a frame changed, and every end cut off: nothing is opened, and nothing traps.
  @Test func whatWasChangedIsNotOpened() throws {
    try ring.set(try key("k"), of: nil, index: 0)
    let plain = try frame([0x11] + (0..<40).map { UInt8($0) })
    let (sealed, _) = try #require(try FrameSealer(ring, codec: SealedFrameTests.vp8, random: Counter()).seal(plain))
    let (bytes, opener) = (Array(sealed.bytes), FrameOpener(ring, of: "anna", codec: SealedFrameTests.vp8, most: 8) { _ in })
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 0x40
      let other = try frame(changed)
      let outcome = try opener.open(other)
      #expect(outcome == .notAuthentic || outcome == .noKey, "\(place)")
      other.release()
    }
    for count in 1..<bytes.count {
      let other = try frame(Array(bytes.prefix(count)))
      #expect(opened(try opener.open(other)) == nil)
      other.release()
    }
    #expect(opened(try opener.open(sealed)) != nil)
    plain.release()
    sealed.release()
  }

  @Test func withoutAKeyNothingIsSealedOrOpened() throws {
    let sealer = FrameSealer(ring, codec: SealedFrameTests.vp8, random: Counter())
    let plain = try frame([0x11, 1, 2, 3])
    #expect(try sealer.seal(plain) == nil)
    try ring.set(try key("k"), of: "anna", index: 0)
    let (sealed, _) = try #require(try sealer.seal(plain))
    let elsewhere = FrameKeyRing(of: "bert")
    let opener = opener(elsewhere)
    #expect(try opener.open(sealed) == .noKey)
    try elsewhere.set(try key("other"), of: nil, index: 0)
    #expect(try opener.open(sealed) == .notAuthentic)
    try elsewhere.set(try key("k"), of: "anna", index: 0)
    #expect(opened(try opener.open(sealed)) == [0x11, 1, 2, 3])
    plain.release()
    sealed.release()
  }

  /// A receiver follows a sender who has gone on to derived keys, also by several; what it derives is bounded.
  @Test func aRatchetIsFollowed() throws {
    let (start, elsewhere) = (try key("start"), FrameKeyRing(of: "bert"))
    try ring.set(start, of: nil, index: 0)
    try elsewhere.set(start, of: nil, index: 0)
    let sealer = FrameSealer(ring, codec: SealedFrameTests.vp8, random: Counter())
    let plain = try frame([0x11, 1, 2, 3])
    let derived = Monitor(0)
    let opener = FrameOpener(elsewhere, of: "anna", codec: SealedFrameTests.vp8, most: 8) { job in
      derived.withLock { $0 += 1 }
      job()
    }
    let newest = try start.ratcheted().ratcheted()
    try ring.set(newest, of: nil, index: 0)
    let outcomes: [Bool] = try (0..<4).map { _ in
      let (sealed, _) = try #require(try sealer.seal(plain))
      defer { sealed.release() }
      return opened(try opener.open(sealed)) != nil
    }
    #expect(outcomes == [false, false, true, true] && derived.withLock { $0 } == 2)
    #expect(try elsewhere.key(setFor: nil, index: 0) == newest)
    // The receiver goes on to a key that the sender has not gone on to: what it sends is opened all the same.
    try elsewhere.set(newest.ratcheted(), of: nil, index: 0)
    let (late, _) = try #require(try sealer.seal(plain))
    #expect(opened(try opener.open(late)) != nil && derived.withLock { $0 } == 2)
    late.release()
    // Of another key: all are tried, and no more are derived than may be.
    try ring.set(try key("another"), of: nil, index: 0)
    for _ in 0..<40 {
      let (sealed, _) = try #require(try sealer.seal(plain))
      #expect(try opener.open(sealed) == .notAuthentic)
      sealed.release()
    }
    #expect(derived.withLock { $0 } == 2 + OpeningKeys.window - 1)
    plain.release()
  }

  @Test func framesThatAreHeldAreBounded() throws {
    try ring.set(try key("k"), of: nil, index: 0)
    let plain = try frame([0x11, 1, 2, 3])
    let (sealed, _) = try #require(try FrameSealer(ring, codec: SealedFrameTests.vp8, random: Counter()).seal(plain))
    let opener = opener(ring)
    var held: [EncodedFrame] = []
    for _ in 0..<8 { if case .opened(let frame) = try opener.open(sealed) { held.append(frame) } }
    #expect(held.count == 8)
    let error = #expect(throws: MediaError.self) { _ = try opener.open(sealed) }
    #expect(error?.status == .noMemory)
    for one in held + [plain, sealed] { one.release() }
  }
}
