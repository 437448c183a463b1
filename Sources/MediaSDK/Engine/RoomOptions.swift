import MediaCore
import MediaTransport

/// Who may enter a room, and what they may do there; room.h describes each.
public struct RoomOptions: Sendable {
  /// Who decides whether a member may enter.
  public enum Verification: Sendable {
    /// Nobody looks at access tokens.
    case none
    case function(RoomVerifier.Function)
    /// Requests wait until the program takes and answers them.
    case pulled
  }

  /// Members, 1 to 100,000, else `configureRoom` throws `.range`. A lower value removes nobody.
  public var capacity = 1000
  /// Whether the previous member is removed when their user id comes again; otherwise the newcomer is refused with `.exists`.
  public var replacesDuplicates = false
  /// Of those who enter, unless the verifier grants others.
  public var permissions = Permissions.ordinary
  /// By default everybody may enter.
  public var verification = Verification.none

  /// Up to 1,000 members, whom nobody verifies.
  public init() {}
}

/// Of one engine.
struct RoomVerifiers {
  /// The last ones set, by room.
  var current: [String: RoomVerifier] = [:]
  /// Replaced, and not done yet.
  var returning: [RoomVerifier] = []

  /// All, and none is left.
  mutating func takeAll() -> [RoomVerifier] {
    defer { self = RoomVerifiers() }
    return current.values + returning
  }
}

extension Engine {
  /// nil opens the room to everybody again. When it returns, the former verifier is not running any more, unless the call came from inside it.
  public func configureRoom(_ url: String, _ options: RoomOptions?) throws(MediaError) {
    let room = try LoopbackURL.room(url, argument: "room_url")
    let verifier: RoomVerifier? =
      switch options?.verification ?? .none {
      case .none: nil
      case .function(let function): RoomVerifier(function, clock: clock, logger: logger)
      case .pulled: RoomVerifier(nil, clock: clock, logger: logger)
      }
    do throws(MediaError) {
      try LoopbackTransport.setAccess(options.map { RoomAccess($0, verifier) }, room: room, clock: clock)
    } catch {
      verifier?.close()
      throw error
    }
    verifiers.withLock { verifiers in
      let former = verifiers.current[room]
      verifiers.current[room] = verifier
      verifiers.returning.removeAll { !$0.isAsking }
      // It was replaced from inside its function: the engine's end waits for that.
      if let former, former.isAsking { verifiers.returning.append(former) }
    }
    // The engine went meanwhile, and did not see this one.
    if isClosed { LoopbackTransport.forgetSettings(of: clock) }
  }

  /// The oldest request for a room that this engine configured with `.pulled`, else `.state` is thrown; the program answers it. Waits until
  /// `deadline`, in nanoseconds of the monotonic clock; 0 does not wait, `.max` has no limit. Throws `.timeout`, and `.closed` if the
  /// options of the room were set again.
  public func nextAccessRequest(_ url: String, deadline: Int64) throws(MediaError) -> AccessRequest {
    try pulledVerifier(of: url).next(deadline: deadline)
  }

  /// Readable for poll() while requests are queued. It belongs to the present options of the room. Throws `.state` unless this engine
  /// configured the room with `.pulled`.
  public func accessDescriptor(_ url: String) throws(MediaError) -> Int32 {
    try pulledVerifier(of: url).descriptor()
  }

  private func pulledVerifier(of url: String) throws(MediaError) -> RoomVerifier {
    guard let verifier = try verifier(of: url), verifier.isPulled else {
      throw MediaError(.state, "room_url is \"\(url.prefix(64))\", a room without options.pulled on this engine")
    }
    return verifier
  }

  /// Exactly one answer for each request that was taken.
  public func answer(_ url: String, _ id: UInt64, _ result: (AccessRequest) -> AccessRequest.Answer) throws(MediaError) {
    guard try verifier(of: url)?.answer(id, result) == true else {
      throw MediaError(.notFound, "id is \(id); no request with this id waits for an answer")
    }
  }

  private func verifier(of url: String) throws(MediaError) -> RoomVerifier? {
    let room = try LoopbackURL.room(url, argument: "room_url")
    return verifiers.withLock { $0.current[room] }
  }
}

extension RoomAccess {
  fileprivate init(_ options: RoomOptions, _ verifier: RoomVerifier?) {
    self.init()
    capacity = options.capacity
    replacesDuplicates = options.replacesDuplicates
    permissions = options.permissions
    self.verifier = verifier
  }
}
