import MediaCore
import MediaNetwork
import MediaTransport

/// Who comes and goes at a server over the network, for the process that serves the room.
public enum ServerChange: Sendable {
  case entered(Member)
  /// The server or the room did not let them in. What a stranger says they are called is not checked.
  case refused(userID: String, at: SocketAddress?, because: MediaError)
  /// nil: by themselves.
  case left(userID: String, because: MediaError?)
}
