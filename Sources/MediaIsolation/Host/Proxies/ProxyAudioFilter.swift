import CMediaSDK
import IsolationProtocol
import MediaCore

/// A filter of sound that lives in another process. Buffers go whole, whatever their length.
enum ProxyAudioFilter {
  static func table(like table: msdk_audio_filter) -> msdk_audio_filter {
    var proxy = msdk_audio_filter()
    proxy.struct_size = UInt32(MemoryLayout<msdk_audio_filter>.size)
    proxy.flags = table.flags
    proxy.init_filter = { me in ProxyTables.with(me) { $0.change(.initAudioFilter) { $0.audioFilter = 1 } } }
    proxy.release_filter = { me in
      ProxyTables.with(me) { instance in
        instance.takeDown(.releaseAudioFilter) { wanted in
          wanted.audioFilter = 0
          wanted.filteredSound = nil
        }
      }
    }
    proxy.set_format = { me, format in
      guard let format = format?.pointee else { return msdk_result(MSDK_E_INVALID) }
      let header = AudioFrameHeader(format)
      return ProxyTables.with(me) { $0.agree(.setAudioFilterFormat, write: { $0.put(header) }) { $0.filteredSound = header } }
    }
    proxy.filter_audio_frame = { me, frame, out in ProxyAudioFilter.filter(me, frame, out) }
    if table.delay_ns != nil {
      proxy.delay_ns = { me in ProxyTables.instance(me)?.state.withLock { $0.filterDelay } ?? 0 }
    }
    if table.flush != nil { proxy.flush = { me in ProxyTables.with(me) { $0.flush(.flushAudioFilter) } } }
    return proxy
  }

  /// A reference to `pointer` is ours, and goes back to the core with `out`, or is let go of.
  private static func filter(
    _ me: OpaquePointer?, _ pointer: UnsafeMutablePointer<msdk_audio_frame>?,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_audio_frame>?>?
  ) -> msdk_result {
    guard let out, let frame = try? AudioFrame.retained(foreign: pointer.map { UnsafePointer($0) }) else {
      return msdk_result(MSDK_E_HANDLE)
    }
    defer { frame.release() }
    let isWritable = frame.isWritable
    var (given, refused): (AudioFrame?, msdk_result) = (nil, 0)
    let result = ProxyTables.with(me) { instance in
      instance.passing(
        instance.callNow(.filterAudio) { process in
          process.body.begin()
          process.body.put(UInt32(isWritable ? 1 : 0))
          process.body.put(frame.native.pointee.level)
          process.body.put(frame.native.pointee.sequence)
          AudioMessage.write(frame, from: 0, count: frame.sampleCount, to: &process.body)
          return process.callLong(
            .filterAudio, now: instance.now(), deadline: instance.plan.options.mediaDeadline, payload: process.body,
            most: frame.bytes.count + 64
          ) { reader throws(MediaError) in
            let kind = FilterReply(rawValue: try reader.get(UInt32.self))
            let delay = try reader.get(Int64.self)
            instance.state.withLock { $0.filterDelay = delay }
            if kind == .same { return }
            let bytes = try reader.getBytes()
            guard bytes.count == frame.bytes.count, kind == .other || isWritable else {
              throw MediaError(.corrupt, "it returned \(bytes.count) bytes of audio; \(frame.bytes.count) were sent")
            }
            if kind == .changed { return frame.bytes.copyMemory(from: bytes) }
            (given, refused) = try take(bytes, like: frame, instance)
          }
        })
    }
    guard result >= 0, refused >= 0, given != nil || pointer != nil else {
      given?.release()
      frame.release()
      return result < 0 ? result : refused
    }
    if given != nil { frame.release() }
    out.pointee = given?.native ?? pointer
    return msdk_result(MSDK_OK)
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
