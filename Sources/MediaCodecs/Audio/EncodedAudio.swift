import CMediaSDK
import MediaCore

extension AudioCodec {
  /// Bytes: what 48 frames have together, the most that are in 120 ms.
  public static let largestPacket = 61_440

  public static func checkSize(_ data: UnsafeRawBufferPointer) throws(MediaError) {
    guard data.count <= largestPacket else {
      throw MediaError(.invalid, "a packet of \(data.count) bytes; accepted: 1..\(largestPacket)")
    }
  }

  /// What a packet says of itself, for the frame that is to carry it.
  public func describe(_ data: UnsafeRawBufferPointer, in attributes: inout msdk_encoded_frame) throws(MediaError) {
    try AudioCodec.checkSize(data)
    try parse(data).describe(fourcc, in: &attributes)
  }
}

extension AudioPacketHeader {
  /// The same in the words of a frame. Its loudness is not known.
  public func describe(_ fourcc: UInt32, in attributes: inout msdk_encoded_frame) {
    attributes.codec = fourcc
    attributes.sample_rate = 48_000
    attributes.channels = UInt32(channels)
    attributes.duration_ns = MediaTime.nanoseconds(fromUnits: Int64(sampleCount), rate: 48_000)
    attributes.level = AudioFrame.silentLevel
  }
}
