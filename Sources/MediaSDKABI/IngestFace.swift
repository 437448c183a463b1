import CMediaSDK
import MediaCore
import MediaSDK

// ingest.h

@c @implementation
public func msdk_session_set_ingest(_ session: OpaquePointer!, _ options: UnsafePointer<msdk_ingest_options>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    guard let options else { return try session.setIngest(nil) }
    try session.setIngest(IngestOptions(ForeignStruct.read(options, argument: "options")))
  }
}

@c @implementation
public func msdk_session_get_ingest_port(_ session: OpaquePointer!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try required(out, "out").pointee = try session.ingestPort
  }
}

extension IngestOptions {
  fileprivate init(_ native: msdk_ingest_options) throws(MediaError) {
    self.init(
      transmissionToken: try token(native.transmission_token, native.transmission_token_size, "options.transmission_token"),
      receptionToken: try token(native.reception_token, native.reception_token_size, "options.reception_token"))
    switch native.port {
    case 0: break
    case 1...65_535: port = UInt16(native.port)
    case UInt32(MSDK_PORT_ANY): port = 0
    default: throw MediaError(.range, "options.port is \(native.port); accepted: 1..65535, MSDK_PORT_ANY, or 0 for none")
    }
    socketPath = try ForeignText.readOptional(native.socket_path, limit: 107, argument: "options.socket_path")
    limits = try choice(native.limits, "options.limits", "MSDK_LIMITS_CONFERENCE, MSDK_LIMITS_EXTENDED")
    codec = native.codec
    if native.fps != 0 { framesPerSecond = native.fps }
    preset = try choice(native.preset, "options.preset", "MSDK_PRESET_REALTIME..MSDK_PRESET_QUALITY, 0..3")
    targetBitrate = native.target_bitrate
  }
}

private func token(_ bytes: UnsafeRawPointer?, _ size: UInt32, _ argument: StaticString) throws(MediaError) -> [UInt8] {
  let sizes = UInt32(MSDK_INGEST_TOKEN_MIN)...UInt32(MSDK_INGEST_TOKEN_MAX)
  guard let bytes else { throw MediaError(.invalid, "\(argument) is NULL; accepted: 16..255 bytes") }
  guard sizes.contains(size) else { throw MediaError(.range, "\(argument)_size is \(size); accepted: 16..255") }
  return Array(UnsafeRawBufferPointer(start: bytes, count: Int(size)))
}
