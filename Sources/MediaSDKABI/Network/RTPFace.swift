import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

// rtp.h

@c @implementation
public func msdk_session_set_srtp_keys(
  _ session: OpaquePointer!, _ own: UnsafePointer<UInt8>!, _ ownSize: UInt64, _ theirs: UnsafePointer<UInt8>!, _ theirsSize: UInt64
) -> msdk_result {
  face { () throws(MediaError) in
    try Handles.session(session).setSRTPKeys(own: key(own, ownSize, "own"), theirs: key(theirs, theirsSize, "theirs"))
  }
}

/// A copy; its size is looked at by whoever knows the suite.
private func key(_ bytes: UnsafePointer<UInt8>?, _ size: UInt64, _ name: StaticString) throws(MediaError) -> [UInt8] {
  guard let bytes, size <= 64 else {
    throw MediaError(
      .invalid, "\(name) \(bytes == nil ? "is NULL" : "has \(size) bytes"); accepted: key and salt, 30 or 28 bytes as the suite requires")
  }
  return Array(UnsafeBufferPointer(start: bytes, count: Int(size)))
}

@c @implementation
public func msdk_session_set_remote_sdp(_ session: OpaquePointer!, _ type: UInt32, _ sdp: UnsafePointer<CChar>!) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    guard let type = RTPTarget.DescriptionType(rawValue: type) else {
      throw MediaError(.unsupported, "type is \(type); accepted: MSDK_SDP_OFFER, MSDK_SDP_ANSWER, MSDK_SDP_ANNOUNCED")
    }
    try session.setRemoteDescription(type, ForeignText.read(sdp, limit: Int(MSDK_SDP_MAX), argument: "sdp"))
  }
}

@c @implementation
public func msdk_session_get_local_sdp(
  _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ size: UInt64, _ needed: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    try write(Handles.session(session).localDescription(), to: buffer, size, needed)
  }
}
