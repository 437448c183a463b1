import Glibc
import MediaCore
import MediaSignalling
import MediaTransport

/// Admits who shows an access token that was made with an API key, for the room and for the user id under which they come.
struct APIKeyAccess: Sendable {
  let key: APIKey
  let room: String

  func answer(_ request: AccessRequest) -> AccessRequest.Answer {
    do throws(MediaError) {
      let grants = try LiveKitToken.verify(request.token.value, now: Int64(time(nil))) { $0 == key.name ? key.secret : nil }
      guard grants.joins, grants.room == nil || grants.room == room else {
        throw MediaError(.permission, "the access token is of another room, or does not grant to join")
      }
      guard grants.identity == request.member.userID else {
        throw MediaError(.permission, "the access token is of \"\(grants.identity.prefix(64))\"")
      }
      return .success(AccessGrant(grants.permissions(of: request.permissions)))
    } catch {
      return .failure(.refused(request, error.text))
    }
  }
}

extension LiveKitGrants {
  /// What of the permissions of a room they leave, and what a moderator has beside.
  fileprivate func permissions(of room: Permissions) -> Permissions {
    var permissions = room
    if !publishes { permissions.subtract([.publishVideo, .publishAudio, .shareScreen]) }
    if !sources.isEmpty {
      if !sources.contains("camera") { permissions.remove(.publishVideo) }
      if !sources.contains("microphone") { permissions.remove(.publishAudio) }
      if !sources.contains("screen_share") { permissions.remove(.shareScreen) }
    }
    if !subscribes { permissions.remove(.receive) }
    if !(publishesData ?? publishes) { permissions.remove(.sendData) }
    if isAdministrator { permissions.insert(.moderate) }
    return permissions
  }
}
