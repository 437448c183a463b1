import CMediaSDK
import IsolationProtocol
import MediaCore

/// A renderer of sound that lives in another process. What comes while that is gone is not heard.
enum ProxyAudioRenderer {
  static func table(like table: msdk_audio_renderer) -> msdk_audio_renderer {
    var proxy = msdk_audio_renderer()
    proxy.struct_size = UInt32(MemoryLayout<msdk_audio_renderer>.size)
    proxy.flags = table.flags
    proxy.init_render = { me in ProxyTables.with(me) { $0.change(.initAudioRender) { $0.audioRenderer = 1 } } }
    proxy.release_render = { me in ProxyTables.with(me) { $0.takeDown(.releaseAudioRender) { $0.audioRenderer = 0 } } }
    // Both always, so that what comes back is started again.
    proxy.start_render = { me in ProxyTables.with(me) { $0.change(.startAudioRender) { $0.audioRenderer = 2 } } }
    proxy.stop_render = { me in ProxyTables.with(me) { $0.takeDown(.stopAudioRender) { $0.audioRenderer = min($0.audioRenderer, 1) } } }
    proxy.is_render_started = nil
    // Always: its process must know what is to be read.
    proxy.render_settings = { me, out in
      guard let out else { return msdk_result(MSDK_E_INVALID) }
      let coming = AudioFrameHeader(out.pointee)
      return ProxyTables.with(me) { instance in
        let result = instance.ask(.renderSettings, write: { $0.put(coming) }) { reader, _ throws(MediaError) in
          out.pointee = try reader.get(AudioFrameHeader.self).native
        }
        if result >= 0 { instance.state.withLock { $0.wanted.arriving = coming } }
        return result
      }
    }
    if table.render_audio_frame != nil { proxy.render_audio_frame = { me, frame in ProxyAudioRenderer.render(me, frame) } }
    if table.render_delay_ns != nil {
      proxy.render_delay_ns = { me in ProxyTables.instance(me)?.state.withLock { $0.delay } ?? 0 }
    }
    if table.accepts_codec != nil {
      proxy.accepts_codec = { me, codec in ProxyTables.with(me) { $0.ask(.acceptsAudioCodec, write: { $0.put(codec) }) { _, _ in } } }
    }
    if table.render_encoded_frame != nil { proxy.render_encoded_frame = { me, frame in ProxyPackets.render(.renderPacket, me, frame) } }
    return proxy
  }

  /// In parts, where one message does not hold it.
  private static func render(_ me: OpaquePointer?, _ pointer: UnsafePointer<msdk_audio_frame>?) -> msdk_result {
    ProxyTables.with(me) { instance in
      guard let frame = try? AudioFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      let most = AudioMessage.most(frame.format)
      var first = 0
      while first < frame.sampleCount {
        let count = min(most, frame.sampleCount - first)
        let outcome = instance.callNow(.renderAudio) { process in
          process.call(.renderAudio, now: instance.now(), deadline: instance.plan.options.mediaDeadline) { writer in
            AudioMessage.write(frame, from: first, count: count, to: &writer)
          } read: { _, header throws(MediaError) in
            instance.note(delay: header.delay)
          }
        }
        guard case .result(let result) = outcome else { return instance.meanwhile(MSDK_OK) }
        if result < 0 { return result }
        first += count
      }
      return msdk_result(MSDK_OK)
    }
  }
}

extension IsolatedInstance {
  func note(delay: Int64) {
    state.withLock { $0.delay = delay }
  }
}

/// Encoded pictures and packets.
enum ProxyPackets {
  static func render(_ op: Op, _ me: OpaquePointer?, _ pointer: UnsafePointer<msdk_encoded_frame>?) -> msdk_result {
    ProxyTables.with(me) { instance in
      guard let frame = try? EncodedFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      var header = EncodedFrameHeader(frame.native.pointee)
      let bytes = frame.bytes
      if bytes.count > Wire.longestBytes {
        return instance.lend(op, { () throws(MediaError) in bytes.count }) { pool, slot, writer throws(MediaError) in
          (header.generation, header.slot) = (pool.generation, slot)
          pool.memory.slot(slot).copyMemory(from: bytes.baseAddress ?? UnsafeRawPointer(pool.memory.base), byteCount: bytes.count)
          writer.put(header)
        }
      }
      let outcome = instance.callNow(op) { process in
        process.call(op, now: instance.now(), deadline: instance.plan.options.mediaDeadline) { writer in
          writer.put(header)
          writer.put(bytes: bytes)
        } read: { _, reply throws(MediaError) in
          instance.note(delay: reply.delay)
        }
      }
      guard case .result(let result) = outcome else { return instance.meanwhile(MSDK_OK) }
      return result
    }
  }
}
