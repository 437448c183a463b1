import CMediaSDK
import MediaCore
import MediaSDK

// serve.h

@c @implementation
public func msdk_room_serve(
  _ engine: OpaquePointer!, _ roomURL: UnsafePointer<CChar>!, _ options: UnsafePointer<msdk_serve_options>!,
  _ out: UnsafeMutablePointer<msdk_serve_info>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let url = try ForeignText.read(roomURL, limit: Int(MSDK_TEXT_MAX), argument: "room_url")
    let settings = try ServeOptions(ForeignStruct.read(required(options, "options"), argument: "options"))
    // A struct that cannot be filled must not leave a door open.
    if let out { try ForeignStruct.check(out, argument: "out") }
    let info = try engine.serve(url, settings)
    if let out { try ForeignStruct.write(info.foreign, to: out, argument: "out") }
  }
}

@c @implementation
public func msdk_room_get_serve_info(
  _ engine: OpaquePointer!, _ roomURL: UnsafePointer<CChar>!, _ out: UnsafeMutablePointer<msdk_serve_info>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let url = try ForeignText.read(roomURL, limit: Int(MSDK_TEXT_MAX), argument: "room_url")
    try ForeignStruct.write(engine.serveInfo(url).foreign, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_room_stop_serving(_ engine: OpaquePointer!, _ roomURL: UnsafePointer<CChar>!) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    try engine.stopServing(ForeignText.read(roomURL, limit: Int(MSDK_TEXT_MAX), argument: "room_url"))
  }
}

extension ServeOptions {
  fileprivate init(_ native: msdk_serve_options) throws(MediaError) {
    self.init()
    switch native.port {
    // Who listens where nobody expects it has forgotten the port.
    case 0: throw MediaError(.invalid, "options.port is 0; accepted: 1..65535, MSDK_PORT_ANY")
    case 1...65_535: port = UInt16(native.port)
    case UInt32(MSDK_PORT_ANY): port = 0
    default: throw MediaError(.range, "options.port is \(native.port); accepted: 1..65535, MSDK_PORT_ANY")
    }
    if let text = try ForeignText.readOptional(native.addresses, limit: Int(MSDK_TEXT_MAX), argument: "options.addresses") {
      addresses = text
    }
    publicAddresses = try ForeignText.readOptional(
      native.public_addresses, limit: Int(MSDK_TEXT_MAX), argument: "options.public_addresses")
    let file = try ForeignText.readOptional(native.certificate, limit: Int(MSDK_TEXT_MAX), argument: "options.certificate")
    let key = try ForeignText.readOptional(native.key, limit: Int(MSDK_TEXT_MAX), argument: "options.key")
    switch (file, key) {
    case (nil, nil): break
    case (let file?, let key?): certificate = (file, key)
    default: throw MediaError(.invalid, "options has only one of certificate and key; accepted: both, or neither")
    }
    let apiKey = try ForeignText.readOptional(native.api_key, limit: Int(MSDK_NAME_MAX), argument: "options.api_key")
    let secret = try ForeignText.readOptional(native.api_secret, limit: Int(MSDK_TEXT_MAX), argument: "options.api_secret")
    switch (apiKey, secret) {
    case (nil, nil): break
    case (let apiKey?, let secret?): access = (apiKey, secret)
    default: throw MediaError(.invalid, "options has only one of api_key and api_secret; accepted: both, or neither")
    }
    if native.most_members != 0 { mostMembers = Int(native.most_members) }
    switch native.media_port {
    case 0: break
    case 1...65_535: mediaPort = UInt16(native.media_port)
    case UInt32(MSDK_PORT_ANY): mediaPort = 0
    default: throw MediaError(.range, "options.media_port is \(native.media_port); accepted: 0..65535, MSDK_PORT_ANY")
    }
  }
}

extension ServeInfo {
  fileprivate var foreign: msdk_serve_info {
    var native = msdk_serve_info()
    native.struct_size = UInt32(MemoryLayout<msdk_serve_info>.size)
    native.port = UInt32(port)
    native.member_count = UInt32(clamping: memberCount)
    native.media_port = UInt32(mediaPort ?? 0)
    withUnsafeMutableBytes(of: &native.fingerprint) { ForeignText.write(fingerprint, to: $0) }
    withUnsafeMutableBytes(of: &native.url) { ForeignText.write(url, to: $0) }
    withUnsafeMutableBytes(of: &native.page_url) { ForeignText.write(pageURL, to: $0) }
    return native
  }
}
