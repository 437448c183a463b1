import CMediaSDK
import MediaCore
import MediaSDK

// rpc.h

@c @implementation
public func msdk_session_rpc_call(
  _ session: OpaquePointer!, _ user_id: UnsafePointer<CChar>!, _ method: UnsafePointer<CChar>!, _ payload: UnsafePointer<CChar>!,
  _ timeout_ms: UInt32, _ out: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let out = try required(out, "out")
    let userID = try ForeignText.read(user_id, limit: Int(MSDK_NAME_MAX), argument: "user_id")
    let method = try ForeignText.read(method, limit: Int(MSDK_RPC_METHOD_MAX), argument: "method")
    out.pointee = try session.call(method, of: userID, readPayload(payload), timeout: timeout_ms == 0 ? 15_000 : timeout_ms)
  }
}

@c @implementation
public func msdk_session_rpc_register(_ session: OpaquePointer!, _ method: UnsafePointer<CChar>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.register(method: ForeignText.read(method, limit: Int(MSDK_RPC_METHOD_MAX), argument: "method"))
  }
}

@c @implementation
public func msdk_session_rpc_unregister(_ session: OpaquePointer!, _ method: UnsafePointer<CChar>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.unregister(method: ForeignText.read(method, limit: Int(MSDK_RPC_METHOD_MAX), argument: "method"))
  }
}

@c @implementation
public func msdk_session_rpc_read(
  _ session: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_rpc_message>!, _ buffer: UnsafeMutablePointer<CChar>!, _ size: UInt64
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let out = try required(out, "out")
    // A struct that is refused costs no message.
    try ForeignStruct.write(msdk_rpc_message(), to: out, argument: "out")
    let room = buffer == nil ? 0 : Int(clamping: size)
    guard let (message, isTaken) = try session.readCall(upTo: room - 1) else { throw MediaError(.again, "there is no call now") }
    try ForeignStruct.write(message.foreign, to: out, argument: "out")
    guard isTaken else { throw MediaError(.bufferSmall, "size is \(room); the payload has \(message.payload.count) bytes and a NUL") }
    for (place, byte) in message.payload.enumerated() { buffer?[place] = CChar(bitPattern: byte) }
    buffer?[message.payload.count] = 0
  }
}

@c @implementation
public func msdk_session_rpc_respond(_ session: OpaquePointer!, _ call: UInt64, _ payload: UnsafePointer<CChar>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.respond(to: call, readPayload(payload))
  }
}

@c @implementation
public func msdk_session_rpc_fail(
  _ session: OpaquePointer!, _ call: UInt64, _ code: UInt32, _ text: UnsafePointer<CChar>!, _ payload: UnsafePointer<CChar>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let text = try ForeignText.readOptional(text, limit: Int(MSDK_NAME_MAX), argument: "text") ?? ""
    try session.fail(call: call, code: code, text: text, readPayload(payload))
  }
}

private func readPayload(_ payload: UnsafePointer<CChar>?) throws(MediaError) -> String {
  try ForeignText.readOptional(payload, limit: Int(MSDK_RPC_PAYLOAD_MAX), argument: "payload") ?? ""
}

extension RemoteCallMessage {
  fileprivate var foreign: msdk_rpc_message {
    var native = msdk_rpc_message()
    (native.call, native.size) = (call, UInt64(payload.count))
    withUnsafeMutableBytes(of: &native.user_id) { ForeignText.write(userID, to: $0) }
    switch content {
    case .request(let method, let timeout):
      (native.kind, native.timeout_ms) = (UInt32(MSDK_RPC_REQUEST), UInt32(clamping: timeout / 1_000_000))
      withUnsafeMutableBytes(of: &native.method) { ForeignText.write(method, to: $0) }
    case .response: native.kind = UInt32(MSDK_RPC_RESPONSE)
    case .failure(let code, let text):
      (native.kind, native.code) = (UInt32(MSDK_RPC_FAILURE), code)
      withUnsafeMutableBytes(of: &native.text) { ForeignText.write(text, to: $0) }
    }
    return native
  }
}
