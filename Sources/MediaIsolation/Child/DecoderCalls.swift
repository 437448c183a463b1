import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls to decoders, of video and of sound, and to what reads headers without an instance.
extension PluginCalls {
  func videoDecoder(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_video_decoder, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .openVideoDecoder:
      var settings = try reader.get(msdk_video_decoder_settings.self)
      return table.open_decoder?(me, &settings) ?? unsupported
    case .closeVideoDecoder: return table.close_decoder?(me) ?? unsupported
    default:
      var pointer: UnsafeMutablePointer<msdk_video_frame>?
      let result = try withPacket(&reader) { table.decode?(me, $0, &pointer) ?? unsupported }
      return try answer(result, pointer)
    }
  }

  /// What a decoder gave, whose reference is ours to give back: where it lies, or where it was copied to.
  private func answer(_ result: msdk_result, _ pointer: UnsafeMutablePointer<msdk_video_frame>?) throws(MediaError) -> msdk_result {
    guard result >= 0 else { return result }
    reply.put(UInt32(pointer == nil ? 0 : 1))
    guard let pointer else { return result }
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
    return result
  }

  /// Results are counts of samples; those follow.
  func audioDecoder(
    _ op: Op, _ reader: inout WireReader, _ table: msdk_audio_decoder, _ me: OpaquePointer
  ) throws(MediaError) -> msdk_result {
    switch op {
    case .openAudioDecoder:
      channels = try reader.get(UInt32.self)
      return table.open_decoder?(me, channels) ?? unsupported
    case .closeAudioDecoder: return table.close_decoder?(me) ?? unsupported
    default: break
    }
    let count = try reader.get(UInt32.self)
    let stride = Int(max(1, min(channels, 8)))
    guard Int(count) <= Wire.longestBytes / (stride * MemoryLayout<Float>.size) else {
      throw MediaError(.range, "\(count) samples of \(stride) channels are requested at a time")
    }
    let values = samples.take(Int(count) * stride)
    let result: Int32
    switch op {
    case .concealAudio: result = table.conceal?(me, count, values.baseAddress) ?? unsupported
    case .recoverAudio:
      let bytes = try reader.getBytes()
      result = table.recover?(me, count, bytes.baseAddress, UInt64(bytes.count), values.baseAddress) ?? unsupported
    default:
      let bytes = try reader.getBytes()
      result = table.decode?(me, bytes.baseAddress, UInt64(bytes.count), values.baseAddress, count) ?? unsupported
    }
    guard result > 0 else { return result }
    let made = min(Int(result), Int(count)) * stride * MemoryLayout<Float>.size
    reply.put(bytes: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(values).prefix(made)))
    return result
  }

  func parse(_ op: Op, _ reader: inout WireReader, _ descriptor: ClassDescriptor) throws(MediaError) -> msdk_result {
    let bytes = try packetBytes(&reader).bytes
    let result: msdk_result
    if op == .parseVideo {
      var header = msdk_encoded_header()
      header.struct_size = UInt32(MemoryLayout<msdk_encoded_header>.size)
      result = descriptor.videoDecoder?.parse_header?(bytes.baseAddress, UInt64(bytes.count), &header) ?? unsupported
      if result >= 0 { reply.put(header) }
    } else {
      var header = msdk_packet_header()
      header.struct_size = UInt32(MemoryLayout<msdk_packet_header>.size)
      result = descriptor.audioDecoder?.parse_header?(bytes.baseAddress, UInt64(bytes.count), &header) ?? unsupported
      if result >= 0 { reply.put(header) }
    }
    return result
  }
}
