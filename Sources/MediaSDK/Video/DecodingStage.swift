import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaTransport

/// The decoder of one start of an incoming stream: which frames it can be given, and what to do about a gap. Used by the stream's worker.
final class DecodingStage: Sendable {
  struct Verdict {
    var isUsable: Bool
    var isAfterGap = false
    var asksForKeyFrame = false
    var beginsFreeze = false
  }

  fileprivate struct State {
    var decoder: PluginVideoDecoder?
    /// The picture before the next one that can be used; nil before the first.
    var latest: FrameID?
    var needsKeyFrame = true
    var isAfterGap = false
    var lastRequest = Int64.min
  }

  /// A request that brought nothing is repeated, with the next frame that cannot be used.
  static let requestInterval: Int64 = 500_000_000

  private let codec: VideoCodecEntry
  private let stream: VideoFormat
  /// The longest queue of pictures, and 32 in the hands of the program.
  private let pool = BufferPool(limit: 96)
  private let scratch = ConversionScratch()
  private let events: PluginInstance.EventHandler
  private let state = Monitor(State())

  /// Frame rate and expected delay are the stream's: encoded frames do not carry them.
  init(_ codec: VideoCodecEntry, of stream: VideoFormat, events: @escaping PluginInstance.EventHandler) {
    self.events = events
    self.codec = codec
    self.stream = stream
  }

  /// Whether the frame builds on what was decoded.
  func judge(_ frame: EncodedFrame, _ picture: FrameID, now: Int64) -> Verdict {
    state.withLock { state in
      let hasGap = state.latest.map { picture != $0 + 1 } ?? false
      state.latest = picture
      if frame.isKeyFrame {
        defer {
          state.needsKeyFrame = false
          state.isAfterGap = false
        }
        return Verdict(isUsable: true, isAfterGap: state.isAfterGap || hasGap)
      }
      let beginsFreeze = hasGap && !state.needsKeyFrame
      if hasGap {
        state.needsKeyFrame = true
        state.isAfterGap = true
      }
      guard state.needsKeyFrame else { return Verdict(isUsable: true) }
      return Verdict(isUsable: false, asksForKeyFrame: state.mayAsk(now), beginsFreeze: beginsFreeze)
    }
  }

  /// What was decoded last was damaged. Says whether a key frame is to be asked for at once: not again and again while a decoder is being
  /// started, which asks when it is back.
  func fail(_ error: MediaError, now: Int64) -> Bool {
    state.withLock { state in
      state.needsKeyFrame = true
      state.isAfterGap = true
      guard error.status != .pluginDied else { return state.mayAsk(now) }
      state.lastRequest = now
      return true
    }
  }

  /// The picture in the format that is wanted, with a reference for the caller; nil for a frame that is not shown. `.noMemory` when the frames of
  /// the pool are all in use.
  func decode(_ frame: EncodedFrame, _ options: IncomingVideoOptions, isAfterGap: Bool) throws(MediaError) -> VideoFrame? {
    let decoder = try currentDecoder()
    guard let picture = try decoder.decode(frame) else { return nil }
    defer { picture.release() }
    let native = frame.native.pointee
    // What the picture does not say of itself the stream does.
    let color = picture.format.color.completed(by: ColorSpace(native))
    if color != picture.format.color { picture.setColor(color) }
    var decoded = picture.format
    (decoded.frameRate, decoded.expectedDelay) = (stream.frameRate, stream.expectedDelay)
    decoded.contentHint = 0
    var wanted = options.wanted(from: decoded)
    wanted.color = VideoConverter.resultColor(from: decoded, to: wanted.pixelFormat)
    guard let result = try VideoFrame.make(wanted, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "96 decoded frames of this stream are in use; unref frames that are no longer needed")
    }
    do throws(MediaError) {
      try VideoConverter.convert(picture.native, into: result.native, scratch: scratch)
    } catch {
      result.release()
      throw error
    }
    result.native.pointee.timestamp_ns = native.timestamp_ns
    result.native.pointee.duration_ns = native.duration_ns
    result.native.pointee.sequence = native.sequence
    result.native.pointee.orientation = native.orientation
    result.setMetadata(frame.metadata)
    let isAfterGap = isAfterGap || native.flags & UInt32(MSDK_ENCODED_DISCONTINUITY) != 0
    result.native.pointee.flags = isAfterGap ? UInt32(MSDK_FRAME_DISCONTINUITY) : 0
    return result
  }
}

extension DecodingStage {
  private func currentDecoder() throws(MediaError) -> PluginVideoDecoder {
    if let decoder = state.withLock({ $0.decoder }) { return decoder }
    let decoder = try codec.makeDecoder(events: events)
    state.withLock { $0.decoder = decoder }
    return decoder
  }
}

extension DecodingStage.State {
  fileprivate mutating func mayAsk(_ now: Int64) -> Bool {
    guard lastRequest == .min || now - lastRequest >= DecodingStage.requestInterval else { return false }
    lastRequest = now
    return true
  }
}
