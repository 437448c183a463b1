import MediaCore

/// A request to the API of a server of LiveKit (RoomService, by Twirp: `POST /twirp/livekit.RoomService/METHOD` with a message as body), by
/// which programs that are no participants administer its rooms.
public struct LiveKitServiceRequest: Sendable, Equatable {
  /// What is asked for.
  public enum Call: Sendable, Equatable {
    /// Answered by `rooms`. No names: all.
    case listRooms([String])
    /// By `participants`.
    case listParticipants
    /// By `participant`.
    case participant(String)
    /// By `done`.
    case remove(String)
    /// By `track`.
    case mute(String, track: String, Bool)
    /// By `participant`. Name and metadata, where they are not empty, and attributes, of which an empty one is removed.
    case describe(String, name: String, metadata: String, attributes: [String: String])
    /// By `room`.
    case describeRoom(String)
    /// By `done`.
    case send(LiveKitUserData)
  }

  static let prefix = "/twirp/livekit.RoomService/"
  /// Bytes of a request: as many as a server takes of a stranger.
  static let longest = 65_536

  /// A JSON Web Token, of which nothing is known yet. Empty: there is none. A secret.
  public let token: String
  private let method: String
  private let body: [UInt8]

  /// nil: the path is another one. Throws what is wrong with the request, which nobody has to be allowed to make yet.
  public init?(_ request: HTTPRequest) throws(MediaError) {
    let path = request.path.utf8
    guard path.starts(with: LiveKitServiceRequest.prefix.utf8) else { return nil }
    guard request.method == "POST" else { throw MediaError(.unsupported, "the API of LiveKit is asked by POST") }
    switch WHIPServer.token(request.fields) {
    case .success(let found): token = found ?? ""
    case .failure(let refusal): throw refusal.error
    }
    let kinds = request.fields.values("Content-Type")
    guard kinds.count == 1, HTTPText.lower(kinds[0]).utf8.starts(with: "application/protobuf".utf8) else {
      throw MediaError(.corrupt, "the request's Content-Type is \"\(kinds.first?.prefix(64) ?? "")\"; accepted: application/protobuf")
    }
    (method, body) = (String(Substring(path.dropFirst(LiveKitServiceRequest.prefix.utf8.count))), request.body)
  }

  /// What is asked for, and of which room; empty for a list of rooms. Throws `.unsupported` for a method that there is not, and what else
  /// is wrong. The body may have `longest` bytes: of nobody whose token was not verified.
  public func read() throws(MediaError) -> (room: String, Call) {
    switch method {
    case "ListRooms": return ("", .listRooms(try LiveKitRoomNames(reading: body, longest: LiveKitServiceRequest.longest).names))
    case "UpdateParticipant":
      let change = try LiveKitParticipantChange(reading: body, longest: LiveKitServiceRequest.longest)
      guard change.permission == nil else {
        throw MediaError(.state, "permissions of a participant are those of their token and of the room; accepted: none in the request")
      }
      let described = Call.describe(change.identity, name: change.name, metadata: change.metadata, attributes: change.attributes)
      guard change.name.utf8.count <= LiveKitServerSession.longestName else {
        throw MediaError(
          .range, "the name has \(change.name.utf8.count) bytes; accepted: at most \(LiveKitServerSession.longestName)")
      }
      return (change.room, described)
    case "SendData":
      let data = try LiveKitServiceData(reading: body, longest: LiveKitServiceRequest.longest)
      guard data.sids.isEmpty else {
        throw MediaError(.invalid, "data is sent to destination_sids; accepted: destination_identities")
      }
      guard data.topic.utf8.count <= 255, data.identities.count <= 100 else {
        throw MediaError(
          .range,
          "data has a topic of \(data.topic.utf8.count) bytes and \(data.identities.count) recipients; accepted: at most 255 and 100")
      }
      let user = LiveKitUserData(
        identity: "", bytes: data.data, topic: data.topic, isLossy: data.kind == .lossy, destinations: data.identities)
      return (data.room, .send(user))
    default: break
    }
    let target = try LiveKitServiceTarget(reading: body, longest: LiveKitServiceRequest.longest)
    switch method {
    case "ListParticipants": return (target.room, .listParticipants)
    case "GetParticipant": return (target.room, .participant(target.identity))
    case "RemoveParticipant": return (target.room, .remove(target.identity))
    case "MutePublishedTrack": return (target.room, .mute(target.identity, track: target.text, target.isMuted))
    // Its second text is the metadata.
    case "UpdateRoomMetadata": return (target.room, .describeRoom(target.identity))
    default: throw MediaError(.unsupported, "there is no method \"\(method.prefix(64))\" here")
    }
  }

  // MARK: Answers

  /// Nothing more is to be said.
  public static let done = answer([])

  /// Those that there are.
  public static func rooms(_ rooms: [LiveKitRoomDescription]) -> HTTPResponse { answer(LiveKitRooms(rooms: rooms.map(\.info)).encoded) }

  /// One of them.
  public static func room(_ room: LiveKitRoomDescription) -> HTTPResponse { answer(room.info.encoded) }

  /// In the room.
  public static func participants(_ all: [LiveKitServerSession.Participant]) -> HTTPResponse {
    answer(LiveKitParticipants(participants: all.map(\.info)).encoded)
  }

  /// One of them.
  public static func participant(_ one: LiveKitServerSession.Participant) -> HTTPResponse { answer(one.info.encoded) }

  /// As it is now.
  public static func track(_ track: LiveKitTrack) -> HTTPResponse { answer(LiveKitMutedTrack(track: track.info).encoded) }

  private static func answer(_ bytes: [UInt8]) -> HTTPResponse {
    HTTPResponse(200, ["Content-Type": "application/protobuf"], body: bytes)
  }

  /// It is not done; as Twirp tells it.
  public static func refusal(_ error: MediaError) -> HTTPResponse {
    let (status, code) =
      switch error.status {
      case .permission: (401, "unauthenticated")
      case .notFound: (404, "not_found")
      case .unsupported: (404, "bad_route")
      case .invalid, .range: (400, "invalid_argument")
      case .corrupt: (400, "malformed")
      case .state: (412, "failed_precondition")
      case .limit, .full, .again: (429, "resource_exhausted")
      case .closed, .timeout: (503, "unavailable")
      default: (500, "internal")
      }
    let body = JSON.object([("code", .text(code)), ("msg", .text(error.text))]).rendered()
    return HTTPResponse(status, ["Content-Type": "application/json"], body: Array(body.utf8))
  }
}
