import MediaCore
import Synchronization

/// A channel of messages between the two ends of a transport that has them (`TransportFeatures.channels`).
public struct MessageChannelID: Hashable, Sendable {
  /// From a counter of this process; never 0.
  public let value: UInt64
  private static let counter = Atomic<UInt64>(1)

  /// One that no other channel of this process has.
  package static func next() -> MessageChannelID { MessageChannelID(value: counter.add(1, ordering: .relaxed).oldValue) }

  /// An id that is known already.
  public init(value: UInt64) { self.value = value }
}

/// A channel that is to be opened, or that is there.
public struct MessageChannelOptions: Sendable, Equatable {
  /// Up to 1,024 bytes of UTF-8; the other end gets to know it.
  public var label: String
  /// Of the messages; what names there are is the program's business. Likewise.
  public var `protocol` = ""
  /// Messages arrive in the order in which they were sent.
  public var isOrdered = true
  /// A message that got lost is sent again so many times; nil: until it arrives, if `lifetime` is nil too.
  public var retransmissions: UInt16?
  /// A message is sent again for so many milliseconds since it was handed over. Not with `retransmissions`.
  public var lifetime: UInt32?
  /// Both programs open the channel under this number, 0 to 65,534, and neither end asks the other; nil: the other end is asked.
  public var number: UInt16?

  /// Reliable and in order; the other end is asked.
  public init(label: String) { self.label = label }
}

/// One message.
public struct ChannelMessage: Sendable, Equatable {
  /// It may be empty.
  public let bytes: [UInt8]
  /// It is said to be text in UTF-8, which is not checked.
  public let isText: Bool

  /// As it is sent.
  public init(_ bytes: [UInt8], isText: Bool) { (self.bytes, self.isText) = (bytes, isText) }
}

/// What reading gave.
public enum ChannelReading: Sendable, Equatable {
  /// `MessageChannelEvent.readable` follows when there is a message.
  case nothing
  case message(ChannelMessage)
  /// The next message has so many bytes, and can still be read.
  case tooLong(Int)
}

/// What happens to a channel.
public enum MessageChannelEvent: Sendable, Equatable {
  /// The other end has opened it, or (`isIncoming` is false) knows that this end has.
  case opened(MessageChannelOptions, isIncoming: Bool)
  /// A message can be read, and none could before. It comes again after `Transport.readMessage` has given nil.
  case readable
  /// What waits to be sent fell to the low threshold, from above.
  case bufferedAmountLow
  /// nil: one of the ends has closed it. Messages that came before can still be read, if this end has not closed it.
  case closed(MediaError?)
}

extension TransportFactory {
  /// Of what has no channels.
  static let noChannels = MediaError(.unsupported, "the session's transport has no channels for messages")
}
