import CMediaSDK
import IsolationProtocol
import MediaCore

/// A decoder of video that lives in another process. What comes while that is gone is lost; one that is back begins with a key frame.
enum ProxyVideoDecoder {
  static func table(like table: msdk_video_decoder) -> msdk_video_decoder {
    var proxy = msdk_video_decoder()
    proxy.struct_size = UInt32(MemoryLayout<msdk_video_decoder>.size)
    (proxy.flags, proxy.codec) = (table.flags, table.codec)
    proxy.open_decoder = { me, settings in
      guard let settings = settings?.pointee else { return msdk_result(MSDK_E_INVALID) }
      return ProxyTables.with(me) { $0.change(.openVideoDecoder, write: { $0.put(settings) }) { $0.videoDecoder = settings } }
    }
    proxy.close_decoder = { me in ProxyTables.with(me) { $0.takeDown(.closeVideoDecoder) { $0.videoDecoder = nil } } }
    proxy.decode = { me, frame, out in ProxyVideoDecoder.decode(me, frame, out) }
    // Without an instance: see `HeaderProcess`.
    proxy.parse_header = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    return proxy
  }

  private static func decode(
    _ me: OpaquePointer?, _ pointer: UnsafePointer<msdk_encoded_frame>?,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>?
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    return ProxyTables.with(me) { instance in
      guard let frame = try? EncodedFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      return instance.code(
        .decodeVideo, frame.bytes, frame.native.pointee,
        check: { process throws(MediaError) in
          guard process.hasBegun || process.isFirst || frame.isKeyFrame else {
            throw MediaError(.state, "its process was restarted and waits for a key frame")
          }
        }
      ) { process, reader throws(MediaError) in
        process.hasBegun = true
        guard try reader.get(UInt32.self) == 1 else { return }
        out.pointee = try process.frame(reader.get(VideoFrameHeader.self)).native
      }
    }
  }
}

/// A decoder of sound that lives in another process.
enum ProxyAudioDecoder {
  static func table(like table: msdk_audio_decoder) -> msdk_audio_decoder {
    var proxy = msdk_audio_decoder()
    proxy.struct_size = UInt32(MemoryLayout<msdk_audio_decoder>.size)
    (proxy.flags, proxy.codec) = (table.flags, table.codec)
    proxy.open_decoder = { me, channels in
      ProxyTables.with(me) { $0.change(.openAudioDecoder, write: { $0.put(channels) }) { $0.audioDecoder = channels } }
    }
    proxy.close_decoder = { me in ProxyTables.with(me) { $0.takeDown(.closeAudioDecoder) { $0.audioDecoder = nil } } }
    proxy.decode = { me, packet, size, into, capacity in
      ProxyAudioDecoder.decode(.decodeAudio, me, UnsafeRawBufferPointer(start: packet, count: Int(clamping: size)), into, capacity)
    }
    proxy.conceal = { me, count, into in ProxyAudioDecoder.decode(.concealAudio, me, nil, into, count) }
    if table.recover != nil {
      proxy.recover = { me, count, next, size, into in
        ProxyAudioDecoder.decode(.recoverAudio, me, UnsafeRawBufferPointer(start: next, count: Int(clamping: size)), into, count)
      }
    }
    proxy.parse_header = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    return proxy
  }

  /// Samples per channel, which the message brings.
  private static func decode(
    _ op: Op, _ me: OpaquePointer?, _ packet: UnsafeRawBufferPointer?, _ into: UnsafeMutablePointer<Float>?, _ capacity: UInt32
  ) -> Int32 {
    guard let into else { return msdk_result(MSDK_E_INVALID) }
    return ProxyTables.with(me) { instance in
      guard (packet?.count ?? 0) <= Wire.longestBytes else {
        return instance.fail(.corrupt, "a packet of \(packet?.count ?? 0) bytes; an isolated decoder accepts at most \(Wire.longestBytes)")
      }
      let channels = Int(instance.state.withLock { $0.wanted.audioDecoder } ?? 1)
      let room = UnsafeMutableRawBufferPointer(start: into, count: Int(capacity) * channels * MemoryLayout<Float>.size)
      var got = 0
      let result = instance.code(op) { _, _, writer throws(MediaError) in
        writer.put(capacity)
        if let packet { writer.put(bytes: packet) }
      } read: { _, reader throws(MediaError) in
        // Nothing was made.
        guard !reader.isAtEnd else { return }
        let samples = try reader.getBytes()
        guard samples.count <= room.count else {
          throw MediaError(.corrupt, "\(samples.count) bytes of audio arrived; there was room for \(room.count)")
        }
        room.copyMemory(from: samples)
        got = samples.count
      }
      guard result <= 0 || got == min(Int(result), Int(capacity)) * channels * MemoryLayout<Float>.size else {
        return instance.fail(.corrupt, "\(result) samples arrived in \(got) bytes")
      }
      return result
    }
  }
}
