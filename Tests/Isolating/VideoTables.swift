import CMediaSDK
import MediaCore

/// The proxies' tables of pictures, whose frames are exchanged for the host's and back. What a class has not is not here either.
enum VideoTables {
  static func producer(like table: msdk_video_producer) -> msdk_video_producer {
    var producer = table
    producer.start_capture = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_VIDEO_PRODUCER, started: true, $0.twin.producer?.start_capture, me) }
    }
    producer.stop_capture = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_VIDEO_PRODUCER, started: false, $0.twin.producer?.stop_capture, me) }
    }
    producer.release_capture = { me in
      HostedInstance.with(me) { $0.set(MSDK_KIND_VIDEO_PRODUCER, started: false, $0.twin.producer?.release_capture, me) }
    }
    producer.is_capture_started = { me in HostedInstance.of(me)?.isStarted(MSDK_KIND_VIDEO_PRODUCER) ?? 0 }
    if table.produce_frame != nil {
      producer.produce_frame = { me, due, out in
        HostedInstance.with(me) { instance throws(MediaError) in
          var made: UnsafeMutablePointer<msdk_video_frame>?
          guard let out, let produce = instance.twin.producer?.produce_frame else { return msdk_result(MSDK_E_INVALID) }
          let result = produce(me, due, &made)
          if result >= 0, let made { out.pointee = try instance.hostFrame(from: made) }
          return result
        }
      }
    }
    if table.produce_encoded_frame != nil {
      producer.produce_encoded_frame = { me, due, out in
        HostedInstance.with(me) { instance throws(MediaError) in
          try instance.give(out) { instance.twin.producer?.produce_encoded_frame?(me, due, $0) ?? msdk_result(MSDK_E_UNSUPPORTED) }
        }
      }
    }
    return producer
  }

  static func renderer(like table: msdk_video_renderer) -> msdk_video_renderer {
    var renderer = table
    renderer.render_video_frame = { me, frame in
      HostedInstance.with(me) { instance throws(MediaError) in
        try instance.withFrame(frame) { instance.twin.renderer?.render_video_frame?(me, $0) ?? msdk_result(MSDK_E_UNSUPPORTED) }
      }
    }
    if table.render_input_frame != nil {
      renderer.render_input_frame = { me, number, frame in
        HostedInstance.with(me) { instance throws(MediaError) in
          try instance.withFrame(frame) { instance.twin.renderer?.render_input_frame?(me, number, $0) ?? msdk_result(MSDK_E_UNSUPPORTED) }
        }
      }
    }
    if table.snapshot != nil {
      renderer.snapshot = { me, frame in
        HostedInstance.with(me) { instance throws(MediaError) in
          try instance.withFrame(frame) { into in
            let result = instance.twin.renderer?.snapshot?(me, into) ?? msdk_result(MSDK_E_UNSUPPORTED)
            frame?.pointee.timestamp_ns = into.pointee.timestamp_ns
            frame?.pointee.orientation = into.pointee.orientation
            return result
          }
        }
      }
    }
    if table.render_encoded_frame != nil {
      renderer.render_encoded_frame = { me, frame in
        HostedInstance.with(me) { instance throws(MediaError) in
          try instance.withPacket(frame) { instance.twin.renderer?.render_encoded_frame?(me, $0) ?? msdk_result(MSDK_E_UNSUPPORTED) }
        }
      }
    }
    return renderer
  }
}

extension HostedInstance {
  /// Calls with a copy that is the library's of an encoded frame, borrowed.
  func withPacket(
    _ pointer: UnsafePointer<msdk_encoded_frame>?, _ body: (UnsafePointer<msdk_encoded_frame>) -> msdk_result
  ) throws(MediaError) -> msdk_result {
    guard let pointer else { throw MediaError(.invalid, "frame is NULL") }
    let packet = try packet(of: pointer.pointee)
    defer { packet.release() }
    return body(packet.native)
  }
}
