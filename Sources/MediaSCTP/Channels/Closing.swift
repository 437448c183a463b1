import MediaCore

/// A channel is closed when the streams of both ends are reset (RFC 8831, section 6.7; RFC 6525).
extension DataChannels {
  /// What was given to `send` is sent first. `.closed` comes when the other end has closed it, too. Nothing is received on it any more.
  public func close(_ id: DataChannelID, now: Int64) {
    guard let channel = channels[id], !channel.isClosing else { return }
    channel.isClosing = true
    if agreedStreams == nil { finish(channel) }
    work(now: now) { resetIfClosing(channel) }
  }

  /// When nothing waits any more.
  func resetIfClosing(_ channel: DataChannel) {
    let stream = channel.info.stream
    guard channel.isClosing, channels[channel.info.id] != nil, !channel.isOutgoingReset, channel.waiting.isEmpty,
      !resetting.contains(stream)
    else { return }
    guard association?.reset(stream) == true else { return finish(channel) }
    resetting.insert(stream)
  }

  /// An error of one channel ends that one only.
  func fail(_ channel: DataChannel, _ error: MediaError) {
    guard !channel.isClosing else { return }
    (channel.isClosing, channel.error) = (true, error)
    dropWaiting(of: channel)
    if Int(channel.info.stream) < agreedStreams ?? 0 { resetIfClosing(channel) } else { finish(channel) }
  }

  /// A channel that the other end has opened, and that there will not be.
  func refuse(_ stream: UInt16) {
    counts.channelsRefused += 1
    guard streams[stream] == nil, !resetting.contains(stream), association?.reset(stream) == true else { return }
    resetting.insert(stream)
  }

  func takeReset(of streams: [UInt16], isIncoming: Bool) {
    for stream in streams {
      if !isIncoming { resetting.remove(stream) }
      guard let id = self.streams[stream], let channel = channels[id] else { continue }
      if isIncoming {
        channel.isIncomingReset = true
        if !channel.isClosing {
          // Nobody would read it.
          channel.isClosing = true
          dropWaiting(of: channel)
        }
      } else if channel.isClosing {
        channel.isOutgoingReset = true
      }
      if channel.isIncomingReset, channel.isOutgoingReset { finish(channel) } else { resetIfClosing(channel) }
    }
  }

  private func dropWaiting(of channel: DataChannel) {
    waitingBytes -= channel.waitingBytes
    waitingMessages -= channel.waiting.count
    channel.waiting = WaitingQueue()
    channel.waitingBytes = 0
  }

  /// The end of a channel.
  func finish(_ channel: DataChannel) {
    guard channels.removeValue(forKey: channel.info.id) != nil else { return }
    dropWaiting(of: channel)
    if channel.hasStream { streams[channel.info.stream] = nil }
    report(.closed(channel.info.id, channel.error))
  }
}
