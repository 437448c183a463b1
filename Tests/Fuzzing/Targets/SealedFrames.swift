import CMediaSDK
import MediaCore

@testable import MediaEncryption

/// Frames that are encrypted from end to end: some as the input has them, some sealed here and then changed. What opens was sealed, byte by byte.
enum SealedFrames: FuzzTarget {
  static let name = "sealed_frame"

  /// Derived once: that takes as long as many inputs.
  private static let keys = (try? FrameKey([7], argument: "key")).flatMap { first in (try? first.ratcheted()).map { [first, $0] } } ?? []

  private struct Counter: RandomNumberGenerator {
    var value: UInt64 = 0
    mutating func next() -> UInt64 {
      value += 1
      return value
    }
  }

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    let codec = UInt32([MSDK_CODEC_VP8, MSDK_CODEC_OPUS, MSDK_CODEC_AV1][input.number(below: 3)])
    let (pool, ring) = (BufferPool(limit: 4), FrameKeyRing(of: "anna"))
    try ring.set(keys[0], of: nil, index: 0)
    let sealer = FrameSealer(ring, codec: codec, random: Counter())
    let opener = FrameOpener(ring, of: "bert", codec: codec, most: 4) { _ in }
    /// By what was sealed, what it was.
    var sealed: [[UInt8]: [UInt8]] = [:]
    var last: [UInt8] = []
    for _ in 0..<32 where !input.isAtEnd {
      let step = input.number(below: 4)
      var frame = Array(input.piece())
      switch step {
      case 0: break
      case 1:
        let plain = frame
        guard let made = try seal(plain, codec, sealer, pool) else { continue }
        sealed[made] = plain
        (frame, last) = (made, made)
      case 2: try ring.set(keys[input.number(below: 2)], of: input.number(below: 2) == 0 ? nil : "bert", index: input.number(below: 16))
      default:
        let changes = frame
        frame = last
        for (place, change) in changes.enumerated() where !frame.isEmpty {
          frame[(place * 7 + Int(change >> 4)) % frame.count] ^= change & 15
        }
      }
      guard let plain = try open(frame, codec, opener, pool) else { continue }
      expect(sealed[frame] == plain, "what was not sealed was opened")
    }
  }

  private static func made(_ bytes: [UInt8], _ codec: UInt32, _ pool: BufferPool) throws -> EncodedFrame? {
    var attributes = msdk_encoded_frame()
    attributes.codec = codec
    return try bytes.withUnsafeBytes { try EncodedFrame.make(copying: $0, attributes: attributes, from: pool, deadline: 0) }
  }

  private static func seal(_ plain: [UInt8], _ codec: UInt32, _ sealer: FrameSealer, _ pool: BufferPool) throws -> [UInt8]? {
    guard !plain.isEmpty, let frame = try made(plain, codec, pool) else { return nil }
    defer { frame.release() }
    guard let (sealed, _) = try? sealer.seal(frame) else { return nil }
    defer { sealed.release() }
    return Array(sealed.bytes)
  }

  private static func open(_ bytes: [UInt8], _ codec: UInt32, _ opener: FrameOpener, _ pool: BufferPool) throws -> [UInt8]? {
    guard !bytes.isEmpty, let frame = try made(bytes, codec, pool) else { return nil }
    defer { frame.release() }
    guard case .opened(let opened) = try opener.open(frame) else { return nil }
    defer { opened.release() }
    return Array(opened.bytes)
  }
}
