import MediaCore

/// Who comes and goes at a hub over the network, for whoever hosts it. In the room itself a member who is away for a moment is still there.
public enum HubChange: Sendable {
  case entered(Member)
  /// The connection broke; he has half a minute to come back.
  case away(userID: String)
  case returned(userID: String)
  /// nil: by himself.
  case left(userID: String, because: MediaError?)
}
