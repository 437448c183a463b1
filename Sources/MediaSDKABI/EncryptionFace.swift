import CMediaSDK
import MediaCore
import MediaSDK

// encryption.h

@c @implementation
public func msdk_session_set_frame_key(
  _ session: OpaquePointer!, _ user_id: UnsafePointer<CChar>!, _ index: UInt32, _ key: UnsafePointer<UInt8>!, _ size: UInt64
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    guard size <= UInt64(MSDK_FRAME_KEY_MAX) else { throw MediaError(.range, "size is \(size); accepted: 0..\(MSDK_FRAME_KEY_MAX)") }
    let key = size == 0 ? [] : Array(UnsafeBufferPointer(start: try required(key, "key"), count: Int(size)))
    try session.setFrameKey(key, of: try owner(user_id), index: Int(index))
  }
}

@c @implementation
public func msdk_session_select_frame_key(_ session: OpaquePointer!, _ index: UInt32) -> msdk_result {
  face { () throws(MediaError) in try Handles.session(session).selectFrameKey(index: Int(index)) }
}

@c @implementation
public func msdk_session_ratchet_frame_key(_ session: OpaquePointer!, _ user_id: UnsafePointer<CChar>!, _ index: UInt32) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    try session.ratchetFrameKey(of: try owner(user_id), index: Int(index))
  }
}

/// nil: everybody.
private func owner(_ userID: UnsafePointer<CChar>?) throws(MediaError) -> String? {
  try ForeignText.readOptional(userID, limit: Int(MSDK_NAME_MAX), argument: "user_id")
}
