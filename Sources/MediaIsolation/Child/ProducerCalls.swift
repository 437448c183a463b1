import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to producers of video.
extension PluginCalls {
  func producer(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_video_producer, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    var format = msdk_video_format()
    format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
    if op != .produceFrame, op != .requestKeyFrame, op != .captureSettings, op != .enumFormats { dropPendingFrame() }
    switch op {
    case .initCapture: return table.init_capture?(me) ?? unsupported
    case .releaseCapture: return table.release_capture?(me) ?? unsupported
    case .startCapture: return table.start_capture?(me) ?? unsupported
    case .stopCapture: return table.stop_capture?(me) ?? unsupported
    case .captureSettings: return answer(table.capture_settings?(me, &format) ?? unsupported, format)
    case .enumFormats: return answer(table.enum_formats?(me, try reader.get(UInt32.self), &format) ?? unsupported, format)
    case .setFormat:
      format = try reader.get(VideoFormatHeader.self).native
      return table.set_format?(me, &format) ?? unsupported
    case .requestKeyFrame: return table.request_key_frame?(me) ?? unsupported
    default:
      let due = try reader.get(Int64.self)
      guard table.flags & UInt32(MSDK_PRODUCER_ENCODED) != 0 else { return try produce(due, table, me) }
      return try produceEncoded(due, table, me)
    }
  }

  private func answer(_ result: msdk_result, _ format: msdk_video_format) -> msdk_result {
    if result >= 0 { reply.put(VideoFormatHeader(format)) }
    return result
  }

  private func produceEncoded(_ due: Int64, _ table: msdk_video_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result {
    var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
    let result = table.produce_encoded_frame?(me, due, &pointer) ?? unsupported
    guard result >= 0 else { return result }
    reply.put(UInt32(pointer == nil ? 0 : 1))
    return pointer == nil ? result : try answer(result, pointer, of: "produce_encoded_frame")
  }

  private func produce(_ due: Int64, _ table: msdk_video_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result {
    if let kept = picture {
      guard try give(kept) else { return msdk_result(MSDK_E_AGAIN) }
      dropPendingFrame()
      return msdk_result(MSDK_OK)
    }
    var pointer: UnsafeMutablePointer<msdk_video_frame>?
    let result = table.produce_frame?(me, due, &pointer) ?? unsupported
    guard result >= 0 else { return result }
    guard let pointer else {
      reply.put(UInt32(0))
      return result
    }
    // Its reference is ours to give back: what is told is where it lies.
    let frame = try VideoFrame.retained(foreign: pointer)
    frame.release()
    do throws(MediaError) {
      guard try give(frame) else {
        picture = frame
        // It comes later, and is of this time.
        if frame.native.pointee.timestamp_ns == 0 { frame.native.pointee.timestamp_ns = due }
        return msdk_result(MSDK_E_AGAIN)
      }
    } catch {
      frame.release()
      throw error
    }
    frame.release()
    return result
  }

  /// Puts into the reply where a picture lies; false when all slots are held, in which the library keeps those before.
  private func give(_ frame: VideoFrame) throws(MediaError) -> Bool {
    guard let (header, copy) = try events.room(for: frame) else { return false }
    copy?.release()
    reply.put(UInt32(1))
    reply.put(header)
    return true
  }

  /// What is kept is of what was started before.
  func dropPendingFrame() {
    picture?.release()
    picture = nil
  }
}
