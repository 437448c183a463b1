import CMediaSDK
import MediaCore
import Synchronization

/// What a member of a room may do: MSDK_MAY_* of room.h.
public struct Permissions: OptionSet, Sendable {
  /// Bits of MSDK_MAY_* without MSDK_MAY_NOTHING; 0 permits nothing.
  public let rawValue: UInt32

  /// Takes any bits; those of a program are read by `init(foreign:default:argument:)`, which checks them.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Any video but a shared screen.
  public static let publishVideo = Permissions(rawValue: 1)
  /// Any audio but that of a shared screen.
  public static let publishAudio = Permissions(rawValue: 2)
  /// A shared screen and its audio.
  public static let shareScreen = Permissions(rawValue: 4)
  /// To subscribe to streams of others.
  public static let receive = Permissions(rawValue: 8)
  /// To remove and mute other members.
  public static let moderate = Permissions(rawValue: 16)
  /// To send data to other members.
  public static let sendData = Permissions(rawValue: 32)

  /// Everything, `moderate` included.
  public static let all: Permissions = [.publishVideo, .publishAudio, .shareScreen, .receive, .moderate, .sendData]
  /// Of those of whom nothing else was said.
  public static let ordinary: Permissions = [.publishVideo, .publishAudio, .shareScreen, .receive, .sendData]

  /// Reads a mask of MSDK_MAY_*: 0 stands for the default, MSDK_MAY_NOTHING for none.
  public init(foreign bits: UInt32, default ordinary: Permissions, argument: String) throws(MediaError) {
    guard bits == UInt32(MSDK_MAY_NOTHING) || bits & ~Permissions.all.rawValue == 0 else {
      throw MediaError(
        .unsupported,
        "\(argument) is \(bits); accepted: MSDK_MAY_* bits, 1..\(Permissions.all.rawValue), MSDK_MAY_NOTHING alone, or 0 for the default")
    }
    self = bits == 0 ? ordinary : Permissions(rawValue: bits & Permissions.all.rawValue)
  }

  /// The same mask, never 0.
  public var foreign: UInt32 { isEmpty ? UInt32(MSDK_MAY_NOTHING) : rawValue }
}

/// What a user shows at the door. It does not print itself, wherever it is interpolated or dumped.
public struct AccessToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// In bytes. What takes a token from outside checks it; `init` does not.
  public static let longest = 4095
  /// The secret itself, in whatever form the verifier expects; empty: none.
  public let value: String

  /// Of any length, `longest` or more included.
  public init(_ value: String) {
    self.value = value
  }

  /// Only whether there is a token.
  public var description: String { value.isEmpty ? "no token" : "a token" }
  /// The same as `description`, so that debuggers show no token either.
  public var debugDescription: String { description }
  /// Without children, so that `dump` shows no token either.
  public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What a verifier grants to a member.
public struct AccessGrant: Sendable, Equatable {
  /// They replace what the member had.
  public var permissions: Permissions
  /// Nanoseconds, after which the access expires unless it is renewed; 0: never.
  public var lifetime: Int64

  /// Any lifetime: `check` looks at it, this does not.
  public init(_ permissions: Permissions, lifetime: Int64 = 0) {
    (self.permissions, self.lifetime) = (permissions, lifetime)
  }

  /// The range of lifetimes, beside 0.
  public static let lifetimes: ClosedRange<Int64> = 1_000_000_000...365 * 86_400 * 1_000_000_000

  /// Of a caller.
  public static func check(lifetime: Int64, argument: String) throws(MediaError) {
    guard lifetime == 0 || lifetimes.contains(lifetime) else {
      throw MediaError(.range, "\(argument) is \(lifetime); accepted: \(lifetimes.lowerBound)..\(lifetimes.upperBound), or 0 for no limit")
    }
  }
}

/// Somebody at the door of a room, or a member who renews their access. The first answer counts.
public final class AccessRequest: Sendable {
  /// What is granted, or the error that the newcomer or member is notified of.
  public typealias Answer = Result<AccessGrant, MediaError>

  private static let nextID = Atomic<UInt64>(1)

  /// Unique in this process.
  public let id = AccessRequest.nextID.add(1, ordering: .relaxed).oldValue
  /// Its name, without the scheme.
  public let room: String
  /// As they say they are: only the token proves it.
  public let member: Member
  /// Empty when they showed none.
  public let token: AccessToken
  /// What the room gives unless the verifier says otherwise.
  public let permissions: Permissions
  /// Of a member, who keeps what they have until the answer.
  public let isRenewal: Bool
  private let answered: Monitor<(@Sendable (AccessRequest, Answer) -> Void)?>

  init(
    room: String, member: Member, token: AccessToken, permissions: Permissions, isRenewal: Bool = false,
    answered: @escaping @Sendable (AccessRequest, Answer) -> Void
  ) {
    self.room = room
    self.member = member
    self.token = token
    self.permissions = permissions
    self.isRenewal = isRenewal
    self.answered = Monitor(answered)
  }

  /// Whether somebody still waits for the answer.
  public var isWanted: Bool { answered.withLock { $0 != nil } }

  /// Any thread. Only the first answer counts, and none if nobody waits for it any more.
  public func answer(_ answer: Answer) {
    let answered = take()
    answered?(self, answer)
  }

  func cancel() {
    _ = take()
  }

  private func take() -> (@Sendable (AccessRequest, Answer) -> Void)? {
    answered.withLock { answered in
      defer { answered = nil }
      return answered
    }
  }
}

/// Who looks at the tokens of those who want to enter a room.
public protocol AccessVerifier: AnyObject, Sendable {
  /// Answers the request, at once or later, from any thread but never under a lock of its own.
  func verify(_ request: AccessRequest)
  /// Nobody waits for the answer any more.
  func cancel(_ request: AccessRequest)
  /// Another one has taken its place, and is asked what was not answered: afterwards no code of the program's runs for it.
  func close()
}

/// How a room treats those who come.
public struct RoomAccess: Sendable {
  static let mostMembers = 100_000

  /// The most members at once; 1 to 100 000.
  public var capacity = 1000
  /// Whether a member is put out when his user id comes again; otherwise the newcomer is refused.
  public var replacesDuplicates = false
  /// Of each member, unless the verifier grants others.
  public var permissions = Permissions.ordinary
  /// nil: nobody looks at tokens.
  public var verifier: (any AccessVerifier)?

  /// A thousand members, no verifier, and whoever has a user id that is already in the room is refused.
  public init() {}

  /// `.range` for a capacity below 1 or above 100 000.
  public func check() throws(MediaError) {
    guard (1...RoomAccess.mostMembers).contains(capacity) else {
      throw MediaError(.range, "options.capacity is \(capacity); accepted: 1..\(RoomAccess.mostMembers), or 0 for 1000")
    }
  }
}

/// Stands where the verifier of an engine that is gone stood: nobody is let in on a guess.
final class DepartedVerifier: AccessVerifier {
  func verify(_ request: AccessRequest) {
    request.answer(.failure(.refused(request, "the engine that verifies access to it is destroyed")))
  }

  func cancel(_ request: AccessRequest) {}
  func close() {}
}

extension MediaError {
  /// In words that name who was refused, and never the token.
  public static func refused(_ request: AccessRequest, _ reason: String) -> MediaError {
    let (room, user) = (request.room.prefix(64), request.member.userID.prefix(64))
    let what = request.isRenewal ? "does not renew the access of" : "does not admit"
    return MediaError(.permission, "room \"\(room)\" \(what) \"\(user)\": \(reason)")
  }
}

/// What a moderator did to a member; MSDK_MODERATION_*.
public enum Moderation: UInt32, Sendable {
  case removed = 1
  case muted = 2
  case unmuted = 3
}

extension StreamFormat {
  /// What publishing such a stream takes; kind 2 is a shared screen, and its sound.
  package var needed: Permissions {
    switch self {
    case .video(_, let kind): kind == VideoKind.screenShare.rawValue ? .shareScreen : .publishVideo
    case .audio(_, let kind): kind == 2 ? .shareScreen : .publishAudio
    }
  }

  /// The same in words.
  package var publishing: String {
    switch needed {
    case .shareScreen: "share a screen"
    case .publishAudio: "publish audio"
    default: "publish video"
    }
  }
}
