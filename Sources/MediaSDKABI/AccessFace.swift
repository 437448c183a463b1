import CMediaSDK
import MediaCore
import MediaSignalling

// access.h

@c @implementation
public func msdk_access_token_create(
  _ options: UnsafePointer<msdk_access_token_options>!, _ buffer: UnsafeMutablePointer<CChar>!, _ size: UInt64,
  _ needed: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let native = try ForeignStruct.read(required(options, "options"), argument: "options")
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    let key = try ForeignText.read(native.api_key, limit: Int(MSDK_NAME_MAX), argument: "options.api_key")
    let secret = try ForeignText.read(native.api_secret, limit: Int(MSDK_TEXT_MAX), argument: "options.api_secret")
    let grants = try LiveKitGrants(native)
    let lifetime = native.lifetime_s == 0 ? LiveKitToken.ordinaryLifetime : Int64(native.lifetime_s)
    guard LiveKitToken.lifetimes.contains(lifetime) else {
      let accepted = "\(LiveKitToken.lifetimes.lowerBound)..\(LiveKitToken.lifetimes.upperBound)"
      throw MediaError(.range, "options.lifetime_s is \(lifetime); accepted: \(accepted), or 0 for \(LiveKitToken.ordinaryLifetime)")
    }
    let now = MediaTime.wallClock() / 1_000_000_000
    try write(LiveKitToken.make(grants, key: key, secret: secret, now: now, expires: now + lifetime), to: buffer, size, needed)
  }
}

extension LiveKitGrants {
  fileprivate init(_ native: msdk_access_token_options) throws(MediaError) {
    let bits = native.grants == 0 ? MSDK_GRANT_MEMBER : Int(native.grants)
    let known = MSDK_GRANT_MEMBER | MSDK_GRANT_UPDATE_METADATA | MSDK_GRANT_ADMIN | MSDK_GRANT_HIDDEN
    guard bits & ~known == 0 else { throw MediaError(.unsupported, "options.grants is \(bits); accepted: MSDK_GRANT_*") }
    let all: [(bit: Int, name: String)] = [
      (MSDK_SOURCE_CAMERA, "camera"), (MSDK_SOURCE_MICROPHONE, "microphone"), (MSDK_SOURCE_SCREEN_SHARE, "screen_share"),
      (MSDK_SOURCE_SCREEN_SHARE_AUDIO, "screen_share_audio")
    ]
    guard Int(native.sources) & ~all.reduce(0, { $0 | $1.bit }) == 0 else {
      throw MediaError(.unsupported, "options.sources is \(native.sources); accepted: MSDK_SOURCE_*")
    }
    // A server takes the list for the permission itself.
    guard native.sources == 0 || bits & MSDK_GRANT_PUBLISH != 0 else {
      throw MediaError(.invalid, "options.sources is \(native.sources) without MSDK_GRANT_PUBLISH; accepted: 0, or with it")
    }
    self.init(
      identity: try ForeignText.readOptional(native.user_id, limit: Int(MSDK_NAME_MAX), argument: "options.user_id") ?? "",
      room: try ForeignText.read(native.room, limit: Int(MSDK_NAME_MAX), argument: "options.room"))
    name = try ForeignText.readOptional(native.display_name, limit: Int(MSDK_NAME_MAX), argument: "options.display_name") ?? ""
    metadata = try ForeignText.readOptional(native.metadata, limit: LiveKitToken.longest, argument: "options.metadata") ?? ""
    attributes = try ForeignLists.attributes(native.attributes, native.attribute_count)
    sources = all.filter { Int(native.sources) & $0.bit != 0 }.map(\.name)
    (joins, publishes) = (bits & MSDK_GRANT_JOIN != 0, bits & MSDK_GRANT_PUBLISH != 0)
    (subscribes, publishesData) = (bits & MSDK_GRANT_SUBSCRIBE != 0, bits & MSDK_GRANT_PUBLISH_DATA != 0)
    updatesMetadata = bits & MSDK_GRANT_UPDATE_METADATA != 0
    (isAdministrator, isHidden) = (bits & MSDK_GRANT_ADMIN != 0, bits & MSDK_GRANT_HIDDEN != 0)
  }
}
