import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to renderers of sound.
extension PluginCalls {
  func audioRenderer(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_audio_renderer, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .initAudioRender: return table.init_render?(me) ?? unsupported
    case .releaseAudioRender: return table.release_render?(me) ?? unsupported
    case .startAudioRender: return table.start_render?(me) ?? msdk_result(MSDK_OK)
    case .stopAudioRender: return table.stop_render?(me) ?? msdk_result(MSDK_OK)
    case .renderSettings:
      var format = try reader.get(AudioFrameHeader.self).native
      // Whatever comes.
      if table.render_settings == nil { format.frames_per_buffer = 0 }
      let result = table.render_settings?(me, &format) ?? msdk_result(MSDK_OK)
      if result >= 0 {
        note(format)
        reply.put(AudioFrameHeader(format))
      }
      return result
    case .acceptsAudioCodec: return (table.accepts_codec?(me, try reader.get(UInt32.self)) ?? 0) > 0 ? 1 : 0
    case .renderPacket:
      defer { delay = table.render_delay_ns?(me) ?? 0 }
      return try withPacket(&reader) { table.render_encoded_frame?(me, $0) ?? unsupported }
    default:
      guard let frame = try AudioMessage.read(&reader, PluginHost.pointer.pointee, PluginHost.context) else {
        throw MediaError(.again, "the renderer holds all of its 16 buffers: it must release some (rule P4)")
      }
      defer { frame.release() }
      frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
      defer { delay = table.render_delay_ns?(me) ?? 0 }
      return table.render_audio_frame?(me, frame.native) ?? unsupported
    }
  }

  /// What a renderer that pulls will read.
  private func note(_ format: msdk_audio_format) {
    guard let known = try? AudioFormat(checking: format, argument: "the format from render_settings") else { return }
    PluginHost.stride.withLock { $0 = known.stride }
  }
}
