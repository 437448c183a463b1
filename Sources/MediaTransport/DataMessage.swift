import MediaCore

/// Data of a member for others in the room, beside streams (data.h).
public struct DataMessage: Sendable, Equatable {
  /// Bytes that are sent at once. More may come from other programs.
  public static let longest = 15_360
  /// Bytes of what comes from other programs.
  package static let longestReceived = 65_536
  /// Bytes of a topic.
  public static let longestTopic = 255
  /// Of what is sent to some.
  public static let mostRecipients = 100

  /// It may be empty.
  public let bytes: [UInt8]
  /// What it is about, for programs; empty: nothing is said.
  public var topic = ""
  /// It may be lost, and may overtake others; otherwise it is reliable, and in order with the sender's other reliable ones.
  public var isLossy = false
  /// User ids of members; empty: everybody but the sender.
  public var recipients: [String] = []
  /// What it is.
  package var content = DataContent.user

  /// Reliable, for everybody, without a topic.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Bytes that are kept for it. A topic of other programs may be longer than one of ours.
  package var size: Int { bytes.count + topic.utf8.count + content.weight }

  /// Whether it is for that member, if they are not the sender.
  func isFor(_ userID: String) -> Bool { recipients.isEmpty || recipients.contains(userID) }
}

/// What a member has sent and is not passed on to everybody yet. A plain value.
struct DataFlow: Sendable {
  static let mostMessages = 1_024
  static let mostBytes = 1_048_576

  private(set) var messages = 0
  private(set) var bytes = 0
  /// The sender was refused, and is to be notified when what is under way has become less, or the network is there again.
  private var isAwaited = false
  /// It is to be notified at a time.
  private var isScheduled = false

  /// False: there is no room for it, of which the sender is notified when there is, unless it may be lost.
  mutating func take(_ message: DataMessage) -> Bool {
    guard messages < DataFlow.mostMessages, bytes + message.size <= DataFlow.mostBytes else {
      isAwaited = isAwaited || !message.isLossy
      return false
    }
    (messages, bytes) = (messages + 1, bytes + message.size)
    return true
  }

  mutating func await() { isAwaited = true }

  /// For the longest that may come from other programs.
  var hasRoom: Bool { messages < DataFlow.mostMessages && bytes <= DataFlow.mostBytes - DataMessage.longestReceived }

  /// It is passed on. Whether the sender is to be notified.
  mutating func release(_ message: DataMessage) -> Bool {
    (messages, bytes) = (messages - 1, bytes - message.size)
    return messages <= DataFlow.mostMessages / 2 && bytes <= DataFlow.mostBytes / 2 && resume()
  }

  /// False: it is to be notified already.
  mutating func schedule() -> Bool {
    defer { isScheduled = true }
    return !isScheduled
  }

  mutating func endSchedule() { isScheduled = false }

  /// There is room again. Whether the sender is to be notified.
  mutating func resume() -> Bool {
    defer { isAwaited = false }
    return isAwaited
  }
}
