import MediaCore

/// A request to the API of a server of LiveKit (RoomService, by Twirp: `POST /twirp/livekit.RoomService/METHOD` with a message as body), by
/// which programs that are no participants administer its rooms. Messages are in Protocol Buffers or in JSON, those of an answer as those of
/// its request; errors are always JSON (https://twitchtv.github.io/twirp/docs/spec_v7.html).
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
    case remove(String, reason: String)
    /// By `track`.
    case mute(String, track: String, Bool)
    /// By `participant`. Name and metadata, where they are not empty, and attributes, of which an empty one is removed.
    case describe(String, name: String, metadata: String, attributes: [String: String])
    /// By `room`.
    case describeRoom(String)
    /// By `done`.
    case send(LiveKitUserData)
  }

  private enum Encoding: String {
    case protobuf = "application/protobuf"
    case json = "application/json"
  }

  static let prefix = "/twirp/livekit.RoomService/"
  /// Bytes of a request: as many as a server takes of a stranger.
  static let longest = 65_536

  /// A JSON Web Token, of which nothing is known yet. Empty: there is none. A secret.
  public let token: String
  private let method: String
  private let encoding: Encoding
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
    guard let encoding = Encoding(rawValue: request.fields.contentType ?? "") else {
      let kind = request.fields["Content-Type"]?.prefix(64) ?? ""
      throw MediaError(
        .corrupt, "the request's Content-Type is \"\(kind)\"; accepted: \(Encoding.protobuf.rawValue), \(Encoding.json.rawValue)")
    }
    self.encoding = encoding
    (method, body) = (String(Substring(path.dropFirst(LiveKitServiceRequest.prefix.utf8.count))), request.body)
  }

  /// What is asked for, and of which room; empty for a list of rooms. Throws `.unsupported` for a method that there is not, and what else
  /// is wrong. The body may have `longest` bytes: of nobody whose token was not verified.
  public func read() throws(MediaError) -> (room: String, Call) {
    guard body.count <= LiveKitServiceRequest.longest else {
      throw MediaError(.limit, "the request has \(body.count) bytes; accepted: at most \(LiveKitServiceRequest.longest)")
    }
    switch method {
    case "ListRooms": return ("", .listRooms(try message(LiveKitRoomNames.self).names))
    case "UpdateParticipant":
      let change = try message(LiveKitParticipantChange.self)
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
      let data = try message(LiveKitServiceData.self)
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
    case "UpdateRoomMetadata":
      let change = try message(LiveKitRoomChange.self)
      return (change.room, .describeRoom(change.metadata))
    default: break
    }
    let target = try message(LiveKitServiceTarget.self)
    switch method {
    case "ListParticipants": return (target.room, .listParticipants)
    case "GetParticipant": return (target.room, .participant(target.identity))
    case "RemoveParticipant": return (target.room, .remove(target.identity, reason: try reason(target)))
    case "MutePublishedTrack": return (target.room, .mute(target.identity, track: target.track, target.isMuted))
    default: throw MediaError(.unsupported, "there is no method \"\(method.prefix(64))\" here")
    }
  }

  private func reason(_ target: LiveKitServiceTarget) throws(MediaError) -> String {
    let bytes = target.reason.utf8.count
    guard bytes <= LiveKitExtension.longestText else {
      throw MediaError(.range, "the reason has \(bytes) bytes; accepted: at most \(LiveKitExtension.longestText)")
    }
    return target.reason
  }

  private func message<M: ProtoMessage>(_: M.Type) throws(MediaError) -> M {
    switch encoding {
    case .protobuf: try M(reading: body)
    case .json: try M(json: JSONReader.read(body, name: "the request", mostValues: ProtoFields.most), name: "the request")
    }
  }

  // MARK: Answers

  /// Nothing more is to be said.
  public var done: HTTPResponse { answer(LiveKitNothing()) }

  /// Those that there are.
  public func rooms(_ rooms: [LiveKitRoomDescription]) -> HTTPResponse { answer(LiveKitRooms(rooms: rooms.map(\.info))) }

  /// One of them.
  public func room(_ room: LiveKitRoomDescription) -> HTTPResponse { answer(room.info) }

  /// In the room.
  public func participants(_ all: [LiveKitServerSession.Participant]) -> HTTPResponse {
    answer(LiveKitParticipants(participants: all.map(\.info)))
  }

  /// One of them.
  public func participant(_ one: LiveKitServerSession.Participant) -> HTTPResponse { answer(one.info) }

  /// As it is now.
  public func track(_ track: LiveKitTrack) -> HTTPResponse { answer(LiveKitMutedTrack(track: track.info)) }

  private func answer(_ message: some ProtoMessage) -> HTTPResponse {
    let bytes =
      switch encoding {
      case .protobuf: message.encoded
      case .json: Array(message.json.compact.utf8)
      }
    return HTTPResponse(200, ["Content-Type": encoding.rawValue], body: bytes)
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
