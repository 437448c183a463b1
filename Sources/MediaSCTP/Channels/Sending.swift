import MediaCore

/// What this end sends. The library gets whole messages, from one channel after another, as far as it has room.
extension DataChannels {
  /// Messages that wait here, besides their bytes.
  private static let mostMessages = 8192
  /// Messages that the library has; each takes up to a kilobyte besides its bytes.
  private static let mostHanded = 1024

  /// Opens a channel. Data may be sent at once; `.opened` says that the other end knows of it. Throws `.range`, `.full` where no stream or
  /// place for a channel is free, `.exists` where the stream has a channel, the error of an association that was lost.
  public func open(_ options: DataChannelOptions, now: Int64) throws(MediaError) -> DataChannelID {
    if let loss { throw loss }
    let open = ChannelControl.Open(
      isOrdered: options.isOrdered, reliability: options.reliability, priority: options.priority, label: Array(options.label.utf8),
      protocol: Array(options.protocol.utf8))
    for (name, bytes) in [("label", open.label), ("protocol", open.protocol)] where bytes.count > ChannelControl.longest {
      throw MediaError(.range, "data channels: \(name) has \(bytes.count) bytes; accepted: 0..\(ChannelControl.longest)")
    }
    guard channels.count < settings.mostChannels else {
      throw MediaError(.full, "data channels: there are \(channels.count) channels, as many as may be")
    }
    let negotiated = options.negotiated
    // Which ones are this end's is known when the association begins.
    let stream = association == nil && negotiated == nil ? nil : try stream(negotiated: negotiated)
    let info = DataChannelInfo(
      id: freshID(), stream: stream ?? 0, label: open.label, protocol: open.protocol, isOrdered: open.isOrdered,
      reliability: open.reliability, priority: open.priority, isNegotiated: negotiated != nil, isIncoming: false)
    let channel = DataChannel(info, hasStream: stream != nil, isAcknowledged: negotiated != nil)
    channels[info.id] = channel
    if let stream { streams[stream] = info.id }
    if negotiated == nil {
      queue(control: .open(open), on: channel)
    } else if agreedStreams != nil {
      channel.isOpen = true
      report(.opened(info))
    }
    work(now: now) {}
    return info.id
  }

  /// Those that were opened before the association began get their streams, in order.
  func placeWaiting() {
    for id in channels.keys.sorted() {
      guard let channel = channels[id] else { continue }
      if !channel.hasStream {
        do throws(MediaError) {
          channel.info.stream = try stream(negotiated: nil)
        } catch {
          (channel.isClosing, channel.error) = (true, error)
          finish(channel)
          continue
        }
        channel.hasStream = true
        streams[channel.info.stream] = id
      }
      if channel.longest > mostSentBytes {
        channel.error = MediaError(
          .range, "data channels: a message has \(channel.longest) bytes; the other end takes \(mostSentBytes)")
        finish(channel)
      }
    }
  }

  private func stream(negotiated: UInt16?) throws(MediaError) -> UInt16 {
    let end = min(agreedStreams ?? settings.streams, settings.streams)
    if let negotiated {
      guard Int(negotiated) < end else {
        throw MediaError(.range, "data channels: stream \(negotiated) is asked for; accepted: 0..\(end - 1)")
      }
      guard streams[negotiated] == nil, !resetting.contains(negotiated) else {
        throw MediaError(.exists, "data channels: stream \(negotiated) has a channel")
      }
      return negotiated
    }
    // 65535 is none (RFC 8832, section 6).
    var next = role == .client ? 0 : 1
    while next < min(end, 65_535) {
      let stream = UInt16(next)
      if streams[stream] == nil, !resetting.contains(stream) { return stream }
      next += 2
    }
    throw MediaError(.full, "data channels: none of the \(end) streams is free")
  }

  /// Sends a message, of 0 to `mostSentBytes` bytes; it waits where it cannot leave yet. Throws `.notFound` for a channel that is closed,
  /// `.state` for one that is being closed, `.range` for the length, `.full` where more would be buffered than may be (see
  /// `bufferedAmount`).
  public func send(_ bytes: [UInt8], isText: Bool, on id: DataChannelID, now: Int64) throws(MediaError) {
    if let loss { throw loss }
    guard let channel = channels[id] else { throw MediaError(.notFound, "data channels: the channel is closed") }
    guard !channel.isClosing else { throw MediaError(.state, "data channels: the channel is being closed") }
    guard bytes.count <= mostSentBytes else {
      throw MediaError(.range, "data channels: the message has \(bytes.count) bytes; accepted: 0..\(mostSentBytes)")
    }
    guard waitingBytes + handedBytes + bytes.count <= settings.mostBufferedBytes, waitingMessages < DataChannels.mostMessages else {
      throw MediaError(
        .full,
        "data channels: \(waitingBytes + handedBytes) bytes in \(waitingMessages) messages wait; "
          + "accepted: \(settings.mostBufferedBytes) in \(DataChannels.mostMessages)")
    }
    let kind: PayloadProtocol = bytes.isEmpty ? (isText ? .emptyText : .emptyBinary) : (isText ? .text : .binary)
    queue(DataChannel.Message(bytes: bytes.isEmpty ? [0] : bytes, kind: kind, counted: bytes.count, time: max(now, self.now)), on: channel)
    work(now: now) {}
  }

  /// Bytes of messages that were given to `send` and that the other end has not acknowledged. Within the library messages of several
  /// channels are counted as if they left in the order in which they were given. nil: the channel is closed.
  public func bufferedAmount(of id: DataChannelID) -> Int? { channels[id]?.bufferedAmount }

  /// `.bufferedAmountLow` comes when what is buffered falls to so many bytes, from above. 0 by default.
  public func setLowThreshold(_ bytes: Int, of id: DataChannelID) {
    guard let channel = channels[id] else { return }
    channel.lowThreshold = max(bytes, 0)
    channel.isAboveThreshold = channel.bufferedAmount > channel.lowThreshold
  }

  func queue(control: ChannelControl, on channel: DataChannel) {
    queue(DataChannel.Message(bytes: control.bytes, kind: .control, counted: 0, time: now), on: channel)
  }

  private func queue(_ message: DataChannel.Message, on channel: DataChannel) {
    if channel.waiting.isEmpty { sending.append(channel.info.id) }
    channel.waiting.append(message)
    channel.waitingBytes += message.counted
    channel.longest = max(channel.longest, message.counted)
    channel.isAboveThreshold = channel.isAboveThreshold || channel.bufferedAmount > channel.lowThreshold
    waitingBytes += message.counted
    waitingMessages += 1
  }

  /// As much as the library takes.
  func sendWaiting() {
    guard agreedStreams != nil else { return }
    // Those that cannot send now are passed over, once.
    var left = sending.count
    while left > 0, let id = sending.next {
      left -= 1
      guard let channel = channels[id], let message = channel.waiting.next else {
        _ = sending.take()
        continue
      }
      if !resetting.contains(channel.info.stream) {
        guard give(message, of: channel) else { return }
        left = sending.count
      }
      _ = sending.take()
      if channel.waiting.isEmpty { resetIfClosing(channel) } else { sending.append(id) }
    }
  }

  /// Whether it need not wait any longer.
  private func give(_ message: DataChannel.Message, of channel: DataChannel) -> Bool {
    var (reliability, lifetime) = (channel.info.reliability, UInt32(0))
    if message.kind == .control { reliability = .reliable }
    if case .lifetime(let milliseconds) = reliability {
      let waited = (now - message.time) / 1_000_000
      guard waited <= Int64(milliseconds) else {
        counts.messagesExpired += 1
        takeWaiting(of: channel)
        return true
      }
      // A day; the library adds it to its time.
      lifetime = UInt32(min(Int64(milliseconds) - waited, 86_400_000))
    }
    guard let association, handed.count < DataChannels.mostHanded else { return false }
    let result = association.send(
      message.bytes, stream: channel.info.stream, protocol: message.kind.rawValue,
      isOrdered: channel.info.isOrdered || !channel.isAcknowledged || message.kind == .control, reliability: reliability, lifetime: lifetime
    )
    switch result {
    case .full: return false
    case .taken:
      handed.append((channel, (message.counted, message.bytes.count)))
      handedBytes += message.counted
      handedSize += message.bytes.count
      channel.handedBytes += message.counted
    case .failed: fail(channel, MediaError(.fail, "data channels: libusrsctp does not take a message"))
    }
    takeWaiting(of: channel)
    return true
  }

  private func takeWaiting(of channel: DataChannel) {
    guard let message = channel.waiting.take() else { return }
    channel.waitingBytes -= message.counted
    waitingBytes -= message.counted
    waitingMessages -= 1
    if channel.fellToThreshold() { report(.bufferedAmountLow(channel.info.id)) }
  }

  /// What the library has, it has of the messages that it got last.
  func countAcknowledged() {
    guard !handed.isEmpty else { return }
    let unacknowledged = association?.unacknowledged ?? 0
    while let (channel, message) = handed.next, unacknowledged == 0 || handedSize - message.size >= unacknowledged {
      _ = handed.take()
      handedBytes -= message.counted
      handedSize -= message.size
      channel.handedBytes -= message.counted
      if channels[channel.info.id] != nil, channel.fellToThreshold() { report(.bufferedAmountLow(channel.info.id)) }
    }
  }
}
