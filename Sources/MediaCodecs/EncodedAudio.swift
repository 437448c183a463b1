import CMediaSDK
import MediaCore

extension AudioCodec {
  /// Bytes: what 48 frames have together, the most that are in 120 ms.
  public static let largestPacket = 61_440

  /// What a packet says of itself, for the frame that is to carry it. Its loudness is not known.
  public func describe(_ data: UnsafeRawBufferPointer, in attributes: inout msdk_encoded_frame) throws(MediaError) {
    guard data.count <= AudioCodec.largestPacket else {
      throw MediaError(.invalid, "a packet of \(data.count) bytes; accepted: 1..\(AudioCodec.largestPacket)")
    }
    let header = try parse(data)
    attributes.codec = fourcc
    attributes.sample_rate = 48_000
    attributes.channels = UInt32(header.channels)
    attributes.duration_ns = MediaTime.nanoseconds(fromUnits: Int64(header.sampleCount), rate: 48_000)
    attributes.level = AudioFrame.silentLevel
  }
}
