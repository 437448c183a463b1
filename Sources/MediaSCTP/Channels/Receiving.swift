import MediaCore

/// What the library reports.
extension DataChannels {
  /// Until there is nothing, or as much as may wait.
  func readNews(isPeers: Bool) {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { memory in
      var count = 0
      while loss == nil, !isFullOfEvents, let news = association?.read(memory, count: &count) {
        take(news, UnsafeRawBufferPointer(rebasing: memory.prefix(count)), isPeers: isPeers)
      }
    }
  }

  private func take(_ news: SCTPAssociation.News, _ bytes: UnsafeRawBufferPointer, isPeers: Bool) {
    switch news {
    case .data(let stream, let kind, let isEnd): take(bytes, stream: stream, kind: kind, isEnd: isEnd)
    case .up(let streams): becomeUp(streams: streams)
    case .restart: lose(MediaError(.corrupt, "data channels: the other end has begun the association again"))
    case .shutdown: lose(MediaError(.closed, "data channels: the other end has shut the association down"))
    case .lost:
      lose(
        isPeers
          ? MediaError(.io, "data channels: the other end has aborted the association")
          : MediaError(.timeout, "data channels: the other end does not answer"))
    case .reset(let streams, let isIncoming): takeReset(of: streams ?? Array(self.streams.keys).sorted(), isIncoming: isIncoming)
    case .cut: dropPartial()
    }
  }

  private func becomeUp(streams count: Int) {
    agreedStreams = count
    report(.up(streams: count))
    for id in channels.keys.sorted() {
      guard let channel = channels[id] else { continue }
      if Int(channel.info.stream) >= count {
        fail(channel, MediaError(.limit, "data channels: stream \(channel.info.stream) was asked for; the other end has \(count)"))
      } else if channel.info.isNegotiated, !channel.isClosing {
        channel.isOpen = true
        report(.opened(channel.info))
      }
    }
  }

  private func dropPartial() {
    (partial, isPartialTooLong) = ([], false)
  }

  private func take(_ bytes: UnsafeRawBufferPointer, stream: UInt16, kind: UInt32, isEnd: Bool) {
    if partial.count + bytes.count > settings.mostBytes {
      (partial, isPartialTooLong) = ([], true)
    }
    if !isPartialTooLong { partial.append(contentsOf: bytes) }
    guard isEnd else { return }
    let (message, isTooLong) = (partial, isPartialTooLong)
    dropPartial()
    guard !isTooLong else {
      counts.messagesIgnored += 1
      guard let id = streams[stream], let channel = channels[id] else { return }
      return fail(
        channel, MediaError(.limit, "data channels: a message is longer than the \(settings.mostBytes) bytes that were announced"))
    }
    take(message, stream: stream, kind: PayloadProtocol(rawValue: kind))
  }

  private func take(_ message: [UInt8], stream: UInt16, kind: PayloadProtocol?) {
    if kind == .control { return take(control: ChannelControl(message), stream: stream) }
    guard let kind, let id = streams[stream], let channel = channels[id], !channel.isIncomingReset else {
      counts.messagesIgnored += 1
      return
    }
    // Who sends data knows of the channel (RFC 8832, section 6).
    acknowledge(channel)
    guard !channel.isClosing else { return }
    switch kind {
    case .text: report(.message(id, message, isText: true))
    case .binary: report(.message(id, message, isText: false))
    case .emptyText: report(.message(id, [], isText: true))
    case .emptyBinary: report(.message(id, [], isText: false))
    case .control: break
    }
  }

  private func acknowledge(_ channel: DataChannel) {
    channel.isAcknowledged = true
    guard !channel.isOpen, !channel.isClosing else { return }
    channel.isOpen = true
    report(.opened(channel.info))
  }

  private func take(control: ChannelControl?, stream: UInt16) {
    switch control {
    case .acknowledge:
      guard let id = streams[stream], let channel = channels[id], !channel.info.isIncoming, !channel.info.isNegotiated else {
        counts.messagesIgnored += 1
        return
      }
      acknowledge(channel)
    case .open(let open): accept(open, stream: stream)
    case nil:
      counts.messagesIgnored += 1
      if streams[stream] == nil { refuse(stream) }
    }
  }

  private func accept(_ open: ChannelControl.Open, stream: UInt16) {
    // Both streams were reset, and only the answer to this end has not come.
    if let id = streams[stream], let channel = channels[id], channel.isIncomingReset { finish(channel) }
    let isTheirs = (stream % 2 == 0) == (role == .server)
    guard isTheirs, streams[stream] == nil, channels.count < settings.mostChannels else { return refuse(stream) }
    let info = DataChannelInfo(
      id: freshID(), stream: stream, label: open.label, protocol: open.protocol, isOrdered: open.isOrdered, reliability: open.reliability,
      priority: open.priority, isNegotiated: false, isIncoming: true)
    let channel = DataChannel(info, isOpen: true, isAcknowledged: true)
    channels[info.id] = channel
    streams[stream] = info.id
    report(.opened(info))
    queue(control: .acknowledge, on: channel)
  }
}
