import MediaCore
import MediaSDP

/// A request by which a client of LiveKit comes to a server: the path says what for, a token for whom, and the query how.
public struct LiveKitEntrance: Sendable, Equatable {
  /// What is asked for.
  public enum Purpose: Sendable, Equatable {
    /// WebSocket with the signalling of a version.
    case join(LiveKitVersion)
    /// Whether the token would be accepted: 200, or the reason.
    case validate
  }

  /// A field of a refusal: the result as a number (MSDK_E_*). The body says it in words.
  public static let statusField = "MSDK-Result"
  /// Bytes of the request to join, unpacked: a description has at most 65,536, and one that comes back has two.
  static let longest = 196_608

  /// What is asked for.
  public let purpose: Purpose
  /// A JSON Web Token, of which nothing is known yet. Empty: there is none. A secret.
  public let token: String
  private let query: Substring
  /// In base64url; empty: a client says nothing of itself by this.
  private let attributes: String

  /// Who comes, as they say themselves: to a room that has no API key. nil: they do not say.
  public var guest: LiveKitGuest? {
    guard let room = LiveKitEntrance.value("room", query), let identity = LiveKitEntrance.value("identity", query) else { return nil }
    return LiveKitGuest(room: room, identity: identity, name: LiveKitEntrance.value("name", query) ?? "")
  }

  /// nil: the path is another one. Throws `.invalid` for a token that is none.
  public init?(_ request: HTTPRequest) throws(MediaError) {
    switch request.path {
    case "/rtc/v1": purpose = .join(.one)
    case "/rtc": purpose = .join(.zero)
    case "/rtc/validate", "/rtc/v1/validate": purpose = .validate
    default: return nil
    }
    (query, attributes) = (request.query ?? "", request.fields[LiveKitExtension.attributes] ?? "")
    switch WHIPServer.token(request.fields) {
    case .success(let found): token = found ?? LiveKitEntrance.value("access_token", query) ?? ""
    case .failure(let refusal): throw refusal.error
    }
  }

  /// What the client comes with. It may cost as much as `longest` bytes: of nobody whose token was not verified. Throws `.invalid`, `.corrupt`
  /// and `.limit` with what is wrong in it.
  public func joining() throws(MediaError) -> LiveKitJoining {
    guard purpose != .join(.zero) else {
      let isExtended = LiveKitEntrance.value(LiveKitExtension.parameter, query) == "1"
      var request = plain
      if isExtended, !attributes.isEmpty {
        guard let bytes = Base64.urlDecode(attributes[...]) else {
          throw MediaError(.corrupt, "LiveKit: the field \(LiveKitExtension.attributes) is not in base64url")
        }
        request.attributes = try LiveKitJoinRequest(reading: bytes).attributes
      }
      return LiveKitJoining(request, .zero, isExtended: isExtended)
    }
    guard let text = LiveKitEntrance.value("join_request", query) else {
      throw MediaError(.invalid, "LiveKit: the request has no join_request; accepted: a WrappedJoinRequest in base64url")
    }
    guard let bytes = Base64.urlDecode(Substring(text.utf8.prefix { $0 != UInt8(ascii: "=") })) else {
      throw MediaError(.corrupt, "LiveKit: the join_request is not in base64url")
    }
    let wrapped = try LiveKitWrappedJoin(reading: bytes)
    switch wrapped.compression {
    case .none: return LiveKitJoining(try LiveKitJoinRequest(reading: wrapped.request), .one)
    case .gzip:
      let unpacked = try GZip.unpack(wrapped.request, longest: LiveKitEntrance.longest)
      return LiveKitJoining(try LiveKitJoinRequest(reading: unpacked), .one)
    }
  }

  /// Of version 0: parameters of the url.
  private var plain: LiveKitJoinRequest {
    func flag(_ name: String) -> Bool { ["1", "true"].contains(LiveKitEntrance.value(name, query) ?? "") }
    var request = LiveKitJoinRequest()
    request.settings = LiveKitConnectionSettings(isSubscribing: flag("auto_subscribe"), isAdaptive: flag("adaptive_stream"))
    (request.isResuming, request.sid) = (flag("reconnect"), LiveKitEntrance.value("sid", query) ?? "")
    let capabilities = LiveKitEntrance.value("capabilities", query)?.utf8.split(separator: UInt8(ascii: ",")) ?? []
    if capabilities.contains(where: { $0.elementsEqual(LiveKitCapability.packetTrailerName.utf8) }) {
      request.client = LiveKitClientInfo()
      request.client?.capabilities = [.packetTrailer]
    }
    return request
  }

  /// nil: it is missing.
  private static func value(_ name: String, _ query: Substring) -> String? {
    for piece in query.utf8.split(separator: UInt8(ascii: "&")) {
      let parts = piece.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, parts[0].elementsEqual(name.utf8) { return ParsedURL.decoded(Substring(parts[1])) }
    }
    return nil
  }
}

/// Of the signalling.
public enum LiveKitVersion: Sendable, Equatable {
  /// Two connections of WebRTC: the client offers the one by which it publishes, and the server the one by which the client subscribes.
  case zero
  /// One for both directions, which the client offers.
  case one
}

/// What a client comes with.
public struct LiveKitJoining: Sendable, Equatable {
  let request: LiveKitJoinRequest
  /// In which the client speaks.
  public let version: LiveKitVersion
  /// It is a session of this library (`LiveKitExtension`).
  public let isExtended: Bool

  init(_ request: LiveKitJoinRequest, _ version: LiveKitVersion = .one, isExtended: Bool = false) {
    (self.request, self.version, self.isExtended) = (request, version, isExtended)
  }

  /// What a session of this library says of itself; nothing of others.
  public var attributes: [String: String] { isExtended ? request.attributes : [:] }
  /// The sid that the client had before it lost its connection; nil: it comes anew.
  public var resumed: String? { request.isResuming && !request.sid.isEmpty ? request.sid : nil }
}
