import MediaCore

/// A channel of one `DataChannels`; never used again there, unlike its stream.
public struct DataChannelID: Hashable, Sendable, Comparable {
  let number: UInt64

  /// In the order in which they were made.
  public static func < (left: DataChannelID, right: DataChannelID) -> Bool { left.number < right.number }
}

/// How long a message that got lost is sent again (RFC 8831, section 6.1; RFC 8832, section 5.1).
public enum DataChannelReliability: Sendable, Equatable {
  case reliable
  /// So many times.
  case retransmissions(UInt16)
  /// For so many milliseconds since it was given to `send`. A channel that the other end opens may have up to 4,294,967,295.
  case lifetime(milliseconds: UInt32)
}

/// A channel that is to be opened.
public struct DataChannelOptions: Sendable, Equatable {
  /// Up to 1,024 bytes of UTF-8; the other end gets to know it.
  public var label: String
  /// The subprotocol, likewise.
  public var `protocol` = ""
  /// Messages arrive in the order in which they were sent.
  public var isOrdered = true
  /// Of messages of both ends.
  public var reliability = DataChannelReliability.reliable
  /// RFC 8831, section 6.4; it is passed on, and changes nothing here.
  public var priority: UInt16 = 256
  /// The program of the other end opens the same stream, 0 to 65,534, without being asked (RFC 8832, section 1); nil: the next free one is
  /// taken, and the other end is asked.
  public var negotiated: UInt16?

  /// Reliable, in order, on the next free stream.
  public init(label: String) { self.label = label }
}

/// What is known of a channel.
public struct DataChannelInfo: Sendable, Equatable {
  /// What the calls take.
  public let id: DataChannelID
  /// The identifier of its two streams, 0 to 65,534.
  public internal(set) var stream: UInt16
  /// Bytes of UTF-8 as they came; anything, where the other end has opened it.
  public let label: [UInt8]
  /// The subprotocol, likewise.
  public let `protocol`: [UInt8]
  /// Messages arrive in the order in which they were sent.
  public let isOrdered: Bool
  /// Of messages of both ends.
  public let reliability: DataChannelReliability
  /// RFC 8831, section 6.4; 256 is the normal one. It is passed on, and changes nothing here.
  public let priority: UInt16
  /// The program knows its stream from elsewhere.
  public let isNegotiated: Bool
  /// The other end has opened it.
  public let isIncoming: Bool
}

/// What a connection reports, in order.
public enum DataChannelEvent: Sendable, Equatable {
  /// Both ends are there. A channel can have one of the first `streams` streams.
  case up(streams: Int)
  /// The end, after `.closed` for each channel. `.timeout`: no answer. `.io`: the other end has aborted it. `.closed`: the other end has
  /// shut it down. `.corrupt`: it does not keep to the protocol. The error of `DataChannels.end`.
  case lost(MediaError)
  /// The other end has opened it, or knows that this end has.
  case opened(DataChannelInfo)
  /// nil: one of the ends has closed it. `.limit`: the other end sent a message longer than announced, or has fewer streams. `.range`: a
  /// message waits that is longer than the other end takes. `.full`, `.exists`: there is no stream for it. Otherwise the error of `lost`.
  case closed(DataChannelID, MediaError?)
  /// A whole message, which may be empty. Text is said to be UTF-8, which is not checked.
  case message(DataChannelID, [UInt8], isText: Bool)
  /// What is buffered for it fell to its low threshold, from above.
  case bufferedAmountLow(DataChannelID)
}
