import MediaCore
import MediaNetwork

/// Who comes and goes at a hub over the network, for whoever hosts it. In the room itself a member who is away for a moment is still there.
public enum HubChange: Sendable {
  case entered(Member)
  /// The connection broke; he has half a minute to come back.
  case away(userID: String)
  case returned(userID: String)
  /// The hub or the room did not let them in. What a stranger says they are called is not checked.
  case refused(userID: String, at: SocketAddress?, because: MediaError)
  /// nil: by themselves.
  case left(userID: String, because: MediaError?)
}
