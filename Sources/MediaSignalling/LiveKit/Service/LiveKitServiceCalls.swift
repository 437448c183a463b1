import MediaCore

/// The API as a client asks it, who moderates.
extension LiveKitServiceRequest {
  /// What a moderator asks for.
  public enum Moderation: Sendable, Equatable {
    /// Takes somebody out of the room. The reason is read by a server of this library.
    case remove(reason: String)
    /// Mutes a track of theirs, or ends that.
    case mute(track: String, Bool)
  }

  /// A request for a server at `url`. The token has to grant roomAdmin of the room.
  public static func make(_ moderation: Moderation, of identity: String, in room: String, token: String, at url: HTTPURL) -> HTTPRequest {
    var target = LiveKitServiceTarget(room: room, identity: identity)
    let method: String
    switch moderation {
    case .remove(let reason): (method, target.reason) = ("RemoveParticipant", reason)
    case .mute(let track, let isMuted): (method, target.track, target.isMuted) = ("MutePublishedTrack", track, isMuted)
    }
    let fields: HTTPFields = [
      "Host": url.hostField, "Content-Type": "application/protobuf", "Authorization": "Bearer \(token)"
    ]
    return HTTPRequest("POST", (url.target == "/" ? "" : url.target) + prefix + method, fields, body: target.encoded)
  }

  /// Why it was not done; nil: it was.
  public static func failure(_ response: HTTPResponse) -> MediaError? {
    guard response.status != 200 else { return nil }
    let status: Status =
      switch response.status {
      case 401, 403: .permission
      case 404: .notFound
      case 429: .again
      case 400..<500: .invalid
      default: .io
      }
    let said = (try? JSONReader.read(response.body, name: "an answer of LiveKit", mostValues: 64))?.member("msg")?.string ?? ""
    let text = "LiveKit: the server's API answered \(response.status) \(response.reason.prefix(64))"
    return MediaError(status, said.isEmpty ? text : "\(text): \(JanusParticipant.shown(said, longest: 200))")
  }
}
