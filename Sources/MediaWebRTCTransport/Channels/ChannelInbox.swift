import MediaCore
import MediaSCTP
import MediaTransport

/// The channels of one connection, under the ids of the session, and their messages that wait to be read.
struct ChannelInbox {
  private struct Channel {
    let inner: DataChannelID
    var messages: [ChannelMessage] = []
    /// Of these, the next one to be read.
    var next = 0
    /// The reader was told that there are some, and has not found the end.
    var isAnnounced = false
    var isClosed = false
    /// This end closes it, and nobody reads what comes.
    var isDropped = false

    var hasMessages: Bool { next < messages.count }
  }

  private var channels: [MessageChannelID: Channel] = [:]
  private var ids: [DataChannelID: MessageChannelID] = [:]
  /// Messages that wait, and their bytes.
  private(set) var count = 0
  private(set) var bytes = 0

  /// What waits at most, but for what is handed over already.
  static let most = 1024
  static let mostBytes = 1_048_576

  var hasRoom: Bool { count < ChannelInbox.most && bytes < ChannelInbox.mostBytes }

  mutating func add(_ inner: DataChannelID) -> MessageChannelID {
    let id = MessageChannelID.next()
    channels[id] = Channel(inner: inner)
    ids[inner] = id
    return id
  }

  /// Throws `.notFound` for one that is not there, or is closed.
  func inner(_ id: MessageChannelID) throws(MediaError) -> DataChannelID {
    guard let channel = channels[id], !channel.isClosed else { throw ChannelInbox.notFound }
    return channel.inner
  }

  private static let notFound = MediaError(.notFound, "the channel is closed, or is none of the session")

  /// What the session is to know of it.
  mutating func take(_ event: DataChannelEvent) -> (MessageChannelID, MessageChannelEvent)? {
    switch event {
    case .up, .lost: return nil
    case .opened(let info): return (ids[info.id] ?? add(info.id), .opened(MessageChannelOptions(info), isIncoming: info.isIncoming))
    case .bufferedAmountLow(let inner): return ids[inner].map { ($0, .bufferedAmountLow) }
    case .closed(let inner, let error):
      guard let id = ids.removeValue(forKey: inner) else { return nil }
      channels[id]?.isClosed = true
      if channels[id]?.hasMessages != true { channels[id] = nil }
      return (id, .closed(error))
    case .message(let inner, let message, let isText):
      guard let id = ids[inner], var channel = channels[id], !channel.isDropped else { return nil }
      channels[id] = nil
      defer { channels[id] = channel }
      channel.messages.append(ChannelMessage(message, isText: isText))
      (count, bytes) = (count + 1, bytes + message.count)
      guard !channel.isAnnounced else { return nil }
      channel.isAnnounced = true
      return (id, .readable)
    }
  }

  /// Where there is none, the next one is announced. Throws `.notFound`.
  mutating func read(_ id: MessageChannelID, upTo most: Int) throws(MediaError) -> ChannelReading {
    guard var channel = channels[id] else { throw ChannelInbox.notFound }
    guard channel.hasMessages else {
      channels[id]?.isAnnounced = false
      return .nothing
    }
    let message = channel.messages[channel.next]
    guard message.bytes.count <= most else { return .tooLong(message.bytes.count) }
    channels[id] = nil
    channel.next += 1
    (count, bytes) = (count - 1, bytes - message.bytes.count)
    if channel.next == channel.messages.count || channel.next >= 64 {
      channel.messages.removeFirst(channel.next)
      channel.next = 0
    }
    if channel.hasMessages || !channel.isClosed { channels[id] = channel }
    return .message(message)
  }

  /// This end closes it: nobody reads what has come. nil: the other end has closed it before. Throws `.notFound`.
  mutating func drop(_ id: MessageChannelID) throws(MediaError) -> DataChannelID? {
    guard var channel = channels[id] else { throw ChannelInbox.notFound }
    for message in channel.messages[channel.next...] { (count, bytes) = (count - 1, bytes - message.bytes.count) }
    (channel.messages, channel.next, channel.isDropped) = ([], 0, true)
    channels[id] = channel.isClosed ? nil : channel
    return channel.isClosed ? nil : channel.inner
  }
}

extension MessageChannelOptions {
  init(_ info: DataChannelInfo) {
    self.init(label: String(decoding: info.label, as: UTF8.self))
    (`protocol`, isOrdered) = (String(decoding: info.protocol, as: UTF8.self), info.isOrdered)
    number = info.isNegotiated ? info.stream : nil
    switch info.reliability {
    case .reliable: break
    case .retransmissions(let most): retransmissions = most
    case .lifetime(let milliseconds): lifetime = milliseconds
    }
  }

  /// Throws `.invalid`.
  func inner() throws(MediaError) -> DataChannelOptions {
    var options = DataChannelOptions(label: label)
    (options.protocol, options.isOrdered, options.negotiated) = (`protocol`, isOrdered, number)
    switch (retransmissions, lifetime) {
    case (nil, nil): break
    case (let most?, nil): options.reliability = .retransmissions(most)
    case (nil, let milliseconds?): options.reliability = .lifetime(milliseconds: milliseconds)
    default: throw MediaError(.invalid, "a channel has both a number of retransmissions and a lifetime; accepted: one of them, or none")
    }
    return options
  }
}
