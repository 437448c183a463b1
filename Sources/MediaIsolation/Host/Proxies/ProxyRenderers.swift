import CMediaSDK
import IsolationProtocol
import MediaCore

extension msdk_video_renderer {
  /// That of a renderer in another process. What arrives while that is gone is not shown.
  static func proxy(like table: msdk_video_renderer) -> msdk_video_renderer {
    var proxy = sized
    proxy.flags = table.flags
    proxy.init_render = { Proxy.change($0, .initRender) }
    proxy.release_render = { Proxy.takeDown($0, .releaseRender) }
    if table.accepts_format != nil {
      proxy.accepts_format = { me, format in
        guard let format = format?.pointee else { return 0 }
        return Proxy.with(me) { $0.ask(.acceptsFormat, write: { format.write(to: &$0) }) }
      }
    }
    proxy.render_video_frame = { ProxyRenderers.render(.renderFrame, $0, 0, $1) }
    if table.flush != nil { proxy.flush = { Proxy.takeDown($0, .flush) } }
    if table.snapshot_format != nil { proxy.snapshot_format = { Proxy.ask($0, .snapshotFormat, $1) } }
    if table.snapshot != nil { proxy.snapshot = { ProxyRenderers.snapshot($0, $1) } }
    if table.accepts_codec != nil { proxy.accepts_codec = { Proxy.accepts($0, .acceptsCodec, codec: $1) } }
    if table.render_encoded_frame != nil { proxy.render_encoded_frame = { ProxyRenderers.render(.renderEncoded, $0, $1) } }
    if table.update_input != nil {
      proxy.update_input = { ProxyRenderers.update($0, $1, $2) }
      proxy.remove_input = { me, number in
        Proxy.with(me) { instance in
          instance.state.withLock { $0.desired[.updateInput, number] = nil }
          return instance.notify(.removeInput, WireWriter.bytes(of: number))
        }
      }
      proxy.render_input_frame = { ProxyRenderers.render(.renderInput, $0, $1, $2) }
    }
    return proxy
  }
}

extension msdk_audio_renderer {
  /// The same of audio: what arrives meanwhile is not heard.
  static func proxy(like table: msdk_audio_renderer) -> msdk_audio_renderer {
    var proxy = sized
    proxy.flags = table.flags
    proxy.init_render = { Proxy.change($0, .initAudioRender) }
    proxy.release_render = { Proxy.takeDown($0, .releaseAudioRender) }
    // Both always, so that what comes back is started again.
    proxy.start_render = { Proxy.change($0, .startAudioRender) }
    proxy.stop_render = { Proxy.takeDown($0, .stopAudioRender) }
    // Always: its process must know what is to be read.
    proxy.render_settings = { me, format in
      Proxy.with(me, format) { instance, format in
        instance.change(.renderSettings, format.pointee.payload) { reader, _ throws(MediaError) in
          format.pointee = try msdk_audio_format(reading: &reader)
        }
      }
    }
    if table.render_audio_frame != nil { proxy.render_audio_frame = { ProxyRenderers.render($0, $1) } }
    if table.render_delay_ns != nil { proxy.render_delay_ns = { Proxy.instance($0)?.state.withLock { $0.delay } ?? 0 } }
    if table.accepts_codec != nil { proxy.accepts_codec = { Proxy.accepts($0, .acceptsAudioCodec, codec: $1) } }
    if table.render_encoded_frame != nil { proxy.render_encoded_frame = { ProxyRenderers.render(.renderPacket, $0, $1) } }
    return proxy
  }
}

/// What renderers in other processes are given.
private enum ProxyRenderers {
  static func render(_ op: Op, _ me: OpaquePointer?, _ number: UInt32, _ pointer: UnsafePointer<msdk_video_frame>?) -> msdk_result {
    Proxy.with(me) { instance in
      guard let frame = try? VideoFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      return instance.settle(instance.exchange(op, frame, write: { $1.put(number) }))
    }
  }

  /// Audio, in parts where one message does not hold it.
  static func render(_ me: OpaquePointer?, _ pointer: UnsafePointer<msdk_audio_frame>?) -> msdk_result {
    Proxy.with(me) { instance in
      guard let frame = try? AudioFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      let most = AudioMessage.most(frame.format)
      for first in stride(from: 0, to: frame.sampleCount, by: most) {
        let outcome = instance.media(.renderAudio) { writer in
          AudioMessage.write(frame, from: first, count: min(most, frame.sampleCount - first), to: &writer)
        } read: { _, _, reply throws(MediaError) in
          instance.state.withLock { $0.delay = reply.delay }
        }
        guard case .result(let result) = outcome, result >= 0 else { return instance.settle(outcome) }
      }
      return msdk_result(MSDK_OK)
    }
  }

  /// Encoded video and audio.
  static func render(_ op: Op, _ me: OpaquePointer?, _ pointer: UnsafePointer<msdk_encoded_frame>?) -> msdk_result {
    Proxy.with(me) { instance in
      guard let frame = try? EncodedFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      let outcome = instance.exchange(op, frame.bytes, frame.native.pointee) { _, _, reply throws(MediaError) in
        instance.state.withLock { $0.delay = reply.delay }
      }
      return instance.settle(outcome)
    }
  }

  static func snapshot(_ me: OpaquePointer?, _ pointer: UnsafeMutablePointer<msdk_video_frame>?) -> msdk_result {
    Proxy.with(me) { instance in
      guard let frame = try? VideoFrame.retained(foreign: pointer.map { UnsafePointer($0) }) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      let outcome = instance.exchange(.snapshot, frame, write: { $1.put(UInt32(0)) }) { _, pool, header, reader throws(MediaError) in
        let shown = try reader.get(VideoFrameHeader.self)
        guard shown.orientation <= UInt32(MSDK_ROTATE_270 | MSDK_MIRROR) else {
          throw MediaError(.corrupt, "its snapshot has the orientation \(shown.orientation)")
        }
        pool.copy(header, into: frame)
        frame.native.pointee.orientation = shown.orientation
        (frame.native.pointee.timestamp_ns, frame.native.pointee.duration_ns) = (shown.timestamp, shown.duration)
        frame.native.pointee.sequence = shown.sequence
      }
      return instance.settle(outcome, quiet: MSDK_E_AGAIN)
    }
  }

  static func update(_ me: OpaquePointer?, _ number: UInt32, _ input: UnsafePointer<msdk_input>?) -> msdk_result {
    guard let input = input?.pointee else { return msdk_result(MSDK_E_INVALID) }
    var writer = WireWriter()
    for value in [number, input.kind, input.is_local, input.has_video, input.is_speaking, input.is_muted] { writer.put(value) }
    for text in [input.user_id, input.display_name] { writer.put(text: ForeignText.readLossy(text, limit: 256)) }
    return Proxy.with(me) { instance in
      instance.state.withLock { $0.desired[.updateInput, number] = writer.bytes }
      return instance.notify(.updateInput, writer.bytes)
    }
  }
}
