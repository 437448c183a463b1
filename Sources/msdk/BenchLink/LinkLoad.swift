import CMediaSDK
import MediaCore
import MediaSDK

/// The video that is sent to load a path: VP8 key frames of any size, which every receiver decodes to grey. What follows the end of a frame's
/// data partition is read by nobody (RFC 6386, section 9.5), and is random, so that nothing in between can make it smaller.
final class LinkLoad {
  static let frameRate: UInt64 = 30
  static let interval: Int64 = 1_000_000_000 / Int64(frameRate)
  private static let (width, height): (UInt32, UInt32) = (320, 180)
  /// The key frame itself, grey.
  private static let head: [UInt8] =
    [
      0xF0, 0x0E, 0x00, 0x9D, 0x01, 0x2A, 0x40, 0x01, 0xB4, 0x00, 0x00, 0x47, 0x08, 0x85, 0x85, 0x88, 0x85, 0x84, 0x88, 0x02, 0x02, 0x00,
      0x06, 0x16, 0x06, 0x1D, 0x7B, 0x73
    ] + Array(repeating: [0x64, 0xE7, 0x0F], count: 33).joined() + [0x5E, 0x80, 0xFE, 0x68, 0x00]

  let outgoing: OutgoingVideo
  private let pool = BufferPool(limit: 64)
  private let padding: [UInt8]

  init(_ engine: Engine, most: UInt64) throws(MediaError) {
    var options = OutgoingVideoOptions(formats: [
      VideoFormat(.i420, width: LinkLoad.width, height: LinkLoad.height, frameRate: FrameRate(30))
    ])
    options.limits = .extended
    options.codec = UInt32(MSDK_CODEC_VP8)
    options.isEncodedInput = true
    options.bitrate.aim(at: most)
    outgoing = try engine.makeOutgoingVideo(options)
    var random = SystemRandomNumberGenerator()
    padding = (0..<Int(most / 8 / LinkLoad.frameRate)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }

  /// Sends one frame of a stream of so many bits a second.
  func send(to sender: FrameSender, bitrate: UInt64) throws(MediaError) {
    var attributes = msdk_encoded_frame()
    attributes.codec = UInt32(MSDK_CODEC_VP8)
    attributes.flags = UInt32(MSDK_ENCODED_KEY)
    (attributes.width, attributes.height) = (LinkLoad.width, LinkLoad.height)
    let added = min(padding.count, max(0, Int(clamping: bitrate / 8 / LinkLoad.frameRate) - LinkLoad.head.count))
    let bytes = LinkLoad.head + padding.prefix(added)
    let frame = try EncodedFrame.make(size: bytes.count, attributes: attributes, from: pool, deadline: 0) { memory in
      memory.copyBytes(from: bytes)
      return true
    }
    // None is free: the network takes less than is sent.
    guard let frame else { return }
    defer { frame.release() }
    try sender.send(frame)
  }
}
