import CMediaSDK
import IsolationProtocol
import MediaCore

/// A producer of sound that lives in another process.
enum ProxyAudioProducer {
  static func table(like table: msdk_audio_producer) -> msdk_audio_producer {
    var proxy = msdk_audio_producer()
    proxy.struct_size = UInt32(MemoryLayout<msdk_audio_producer>.size)
    proxy.flags = table.flags
    proxy.init_capture = { me in ProxyTables.with(me) { $0.change(.initAudioCapture) { $0.audioProducer = 1 } } }
    proxy.release_capture = { me in
      ProxyTables.with(me) { instance in
        instance.takeDown(.releaseAudioCapture) { wanted in
          wanted.audioProducer = 0
          wanted.audioFormat = nil
        }
      }
    }
    proxy.start_capture = { me in ProxyTables.with(me) { $0.change(.startAudioCapture) { $0.audioProducer = 2 } } }
    proxy.stop_capture = { me in ProxyTables.with(me) { $0.takeDown(.stopAudioCapture) { $0.audioProducer = min($0.audioProducer, 1) } } }
    proxy.is_capture_started = nil
    proxy.set_format = { me, format in
      guard let format = format?.pointee else { return msdk_result(MSDK_E_INVALID) }
      let header = AudioFrameHeader(format)
      return ProxyTables.with(me) { $0.change(.setAudioFormat, write: { $0.put(header) }) { $0.audioFormat = header } }
    }
    if table.capture_settings != nil {
      proxy.capture_settings = { me, out in
        guard let out else { return msdk_result(MSDK_E_INVALID) }
        return ProxyTables.with(me) { instance in
          instance.ask(.audioCaptureSettings) { reader, _ throws(MediaError) in out.pointee = try reader.get(AudioFrameHeader.self).native }
        }
      }
    }
    if table.produce_frame != nil { proxy.produce_frame = { me, due, out in ProxyAudioProducer.produce(me, due, out) } }
    return proxy
  }

  private static func produce(
    _ me: OpaquePointer?, _ due: Int64, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_audio_frame>?>?
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    return ProxyTables.with(me) { instance in
      // Before anything newer.
      if let waiting = instance.state.withLock({ $0.waiting }) { return ProxyAudioProducer.give(waiting, instance, out) }
      var isStarved = false
      let outcome = instance.callNow(.produceAudio) { process in
        process.call(.produceAudio, now: instance.now(), deadline: instance.plan.options.mediaDeadline, write: { $0.put(due) }) {
          reader, _ throws(MediaError) in
          guard try reader.get(UInt32.self) == 1 else { return }
          let message = reader
          if let frame = try AudioMessage.read(&reader, instance.host, instance.context) {
            out.pointee = frame.native
          } else {
            isStarved = true
            instance.state.withLock { $0.waiting = message.copyOfRest }
          }
        }
      }
      switch outcome {
      case .result(let result): return isStarved ? msdk_result(MSDK_E_AGAIN) : result
      case .away, .died: return instance.meanwhile(MSDK_E_AGAIN)
      }
    }
  }

  /// Sound that waited for room in the host's pool: the plugin has gone on, so it would be lost.
  private static func give(
    _ waiting: [UInt8], _ instance: IsolatedInstance, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_audio_frame>?>
  ) -> msdk_result {
    waiting.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      guard let frame = try? AudioMessage.read(&reader, instance.host, instance.context) else { return msdk_result(MSDK_E_AGAIN) }
      instance.state.withLock { $0.waiting = nil }
      out.pointee = frame.native
      return msdk_result(MSDK_OK)
    }
  }
}
