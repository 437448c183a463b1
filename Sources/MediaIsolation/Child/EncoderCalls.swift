import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to encoders, of video and of sound.
extension PluginCalls {
  func videoEncoder(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_video_encoder, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .openVideoEncoder:
      var settings = try reader.get(msdk_video_encoder_settings.self)
      return table.open_encoder?(me, &settings) ?? unsupported
    case .closeVideoEncoder: return table.close_encoder?(me) ?? unsupported
    case .setVideoRate:
      let (bitrate, numerator, denominator) = (try reader.get(UInt64.self), try reader.get(UInt32.self), try reader.get(UInt32.self))
      return table.set_rate?(me, bitrate, numerator, denominator) ?? unsupported
    case .setVideoBytes: return table.set_bytes_max?(me, try reader.get(UInt64.self)) ?? unsupported
    default:
      let frame = try inputFrame(reader.get(VideoFrameHeader.self))
      defer { giveBack(frame) }
      let flags = try reader.get(UInt32.self)
      var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
      return try answer(table.encode?(me, frame.native, flags, &pointer) ?? unsupported, pointer)
    }
  }

  func audioEncoder(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_audio_encoder, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .openAudioEncoder:
      var settings = try reader.get(msdk_audio_encoder_settings.self)
      channels = settings.channels
      let result = table.open_encoder?(me, &settings) ?? unsupported
      if result >= 0 { reply.put(table.lookahead?(me) ?? 0) }
      return result
    case .closeAudioEncoder: return table.close_encoder?(me) ?? unsupported
    case .setAudioRate:
      let (bitrate, loss) = (try reader.get(UInt64.self), try reader.get(UInt32.self))
      return table.set_rate?(me, bitrate, loss) ?? unsupported
    default:
      let bytes = try reader.getBytes()
      let values = samples.take(bytes.count / MemoryLayout<Float>.size)
      UnsafeMutableRawBufferPointer(values).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes.prefix(values.count * MemoryLayout<Float>.size)))
      var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
      let count = UInt32(clamping: values.count / Int(max(1, channels)))
      return try answer(table.encode?(me, values.baseAddress, count, &pointer) ?? unsupported, pointer)
    }
  }

  /// What an encoder gave, or such a producer, whose reference is ours to give back: in the answer, or in a slot that the answer names.
  func answer(
    _ result: msdk_result, _ pointer: UnsafeMutablePointer<msdk_encoded_frame>?, of function: String = "encode"
  ) throws(MediaError) -> msdk_result {
    guard result >= 0 else { return result }
    guard let pointer else { throw MediaError(.abi, "\(function) succeeded and returned no frame") }
    guard let frame = try? EncodedFrame.retained(foreign: pointer) else {
      throw MediaError(.handle, "\(function) did not return a live encoded frame")
    }
    defer {
      frame.release()
      frame.release()
    }
    try events.deliver(frame, in: &reply)
    return result
  }
}

/// Aligned memory for the samples of a call, used again for the next.
final class Samples {
  private var memory = UnsafeMutableBufferPointer<Float>.allocate(capacity: 0)

  deinit {
    memory.deallocate()
  }

  /// All zero, until the next call.
  func take(_ count: Int) -> UnsafeMutableBufferPointer<Float> {
    if memory.count < max(1, count) {
      memory.deallocate()
      memory = .allocate(capacity: max(1, count))
    }
    let values = UnsafeMutableBufferPointer(rebasing: memory.prefix(count))
    values.initialize(repeating: 0)
    return values
  }
}
