import CMediaSDK
import MediaCore

extension CodecClass {
  static let opus = CodecClass(
    "org.mediasdk.opus", "Opus", "Opus (RFC 6716), by libopus", explain: { data throws(MediaError) in _ = try OpusPacket(parsing: data) }
  ) { table in
    table.kinds = UInt32(MSDK_KIND_AUDIO_ENCODER | MSDK_KIND_AUDIO_DECODER)
    table.create = { _, host, context, out in OpusPlugin.create(host, context, out) }
    table.destroy = { OpusPlugin.destroy($0) }
    table.audio_encoder = UnsafePointer(KeptMemory.copy([OpusPlugin.encoderTable]))
    table.audio_decoder = UnsafePointer(KeptMemory.copy([OpusPlugin.decoderTable]))
  }
}

/// An instance of the class: it encodes or decodes.
private final class OpusPlugin: CodecPlugin {
  let host: PluginHost
  private var encoder: OpusEncoder?
  private var decoder: OpusDecoder?

  init(_ host: PluginHost) {
    self.host = host
  }

  // MARK: Encoding

  static var encoderTable: msdk_audio_encoder {
    var table = msdk_audio_encoder()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_encoder>.size)
    table.codec = UInt32(MSDK_CODEC_OPUS)
    // libopus takes 8,000 and 12,000 Hz as well, which no stream has.
    let rates: [UInt32] = [16_000, 24_000, 48_000]
    (table.sample_rates, table.sample_rate_count) = (UnsafePointer(KeptMemory.copy(rates)), UInt32(rates.count))
    table.open_encoder = { plugin, settings in
      OpusPlugin.run(plugin) { me throws(MediaError) in
        guard let settings else { throw MediaError(.invalid, "settings is NULL") }
        me.encoder = try OpusEncoder(AudioEncoderSettings(ForeignStruct.read(settings, argument: "settings")))
      }
    }
    table.close_encoder = { plugin in OpusPlugin.run(plugin) { $0.encoder = nil } }
    table.lookahead = { plugin in
      UInt32(clamping: OpusPlugin.with(plugin) { msdk_result(clamping: $0.encoder?.lookahead ?? 0) })
    }
    table.set_rate = { plugin, bitrate, loss in
      OpusPlugin.run(plugin) { me throws(MediaError) in
        try me.encoder?.setBitrate(Int(clamping: bitrate))
        try me.encoder?.setExpectedLoss(Int(loss))
      }
    }
    table.encode = { plugin, samples, count, out in
      OpusPlugin.with(plugin) { me throws(MediaError) in
        guard let encoder = me.encoder else { return msdk_result(MSDK_E_STATE) }
        let values = UnsafeBufferPointer(start: samples, count: samples == nil ? 0 : Int(count) * encoder.channels)
        return try encoder.encode(values) { me.host.give($0, flags: 0, out) } ?? msdk_result(MSDK_E_AGAIN)
      }
    }
    return table
  }

  // MARK: Decoding

  static var decoderTable: msdk_audio_decoder {
    var table = msdk_audio_decoder()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_decoder>.size)
    table.codec = UInt32(MSDK_CODEC_OPUS)
    table.open_decoder = { plugin, channels in
      OpusPlugin.run(plugin) { me throws(MediaError) in me.decoder = try OpusDecoder(channels: Int(channels)) }
    }
    table.close_decoder = { plugin in OpusPlugin.run(plugin) { $0.decoder = nil } }
    table.decode = { plugin, packet, size, into, capacity in
      OpusPlugin.decode(plugin, into, capacity) { decoder, output throws(MediaError) in
        try decoder.decode(OpusPlugin.bytes(packet, size), into: output)
      }
    }
    table.conceal = { plugin, count, into in
      OpusPlugin.decode(plugin, into, count) { decoder, output throws(MediaError) in
        try decoder.conceal(sampleCount: Int(count), into: output)
      }
    }
    table.recover = { plugin, count, next, size, into in
      OpusPlugin.decode(plugin, into, count) { decoder, output throws(MediaError) in
        try decoder.recover(sampleCount: Int(count), from: OpusPlugin.bytes(next, size), into: output) ?? 0
      }
    }
    table.parse_header = { data, size, out in
      OpusPlugin.parse(data, size, into: out) { data throws(MediaError) in
        let packet = try OpusPacket(parsing: data)
        var header = msdk_packet_header()
        header.sample_count = UInt32(clamping: packet.toc.duration)
        (header.channels, header.has_redundancy) = (packet.toc.isStereo ? 2 : 1, packet.hasRedundancy ? 1 : 0)
        return header
      }
    }
    return table
  }

  private static func decode(
    _ plugin: OpaquePointer?, _ into: UnsafeMutablePointer<Float>?, _ capacity: UInt32,
    _ body: (OpusDecoder, UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int
  ) -> Int32 {
    with(plugin) { me throws(MediaError) in
      guard let decoder = me.decoder else { return msdk_result(MSDK_E_STATE) }
      let room = UnsafeMutableBufferPointer(start: into, count: into == nil ? 0 : Int(capacity) * decoder.channels)
      return Int32(clamping: try body(decoder, room))
    }
  }
}
