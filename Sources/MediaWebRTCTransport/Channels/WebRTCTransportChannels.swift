import MediaCore
import MediaSCTP
import MediaTransport
import MediaWebRTC

/// Data channels of the session's program.
extension WebRTCTransport {
  func openChannel(_ options: MessageChannelOptions) throws(MediaError) -> MessageChannelID {
    let (driver, inner) = (try driver(), try options.inner())
    // Its events come after it has its id.
    return try channels.withLock { channels throws(MediaError) in
      channels.add(try driver.change { (peer, now) throws(MediaError) in try peer.openChannel(inner, now: now) })
    }
  }

  func send(_ message: ChannelMessage, on channel: MessageChannelID) throws(MediaError) {
    let (driver, inner) = (try driver(), try channels.withLock { channels throws(MediaError) in try channels.inner(channel) })
    do throws(MediaError) {
      try driver.change { (peer, now) throws(MediaError) in try peer.send(message.bytes, isText: message.isText, on: inner, now: now) }
    } catch {
      throw error.status == .full ? MediaError(.again, error.text) : error
    }
  }

  func readMessage(of channel: MessageChannelID, upTo most: Int) throws(MediaError) -> ChannelReading {
    let driver = state.withLock { $0.driver }
    let (reading, hasRoom): (ChannelReading?, Bool) = try channels.withLock { channels throws(MediaError) in
      guard driver != nil || channels.count > 0 else { return (nil, false) }
      return (try channels.read(channel, upTo: most), channels.hasRoom)
    }
    guard let reading else { throw WebRTCTransport.notConnected }
    if hasRoom { driver?.takeChannels(true) }
    return reading
  }

  /// Whether messages have come that were not read.
  var hasUnreadMessages: Bool {
    let driver = state.withLock { $0.driver }
    return channels.withLock { $0.count > 0 } || driver?.look { $0.hasChannelEvents } ?? false
  }

  func bufferedAmount(of channel: MessageChannelID) throws(MediaError) -> Int {
    let (driver, inner) = (try driver(), try channels.withLock { channels throws(MediaError) in try channels.inner(channel) })
    return driver.look { $0.bufferedAmount(of: inner) } ?? 0
  }

  func setLowThreshold(_ bytes: Int, of channel: MessageChannelID) throws(MediaError) {
    let (driver, inner) = (try driver(), try channels.withLock { channels throws(MediaError) in try channels.inner(channel) })
    try driver.change { (peer, _) throws(MediaError) in peer.setLowThreshold(bytes, of: inner) }
  }

  func closeChannel(_ channel: MessageChannelID) throws(MediaError) {
    let driver = try driver()
    let (inner, hasRoom) = try channels.withLock { channels throws(MediaError) in
      (try channels.drop(channel), channels.hasRoom)
    }
    if let inner { try driver.change { (peer, now) throws(MediaError) in peer.closeChannel(inner, now: now) } }
    if hasRoom { driver.takeChannels(true) }
  }

  func driver(_ driver: PeerDriver, did events: [DataChannelEvent]) {
    for event in events {
      if let (id, event) = channels.withLock({ $0.take(event) }) { post(.channel(id, event)) }
    }
    // Room that somebody makes meanwhile is not forgotten: it is looked at under the lock that says so.
    channels.withLock { channels in if !channels.hasRoom { driver.takeChannels(false) } }
  }
}
