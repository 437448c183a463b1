import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to producers, of video and of audio.
extension PluginCalls {
  func videoProducer(_ op: Op, _ table: msdk_video_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .captureSettings: return filled { table.capture_settings?(me, $0) }
    case .enumFormats:
      let index = try reader.get(UInt32.self)
      return filled { table.enum_formats?(me, index, $0) }
    case .requestKeyFrame: return table.request_key_frame?(me)
    case .produceFrame:
      let due = try reader.get(Int64.self)
      return try table.flags & UInt32(MSDK_PRODUCER_ENCODED) == 0 ? produce(due, table, me) : produceEncoded(due, table, me)
    default: dropPendingFrame()
    }
    switch op {
    case .initCapture: return table.init_capture?(me)
    case .releaseCapture: return table.release_capture?(me)
    case .startCapture: return table.start_capture?(me)
    case .stopCapture: return table.stop_capture?(me)
    default: return try given { table.set_format?(me, $0) }
    }
  }

  private func produceEncoded(_ due: Int64, _ table: msdk_video_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
    let result = table.produce_encoded_frame?(me, due, &pointer)
    guard let result, result >= 0 else { return result }
    reply.put(UInt32(pointer == nil ? 0 : 1))
    return pointer == nil ? result : try deliver(result, pointer, of: "produce_encoded_frame")
  }

  private func produce(_ due: Int64, _ table: msdk_video_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    if let pendingFrame {
      guard try give(pendingFrame) else { return msdk_result(MSDK_E_AGAIN) }
      dropPendingFrame()
      return msdk_result(MSDK_OK)
    }
    var pointer: UnsafeMutablePointer<msdk_video_frame>?
    let result = table.produce_frame?(me, due, &pointer)
    guard let result, result >= 0 else { return result }
    guard let pointer else {
      reply.put(UInt32(0))
      return result
    }
    // Its reference is ours to give back: the answer has where the frame is.
    let frame = try VideoFrame.retained(foreign: pointer)
    frame.release()
    do throws(MediaError) {
      guard try give(frame) else {
        pendingFrame = frame
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

  /// Writes into the reply where a frame is; false when all slots are held, in which the library keeps those before.
  private func give(_ frame: VideoFrame) throws(MediaError) -> Bool {
    guard let (header, copy) = try events.room(for: frame) else { return false }
    copy?.release()
    reply.put(UInt32(1))
    reply.put(header)
    return true
  }

  /// What is kept is of what was started before.
  func dropPendingFrame() {
    pendingFrame?.release()
    pendingFrame = nil
  }

  // MARK: Audio

  func audioProducer(_ op: Op, _ table: msdk_audio_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .initAudioCapture: return table.init_capture?(me)
    case .releaseAudioCapture: return table.release_capture?(me)
    case .startAudioCapture: return table.start_capture?(me)
    case .stopAudioCapture:
      dropPendingAudio()
      return table.stop_capture?(me)
    case .audioCaptureSettings: return filled { table.capture_settings?(me, $0) }
    case .setAudioFormat: return try given { table.set_format?(me, $0) }
    default: return try produce(reader.get(Int64.self), table, me)
    }
  }

  private func produce(_ due: Int64, _ table: msdk_audio_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    if pendingAudio == nil {
      var pointer: UnsafeMutablePointer<msdk_audio_frame>?
      let result = table.produce_frame?(me, due, &pointer)
      guard let result, result >= 0, let pointer else {
        if let result, result >= 0 { reply.put(UInt32(0)) }
        return result
      }
      let frame = try AudioFrame.retained(foreign: pointer)
      frame.release()
      pendingAudio = (frame, 0)
    }
    guard let (frame, done) = pendingAudio else { return nil }
    let count = min(AudioMessage.most(frame.format), frame.sampleCount - done)
    reply.put(UInt32(1))
    AudioMessage.write(frame, from: done, count: count, to: &reply)
    pendingAudio = (frame, done + count)
    if done + count >= frame.sampleCount { dropPendingAudio() }
    return msdk_result(MSDK_OK)
  }

  private func dropPendingAudio() {
    pendingAudio?.frame.release()
    pendingAudio = nil
  }
}
