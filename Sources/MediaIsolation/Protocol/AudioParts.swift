import CMediaSDK
import MediaCore

/// Puts together a frame of which one message holds a part only, so that all of it is accepted or nothing. Used on one thread.
public final class AudioParts {
  /// What a part leads to.
  public enum Taken {
    /// That was the last part; with a reference.
    case frame(AudioFrame)
    /// More are to come.
    case part
    /// The host's pool has no frame.
    case none
  }

  private var frame: AudioFrame?
  private var done = 0

  /// With no part.
  public init() {}

  deinit { frame?.release() }

  /// Writes all samples that fit, from the one at `first` on; returns how many.
  public static func write(_ frame: AudioFrame, from first: Int, to writer: inout WireWriter) -> Int {
    let count = min(AudioMessage.most(frame.format), frame.sampleCount - first)
    writer.put(UInt32(frame.sampleCount))
    writer.put(UInt32(first))
    AudioMessage.write(frame, from: first, count: count, to: &writer)
    return count
  }

  /// `.corrupt` if the part does not follow the one before.
  public func take(_ reader: inout WireReader, _ host: msdk_host, _ context: OpaquePointer?) throws(MediaError) -> Taken {
    let (total, first) = (try reader.get(UInt32.self), try reader.get(UInt32.self))
    let content = try AudioMessage.Content(reading: &reader)
    if first == 0 {
      frame.take()?.release()
      guard total <= AudioFormat.mostSamples else { throw MediaError(.corrupt, "an audio frame has \(total) samples") }
      (frame, done) = (try content.makeFrame(total, host, context), 0)
      if frame == nil { return .none }
    }
    let count = Int(content.header.sampleCount)
    guard let frame, Int(first) == done, frame.sampleCount == Int(total), frame.format.isSameSound(as: content.format),
      count <= Int(total) - done
    else {
      throw MediaError(.corrupt, "samples \(first) to \(Int(first) + count) of \(total) do not follow \(done)")
    }
    let stride = frame.format.stride
    UnsafeMutableRawBufferPointer(rebasing: frame.bytes[done * stride..<(done + count) * stride]).copyMemory(from: content.bytes)
    frame.native.pointee.flags |= content.header.flags & UInt32(MSDK_FRAME_END | MSDK_FRAME_CORRUPT)
    done += count
    guard done == Int(total) else { return .part }
    self.frame = nil
    return .frame(frame)
  }
}
