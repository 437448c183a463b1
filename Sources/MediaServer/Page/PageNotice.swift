import CMediaSDK
import MediaCore
import MediaTransport

/// What a page is notified of over its WebSocket, as objects of JSON.
enum PageNotice {
  /// The answer to join: who the member is, what they may do, and the token by which the page's sessions of WHIP and WHEP are the member's.
  case welcome(user: String, ticket: String, permissions: Permissions)
  case joined(Member)
  case left(user: String)
  case stream(StreamDescription)
  case ended(StreamID)
  case muted(StreamID, Bool)
  case speaking(user: String, Bool)
  /// A moderator has muted the member, or ended that.
  case moderated(isMuted: Bool)
  /// What the member may do has changed.
  case permissions(Permissions)
  /// The end.
  case disconnected(String)

  var text: String { json.rendered() }

  private var json: JSON {
    switch self {
    case .welcome(let user, let ticket, let permissions):
      PageNotice.object("welcome", ("user", .text(user)), ("ticket", .text(ticket)), ("may", PageNotice.list(permissions)))
    case .joined(let member): PageNotice.object("joined", ("user", .text(member.userID)), ("name", .text(member.displayName)))
    case .left(let user): PageNotice.object("left", ("user", .text(user)))
    case .stream(let stream):
      PageNotice.object(
        "stream", ("id", .text("\(stream.id.value)")), ("user", .text(stream.userID)), ("media", .text(stream.isVideo ? "video" : "audio")),
        ("screen", .bool(stream.isScreen)), ("muted", .bool(stream.isMuted)))
    case .ended(let id): PageNotice.object("ended", ("id", .text("\(id.value)")))
    case .muted(let id, let isMuted): PageNotice.object("muted", ("id", .text("\(id.value)")), ("muted", .bool(isMuted)))
    case .speaking(let user, let isSpeaking): PageNotice.object("speaking", ("user", .text(user)), ("speaking", .bool(isSpeaking)))
    case .moderated(let isMuted): PageNotice.object("moderated", ("muted", .bool(isMuted)))
    case .permissions(let permissions): PageNotice.object("permissions", ("may", PageNotice.list(permissions)))
    case .disconnected(let text): PageNotice.object("disconnected", ("text", .text(text)))
    }
  }

  private static func object(_ type: String, _ members: (String, JSON)...) -> JSON { .object([("type", .text(type))] + members) }

  private static func list(_ permissions: Permissions) -> JSON {
    let names: [(Permissions, String)] = [
      (.publishVideo, "video"), (.publishAudio, "audio"), (.shareScreen, "screen"), (.receive, "receive"), (.moderate, "moderate")
    ]
    return .texts(names.filter { permissions.contains($0.0) }.map(\.1))
  }
}

extension StreamDescription {
  var isVideo: Bool { if case .video = format { true } else { false } }

  /// A shared screen, or its audio.
  var isScreen: Bool {
    switch format {
    case .video(_, let kind): kind == UInt32(MSDK_VIDEO_SCREEN_SHARE)
    case .audio(_, let kind): kind == UInt32(MSDK_AUDIO_SCREEN_SHARE)
    }
  }
}
