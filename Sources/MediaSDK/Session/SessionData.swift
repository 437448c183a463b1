import MediaCore
import MediaTransport

/// Data that has come.
public struct ReceivedData: Sendable {
  /// Whose it is; empty: the room's server sent it.
  public let userID: String
  /// Without recipients.
  public let message: DataMessage
  /// Others that came since the one that was read before, and were dropped as nobody read them.
  public fileprivate(set) var missed: UInt64 = 0
}

/// Data of others that waits to be read. A plain value.
struct DataInbox {
  static let mostMessages = 4_096
  static let mostBytes = 4_194_304

  private var waiting = BoundedQueue<ReceivedData>(capacity: DataInbox.mostMessages, initially: 4)
  private var bytes = 0
  private var missed: UInt64 = 0
  /// The reader was told that there is some, and has not found the end.
  private var isAnnounced = false

  /// Whether the reader is to be told.
  mutating func take(_ message: DataMessage, from userID: String) -> Bool {
    while waiting.isFull || !waiting.isEmpty && bytes + message.size > DataInbox.mostBytes {
      if let dropped = waiting.pop() { (bytes, missed) = (bytes - dropped.message.size, missed + 1) }
    }
    _ = waiting.push(ReceivedData(userID: userID, message: message))
    bytes += message.size
    defer { isAnnounced = true }
    return !isAnnounced
  }

  /// The oldest, which is taken if it has no more bytes than that. nil: there is none; the next is announced.
  mutating func read(upTo most: Int) -> (data: ReceivedData, isTaken: Bool)? {
    guard var data = waiting.first else {
      isAnnounced = false
      return nil
    }
    data.missed = missed
    guard data.message.bytes.count <= most else { return (data, false) }
    _ = waiting.pop()
    (bytes, missed) = (bytes - data.message.size, 0)
    return (data, true)
  }
}

/// Data to and from others in the room (data.h).
extension Session {
  /// Sends data to everybody else in the room, or to its recipients. Never waits. Throws `.range` and `.invalid` for what cannot be sent,
  /// `.state`, `.permission`, `.notFound` for a recipient who is not there, `.again` where there is no room for it: `.dataWritable` says when
  /// there is. Lossy data gets lost instead.
  public func send(_ message: DataMessage) throws(MediaError) {
    try require(.data, "data")
    guard message.bytes.count <= DataMessage.longest else {
      throw MediaError(.range, "size is \(message.bytes.count); accepted: 0..\(DataMessage.longest)")
    }
    guard message.topic.utf8.count <= DataMessage.longestTopic else {
      throw MediaError(.invalid, "the topic has \(message.topic.utf8.count) bytes; accepted: up to \(DataMessage.longestTopic)")
    }
    guard message.recipients.count <= DataMessage.mostRecipients else {
      throw MediaError(.range, "there are \(message.recipients.count) recipients; accepted: up to \(DataMessage.mostRecipients)")
    }
    let transport: any Transport = try guarded.withLock { guarded throws(MediaError) in
      guard guarded.isInRoom, let transport = guarded.transport else {
        throw MediaError(.state, "the session is \(guarded.state); accepted: connected")
      }
      guard guarded.permissions.contains(.sendData) else { throw refusal(to: "send data") }
      if let stranger = message.recipients.first(where: { one in !guarded.members.contains { $0.userID == one } }) {
        throw MediaError(.notFound, "a recipient is \"\(stranger.prefix(64))\"; no other participant of the room has that user id")
      }
      return transport
    }
    try transport.send(dataEncryption.seal(message))
  }

  /// What has come of others, and is not encrypted any more.
  func take(_ message: DataMessage, from userID: String) {
    switch message.content {
    case .user: if inbox.withLock({ $0.take(message, from: userID) }) { push(.dataAvailable) }
    case .call(let part): take(part, message.bytes, from: userID)
    case .stream(let part): take(part, message.bytes, from: userID)
    case .sealed: return
    }
  }

  /// The oldest data that has come, which is taken if it has no more bytes than that; nil: there is none, and `.dataAvailable` comes when there
  /// is. Throws `.unsupported` where the session's url has no data.
  public func readData(upTo most: Int = .max) throws(MediaError) -> (data: ReceivedData, isTaken: Bool)? {
    try require(.data, "data")
    return inbox.withLock { $0.read(upTo: most) }
  }
}
