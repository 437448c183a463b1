import CMediaSDK
import IsolationProtocol
import MediaCore

extension msdk_video_filter {
  /// That of a filter in another process: the frame is copied into shared memory, and what comes of it is copied back.
  static func proxy(like table: msdk_video_filter) -> msdk_video_filter {
    var proxy = sized
    proxy.flags = table.flags
    proxy.init_filter = { Proxy.change($0, .initFilter) }
    proxy.release_filter = { Proxy.takeDown($0, .releaseFilter) }
    if table.set_format != nil {
      proxy.set_format = { me, format, out in
        guard let format = format?.pointee else { return msdk_result(MSDK_E_INVALID) }
        return Proxy.with(me, out) { instance, out in
          instance.settleFilter(
            instance.changeNow(.setFilterFormat, format.payload) { reader, _ throws(MediaError) in
              out.pointee = try msdk_video_format(reading: &reader)
            })
        }
      }
    }
    proxy.filter_video_frame = { ProxyFilters.filter($0, $1, $2) }
    if table.flush != nil { proxy.flush = { ProxyFilters.flush($0, .flushFilter) } }
    return proxy
  }
}

extension msdk_audio_filter {
  /// The same of audio. Frames go whole, whatever their length.
  static func proxy(like table: msdk_audio_filter) -> msdk_audio_filter {
    var proxy = sized
    proxy.flags = table.flags
    proxy.init_filter = { Proxy.change($0, .initAudioFilter) }
    proxy.release_filter = { Proxy.takeDown($0, .releaseAudioFilter) }
    proxy.set_format = { me, format in
      guard let format = format?.pointee else { return msdk_result(MSDK_E_INVALID) }
      return Proxy.with(me) { $0.settleFilter($0.changeNow(.setAudioFilterFormat, format.payload)) }
    }
    proxy.filter_audio_frame = { ProxyFilters.filter($0, $1, $2) }
    if table.delay_ns != nil { proxy.delay_ns = { Proxy.instance($0)?.state.withLock { $0.filterDelay } ?? 0 } }
    if table.flush != nil { proxy.flush = { ProxyFilters.flush($0, .flushAudioFilter) } }
    return proxy
  }
}

/// What filters share, of video and of audio.
private protocol FilteredFrame {
  associatedtype Native
  var native: UnsafeMutablePointer<Native> { get }
  func release()
}

extension VideoFrame: FilteredFrame {}
extension AudioFrame: FilteredFrame {}

/// What filters in other processes do with frames. A reference to the frame is ours: it goes back to the core at `out`, or is released.
private enum ProxyFilters {
  typealias Out<Frame> = UnsafeMutablePointer<UnsafeMutablePointer<Frame>?>

  /// What is gone keeps nothing.
  static func flush(_ me: OpaquePointer?, _ op: Op) -> msdk_result {
    Proxy.with(me) { instance in
      if case .result(let result) = instance.media(op) { return result }
      return msdk_result(MSDK_OK)
    }
  }

  static func filter(_ me: OpaquePointer?, _ pointer: UnsafeMutablePointer<msdk_video_frame>?, _ out: Out<msdk_video_frame>?) -> msdk_result
  {
    guard let out, let frame = try? VideoFrame.retained(foreign: pointer.map { UnsafePointer($0) }) else {
      return msdk_result(MSDK_E_HANDLE)
    }
    defer { frame.release() }
    let isWritable = frame.isWritable
    var (other, refusal): (VideoFrame?, msdk_result) = (nil, 0)
    let result = Proxy.with(me) { instance in
      let outcome = instance.exchange(.filterFrame, frame, write: { $1.put(UInt32(isWritable ? 1 : 0)) }) {
        process, pool, header, reader throws(MediaError) in
        switch FilterReply(rawValue: try reader.get()) {
        case .same?: break
        case .changed? where isWritable: pool.copy(header, into: frame)
        case .other?: (other, refusal) = try take(reader.get(), of: process, instance)
        default: throw MediaError(.corrupt, "it changed a frame that was lent read-only")
        }
      }
      return instance.settleFilter(outcome)
    }
    return finish(min(result, refusal), frame, other, out)
  }

  static func filter(_ me: OpaquePointer?, _ pointer: UnsafeMutablePointer<msdk_audio_frame>?, _ out: Out<msdk_audio_frame>?) -> msdk_result
  {
    guard let out, let frame = try? AudioFrame.retained(foreign: pointer.map { UnsafePointer($0) }) else {
      return msdk_result(MSDK_E_HANDLE)
    }
    defer { frame.release() }
    let isWritable = frame.isWritable
    var (other, refusal): (AudioFrame?, msdk_result) = (nil, 0)
    let result = Proxy.with(me) { instance in
      let outcome = instance.callNow { process in
        process.body.begin()
        process.body.put(UInt32(isWritable ? 1 : 0))
        AudioMessage.write(frame, from: 0, count: frame.sampleCount, to: &process.body)
        return process.callLong(
          .filterAudio, now: instance.now(), deadline: instance.plan.options.mediaDeadline, payload: process.body,
          most: frame.bytes.count + 64
        ) { reader throws(MediaError) in
          let reply = FilterReply(rawValue: try reader.get())
          let delay = try reader.get(Int64.self)
          instance.state.withLock { $0.filterDelay = delay }
          if reply == .same { return }
          let bytes = try reader.getBytes()
          guard bytes.count == frame.bytes.count, reply == .other || isWritable else {
            throw MediaError(.corrupt, "it returned \(bytes.count) bytes of audio; \(frame.bytes.count) were sent")
          }
          if reply == .changed { return frame.bytes.copyMemory(from: bytes) }
          (other, refusal) = try take(bytes, like: frame, instance)
        }
      }
      return instance.settleFilter(outcome)
    }
    return finish(min(result, refusal), frame, other, out)
  }

  private static func finish<Frame: FilteredFrame>(
    _ result: msdk_result, _ frame: Frame, _ other: Frame?, _ out: Out<Frame.Native>
  ) -> msdk_result {
    guard result >= 0 else {
      other?.release()
      frame.release()
      return result
    }
    if other != nil { frame.release() }
    out.pointee = (other ?? frame).native
    return msdk_result(MSDK_OK)
  }

  /// A copy in memory of the library's own, which may wait to be read for as long as it likes, and which later filters may change.
  private static func take(
    _ header: VideoFrameHeader, of process: PluginProcess, _ instance: IsolatedInstance
  ) throws(MediaError) -> (VideoFrame?, msdk_result) {
    let slot = try process.frame(header)
    defer { slot.release() }
    var format = slot.native.pointee.format?.pointee ?? msdk_video_format()
    var pointer: UnsafeMutablePointer<msdk_video_frame>?
    let result = instance.host.video_frame_acquire?(instance.context, &format, 0, &pointer) ?? msdk_result(MSDK_E_UNSUPPORTED)
    guard result >= 0, let pointer else { return (nil, result) }
    let copy = try VideoFrame.retained(foreign: UnsafePointer(pointer))
    copy.release()
    try copy.copyPixels(from: slot)
    return (copy, result)
  }

  private static func take(
    _ bytes: UnsafeRawBufferPointer, like frame: AudioFrame, _ instance: IsolatedInstance
  ) throws(MediaError) -> (AudioFrame?, msdk_result) {
    var format = frame.native.pointee.format?.pointee ?? msdk_audio_format()
    var pointer: UnsafeMutablePointer<msdk_audio_frame>?
    let count = frame.native.pointee.sample_count
    let result = instance.host.audio_frame_acquire?(instance.context, &format, count, &pointer) ?? msdk_result(MSDK_E_UNSUPPORTED)
    guard result >= 0, let pointer else { return (nil, result) }
    let copy = try AudioFrame.retained(foreign: UnsafePointer(pointer))
    copy.release()
    copy.bytes.copyMemory(from: bytes)
    return (copy, result)
  }
}
