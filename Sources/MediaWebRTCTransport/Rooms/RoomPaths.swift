import MediaTransport

/// Which of a session's connections have lost their path, and what the session says of it. A plain value.
struct RoomPaths: Sendable {
  enum Direction: Sendable {
    case sending
    case receiving
    /// To the server, for signalling.
    case signalling
  }

  private var lost: Set<Direction> = []

  mutating func lose(_ direction: Direction) -> [TransportEvent] {
    let isNews = lost.insert(direction).inserted
    return isNews && lost.count == 1 ? [.reconnecting] : []
  }

  mutating func find(_ direction: Direction) -> [TransportEvent] {
    lost.remove(direction) != nil && lost.isEmpty ? [.reconnected] : []
  }
}
