import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to renderers of video.
extension PluginCalls {
  func renderer(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_video_renderer, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .initRender: return table.init_render?(me) ?? unsupported
    case .releaseRender: return table.release_render?(me) ?? unsupported
    case .flush: return table.flush?(me) ?? unsupported
    case .acceptsFormat:
      var format = try reader.get(VideoFormatHeader.self).native
      return (table.accepts_format?(me, &format) ?? 1) > 0 ? 1 : 0
    case .acceptsCodec: return (table.accepts_codec?(me, try reader.get(UInt32.self)) ?? 0) > 0 ? 1 : 0
    case .snapshotFormat:
      var format = msdk_video_format()
      format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
      let result = table.snapshot_format?(me, &format) ?? unsupported
      if result >= 0 { reply.put(VideoFormatHeader(format)) }
      return result
    case .renderEncoded: return try withPacket(&reader) { table.render_encoded_frame?(me, $0) ?? unsupported }
    case .updateInput: return try update(&reader, table, me)
    case .removeInput: return table.remove_input?(me, try reader.get(UInt32.self)) ?? unsupported
    default: break
    }
    let frame = try inputFrame(reader.get(VideoFrameHeader.self))
    let number = try reader.get(UInt32.self)
    defer { giveBack(frame) }
    switch op {
    case .renderFrame: return table.render_video_frame?(me, frame.native) ?? unsupported
    case .renderInput: return table.render_input_frame?(me, number, frame.native) ?? unsupported
    default:
      frame.native.pointee.flags |= UInt32(MSDK_FRAME_WRITABLE)
      let result = table.snapshot?(me, frame.native) ?? unsupported
      if result >= 0 { reply.put(OutputSlots.header(of: frame)) }
      return result
    }
  }

  private func update(_ reader: inout WireReader, _ table: msdk_video_renderer, _ me: OpaquePointer) throws(MediaError) -> msdk_result {
    let number = try reader.get(UInt32.self)
    var inner = WireReader(try reader.getBytes())
    var input = msdk_input()
    input.struct_size = UInt32(MemoryLayout<msdk_input>.size)
    input.kind = try inner.get()
    input.is_local = try inner.get()
    input.has_video = try inner.get()
    input.is_speaking = try inner.get()
    input.is_muted = try inner.get()
    let (user, name) = (try inner.getText(), try inner.getText())
    return user.withCString { user in
      name.withCString { name in
        (input.user_id, input.display_name) = (user, name)
        return table.update_input?(me, number, &input) ?? unsupported
      }
    }
  }
}
