import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to producers of sound.
extension PluginCalls {
  func audioProducer(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_audio_producer, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    var format = msdk_audio_format()
    format.struct_size = UInt32(MemoryLayout<msdk_audio_format>.size)
    switch op {
    case .initAudioCapture: return table.init_capture?(me) ?? unsupported
    case .releaseAudioCapture: return table.release_capture?(me) ?? unsupported
    case .startAudioCapture: return table.start_capture?(me) ?? unsupported
    case .stopAudioCapture:
      dropPendingAudio()
      return table.stop_capture?(me) ?? unsupported
    case .audioCaptureSettings:
      let result = table.capture_settings?(me, &format) ?? unsupported
      if result >= 0 { reply.put(AudioFrameHeader(format)) }
      return result
    case .setAudioFormat:
      format = try reader.get(AudioFrameHeader.self).native
      return table.set_format?(me, &format) ?? unsupported
    default: return try produceSound(reader.get(Int64.self), table, me)
    }
  }

  private func produceSound(_ due: Int64, _ table: msdk_audio_producer, _ me: OpaquePointer) throws(MediaError) -> msdk_result {
    if sound == nil {
      var pointer: UnsafeMutablePointer<msdk_audio_frame>?
      let result = table.produce_frame?(me, due, &pointer) ?? unsupported
      guard result >= 0, let pointer else {
        if result >= 0 { reply.put(UInt32(0)) }
        return result
      }
      let frame = try AudioFrame.retained(foreign: pointer)
      frame.release()
      sound = (frame, 0)
    }
    guard let (frame, done) = sound else { return unsupported }
    let count = min(AudioMessage.most(frame.format), frame.sampleCount - done)
    reply.put(UInt32(1))
    AudioMessage.write(frame, from: done, count: count, to: &reply)
    sound = (frame, done + count)
    if done + count >= frame.sampleCount { dropPendingAudio() }
    return msdk_result(MSDK_OK)
  }

  private func dropPendingAudio() {
    sound?.frame.release()
    sound = nil
  }
}
