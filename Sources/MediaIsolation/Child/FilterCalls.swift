import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to filters, of video and of audio.
extension PluginCalls {
  func videoFilter(_ op: Op, _ table: msdk_video_filter, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .initFilter: return table.init_filter?(me)
    case .releaseFilter:
      agreed = nil
      return table.release_filter?(me)
    case .flushFilter: return table.flush?(me) ?? msdk_result(MSDK_OK)
    case .setFilterFormat:
      var format = try msdk_video_format(reading: &reader)
      return filled(format) { out in
        let result = table.set_format?(me, &format, out) ?? msdk_result(MSDK_OK)
        // Whether the format is accepted, the library says.
        if result >= 0 { agreed = try? VideoFormat(checking: out.pointee, argument: "the format from set_format") }
        return PluginCalls.own(result)
      }
    default:
      let frame = try inputFrame()
      defer { giveBack(frame) }
      return try filter(frame, isWritable: reader.get(UInt32.self) == 1, table, me)
    }
  }

  private func filter(
    _ frame: VideoFrame, isWritable: Bool, _ table: msdk_video_filter, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result? {
    frame.setWritable(isWritable)
    defer { frame.setWritable(false) }
    // The filter's; ours stays, so that the frame is there whatever becomes of it.
    frame.retain()
    var out: UnsafeMutablePointer<msdk_video_frame>?
    let result = events.filtering(isWritable ? frame.native : nil, references: frame.references) {
      table.filter_video_frame?(me, frame.native, &out)
    }
    guard let result, result >= 0 else { return result.map(PluginCalls.own) }
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
  private static func own(_ result: msdk_result) -> msdk_result {
    result == msdk_result(MSDK_E_PLUGIN_DIED) ? msdk_result(MSDK_E_FAIL) : result
  }

  // MARK: Audio

  func audioFilter(_ op: Op, _ table: msdk_audio_filter, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .initAudioFilter: return table.init_filter?(me)
    case .releaseAudioFilter: return table.release_filter?(me)
    case .flushAudioFilter: return table.flush?(me) ?? msdk_result(MSDK_OK)
    case .setAudioFilterFormat: return try given { table.set_format?(me, $0) }.map(PluginCalls.own)
    default:
      return try withLong { reader throws(MediaError) in
        let isWritable = try reader.get(UInt32.self) == 1
        guard let frame = try AudioMessage.read(&reader, PluginHost.pointer.pointee, PluginHost.context) else {
          throw MediaError(.again, "the filter holds all of its \(events.audioPool.limit) buffers: it must release some (rule P4)")
        }
        defer { frame.release() }
        return try filter(frame, isWritable: isWritable, table, me)
      }
    }
  }

  private func filter(
    _ frame: AudioFrame, isWritable: Bool, _ table: msdk_audio_filter, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result? {
    frame.setWritable(isWritable)
    defer { frame.setWritable(false) }
    let held = frame.references
    frame.retain()
    var out: UnsafeMutablePointer<msdk_audio_frame>?
    let result = events.filtering(isWritable ? frame.native : nil, references: frame.references) {
      table.filter_audio_frame?(me, frame.native, &out)
    }
    guard let result, result >= 0 else { return result.map(PluginCalls.own) }
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
