import CMediaSDK
import IsolationProtocol
import MediaCore

/// An encoder of video that lives in another process. What comes while that is gone is lost, and what it makes first when it is back is a key
/// frame.
enum ProxyVideoEncoder {
  static func table(like table: msdk_video_encoder) -> msdk_video_encoder {
    var proxy = msdk_video_encoder()
    proxy.struct_size = UInt32(MemoryLayout<msdk_video_encoder>.size)
    (proxy.flags, proxy.codec, proxy.dimension_max) = (table.flags, table.codec, table.dimension_max)
    (proxy.pixel_formats, proxy.pixel_format_count) = (table.pixel_formats, table.pixel_format_count)
    proxy.open_encoder = { me, settings in
      guard let settings = settings?.pointee else { return msdk_result(MSDK_E_INVALID) }
      return ProxyTables.with(me) { instance in
        instance.change(.openVideoEncoder, write: { $0.put(settings) }) { ($0.videoEncoder, $0.videoBytes) = (settings, nil) }
      }
    }
    proxy.close_encoder = { me in
      ProxyTables.with(me) { instance in instance.takeDown(.closeVideoEncoder) { ($0.videoEncoder, $0.videoBytes) = (nil, nil) } }
    }
    proxy.set_rate = { me, bitrate, numerator, denominator in
      ProxyTables.with(me) { instance in
        instance.retune(.setVideoRate, \.videoEncoder) { settings in
          settings?.target_bitrate = bitrate
          settings?.fps_num = numerator
          settings?.fps_den = denominator
        } write: { writer in
          writer.put(bitrate)
          writer.put(numerator)
          writer.put(denominator)
        }
      }
    }
    if table.set_bytes_max != nil {
      proxy.set_bytes_max = { me, bytes in
        ProxyTables.with(me) { instance in
          instance.retune(.setVideoBytes, \.videoBytes, { $0 = bytes }) { writer in writer.put(bytes) }
        }
      }
    }
    proxy.encode = { me, frame, flags, out in ProxyVideoEncoder.encode(me, frame, flags, out) }
    return proxy
  }

  private static func encode(
    _ me: OpaquePointer?, _ pointer: UnsafePointer<msdk_video_frame>?, _ flags: UInt32,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    return ProxyTables.with(me) { instance in
      guard let frame = try? VideoFrame.retained(foreign: pointer), let capacity = try? InputPool.capacity(for: frame) else {
        return msdk_result(MSDK_E_HANDLE)
      }
      defer { frame.release() }
      var refusal = msdk_result(MSDK_OK)
      let result = instance.code(.encodeVideo, capacity: capacity) { process, slot, writer throws(MediaError) in
        guard let (pool, number) = slot else { return }
        writer.put(try pool.put(frame, in: number))
        writer.put(process.hasBegun ? flags : flags | UInt32(MSDK_ENCODE_KEY))
      } read: { process, reader throws(MediaError) in
        refusal = try instance.takeEncoded(process, &reader, out)
      }
      return result < 0 ? result : refusal
    }
  }
}

/// An encoder of sound that lives in another process. What comes while that is gone is lost.
enum ProxyAudioEncoder {
  static func table(like table: msdk_audio_encoder) -> msdk_audio_encoder {
    var proxy = msdk_audio_encoder()
    proxy.struct_size = UInt32(MemoryLayout<msdk_audio_encoder>.size)
    (proxy.flags, proxy.codec) = (table.flags, table.codec)
    (proxy.sample_rate_count, proxy.sample_rates) = (table.sample_rate_count, table.sample_rates)
    proxy.open_encoder = { me, settings in
      guard let settings = settings?.pointee else { return msdk_result(MSDK_E_INVALID) }
      return ProxyTables.with(me) { instance in
        var lookahead: UInt32 = 0
        let result = instance.ask(.openAudioEncoder, write: { $0.put(settings) }) { reader, _ throws(MediaError) in
          lookahead = try reader.get(UInt32.self)
        }
        guard result >= 0 else { return result }
        instance.state.withLock { state in
          state.wanted.audioEncoder = settings
          state.lookahead = lookahead
        }
        return result
      }
    }
    proxy.close_encoder = { me in ProxyTables.with(me) { $0.takeDown(.closeAudioEncoder) { $0.audioEncoder = nil } } }
    if table.lookahead != nil { proxy.lookahead = { me in ProxyTables.instance(me)?.state.withLock { $0.lookahead } ?? 0 } }
    proxy.set_rate = { me, bitrate, loss in
      ProxyTables.with(me) { instance in
        instance.retune(.setAudioRate, \.audioEncoder) { settings in
          settings?.bitrate = bitrate
          settings?.expected_loss = loss
        } write: { writer in
          writer.put(bitrate)
          writer.put(loss)
        }
      }
    }
    proxy.encode = { me, samples, count, out in ProxyAudioEncoder.encode(me, samples, count, out) }
    return proxy
  }

  private static func encode(
    _ me: OpaquePointer?, _ samples: UnsafePointer<Float>?, _ count: UInt32,
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    guard let out, let samples else { return msdk_result(MSDK_E_INVALID) }
    return ProxyTables.with(me) { instance in
      let channels = instance.state.withLock { $0.wanted.audioEncoder?.channels } ?? 1
      let bytes = UnsafeRawBufferPointer(start: samples, count: Int(count) * Int(channels) * MemoryLayout<Float>.size)
      // 60 ms of two channels at 192,000 Hz fit.
      guard bytes.count <= Wire.largest - 512 else {
        return instance.fail(.range, "\(bytes.count) bytes of audio at a time; an isolated encoder accepts at most \(Wire.largest - 512)")
      }
      var refusal = msdk_result(MSDK_OK)
      let result = instance.code(.encodeAudio) { _, _, writer throws(MediaError) in
        writer.put(bytes: bytes)
      } read: { process, reader throws(MediaError) in
        refusal = try instance.takeEncoded(process, &reader, out)
      }
      return result < 0 ? result : refusal
    }
  }
}
