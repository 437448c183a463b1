import CMediaSDK
import MediaCore
import Testing

@testable import MediaCodecs

/// The classes as a host calls them: by the functions of their tables alone.
@Suite struct CodecClassTests {
  /// What the functions of a host's table were given last.
  private final class Host {
    var error: (code: msdk_result, text: String)?
    var bytes: [UInt8] = []
    var flags: UInt32 = 0
    var shown: (width: UInt32, height: UInt32, luma: UInt8)?
    private let table = UnsafeMutablePointer<msdk_host>.allocate(capacity: 1)
    private let encoded = UnsafeMutablePointer<msdk_encoded_frame>.allocate(capacity: 1)
    private var plugins: [(plugin: OpaquePointer?, destroy: ((OpaquePointer?) -> Void)?)] = []

    init() {
      table.initialize(to: msdk_host())
      encoded.initialize(to: msdk_encoded_frame())
      table.pointee.set_error = { token, code, text in Host.at(token)?.error = (code, text.map { String(cString: $0) } ?? "") }
      table.pointee.encoded_frame_create = { token, attributes, out in
        guard let host = Host.at(token), let attributes else { return msdk_result(MSDK_E_INVALID) }
        host.bytes = Array(UnsafeRawBufferPointer(start: attributes.pointee.data, count: Int(attributes.pointee.size)))
        host.flags = attributes.pointee.flags
        out?.pointee = host.encoded
        return 0
      }
      table.pointee.video_frame_wrap = { token, external, _ in
        guard let external, let format = external.pointee.format, let luma = external.pointee.plane.0.data else { return -1 }
        Host.at(token)?.shown = (format.pointee.width, format.pointee.height, luma[0])
        return 0
      }
    }

    deinit {
      for (plugin, destroy) in plugins { destroy?(plugin) }
      table.deallocate()
      encoded.deallocate()
    }

    private static func at(_ token: OpaquePointer?) -> Host? {
      token.map { Unmanaged<Host>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
    }

    func create(_ codec: CodecClass) throws -> OpaquePointer {
      var plugin: OpaquePointer?
      let create = try #require(codec.table.create)
      #expect(create(nil, nil, nil, &plugin) == msdk_result(MSDK_E_INVALID) && plugin == nil)
      #expect(create(nil, table, OpaquePointer(Unmanaged.passUnretained(self).toOpaque()), &plugin) == 0)
      plugins.append((plugin, codec.table.destroy))
      return try #require(plugin)
    }
  }

  @Test func videoGoesThroughTheTables() throws {
    let host = Host()
    let codec = CodecClass.vp8
    let (encoder, decoder) = (try #require(codec.table.video_encoder).pointee, try #require(codec.table.video_decoder).pointee)
    let (one, other) = (try host.create(codec), try host.create(codec))
    #expect(encoder.open_encoder(one, nil) == msdk_result(MSDK_E_INVALID) && host.error?.text == "settings is NULL")
    let frame = GuardedFrame(.nv12, 64, 36)
    frame.fill { plane, _, _ in plane == 0 ? 90 : 128 }
    var out: UnsafeMutablePointer<msdk_encoded_frame>?
    #expect(encoder.encode(one, frame.frame, 0, &out) == msdk_result(MSDK_E_STATE))
    var wrong = VideoEncoderSettings(width: 64, height: 0, frameRate: FrameRate(30), targetBitrate: 500_000).foreign
    #expect(encoder.open_encoder(one, &wrong) == Status.range.rawValue && host.error?.text.contains("64x0") == true)
    var settings = VideoEncoderSettings(width: 64, height: 36, frameRate: FrameRate(30), targetBitrate: 500_000).foreign
    #expect(encoder.open_encoder(one, &settings) == 0)
    #expect(encoder.encode(one, frame.frame, UInt32(MSDK_ENCODE_KEY), &out) == 0 && out != nil)
    #expect(host.flags & UInt32(MSDK_ENCODED_KEY) != 0)
    var header = msdk_encoded_header()
    header.struct_size = UInt32(MemoryLayout<msdk_encoded_header>.size)
    #expect(decoder.parse_header(host.bytes, UInt64(host.bytes.count), &header) == 0)
    #expect(header.flags == UInt32(MSDK_ENCODED_KEY) && header.width == 64 && header.height == 36 && header.is_shown == 1)
    #expect(decoder.parse_header(host.bytes, UInt64(host.bytes.count), nil) == msdk_result(MSDK_E_INVALID))
    #expect(decoder.parse_header(host.bytes, 2, &header) == Status.corrupt.rawValue)
    #expect(throws: MediaError.self) { try host.bytes.prefix(2).withUnsafeBytes { bytes in try codec.explain(bytes) } }
    var given = msdk_video_decoder_settings(
      struct_size: UInt32(MemoryLayout<msdk_video_decoder_settings>.size), threads: 1, pixels_max: 64 * 36)
    #expect(decoder.open_decoder(other, &given) == 0)
    host.bytes.withUnsafeMutableBytes { bytes in
      var packet = msdk_encoded_frame()
      (packet.data, packet.size) = (UnsafePointer(bytes.assumingMemoryBound(to: UInt8.self).baseAddress), UInt64(bytes.count))
      var picture: UnsafeMutablePointer<msdk_video_frame>?
      #expect(decoder.decode(other, &packet, &picture) == 0)
    }
    #expect(host.shown.map { $0.width == 64 && $0.height == 36 && abs(Int($0.luma) - 90) < 4 } == true)
    #expect(encoder.close_encoder(one) == 0 && encoder.encode(one, frame.frame, 0, &out) == msdk_result(MSDK_E_STATE))
  }

  @Test func audioGoesThroughTheTables() throws {
    let host = Host()
    let codec = CodecClass.opus
    let (encoder, decoder) = (try #require(codec.table.audio_encoder).pointee, try #require(codec.table.audio_decoder).pointee)
    let (one, other) = (try host.create(codec), try host.create(codec))
    var speech = SpeechSource(rate: 48_000, channels: 2)
    let samples = speech.next(960)
    var out: UnsafeMutablePointer<msdk_encoded_frame>?
    #expect(encoder.encode(one, samples, 960, &out) == msdk_result(MSDK_E_STATE) && encoder.lookahead(one) == 0)
    var settings = AudioEncoderSettings(channels: 2).foreign
    #expect(encoder.open_encoder(one, &settings) == 0 && encoder.lookahead(one) == 312)
    #expect(encoder.set_rate(one, 1, 0) == Status.range.rawValue && host.error?.text.contains("bit rate is 1") == true)
    #expect(encoder.encode(one, samples, 960, &out) == 0 && out != nil)
    var header = msdk_packet_header()
    header.struct_size = UInt32(MemoryLayout<msdk_packet_header>.size)
    #expect(decoder.parse_header(host.bytes, UInt64(host.bytes.count), &header) == 0)
    #expect(header.sample_count == 960 && header.channels == 2 && header.has_redundancy == 0)
    #expect(decoder.parse_header(host.bytes, 0, &header) == Status.corrupt.rawValue)
    var room = [Float](repeating: 0, count: 2 * 960)
    #expect(decoder.decode(other, host.bytes, UInt64(host.bytes.count), &room, 960) == msdk_result(MSDK_E_STATE))
    #expect(decoder.open_decoder(other, 2) == 0)
    #expect(decoder.decode(other, host.bytes, UInt64(host.bytes.count), &room, 960) == 960)
    #expect(decoder.decode(other, host.bytes, UInt64(host.bytes.count), &room, 959) == Status.bufferSmall.rawValue)
    #expect(decoder.conceal(other, 480, &room) == 480 && decoder.recover(other, 480, host.bytes, UInt64(host.bytes.count), &room) == 0)
    #expect(decoder.close_decoder(other) == 0 && decoder.conceal(other, 480, &room) == msdk_result(MSDK_E_STATE))
  }
}
