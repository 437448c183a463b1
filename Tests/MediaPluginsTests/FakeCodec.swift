import CMediaSDK
import MediaCore

@testable import MediaPlugins

/// Classes with the tables of codecs and nothing behind them.
enum FakeCodec {
  static func encoderTable(of codec: UInt32) -> msdk_video_encoder {
    var table = msdk_video_encoder()
    table.struct_size = UInt32(MemoryLayout<msdk_video_encoder>.size)
    table.codec = codec
    table.pixel_formats = UnsafePointer(FakeModule.keep([PixelFormat.bgra.rawValue, 77, PixelFormat.nv12.rawValue]))
    table.pixel_format_count = 3
    table.open_encoder = { _, _ in 0 }
    table.close_encoder = { _ in 0 }
    table.set_rate = { _, _, _, _ in 0 }
    table.encode = { _, _, _, _ in 0 }
    return table
  }

  static func decoderTable(of codec: UInt32) -> msdk_video_decoder {
    var table = msdk_video_decoder()
    table.struct_size = UInt32(MemoryLayout<msdk_video_decoder>.size)
    table.codec = codec
    table.open_decoder = { _, _ in 0 }
    table.close_decoder = { _ in 0 }
    table.decode = { _, _, _ in 0 }
    table.parse_header = { _, _, out in
      out?.pointee.width = 20_000
      return 0
    }
    return table
  }

  static func audioEncoderTable() -> msdk_audio_encoder {
    var table = msdk_audio_encoder()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_encoder>.size)
    table.codec = 5
    table.sample_rate_count = 2
    table.sample_rates = UnsafePointer(FakeModule.keep([UInt32(8000), 16_000]))
    table.open_encoder = { _, _ in 0 }
    table.close_encoder = { _ in 0 }
    table.set_rate = { _, _, _ in 0 }
    table.encode = { _, _, _, _ in 0 }
    return table
  }

  static func encoder(of codec: UInt32) throws -> ClassDescriptor {
    let module = FakeModule("test.codec.encoder", kinds: MSDK_KIND_VIDEO_ENCODER)
    module.classes[0].video_encoder = UnsafePointer(FakeModule.keep([encoderTable(of: codec)]))
    return try module.descriptor()
  }

  static func module(decoding codec: UInt32) -> UnsafePointer<msdk_module> {
    let module = FakeModule("test.codec.decoder", kinds: MSDK_KIND_VIDEO_DECODER)
    module.classes[0].video_decoder = UnsafePointer(FakeModule.keep([decoderTable(of: codec)]))
    return module.pointer()
  }
}
