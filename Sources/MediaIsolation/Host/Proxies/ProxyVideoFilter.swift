import CMediaSDK
import IsolationProtocol
import MediaCore

/// A filter of video that lives in another process: the picture is copied into shared memory, and what comes of it out of there.
enum ProxyVideoFilter {
  static func table(like table: msdk_video_filter) -> msdk_video_filter {
    var proxy = msdk_video_filter()
    proxy.struct_size = UInt32(MemoryLayout<msdk_video_filter>.size)
    proxy.flags = table.flags
    proxy.init_filter = { me in ProxyTables.with(me) { $0.change(.initFilter) { $0.filter = 1 } } }
    proxy.release_filter = { me in
      ProxyTables.with(me) { instance in
        instance.takeDown(.releaseFilter) { wanted in
          wanted.filter = 0
          wanted.filtered = nil
        }
      }
    }
    if table.set_format != nil {
      proxy.set_format = { me, format, out in
        guard let format = format?.pointee, let out else { return msdk_result(MSDK_E_INVALID) }
        let header = VideoFormatHeader(format)
        return ProxyTables.with(me) { instance in
          instance.agree(.setFilterFormat, write: { $0.put(header) }) { reader, _ throws(MediaError) in
            out.pointee = try reader.get(VideoFormatHeader.self).native
          } apply: {
            $0.filtered = header
          }
        }
      }
    }
    proxy.filter_video_frame = { me, frame, out in ProxyVideoFilter.filter(me, frame, out) }
    if table.flush != nil { proxy.flush = { me in ProxyTables.with(me) { $0.flush(.flushFilter) } } }
    return proxy
  }

  /// A reference to `pointer` is ours, and goes back to the core with `out`, or is let go of.
  private static func filter(
    _ me: OpaquePointer?, _ pointer: UnsafeMutablePointer<msdk_video_frame>?,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>?
  ) -> msdk_result {
    guard let out, let frame = try? VideoFrame.retained(foreign: pointer.map { UnsafePointer($0) }) else {
      return msdk_result(MSDK_E_HANDLE)
    }
    defer { frame.release() }
    let isWritable = frame.isWritable
    var (given, refused): (VideoFrame?, msdk_result) = (nil, 0)
    let result = ProxyTables.with(me) { instance in
      var failure: MediaError?
      let outcome = instance.callNow(.filterFrame) { process in
        do throws(MediaError) {
          let (pool, header) = try lend(frame, to: process, now: instance.now())
          return process.call(.filterFrame, now: instance.now(), deadline: instance.plan.options.mediaDeadline, lending: header.slot) {
            writer in
            writer.put(header)
            writer.put(UInt32(isWritable ? 1 : 0))
          } read: { reader, _ throws(MediaError) in
            switch FilterReply(rawValue: try reader.get(UInt32.self)) {
            case .same?: break
            case .changed? where isWritable: pool.copy(header, into: frame)
            case .other?: (given, refused) = try take(reader.get(VideoFrameHeader.self), of: process, instance)
            default: throw MediaError(.corrupt, "it changed a frame that was lent read-only")
            }
          }
        } catch {
          failure = error
          return process.isEnding ? .gone : .result(error.status.rawValue)
        }
      }
      if let failure, case .result = outcome { return instance.fail(failure.status, failure.text) }
      return instance.passing(outcome)
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

  /// The picture in a slot of shared memory.
  private static func lend(
    _ frame: VideoFrame, to process: PluginProcess, now: Int64
  ) throws(MediaError) -> (pool: InputPool, header: VideoFrameHeader) {
    guard let (pool, slot) = try process.lend(InputPool.capacity(for: frame), now: now) else {
      throw MediaError(.again, "the filter holds all of its \(Wire.slotCount) frames: it must release some (rule P4)")
    }
    do throws(MediaError) {
      return (pool, try pool.put(frame, in: slot))
    } catch {
      _ = pool.giveBack(1 << slot)
      throw error
    }
  }

  /// The picture in memory of the library's own, which may wait to be read for as long as it likes, and which filters behind may change.
  private static func take(
    _ header: VideoFrameHeader, of process: PluginProcess, _ instance: IsolatedInstance
  ) throws(MediaError) -> (VideoFrame?, msdk_result) {
    let slot = try process.frame(header)
    defer { slot.release() }
    var format = slot.native.pointee.format?.pointee ?? msdk_video_format()
    var pointer: UnsafeMutablePointer<msdk_video_frame>?
    let host = instance.host
    let result = host.video_frame_acquire?(instance.context, &format, 0, &pointer) ?? msdk_result(MSDK_E_UNSUPPORTED)
    guard result >= 0, let pointer else { return (nil, result) }
    let copy = try VideoFrame.retained(foreign: UnsafePointer(pointer))
    copy.release()
    try copy.copyPixels(from: slot)
    return (copy, result)
  }
}
