import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaTransport

/// The decoder of one incoming stream of sound, and what it does about packets that are missing. Used inside the stream's turn, one packet at a time.
final class AudioDecodingStage: @unchecked Sendable {
  struct Result {
    var recovered: UInt64 = 0
    /// Samples per channel.
    var concealed: UInt64 = 0
    var samples: UInt64 = 0
  }

  private static let mostConcealed: Int64 = 100_000_000
  private static let rate: UInt32 = 48_000
  private static let mostSamples = 5760

  private let codec: AudioCodecEntry
  private let events: PluginInstance.EventHandler?
  private let format: AudioFormat
  private let pool = BufferPool(limit: 2048)
  private var decoder: PluginAudioDecoder?
  private var latest: FrameID?
  /// When what was decoded last ended.
  private var end: Int64 = 0
  private var sequence: UInt64 = 0

  init(_ codec: AudioCodecEntry, channels: UInt32, events: PluginInstance.EventHandler? = nil) {
    self.codec = codec
    self.events = events
    format = AudioFormat(.f32, sampleRate: AudioDecodingStage.rate, channels: channels)
  }

  func reset() {
    decoder = nil
    latest = nil
  }

  /// Calls `body` with what a packet holds, and before it with what makes good those that were lost before it.
  func decode(_ packet: EncodedFrame, _ picture: FrameID, _ body: (AudioFrame) -> Void) throws(MediaError) -> Result {
    let decoder = try currentDecoder()
    let header = try decoder.parse(packet.bytes)
    var result = Result()
    var isAfterGap = latest == nil && sequence > 0
    let timestamp = packet.native.pointee.timestamp_ns
    if let latest, picture > latest + 1 {
      let (missing, overflow) = timestamp.subtractingReportingOverflow(end)
      isAfterGap = try makeGood(overflow ? .max : max(0, missing), header, packet, decoder, &result, body)
    }
    latest = picture
    let frame = try make(samples: header.sampleCount, at: timestamp) { samples throws(MediaError) in
      try decoder.decode(packet.bytes, into: samples)
    }
    defer { frame.release() }
    if isAfterGap { frame.native.pointee.flags |= UInt32(MSDK_FRAME_DISCONTINUITY) }
    result.samples += UInt64(frame.sampleCount)
    body(frame)
    return result
  }

  private func currentDecoder() throws(MediaError) -> PluginAudioDecoder {
    if let decoder { return decoder }
    let made = try codec.makeDecoder(channels: Int(format.channels), events: events)
    decoder = made
    return made
  }

  /// Concealment, but for the last stretch of the gap, which this packet may carry as well. Says whether a hole is left before the packet.
  private func makeGood(
    _ missing: Int64, _ header: AudioPacketHeader, _ packet: EncodedFrame, _ decoder: PluginAudioDecoder, _ result: inout Result,
    _ body: (AudioFrame) -> Void
  ) throws(MediaError) -> Bool {
    let hasHole = missing > AudioDecodingStage.mostConcealed
    // Opus makes nothing shorter than 2.5 ms, or between multiples of it.
    let unit = 120
    let length = min(missing, AudioDecodingStage.mostConcealed)
    var left = Int(MediaTime.units(fromNanoseconds: length, rate: AudioDecodingStage.rate)) / unit * unit
    let repeated = header.hasRedundancy ? min(left, header.sampleCount) : 0
    while left > repeated {
      let count = min(left - repeated, 960)
      try conceal(count, decoder, &result, body)
      left -= count
    }
    guard repeated > 0 else { return hasHole }
    let flags = hasHole ? UInt32(MSDK_FRAME_DISCONTINUITY) : 0
    let start = packet.native.pointee.timestamp_ns - format.duration(ofSamples: repeated)
    var isRecovered = true
    let frame = try make(samples: repeated, at: start) { samples throws(MediaError) in
      if let count = try decoder.recover(sampleCount: repeated, from: packet.bytes, into: samples) { return count }
      isRecovered = false
      return try decoder.conceal(sampleCount: repeated, into: samples)
    }
    frame.native.pointee.flags = isRecovered ? flags : flags | UInt32(MSDK_FRAME_CORRUPT)
    if isRecovered { result.recovered += 1 } else { result.concealed += UInt64(frame.sampleCount) }
    result.samples += UInt64(frame.sampleCount)
    body(frame)
    frame.release()
    return false
  }

  private func conceal(
    _ count: Int, _ decoder: PluginAudioDecoder, _ result: inout Result, _ body: (AudioFrame) -> Void
  ) throws(MediaError) {
    let frame = try make(samples: count, at: end) { samples throws(MediaError) in
      try decoder.conceal(sampleCount: count, into: samples)
    }
    frame.native.pointee.flags = UInt32(MSDK_FRAME_CORRUPT)
    result.concealed += UInt64(frame.sampleCount)
    result.samples += UInt64(frame.sampleCount)
    body(frame)
    frame.release()
  }

  private func make(
    samples: Int, at timestamp: Int64, _ fill: (UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int
  ) throws(MediaError) -> AudioFrame {
    guard (1...AudioDecodingStage.mostSamples).contains(samples) else { throw MediaError(.corrupt, "the packet holds \(samples) samples") }
    guard let frame = try AudioFrame.make(format, sampleCount: samples, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "2,048 decoded buffers of this stream are in use; unref frames that are no longer needed")
    }
    do throws(MediaError) {
      frame.shorten(to: try fill(frame.f32))
    } catch {
      frame.release()
      throw error
    }
    sequence += 1
    frame.native.pointee.sequence = sequence
    frame.native.pointee.timestamp_ns = timestamp
    frame.native.pointee.flags = 0
    frame.native.pointee.level = frame.computedLevel
    end = timestamp + frame.native.pointee.duration_ns
    return frame
  }
}
