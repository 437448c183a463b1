import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport
import MediaWebRTC

// webrtc.h

@c @implementation
public func msdk_session_describe(_ session: OpaquePointer!, _ type: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let kind = try Handles.session(session).describe()
    type?.pointee = UInt32(kind == .answer ? MSDK_SDP_ANSWER : MSDK_SDP_OFFER)
  }
}

@c @implementation
public func msdk_session_get_local_description(
  _ session: OpaquePointer!, _ buffer: UnsafeMutablePointer<CChar>!, _ size: UInt64, _ needed: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    try write(Handles.session(session).currentLocalDescription(), to: buffer, size, needed)
  }
}

@c @implementation
public func msdk_session_set_remote_description(
  _ session: OpaquePointer!, _ type: UInt32, _ sdp: UnsafePointer<CChar>!, _ outcome: UnsafeMutablePointer<UInt32>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let kind: DescriptionKind
    switch Int(type) {
    case Int(MSDK_SDP_OFFER): kind = .offer
    case Int(MSDK_SDP_ANSWER): kind = .answer
    case Int(MSDK_SDP_ROLLBACK): kind = .rollback
    default: throw MediaError(.unsupported, "type is \(type); accepted: MSDK_SDP_OFFER, MSDK_SDP_ANSWER, MSDK_SDP_ROLLBACK")
    }
    let text = kind == .rollback ? "" : try ForeignText.read(sdp, limit: Int(MSDK_SDP_MAX), argument: "sdp")
    let isApplied = try session.setPeerDescription(kind, text) == .applied
    outcome?.pointee = UInt32(isApplied ? MSDK_DESCRIPTION_APPLIED : MSDK_DESCRIPTION_IGNORED)
  }
}

@c @implementation
public func msdk_session_add_remote_candidate(
  _ session: OpaquePointer!, _ candidate: UnsafePointer<CChar>!, _ mid: UnsafePointer<CChar>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let text = try ForeignText.read(candidate, limit: Int(MSDK_CANDIDATE_MAX), argument: "candidate")
    try session.addRemoteCandidate(text, mid: ForeignText.readOptional(mid, limit: 256, argument: "mid"))
  }
}

@c @implementation
public func msdk_session_add_ice_server(
  _ session: OpaquePointer!, _ uri: UnsafePointer<CChar>!, _ user: UnsafePointer<CChar>!, _ password: UnsafePointer<CChar>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let text = try ForeignText.read(uri, limit: 512, argument: "uri")
    let user = try ForeignText.readOptional(user, limit: 512, argument: "user")
    try session.addICEServer(text, user: user, password: ForeignText.readOptional(password, limit: 512, argument: "password"))
  }
}

@c @implementation
public func msdk_session_restart_ice(_ session: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.session(session).restartICE() }
}
