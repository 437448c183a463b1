import MediaTransport

/// Data that came before its sender was announced, which another connection does. It waits a moment for that, so that a program can answer whoever
/// it hears from. A plain value.
struct UnannouncedData: Sendable {
  private struct Held: Sendable {
    let userID: String
    let message: DataMessage
    let end: Int64
  }

  /// Nanoseconds: a few round trips and a packet that is sent again.
  static let patience: Int64 = 500_000_000
  /// Messages, and senders that are never announced, as those whom a token hides.
  static let capacity = 64
  static let mostBytes = 1_048_576

  private var held: [Held] = []
  private var hidden: Set<String> = []

  /// When the first is passed on, whoever it is from.
  var deadline: Int64? { held.first?.end }

  /// From somebody who is not announced: what is to be passed on at once. Of too much the first is.
  mutating func take(_ message: DataMessage, from userID: String, now: Int64) -> [TransportEvent] {
    // Without a name it is the server's.
    if userID.isEmpty || hidden.contains(userID) { return [.data(from: userID, message)] }
    held.append(Held(userID: userID, message: message, end: now &+ UnannouncedData.patience))
    var events: [TransportEvent] = []
    while held.count > UnannouncedData.capacity || held.reduce(0, { $0 + $1.message.bytes.count }) > UnannouncedData.mostBytes {
      let first = held.removeFirst()
      events.append(.data(from: first.userID, first.message))
    }
    return events
  }

  /// What somebody sent who is announced now.
  mutating func announce(_ userID: String) -> [TransportEvent] {
    hidden.remove(userID)
    return pass(where: { $0 == userID })
  }

  /// What has waited long enough, and what the same senders sent after it.
  mutating func expire(now: Int64) -> [TransportEvent] {
    let senders = Set(held.lazy.filter { $0.end <= now }.map(\.userID))
    hidden = hidden.count + senders.count > UnannouncedData.capacity ? senders : hidden.union(senders)
    return pass(where: senders.contains)
  }

  private mutating func pass(where isSender: (String) -> Bool) -> [TransportEvent] {
    defer { held.removeAll { isSender($0.userID) } }
    return held.filter { isSender($0.userID) }.map { .data(from: $0.userID, $0.message) }
  }
}
