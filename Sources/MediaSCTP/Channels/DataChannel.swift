import MediaCore

/// One channel, and what waits to be sent on it.
final class DataChannel {
  struct Message {
    let bytes: [UInt8]
    let kind: PayloadProtocol
    /// What of it counts as buffered: nothing of messages that are not the program's.
    let counted: Int
    let time: Int64
  }

  /// Its stream is found when the association begins, if no program knows it.
  var info: DataChannelInfo
  var hasStream: Bool
  /// It was reported.
  var isOpen: Bool
  /// Nothing may overtake the message that opens it (RFC 8832, section 6).
  var isAcknowledged: Bool
  var waiting = WaitingQueue<Message>()
  /// Bytes of the program that wait here, and those that the library has.
  var waitingBytes = 0
  var handedBytes = 0
  /// Of the longest message that it was given, the program's bytes.
  var longest = 0
  var lowThreshold = 0
  var isAboveThreshold = false
  /// One of the ends has closed it.
  var isClosing = false
  /// The other end's stream is reset, and this end's.
  var isIncomingReset = false
  var isOutgoingReset = false
  /// Why it is closed.
  var error: MediaError?

  init(_ info: DataChannelInfo, hasStream: Bool = true, isOpen: Bool = false, isAcknowledged: Bool) {
    (self.info, self.hasStream, self.isOpen, self.isAcknowledged) = (info, hasStream, isOpen, isAcknowledged)
  }

  var bufferedAmount: Int { waitingBytes + handedBytes }

  /// Whether that is to be reported.
  func fellToThreshold() -> Bool {
    guard isAboveThreshold, bufferedAmount <= lowThreshold else { return false }
    isAboveThreshold = false
    return true
  }
}
