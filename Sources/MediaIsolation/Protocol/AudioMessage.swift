import CMediaSDK
import MediaCore

/// An audio frame as a message holds it, in both directions.
public enum AudioMessage {
  /// Whole, or a part of one.
  struct Content {
    let header: AudioFrameHeader
    let format: AudioFormat
    let bytes: UnsafeRawBufferPointer

    /// `.corrupt` unless there are as many bytes as samples.
    @inline(never)
    init(reading reader: inout WireReader) throws(MediaError) {
      header = try reader.get(AudioFrameHeader.self)
      bytes = try reader.getBytes()
      format = try AudioFormat(checking: header.native, argument: "the audio format")
      guard header.sampleCount > 0, header.sampleCount <= AudioFormat.mostSamples, bytes.count == Int(header.sampleCount) * format.stride
      else {
        throw MediaError(.corrupt, "\(header.sampleCount) audio samples arrived in \(bytes.count) bytes")
      }
    }

    /// From the host's pool, with a reference and without samples; nil when the pool has none.
    @inline(never)
    func makeFrame(_ sampleCount: UInt32, _ host: msdk_host, _ context: OpaquePointer?) throws(MediaError) -> AudioFrame? {
      var native = header.native
      var pointer: UnsafeMutablePointer<msdk_audio_frame>?
      guard host.audio_frame_acquire?(context, &native, sampleCount, &pointer) == msdk_result(MSDK_OK), let pointer else { return nil }
      let frame = try AudioFrame.retained(foreign: pointer)
      frame.release()
      pointer.pointee.timestamp_ns = header.timestamp
      (pointer.pointee.sequence, pointer.pointee.level) = (header.sequence, header.level)
      pointer.pointee.flags |= header.flags & UInt32(MSDK_FRAME_END | MSDK_FRAME_DISCONTINUITY | MSDK_FRAME_CORRUPT)
      return frame
    }
  }

  /// A frame from the host's pool, with a reference; nil when the pool has none.
  public static func read(_ reader: inout WireReader, _ host: msdk_host, _ context: OpaquePointer?) throws(MediaError) -> AudioFrame? {
    let content = try Content(reading: &reader)
    guard let frame = try content.makeFrame(content.header.sampleCount, host, context) else { return nil }
    frame.bytes.copyMemory(from: content.bytes)
    return frame
  }

  /// Writes `count` samples from the one at `first` on, with the time of that one. No more than `most` fit into a message.
  public static func write(_ frame: AudioFrame, from first: Int, count: Int, to writer: inout WireWriter) {
    var header = frame.native.pointee.format.map { AudioFrameHeader($0.pointee) } ?? AudioFrameHeader()
    let native = frame.native.pointee
    header.sampleCount = UInt32(count)
    header.flags = native.flags & ~UInt32(MSDK_FRAME_WRITABLE)
    // A gap is before the first part, and the end is that of the last one.
    if first > 0 { header.flags &= ~UInt32(MSDK_FRAME_DISCONTINUITY) }
    if first + count < frame.sampleCount { header.flags &= ~UInt32(MSDK_FRAME_END) }
    header.timestamp = native.timestamp_ns == 0 ? 0 : native.timestamp_ns &+ frame.format.duration(ofSamples: first)
    (header.sequence, header.level) = (native.sequence, native.level)
    writer.put(header)
    let stride = frame.format.stride
    writer.put(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(frame.bytes)[first * stride..<(first + count) * stride]))
  }

  /// Samples that fit into one message.
  public static func most(_ format: AudioFormat) -> Int {
    max(1, (Wire.longestBytes - 64) / max(1, format.stride))
  }
}
