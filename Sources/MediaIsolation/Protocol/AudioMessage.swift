import CMediaSDK
import MediaCore

/// An audio frame as a message holds it, in both directions.
public enum AudioMessage {
  /// A frame from the host's pool, with a reference; nil when the pool has none.
  public static func read(_ reader: inout WireReader, _ host: msdk_host, _ context: OpaquePointer?) throws(MediaError) -> AudioFrame? {
    let header = try reader.get(AudioFrameHeader.self)
    let bytes = try reader.getBytes()
    var native = header.native
    let format = try AudioFormat(checking: native, argument: "the audio format")
    guard header.sampleCount > 0, header.sampleCount <= AudioFormat.mostSamples, bytes.count == Int(header.sampleCount) * format.stride
    else {
      throw MediaError(.corrupt, "\(header.sampleCount) audio samples arrived in \(bytes.count) bytes")
    }
    var pointer: UnsafeMutablePointer<msdk_audio_frame>?
    guard host.audio_frame_acquire?(context, &native, header.sampleCount, &pointer) == msdk_result(MSDK_OK), let pointer else { return nil }
    let frame = try AudioFrame.retained(foreign: pointer)
    frame.release()
    frame.bytes.copyMemory(from: bytes)
    pointer.pointee.timestamp_ns = header.timestamp
    pointer.pointee.flags |= header.flags & UInt32(MSDK_FRAME_END | MSDK_FRAME_DISCONTINUITY)
    return frame
  }

  /// Writes `count` samples from the one at `first` on, with the time of that one. No more than `most` fit into a message.
  public static func write(_ frame: AudioFrame, from first: Int, count: Int, to writer: inout WireWriter) {
    var header = frame.native.pointee.format.map { AudioFrameHeader($0.pointee) } ?? AudioFrameHeader()
    let native = frame.native.pointee
    header.sampleCount = UInt32(count)
    header.flags = native.flags & ~UInt32(MSDK_FRAME_WRITABLE)
    // The end is the end of the last part.
    if first + count < frame.sampleCount { header.flags &= ~UInt32(MSDK_FRAME_END) }
    header.timestamp = native.timestamp_ns == 0 ? 0 : native.timestamp_ns &+ frame.format.duration(ofSamples: first)
    header.sequence = native.sequence
    writer.put(header)
    let stride = frame.format.stride
    writer.put(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(frame.bytes)[first * stride..<(first + count) * stride]))
  }

  /// Samples that fit into one message.
  public static func most(_ format: AudioFormat) -> Int {
    max(1, (Wire.longestBytes - 64) / max(1, format.stride))
  }
}
