import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

// session.h: participants

@c @implementation
public func msdk_session_participant_at(
  _ session: OpaquePointer!, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_participant>!
) -> msdk_result {
  face { () throws(MediaError) in
    let participant = try element(of: Handles.session(session).participants, index, "participants")
    try ForeignStruct.write(participant.foreign, to: required(out, "out"), argument: "out")
  }
}

extension Participant {
  fileprivate var foreign: msdk_participant {
    var native = msdk_participant()
    native.is_local = isLocal ? 1 : 0
    native.video_stream_count = UInt32(clamping: videoStreamCount)
    native.audio_stream_count = UInt32(clamping: audioStreamCount)
    native.is_speaking = speakingLevel == nil ? 0 : 1
    native.is_sharing_screen = isSharingScreen ? 1 : 0
    native.audio_level = speakingLevel ?? AudioFrame.silentLevel
    native.permissions = member.permissions.foreign
    withUnsafeMutableBytes(of: &native.user_id) { ForeignText.write(member.userID, to: $0) }
    withUnsafeMutableBytes(of: &native.display_name) { ForeignText.write(member.displayName, to: $0) }
    return native
  }
}

@c @implementation
public func msdk_session_remove_participant(
  _ session: OpaquePointer!, _ userID: UnsafePointer<CChar>!, _ reason: UnsafePointer<CChar>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let user = try ForeignText.read(userID, limit: Int(MSDK_NAME_MAX), argument: "user_id")
    try session.remove(user, reason: ForeignText.readOptional(reason, limit: Int(MSDK_NAME_MAX), argument: "reason") ?? "")
  }
}

@c @implementation
public func msdk_session_mute_participant(_ session: OpaquePointer!, _ userID: UnsafePointer<CChar>!, _ isMuted: UInt32) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let user = try ForeignText.read(userID, limit: Int(MSDK_NAME_MAX), argument: "user_id")
    try session.mute(user, flag(isMuted, "is_muted"))
  }
}

@c @implementation
public func msdk_session_set_attribute(
  _ session: OpaquePointer!, _ key: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let key = try ForeignText.read(key, limit: Int(MSDK_ATTRIBUTE_KEY_MAX), argument: "key")
    try session.setAttribute(key, ForeignText.readOptional(value, limit: Int(MSDK_ATTRIBUTE_VALUE_MAX), argument: "value"))
  }
}

@c @implementation
public func msdk_session_get_participant_attribute(
  _ session: OpaquePointer!, _ userID: UnsafePointer<CChar>!, _ key: UnsafePointer<CChar>!, _ buffer: UnsafeMutablePointer<CChar>!,
  _ size: UInt64, _ needed: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let user = try ForeignText.read(userID, limit: Int(MSDK_NAME_MAX), argument: "user_id")
    let key = try ForeignText.read(key, limit: Int(MSDK_ATTRIBUTE_KEY_MAX), argument: "key")
    guard let value = try session.attributes(of: user)[key] else {
      throw MediaError(.notFound, "key is \"\(key)\"; \"\(user.prefix(64))\" has no attribute with it")
    }
    try write(value, to: buffer, size, needed)
  }
}

@c @implementation
public func msdk_session_participant_attribute_at(
  _ session: OpaquePointer!, _ userID: UnsafePointer<CChar>!, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_attribute>!
) -> msdk_result {
  face { () throws(MediaError) in
    let session = try Handles.session(session)
    let user = try ForeignText.read(userID, limit: Int(MSDK_NAME_MAX), argument: "user_id")
    let attributes = try session.attributes(of: user)
    let key = try element(of: attributes.keys, index, "attributes")
    try ForeignStruct.write(msdk_attribute(key, attributes[key] ?? ""), to: required(out, "out"), argument: "out")
  }
}

extension msdk_attribute {
  init(_ key: String, _ value: String) {
    self.init()
    withUnsafeMutableBytes(of: &self.key) { ForeignText.write(key, to: $0) }
    withUnsafeMutableBytes(of: &self.value) { ForeignText.write(value, to: $0) }
  }
}
