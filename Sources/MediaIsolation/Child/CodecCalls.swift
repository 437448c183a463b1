import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to encoders, of video and of audio.
extension PluginCalls {
  func videoEncoder(_ op: Op, _ table: msdk_video_encoder, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .openVideoEncoder: return try given { table.open_encoder?(me, $0) }
    case .closeVideoEncoder: return table.close_encoder?(me)
    case .setVideoRate: return table.set_rate?(me, try reader.get(), try reader.get(), try reader.get())
    case .setVideoBytes: return table.set_bytes_max?(me, try reader.get())
    default:
      let frame = try inputFrame()
      defer { giveBack(frame) }
      var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
      return try deliver(table.encode?(me, frame.native, try reader.get(), &pointer), pointer)
    }
  }

  func audioEncoder(_ op: Op, _ table: msdk_audio_encoder, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .openAudioEncoder:
      return try given { (settings: UnsafePointer<msdk_audio_encoder_settings>) in
        channels = settings.pointee.channels
        let result = table.open_encoder?(me, settings)
        if let result, result >= 0 { reply.put(table.lookahead?(me) ?? 0) }
        return result
      }
    case .closeAudioEncoder: return table.close_encoder?(me)
    case .setAudioRate: return table.set_rate?(me, try reader.get(), try reader.get())
    default:
      let bytes = try reader.getBytes()
      let values = samples.take(bytes.count / MemoryLayout<Float>.size)
      UnsafeMutableRawBufferPointer(values).copyMemory(
        from: UnsafeRawBufferPointer(rebasing: bytes.prefix(values.count * MemoryLayout<Float>.size)))
      var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
      let count = UInt32(clamping: values.count / Int(max(1, channels)))
      return try deliver(table.encode?(me, values.baseAddress, count, &pointer), pointer)
    }
  }

  /// What an encoder made, or such a producer, whose reference is ours to give back: in the answer, or in a slot that the answer names.
  func deliver(
    _ result: msdk_result?, _ pointer: UnsafeMutablePointer<msdk_encoded_frame>?, of function: String = "encode"
  ) throws(MediaError) -> msdk_result? {
    guard let result, result >= 0 else { return result }
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

/// Calls to decoders.
extension PluginCalls {
  func videoDecoder(_ op: Op, _ table: msdk_video_decoder, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    switch op {
    case .openVideoDecoder: return try given { table.open_decoder?(me, $0) }
    case .closeVideoDecoder: return table.close_decoder?(me)
    default:
      var pointer: UnsafeMutablePointer<msdk_video_frame>?
      let result = try withPacket { table.decode?(me, $0, &pointer) }
      guard let result, result >= 0 else { return result }
      reply.put(UInt32(pointer == nil ? 0 : 1))
      if let pointer { try deliver(pointer) }
      return result
    }
  }

  /// What a decoder made, whose reference is ours to give back: the answer has where it is, or where it was copied to.
  private func deliver(_ pointer: UnsafeMutablePointer<msdk_video_frame>) throws(MediaError) {
    guard let frame = try? VideoFrame.retained(foreign: pointer) else {
      throw MediaError(.handle, "decode did not return a live frame")
    }
    defer {
      frame.release()
      frame.release()
    }
    let (header, copy) = try events.deliverable(frame)
    copy?.release()
    reply.put(header)
  }

  /// Results are counts of samples; those follow.
  func audioDecoder(_ op: Op, _ table: msdk_audio_decoder, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    if op == .closeAudioDecoder { return table.close_decoder?(me) }
    let count = try reader.get(UInt32.self)
    if op == .openAudioDecoder {
      channels = count
      return table.open_decoder?(me, channels)
    }
    let stride = Int(max(1, min(channels, 8)))
    guard Int(count) <= Wire.longestBytes / (stride * MemoryLayout<Float>.size) else {
      throw MediaError(.range, "\(count) samples of \(stride) channels are requested at a time")
    }
    let values = samples.take(Int(count) * stride)
    let packet = op == .concealAudio ? nil : try reader.getBytes()
    let (data, size) = (packet?.baseAddress, UInt64(packet?.count ?? 0))
    let result: Int32? =
      switch op {
      case .concealAudio: table.conceal?(me, count, values.baseAddress)
      case .recoverAudio: table.recover?(me, count, data, size, values.baseAddress)
      default: table.decode?(me, data, size, values.baseAddress, count)
      }
    guard let result, result > 0 else { return result }
    let made = min(Int(result), Int(count)) * stride * MemoryLayout<Float>.size
    reply.put(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(values).prefix(made)))
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
