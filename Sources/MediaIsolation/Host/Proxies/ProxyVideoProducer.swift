import CMediaSDK
import IsolationProtocol
import MediaCore

/// A producer of video that lives in another process.
enum ProxyVideoProducer {
  static func table(like table: msdk_video_producer) -> msdk_video_producer {
    var proxy = msdk_video_producer()
    proxy.struct_size = UInt32(MemoryLayout<msdk_video_producer>.size)
    (proxy.flags, proxy.codec) = (table.flags, table.codec)
    proxy.init_capture = { me in ProxyTables.with(me) { $0.change(.initCapture) { $0.producer = 1 } } }
    proxy.release_capture = { me in
      ProxyTables.with(me) { instance in
        instance.takeDown(.releaseCapture) { wanted in
          wanted.producer = 0
          wanted.format = nil
        }
      }
    }
    proxy.start_capture = { me in ProxyTables.with(me) { $0.change(.startCapture) { $0.producer = 2 } } }
    proxy.stop_capture = { me in ProxyTables.with(me) { $0.takeDown(.stopCapture) { $0.producer = min($0.producer, 1) } } }
    // Whether it is started the host knows by itself: [any] calls do not go through the socket.
    proxy.is_capture_started = nil
    proxy.set_format = { me, format in
      guard let format = format?.pointee else { return msdk_result(MSDK_E_INVALID) }
      let header = VideoFormatHeader(format)
      return ProxyTables.with(me) { $0.change(.setFormat, write: { $0.put(header) }) { $0.format = header } }
    }
    if table.capture_settings != nil { proxy.capture_settings = { me, out in ProxyVideoProducer.ask(.captureSettings, me, 0, out) } }
    if table.enum_formats != nil { proxy.enum_formats = { me, index, out in ProxyVideoProducer.ask(.enumFormats, me, index, out) } }
    if table.produce_frame != nil { proxy.produce_frame = { me, due, out in ProxyVideoProducer.produce(me, due, out) } }
    if table.produce_encoded_frame != nil {
      proxy.produce_encoded_frame = { me, due, out in ProxyVideoProducer.produceEncoded(me, due, out) }
    }
    if table.request_key_frame != nil {
      proxy.request_key_frame = { me in
        ProxyTables.with(me) { instance in
          let outcome = instance.callNow(.requestKeyFrame) { process in
            process.call(.requestKeyFrame, now: instance.now(), deadline: instance.plan.options.mediaDeadline) { _ in }
          }
          // The next life begins with one.
          guard case .result(let result) = outcome else { return instance.meanwhile(MSDK_OK) }
          return result
        }
      }
    }
    return proxy
  }

  private static func produceEncoded(
    _ me: OpaquePointer?, _ due: Int64, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    return ProxyTables.with(me) { instance in
      var refusal = msdk_result(MSDK_OK)
      let outcome = instance.callNow(.produceFrame) { process in
        process.call(.produceFrame, now: instance.now(), deadline: instance.plan.options.mediaDeadline, write: { $0.put(due) }) {
          reader, _ throws(MediaError) in
          guard try reader.get(UInt32.self) == 1 else { return }
          refusal = try instance.takeEncoded(process, &reader, out)
        }
      }
      switch outcome {
      case .result(let result): return result < 0 ? result : refusal
      case .away, .died: return instance.meanwhile(MSDK_E_AGAIN)
      }
    }
  }

  private static func ask(
    _ op: Op, _ me: OpaquePointer?, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_video_format>?
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    return ProxyTables.with(me) { instance in
      instance.ask(op, write: { $0.put(index) }) { reader, _ throws(MediaError) in
        out.pointee = try reader.get(VideoFormatHeader.self).native
      }
    }
  }

  private static func produce(
    _ me: OpaquePointer?, _ due: Int64, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>?
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    return ProxyTables.with(me) { instance in
      let outcome = instance.callNow(.produceFrame) { process in
        process.call(.produceFrame, now: instance.now(), deadline: instance.plan.options.mediaDeadline, write: { $0.put(due) }) {
          reader, _ throws(MediaError) in
          guard try reader.get(UInt32.self) == 1 else { return }
          out.pointee = try process.frame(reader.get(VideoFrameHeader.self)).native
        }
      }
      switch outcome {
      case .result(let result): return result
      case .away, .died: return instance.meanwhile(MSDK_E_AGAIN)
      }
    }
  }
}
