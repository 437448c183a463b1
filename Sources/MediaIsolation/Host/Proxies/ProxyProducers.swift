import CMediaSDK
import IsolationProtocol
import MediaCore

extension msdk_video_producer {
  /// That of a producer in another process. Whether it is started the host knows by itself: [any] calls are not forwarded.
  static func proxy(like table: msdk_video_producer) -> msdk_video_producer {
    var proxy = sized
    (proxy.flags, proxy.codec) = (table.flags, table.codec)
    proxy.init_capture = { Proxy.change($0, .initCapture) }
    proxy.release_capture = { Proxy.takeDown($0, .releaseCapture) }
    proxy.start_capture = { Proxy.change($0, .startCapture) }
    proxy.stop_capture = { Proxy.takeDown($0, .stopCapture) }
    proxy.set_format = { Proxy.change($0, .setFormat, $1) }
    if table.capture_settings != nil { proxy.capture_settings = { Proxy.ask($0, .captureSettings, $1) } }
    if table.enum_formats != nil { proxy.enum_formats = { Proxy.ask($0, .enumFormats, $2, about: $1) } }
    if table.produce_frame != nil { proxy.produce_frame = { ProxyProducers.produceVideo($0, $1, $2) } }
    if table.produce_encoded_frame != nil { proxy.produce_encoded_frame = { ProxyProducers.produceEncoded($0, $1, $2) } }
    // The next life begins with a key frame.
    if table.request_key_frame != nil {
      proxy.request_key_frame = { Proxy.with($0) { $0.settle($0.media(.requestKeyFrame)) } }
    }
    return proxy
  }
}

extension msdk_audio_producer {
  /// The same of audio.
  static func proxy(like table: msdk_audio_producer) -> msdk_audio_producer {
    var proxy = sized
    proxy.flags = table.flags
    proxy.init_capture = { Proxy.change($0, .initAudioCapture) }
    proxy.release_capture = { Proxy.takeDown($0, .releaseAudioCapture) }
    proxy.start_capture = { Proxy.change($0, .startAudioCapture) }
    proxy.stop_capture = { Proxy.takeDown($0, .stopAudioCapture) }
    proxy.set_format = { Proxy.change($0, .setAudioFormat, $1) }
    if table.capture_settings != nil { proxy.capture_settings = { Proxy.ask($0, .audioCaptureSettings, $1) } }
    if table.produce_frame != nil { proxy.produce_frame = { ProxyProducers.produceAudio($0, $1, $2) } }
    return proxy
  }
}

/// What producers in other processes are asked for.
private enum ProxyProducers {
  typealias Out<Frame> = UnsafeMutablePointer<UnsafeMutablePointer<Frame>?>

  /// `read` takes what was made, if anything was, or returns why it cannot.
  @inline(__always)
  private static func produce(
    _ op: Op, _ due: Int64, _ instance: IsolatedInstance,
    read: (PluginProcess, inout WireReader) throws(MediaError) -> msdk_result
  ) -> msdk_result {
    var refusal = msdk_result(MSDK_OK)
    let outcome = instance.media(op, write: { $0.put(due) }) { process, reader, _ throws(MediaError) in
      if try reader.get(UInt32.self) == 1 { refusal = try read(process, &reader) }
    }
    return min(instance.settle(outcome, quiet: MSDK_E_AGAIN), refusal)
  }

  static func produceVideo(_ me: OpaquePointer?, _ due: Int64, _ out: Out<msdk_video_frame>?) -> msdk_result {
    Proxy.with(me, out) { instance, out in
      produce(.produceFrame, due, instance) { process, reader throws(MediaError) in
        out.pointee = try process.frame(reader.get()).native
        return msdk_result(MSDK_OK)
      }
    }
  }

  static func produceEncoded(_ me: OpaquePointer?, _ due: Int64, _ out: Out<msdk_encoded_frame>?) -> msdk_result {
    Proxy.with(me, out) { instance, out in
      produce(.produceFrame, due, instance) { process, reader throws(MediaError) in try instance.takeEncoded(process, &reader, out) }
    }
  }

  static func produceAudio(_ me: OpaquePointer?, _ due: Int64, _ out: Out<msdk_audio_frame>?) -> msdk_result {
    Proxy.with(me, out) { instance, out in
      // Before anything newer.
      if let waiting = instance.state.withLock({ $0.waiting }) { return give(waiting, instance, out) }
      return produce(.produceAudio, due, instance) { _, reader throws(MediaError) in
        let message = reader
        guard let frame = try AudioMessage.read(&reader, instance.host, instance.context) else {
          instance.state.withLock { $0.waiting = message.copyOfRest }
          return msdk_result(MSDK_E_AGAIN)
        }
        out.pointee = frame.native
        return msdk_result(MSDK_OK)
      }
    }
  }

  /// Audio that waited for room in the host's pool: the plugin has gone on, so it would be lost.
  private static func give(_ waiting: [UInt8], _ instance: IsolatedInstance, _ out: Out<msdk_audio_frame>) -> msdk_result {
    waiting.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      guard let frame = try? AudioMessage.read(&reader, instance.host, instance.context) else { return msdk_result(MSDK_E_AGAIN) }
      instance.state.withLock { $0.waiting = nil }
      out.pointee = frame.native
      return msdk_result(MSDK_OK)
    }
  }
}
