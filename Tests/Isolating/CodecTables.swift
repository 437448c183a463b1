import CMediaSDK
import MediaCore

/// Encoders and decoders: of decoders of sound no frames go through.
enum CodecTables {
  static func videoEncoder(like table: msdk_video_encoder) -> msdk_video_encoder {
    var encoder = table
    encoder.encode = { me, frame, flags, out in
      HostedInstance.with(me) { instance throws(MediaError) in
        try instance.withFrame(frame) { frame throws(MediaError) in
          try instance.give(out) { instance.twin.videoEncoder?.encode?(me, frame, flags, $0) ?? msdk_result(MSDK_E_UNSUPPORTED) }
        }
      }
    }
    return encoder
  }

  static func audioEncoder(like table: msdk_audio_encoder) -> msdk_audio_encoder {
    var encoder = table
    encoder.encode = { me, samples, count, out in
      HostedInstance.with(me) { instance throws(MediaError) in
        try instance.give(out) { instance.twin.audioEncoder?.encode?(me, samples, count, $0) ?? msdk_result(MSDK_E_UNSUPPORTED) }
      }
    }
    return encoder
  }

  static func videoDecoder(like table: msdk_video_decoder) -> msdk_video_decoder {
    var decoder = table
    decoder.decode = { me, frame, out in
      HostedInstance.with(me) { instance throws(MediaError) in
        guard let out else { return msdk_result(MSDK_E_INVALID) }
        var made: UnsafeMutablePointer<msdk_video_frame>?
        let result = try instance.withPacket(frame) {
          instance.twin.videoDecoder?.decode?(me, $0, &made) ?? msdk_result(MSDK_E_UNSUPPORTED)
        }
        // NULL for data that shows nothing.
        out.pointee = nil
        if result >= 0, let made { out.pointee = try instance.hostFrame(from: made) }
        return result
      }
    }
    return decoder
  }
}

extension HostedInstance {
  func give(
    _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?,
    _ encode: (UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>) -> msdk_result
  ) throws(MediaError) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    var made: UnsafeMutablePointer<msdk_encoded_frame>?
    let result = encode(&made)
    if result >= 0, let made { out.pointee = try hostPacket(from: made) }
    return result
  }
}
