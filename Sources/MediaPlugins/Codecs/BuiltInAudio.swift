import CMediaSDK
import MediaCodecs
import MediaCore

/// A codec of `AudioCodec.all` as a class of plugin.h: one instance encodes or decodes.
final class BuiltInAudio: BuiltInCodec {
  /// libopus takes 8,000 and 12,000 Hz as well, which no stream has.
  private static let rates: [UInt32] = [16_000, 24_000, 48_000]
  nonisolated(unsafe) private static let keptRates = UnsafePointer(KeptMemory.copy(rates))

  private let codec: AudioCodec
  private var encoder: (any AudioEncoder)?
  private var decoder: (any AudioDecoder)?
  private var channels = 1
  private var bitrate = 0
  private var expectedLoss = 0

  private init(_ codec: AudioCodec, _ host: UnsafePointer<msdk_host>, _ context: OpaquePointer) {
    self.codec = codec
    super.init(host, context)
  }

  static func create(
    _ codec: AudioCodec, _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> msdk_result {
    guard let host, let context, let out else { return msdk_result(MSDK_E_INVALID) }
    out.pointee = OpaquePointer(Unmanaged.passRetained(BuiltInAudio(codec, host, context)).toOpaque())
    return msdk_result(MSDK_OK)
  }

  static func destroy(_ plugin: OpaquePointer?) {
    if let plugin { Unmanaged<BuiltInAudio>.fromOpaque(UnsafeRawPointer(plugin)).release() }
  }

  @inline(__always)
  private static func with(_ plugin: OpaquePointer?, _ body: (BuiltInAudio) -> msdk_result) -> msdk_result {
    guard let plugin else { return msdk_result(MSDK_E_INVALID) }
    return Unmanaged<BuiltInAudio>.fromOpaque(UnsafeRawPointer(plugin))._withUnsafeGuaranteedRef(body)
  }

  // MARK: Encoding

  static func encoder(_ codec: AudioCodec) -> msdk_audio_encoder {
    var table = msdk_audio_encoder()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_encoder>.size)
    table.codec = codec.fourcc
    table.sample_rate_count = UInt32(rates.count)
    table.sample_rates = keptRates
    table.open_encoder = { plugin, settings in BuiltInAudio.with(plugin) { $0.openEncoder(settings) } }
    table.close_encoder = { plugin in
      BuiltInAudio.with(plugin) { codec in
        codec.encoder = nil
        return msdk_result(MSDK_OK)
      }
    }
    table.lookahead = { plugin in
      guard let plugin else { return 0 }
      return Unmanaged<BuiltInAudio>.fromOpaque(UnsafeRawPointer(plugin))._withUnsafeGuaranteedRef { codec in
        UInt32(clamping: codec.encoder?.lookahead ?? 0)
      }
    }
    table.set_rate = { plugin, bitrate, loss in BuiltInAudio.with(plugin) { $0.setRate(Int(clamping: bitrate), Int(loss)) } }
    table.encode = { plugin, samples, count, out in BuiltInAudio.with(plugin) { $0.encode(samples, count, out) } }
    return table
  }

  private func openEncoder(_ settings: UnsafePointer<msdk_audio_encoder_settings>?) -> msdk_result {
    run { () throws(MediaError) in
      guard let settings else { throw MediaError(.invalid, "settings is NULL") }
      let wanted = try AudioEncoderSettings(ForeignStruct.read(settings, argument: "settings"))
      encoder = try codec.makeEncoder(wanted)
      channels = wanted.channels
      bitrate = wanted.bitrate
      expectedLoss = wanted.expectedLoss
    }
  }

  private func setRate(_ bitrate: Int, _ expectedLoss: Int) -> msdk_result {
    run { () throws(MediaError) in
      if bitrate != self.bitrate { try encoder?.setBitrate(bitrate) }
      if expectedLoss != self.expectedLoss { try encoder?.setExpectedLoss(expectedLoss) }
      self.bitrate = bitrate
      self.expectedLoss = expectedLoss
    }
  }

  private func encode(
    _ samples: UnsafePointer<Float>?, _ count: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    guard let encoder else { return msdk_result(MSDK_E_STATE) }
    var result = msdk_result(MSDK_E_AGAIN)
    let outcome = run { () throws(MediaError) in
      _ = try encoder.encode(UnsafeBufferPointer(start: samples, count: samples == nil ? 0 : Int(count) * channels)) { bytes in
        result = give(bytes, flags: 0, out)
      }
    }
    return outcome < 0 ? outcome : result
  }

  // MARK: Decoding

  /// All but parse_header, which has no instance to tell the codec by.
  static func decoder(_ codec: AudioCodec) -> msdk_audio_decoder {
    var table = msdk_audio_decoder()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_decoder>.size)
    table.codec = codec.fourcc
    table.open_decoder = { plugin, channels in
      BuiltInAudio.with(plugin) { instance in
        instance.run { () throws(MediaError) in
          instance.decoder = try instance.codec.makeDecoder(Int(channels))
          instance.channels = Int(channels)
        }
      }
    }
    table.close_decoder = { plugin in
      BuiltInAudio.with(plugin) { codec in
        codec.decoder = nil
        return msdk_result(MSDK_OK)
      }
    }
    table.decode = { plugin, packet, size, into, capacity in
      BuiltInAudio.with(plugin) { codec in
        codec.decode(into, capacity) { decoder, output throws(MediaError) in
          try decoder.decode(BuiltInAudio.bytes(packet, size), into: output)
        }
      }
    }
    table.conceal = { plugin, count, into in
      BuiltInAudio.with(plugin) { codec in
        codec.decode(into, count) { decoder, output throws(MediaError) in try decoder.conceal(sampleCount: Int(count), into: output) }
      }
    }
    table.recover = { plugin, count, next, size, into in
      BuiltInAudio.with(plugin) { codec in
        codec.decode(into, count) { decoder, output throws(MediaError) in
          try decoder.recover(sampleCount: Int(count), from: BuiltInAudio.bytes(next, size), into: output) ?? 0
        }
      }
    }
    return table
  }

  private static func bytes(_ data: UnsafeRawPointer?, _ size: UInt64) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(clamping: size))
  }

  private func decode(
    _ into: UnsafeMutablePointer<Float>?, _ capacity: UInt32,
    _ body: (any AudioDecoder, UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int
  ) -> Int32 {
    guard let decoder else { return msdk_result(MSDK_E_STATE) }
    var made = 0
    let outcome = run { () throws(MediaError) in
      made = try body(decoder, UnsafeMutableBufferPointer(start: into, count: into == nil ? 0 : Int(capacity) * channels))
    }
    return outcome < 0 ? outcome : Int32(clamping: made)
  }

  static func parse(
    _ codec: AudioCodec, _ data: UnsafeRawPointer?, _ size: UInt64, _ out: UnsafeMutablePointer<msdk_packet_header>?
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    do throws(MediaError) {
      let header = try codec.parse(bytes(data, size))
      var native = msdk_packet_header()
      native.sample_count = UInt32(clamping: header.sampleCount)
      native.channels = UInt32(clamping: header.channels)
      native.has_redundancy = header.hasRedundancy ? 1 : 0
      try ForeignStruct.write(native, to: out, argument: "out")
      return msdk_result(MSDK_OK)
    } catch {
      return error.status.rawValue
    }
  }
}
