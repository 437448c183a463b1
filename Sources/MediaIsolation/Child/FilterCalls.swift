import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to filters of video.
extension PluginCalls {
  func videoFilter(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_video_filter, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .initFilter: return table.init_filter?(me) ?? unsupported
    case .releaseFilter:
      agreed = nil
      return table.release_filter?(me) ?? unsupported
    case .flushFilter: return table.flush?(me) ?? msdk_result(MSDK_OK)
    case .setFilterFormat:
      var format = try reader.get(VideoFormatHeader.self).native
      var out = format
      let result = table.set_format?(me, &format, &out) ?? msdk_result(MSDK_OK)
      guard result >= 0 else { return PluginCalls.own(result) }
      // Whether it may be so, the library says.
      agreed = try? VideoFormat(checking: out, argument: "the format from set_format")
      reply.put(VideoFormatHeader(out))
      return result
    default:
      let frame = try inputFrame(reader.get(VideoFrameHeader.self))
      defer { giveBack(frame) }
      return try filter(frame, isWritable: reader.get(UInt32.self) == 1, table, me)
    }
  }

  private func filter(
    _ frame: VideoFrame, isWritable: Bool, _ table: msdk_video_filter, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    frame.setWritable(isWritable)
    defer { frame.setWritable(false) }
    // The filter's; ours stays, so that the frame is there whatever becomes of it.
    frame.retain()
    var out: UnsafeMutablePointer<msdk_video_frame>?
    let result = events.filtering(isWritable ? frame.native : nil, references: frame.references) {
      table.filter_video_frame?(me, frame.native, &out) ?? unsupported
    }
    guard result >= 0 else { return PluginCalls.own(result) }
    guard let given = try FilterRules.accept(out, for: frame, agreed: agreed ?? frame.format) else {
      reply.put((isWritable ? FilterReply.changed : .same).rawValue)
      return result
    }
    defer { given.release() }
    let (header, copy) = try events.deliverable(given)
    copy?.release()
    reply.put(FilterReply.other.rawValue)
    reply.put(header)
    return result
  }

  /// That a process died is the library's to say.
  static func own(_ result: msdk_result) -> msdk_result {
    result == msdk_result(MSDK_E_PLUGIN_DIED) ? msdk_result(MSDK_E_FAIL) : result
  }
}

/// Calls to filters of sound.
extension PluginCalls {
  func audioFilter(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_audio_filter, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .initAudioFilter: return table.init_filter?(me) ?? unsupported
    case .releaseAudioFilter: return table.release_filter?(me) ?? unsupported
    case .flushAudioFilter: return table.flush?(me) ?? msdk_result(MSDK_OK)
    case .setAudioFilterFormat:
      var format = try reader.get(AudioFrameHeader.self).native
      return PluginCalls.own(table.set_format?(me, &format) ?? unsupported)
    default:
      return try withLong(&reader) { reader throws(MediaError) in
        let isWritable = try reader.get(UInt32.self) == 1
        let (level, sequence) = (try reader.get(UInt32.self), try reader.get(UInt64.self))
        guard let frame = try AudioMessage.read(&reader, PluginHost.pointer.pointee, PluginHost.context) else {
          throw MediaError(.again, "the filter holds all of its \(events.audioPool.limit) buffers: it must release some (rule P4)")
        }
        defer { frame.release() }
        (frame.native.pointee.level, frame.native.pointee.sequence) = (level, sequence)
        return try filter(frame, isWritable: isWritable, table, me)
      }
    }
  }

  private func filter(
    _ frame: AudioFrame, isWritable: Bool, _ table: msdk_audio_filter, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    frame.setWritable(isWritable)
    defer { frame.setWritable(false) }
    let held = frame.references
    frame.retain()
    var out: UnsafeMutablePointer<msdk_audio_frame>?
    let result = events.filtering(isWritable ? frame.native : nil, references: frame.references) {
      table.filter_audio_frame?(me, frame.native, &out) ?? unsupported
    }
    guard result >= 0 else { return PluginCalls.own(result) }
    let given = try FilterRules.accept(out, for: frame, isWritable: isWritable, held: held)
    defer { given?.release() }
    let kind: FilterReply = given != nil ? .other : isWritable ? .changed : .same
    answer.begin()
    answer.put(kind.rawValue)
    answer.put(table.delay_ns?(me) ?? 0)
    if kind != .same { answer.put(bytes: UnsafeRawBufferPointer((given ?? frame).bytes)) }
    giveLong()
    return result
  }
}
