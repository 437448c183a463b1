import MediaCore

/// What Janus's errors mean: those of the server (400s of `apierror.h`), and of the VideoRoom plugin.
enum JanusFailure {
  /// Who says it: their numbers overlap.
  enum Speaker: String {
    case server
    case room
  }

  static func of(_ code: Int, _ said: String, by speaker: Speaker, doing what: String) -> SignallingFailure {
    let (status, isFinal, advice) = speaker == .server ? ofServer(code) : ofRoom(code)
    let quoted = JanusParticipant.shown(said, longest: 120)
    let text = "Janus: \(what) was answered with error \(code): \(advice)"
    return SignallingFailure(MediaError(status, quoted.isEmpty ? text : "\(text) (it says: \(quoted))"), isFinal: isFinal)
  }

  private static func ofServer(_ code: Int) -> (Status, isFinal: Bool, String) {
    switch code {
    case 403: (.permission, true, "the server wants a token or an API secret; pass the access token \"token=…\" or \"apisecret=…\"")
    case 405: (.permission, true, "the token is not for the plugin VideoRoom; pass another one")
    case 452...456, 467: (.unsupported, true, "the server does not understand the request; is it Janus of version 1.0 or later?")
    case 457: (.notFound, true, "there is no such path; check that of the URL, which usually is /janus")
    case 458, 459: (.closed, false, "the server no longer knows the session")
    case 460: (.unsupported, true, "the server has no plugin VideoRoom; it has to be installed and enabled there")
    case 461, 468: (.again, false, "the server could not do it now")
    case 464, 465: (.format, true, "the server cannot use the description")
    case 472: (.again, false, "the server takes no new sessions at the moment; try again later")
    default: (.fail, false, "the server failed")
    }
  }

  private static func ofRoom(_ code: Int) -> (Status, isFinal: Bool, String) {
    switch code {
    case 421...424, 429, 430:
      (.unsupported, true, "the room does not understand the request; is it Janus of version 1.0 or later, and is room= of the right type?")
    case 425, 434: (.state, false, "the session has done so already")
    case 426: (.notFound, true, "there is no such room; check room= of the URL, or have the room created at the server")
    case 428, 438: (.notFound, false, "that stream is not published any longer")
    case 431, 437: (.format, true, "the room cannot use the description; it allows other codecs, perhaps")
    case 432: (.full, true, "the room has as many publishers as it takes; try again when one has left, or have it take more")
    case 433: (.permission, true, "the room wants another PIN or token; pass the access token \"pin=…\" or \"token=…\"")
    case 435: (.state, false, "the session publishes nothing")
    case 436: (.exists, true, "another participant has that id")
    default: (.fail, false, "the room failed")
    }
  }
}
