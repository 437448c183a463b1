import CMediaSDK
import MediaCore

/// The proxies' tables of sound, likewise.
enum AudioTables {
  static func producer(like table: msdk_audio_producer) -> msdk_audio_producer {
    var producer = table
    producer.start_capture = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_AUDIO_PRODUCER, started: true, $0.twin.audioProducer?.start_capture, me) }
    }
    producer.stop_capture = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_AUDIO_PRODUCER, started: false, $0.twin.audioProducer?.stop_capture, me) }
    }
    producer.release_capture = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_AUDIO_PRODUCER, started: false, $0.twin.audioProducer?.release_capture, me) }
    }
    producer.is_capture_started = { me in HostedInstance.of(me)?.isStarted(MSDK_KIND_AUDIO_PRODUCER) ?? 0 }
    if table.produce_frame != nil {
      producer.produce_frame = { me, due, out in
        HostedInstance.with(me) { instance throws(MediaError) in
          var made: UnsafeMutablePointer<msdk_audio_frame>?
          guard let out, let produce = instance.twin.audioProducer?.produce_frame else { return msdk_result(MSDK_E_INVALID) }
          let result = produce(me, due, &made)
          if result >= 0, let made { out.pointee = try instance.hostSound(from: made) }
          return result
        }
      }
    }
    return producer
  }

  static func renderer(like table: msdk_audio_renderer) -> msdk_audio_renderer {
    var renderer = table
    renderer.start_render = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_AUDIO_RENDERER, started: true, $0.twin.audioRenderer?.start_render, me) }
    }
    renderer.stop_render = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_AUDIO_RENDERER, started: false, $0.twin.audioRenderer?.stop_render, me) }
    }
    renderer.release_render = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_AUDIO_RENDERER, started: false, $0.twin.audioRenderer?.release_render, me) }
    }
    renderer.is_render_started = { me in HostedInstance.of(me)?.isStarted(MSDK_KIND_AUDIO_RENDERER) ?? 0 }
    if table.render_audio_frame != nil {
      renderer.render_audio_frame = { me, frame in
        HostedInstance.with(me) { instance throws(MediaError) in
          let sound = try instance.sound(of: frame)
          defer { sound.release() }
          return instance.twin.audioRenderer?.render_audio_frame?(me, sound.native) ?? msdk_result(MSDK_E_UNSUPPORTED)
        }
      }
    }
    if table.render_encoded_frame != nil {
      renderer.render_encoded_frame = { me, frame in
        HostedInstance.with(me) { instance throws(MediaError) in
          try instance.withPacket(frame) { instance.twin.audioRenderer?.render_encoded_frame?(me, $0) ?? msdk_result(MSDK_E_UNSUPPORTED) }
        }
      }
    }
    return renderer
  }
}
