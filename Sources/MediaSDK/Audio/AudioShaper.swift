import CMediaSDK
import MediaCodecs
import MediaCore

/// Gives an incoming stream's sound the gain and the format that are wanted. Used in the stream's turn.
final class AudioShaper: @unchecked Sendable {
  private let pool = BufferPool(limit: 2048)
  private var converter: AudioConverter?
  private var arriving: AudioFormat?
  /// At the end of the last buffer.
  private var gain: Float

  init(gain: Float = 1) {
    self.gain = gain
  }

  /// The frame, or a louder or softer one; with a reference for the caller. Without memory for another one it is left as it is.
  func scale(_ frame: AudioFrame, by wanted: Float) -> AudioFrame {
    guard gain != 1 || wanted != 1, let copy = copy(frame) else {
      frame.retain()
      return frame
    }
    copy.ramp(from: gain, to: wanted)
    gain = wanted
    copy.native.pointee.level = copy.computedLevel
    return copy
  }

  func copy(_ frame: AudioFrame) -> AudioFrame? {
    guard let copy = try? AudioFrame.make(frame.format, sampleCount: frame.sampleCount, from: pool, deadline: 0) else { return nil }
    copy.bytes.copyMemory(from: UnsafeRawBufferPointer(frame.bytes))
    copy.native.pointee.flags = frame.native.pointee.flags & ~UInt32(MSDK_FRAME_WRITABLE)
    copy.native.pointee.timestamp_ns = frame.timestamp
    copy.native.pointee.sequence = frame.native.pointee.sequence
    copy.native.pointee.level = frame.native.pointee.level
    return copy
  }

  /// Calls `body` with what is whole in the wanted format; `failed` when the program holds all memory there is for it.
  func shape(
    _ frame: AudioFrame, _ options: IncomingAudioOptions, _ body: (AudioFrame) -> Void, failed: () -> Void
  ) {
    var format = frame.format
    format.samplesPerBuffer = 0
    if format != arriving {
      arriving = format
      let wanted = options.wanted(from: format)
      if converter?.wanted != wanted { converter = wanted == format ? nil : AudioConverter(to: wanted, pool: pool) }
    }
    guard let converter else { return body(frame) }
    do throws(MediaError) {
      try converter.convert(frame) { piece in
        if piece != frame { piece.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE) }
        body(piece)
      }
    } catch {
      failed()
    }
  }

  /// What waits for a whole buffer, padded with silence.
  func flush(_ body: (AudioFrame) -> Void) {
    try? converter?.flush { piece in
      piece.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
      body(piece)
    }
  }
}
