import CMediaSDK
import IsolationProtocol
import MediaCore

// What codecs in other processes are given while those are gone is lost. A video encoder that is back begins with a key frame, a video decoder waits
// for one. Headers are parsed without an instance: see `HeaderProcess`.

extension msdk_video_encoder {
  static func proxy(like table: msdk_video_encoder) -> msdk_video_encoder {
    var proxy = sized
    (proxy.flags, proxy.codec, proxy.dimension_max) = (table.flags, table.codec, table.dimension_max)
    (proxy.pixel_formats, proxy.pixel_format_count) = (table.pixel_formats, table.pixel_format_count)
    proxy.open_encoder = { Proxy.change($0, .openVideoEncoder, $1) }
    proxy.close_encoder = { Proxy.takeDown($0, .closeVideoEncoder) }
    proxy.set_rate = { me, bitrate, numerator, denominator in
      let payload = WireWriter.bytes(of: bitrate) + WireWriter.bytes(of: numerator) + WireWriter.bytes(of: denominator)
      return Proxy.with(me) { instance in
        instance.retune(.setVideoRate, payload, in: .openVideoEncoder) { desired in
          desired.amend(.openVideoEncoder) { (settings: inout msdk_video_encoder_settings) in
            settings.target_bitrate = bitrate
            (settings.fps_num, settings.fps_den) = (numerator, denominator)
          }
        }
      }
    }
    if table.set_bytes_max != nil {
      proxy.set_bytes_max = { me, bytes in
        let payload = WireWriter.bytes(of: bytes)
        return Proxy.with(me) { $0.retune(.setVideoBytes, payload, in: .setVideoBytes) { $0[.setVideoBytes] = payload } }
      }
    }
    proxy.encode = { ProxyCodecs.encode($0, $1, $2, $3) }
    return proxy
  }
}

extension msdk_video_decoder {
  static func proxy(like table: msdk_video_decoder) -> msdk_video_decoder {
    var proxy = sized
    (proxy.flags, proxy.codec) = (table.flags, table.codec)
    proxy.open_decoder = { Proxy.change($0, .openVideoDecoder, $1) }
    proxy.close_decoder = { Proxy.takeDown($0, .closeVideoDecoder) }
    proxy.decode = { ProxyCodecs.decode($0, $1, $2) }
    proxy.parse_header = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    return proxy
  }
}

extension msdk_audio_encoder {
  static func proxy(like table: msdk_audio_encoder) -> msdk_audio_encoder {
    var proxy = sized
    (proxy.flags, proxy.codec) = (table.flags, table.codec)
    (proxy.sample_rate_count, proxy.sample_rates) = (table.sample_rate_count, table.sample_rates)
    proxy.open_encoder = { me, settings in
      guard let settings = settings?.pointee else { return msdk_result(MSDK_E_INVALID) }
      return Proxy.with(me) { instance in
        instance.change(.openAudioEncoder, settings.payload) { reader, _ throws(MediaError) in
          let lookahead = try reader.get(UInt32.self)
          instance.state.withLock { ($0.lookahead, $0.encodedChannels) = (lookahead, settings.channels) }
        }
      }
    }
    proxy.close_encoder = { Proxy.takeDown($0, .closeAudioEncoder) }
    if table.lookahead != nil { proxy.lookahead = { Proxy.instance($0)?.state.withLock { $0.lookahead } ?? 0 } }
    proxy.set_rate = { me, bitrate, loss in
      Proxy.with(me) { instance in
        instance.retune(.setAudioRate, WireWriter.bytes(of: bitrate) + WireWriter.bytes(of: loss), in: .openAudioEncoder) { desired in
          desired.amend(.openAudioEncoder) { (settings: inout msdk_audio_encoder_settings) in
            (settings.bitrate, settings.expected_loss) = (bitrate, loss)
          }
        }
      }
    }
    proxy.encode = { ProxyCodecs.encode($0, $1, $2, $3) }
    return proxy
  }
}

extension msdk_audio_decoder {
  static func proxy(like table: msdk_audio_decoder) -> msdk_audio_decoder {
    var proxy = sized
    (proxy.flags, proxy.codec) = (table.flags, table.codec)
    proxy.open_decoder = { me, channels in
      Proxy.with(me) { instance in
        instance.change(.openAudioDecoder, WireWriter.bytes(of: channels)) { _, _ throws(MediaError) in
          instance.state.withLock { $0.decodedChannels = channels }
        }
      }
    }
    proxy.close_decoder = { Proxy.takeDown($0, .closeAudioDecoder) }
    proxy.decode = { ProxyCodecs.decode(.decodeAudio, $0, UnsafeRawBufferPointer(start: $1, count: Int(clamping: $2)), $3, $4) }
    proxy.conceal = { ProxyCodecs.decode(.concealAudio, $0, nil, $2, $1) }
    if table.recover != nil {
      proxy.recover = { ProxyCodecs.decode(.recoverAudio, $0, UnsafeRawBufferPointer(start: $2, count: Int(clamping: $3)), $4, $1) }
    }
    proxy.parse_header = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    return proxy
  }
}

/// What codecs in other processes are given and make.
private enum ProxyCodecs {
  typealias Out<Frame> = UnsafeMutablePointer<UnsafeMutablePointer<Frame>?>

  static func encode(
    _ me: OpaquePointer?, _ pointer: UnsafePointer<msdk_video_frame>?, _ flags: UInt32, _ out: Out<msdk_encoded_frame>?
  ) -> msdk_result {
    Proxy.with(me, out) { instance, out in
      guard let frame = try? VideoFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      var refusal = msdk_result(MSDK_OK)
      let outcome = instance.exchange(.encodeVideo, frame, shortage: .noMemory) { process, writer in
        writer.put(process.hasBegun ? flags : flags | UInt32(MSDK_ENCODE_KEY))
      } read: { process, _, _, reader throws(MediaError) in
        refusal = try instance.takeEncoded(process, &reader, out)
      }
      return min(instance.settleCodec(.encodeVideo, outcome), refusal)
    }
  }

  static func decode(
    _ me: OpaquePointer?, _ pointer: UnsafePointer<msdk_encoded_frame>?, _ out: Out<msdk_video_frame>?
  ) -> msdk_result {
    Proxy.with(me, out) { instance, out in
      guard let frame = try? EncodedFrame.retained(foreign: pointer) else { return msdk_result(MSDK_E_HANDLE) }
      defer { frame.release() }
      let outcome = instance.exchange(.decodeVideo, frame.bytes, frame.native.pointee, shortage: .noMemory) { process throws(MediaError) in
        guard process.hasBegun || process.isFirst || frame.isKeyFrame else {
          throw MediaError(.state, "its process was restarted and waits for a key frame")
        }
      } read: { process, reader, _ throws(MediaError) in
        process.hasBegun = true
        if try reader.get(UInt32.self) == 1 { out.pointee = try process.frame(reader.get()).native }
      }
      return instance.settleCodec(.decodeVideo, outcome)
    }
  }

  static func encode(
    _ me: OpaquePointer?, _ samples: UnsafePointer<Float>?, _ count: UInt32, _ out: Out<msdk_encoded_frame>?
  ) -> msdk_result {
    Proxy.with(me, out) { instance, out in
      guard let samples else { return msdk_result(MSDK_E_INVALID) }
      let channels = instance.state.withLock { $0.encodedChannels }
      let bytes = UnsafeRawBufferPointer(start: samples, count: Int(count) * Int(channels) * MemoryLayout<Float>.size)
      // 60 ms of two channels at 192,000 Hz fit.
      guard bytes.count <= Wire.largest - 512 else {
        return instance.fail(.range, "\(bytes.count) bytes of audio at a time; an isolated encoder accepts at most \(Wire.largest - 512)")
      }
      var refusal = msdk_result(MSDK_OK)
      let outcome = instance.media(.encodeAudio, write: { $0.put(bytes: bytes) }) { process, reader, _ throws(MediaError) in
        refusal = try instance.takeEncoded(process, &reader, out)
      }
      return min(instance.settleCodec(.encodeAudio, outcome), refusal)
    }
  }

  /// Samples per channel, which the message brings.
  static func decode(
    _ op: Op, _ me: OpaquePointer?, _ packet: UnsafeRawBufferPointer?, _ into: UnsafeMutablePointer<Float>?, _ capacity: UInt32
  ) -> Int32 {
    Proxy.with(me, into) { instance, into in
      guard (packet?.count ?? 0) <= Wire.longestBytes else {
        return instance.fail(.corrupt, "a packet of \(packet?.count ?? 0) bytes; an isolated decoder accepts at most \(Wire.longestBytes)")
      }
      let channels = Int(instance.state.withLock { $0.decodedChannels })
      let room = UnsafeMutableRawBufferPointer(start: into, count: Int(capacity) * channels * MemoryLayout<Float>.size)
      var got = 0
      let outcome = instance.media(op) { writer in
        writer.put(capacity)
        if let packet { writer.put(bytes: packet) }
      } read: { _, reader, _ throws(MediaError) in
        // Nothing was made.
        guard !reader.isAtEnd else { return }
        let samples = try reader.getBytes()
        guard samples.count <= room.count else {
          throw MediaError(.corrupt, "\(samples.count) bytes of audio arrived; there was room for \(room.count)")
        }
        room.copyMemory(from: samples)
        got = samples.count
      }
      let result = instance.settleCodec(op, outcome)
      guard result <= 0 || got == min(Int(result), Int(capacity)) * channels * MemoryLayout<Float>.size else {
        return instance.fail(.corrupt, "\(result) samples arrived in \(got) bytes")
      }
      return result
    }
  }
}
