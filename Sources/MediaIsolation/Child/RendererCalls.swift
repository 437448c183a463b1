import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to renderers, of video and of audio.
extension PluginCalls {
  func videoRenderer(_ op: Op, _ table: msdk_video_renderer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .initRender: return table.init_render?(me)
    case .releaseRender: return table.release_render?(me)
    case .flush: return table.flush?(me)
    case .acceptsFormat: return accepted(try given { table.accepts_format?(me, $0) }, otherwise: 1)
    case .acceptsCodec: return accepted(table.accepts_codec?(me, try reader.get()))
    case .snapshotFormat: return filled { table.snapshot_format?(me, $0) }
    case .renderEncoded: return try withPacket { table.render_encoded_frame?(me, $0) }
    case .updateInput: return try update(table, me)
    case .removeInput: return table.remove_input?(me, try reader.get())
    default: break
    }
    let frame = try inputFrame()
    let number = try reader.get(UInt32.self)
    defer { giveBack(frame) }
    switch op {
    case .renderFrame: return table.render_video_frame?(me, frame.native)
    case .renderInput: return table.render_input_frame?(me, number, frame.native)
    default:
      frame.native.pointee.flags |= UInt32(MSDK_FRAME_WRITABLE)
      let result = table.snapshot?(me, frame.native)
      if let result, result >= 0 { reply.put(VideoFrameHeader(of: frame)) }
      return result
    }
  }

  private func update(_ table: msdk_video_renderer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    let number = try reader.get(UInt32.self)
    var input = msdk_input.sized
    (input.kind, input.is_local, input.has_video) = (try reader.get(), try reader.get(), try reader.get())
    (input.is_speaking, input.is_muted) = (try reader.get(), try reader.get())
    let (user, name) = (try reader.getText(), try reader.getText())
    return user.withCString { user in
      name.withCString { name in
        (input.user_id, input.display_name) = (user, name)
        return table.update_input?(me, number, &input)
      }
    }
  }

  // MARK: Audio

  func audioRenderer(_ op: Op, _ table: msdk_audio_renderer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .initAudioRender: return table.init_render?(me)
    case .releaseAudioRender: return table.release_render?(me)
    case .startAudioRender: return table.start_render?(me) ?? msdk_result(MSDK_OK)
    case .stopAudioRender: return table.stop_render?(me) ?? msdk_result(MSDK_OK)
    case .renderSettings: return try settle(table, me)
    case .acceptsAudioCodec: return accepted(table.accepts_codec?(me, try reader.get()))
    case .renderPacket:
      defer { delay = table.render_delay_ns?(me) ?? 0 }
      return try withPacket { table.render_encoded_frame?(me, $0) }
    default:
      guard let frame = try AudioMessage.read(&reader, PluginHost.pointer.pointee, PluginHost.context) else {
        throw MediaError(.again, "the renderer holds all of its 16 buffers: it must release some (rule P4)")
      }
      defer { frame.release() }
      frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
      defer { delay = table.render_delay_ns?(me) ?? 0 }
      return table.render_audio_frame?(me, frame.native)
    }
  }

  /// The format that is rendered, and read by a renderer that pulls; without a function whatever comes.
  private func settle(_ table: msdk_audio_renderer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    var coming = try msdk_audio_format(reading: &reader)
    if table.render_settings == nil { coming.frames_per_buffer = 0 }
    return filled(coming) { format in
      let result = table.render_settings?(me, format) ?? msdk_result(MSDK_OK)
      if result >= 0, let known = try? AudioFormat(checking: format.pointee, argument: "the format from render_settings") {
        PluginHost.stride.withLock { $0 = known.stride }
      }
      return result
    }
  }
}
