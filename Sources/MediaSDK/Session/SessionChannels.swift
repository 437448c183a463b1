import MediaCore
import MediaTransport

/// Messages between the session and its peer, in channels (webrtc.h). All throw `.unsupported` where the session's url has none, and `.state` while the
/// session is not connecting or connected: channels end with its connection.
extension Session {
  /// Opens a channel. What is sent before the peer is there waits. `.opened` follows, or `.closed` with `.unsupported` where the peer takes none.
  /// Throws `.range`, `.invalid`, `.full` where there are 256, `.exists` for a number that is in use.
  public func openChannel(_ options: MessageChannelOptions) throws(MediaError) -> MessageChannelID {
    try channelTransport().openChannel(options)
  }

  /// Never waits. Throws `.notFound` for a channel that is closed, `.state`, `.range` for a message that is longer than the peer takes, `.again`
  /// where too much waits: `.bufferedAmountLow` says when there is room.
  public func send(_ message: ChannelMessage, on channel: MessageChannelID) throws(MediaError) {
    try channelTransport().send(message, on: channel)
  }

  /// The next message, if it has no more bytes than that. Throws `.notFound` once the channel is closed and all was read.
  public func readMessage(of channel: MessageChannelID, upTo most: Int = .max) throws(MediaError) -> ChannelReading {
    try channelTransport().readMessage(of: channel, upTo: most)
  }

  /// Bytes that the peer has not acknowledged. Throws `.notFound`.
  public func bufferedAmount(of channel: MessageChannelID) throws(MediaError) -> Int { try channelTransport().bufferedAmount(of: channel) }

  /// `.bufferedAmountLow` comes when what is buffered falls to so many bytes. 0 by default. Throws `.notFound`.
  public func setLowThreshold(_ bytes: Int, of channel: MessageChannelID) throws(MediaError) {
    try channelTransport().setLowThreshold(bytes, of: channel)
  }

  /// What was sent is sent first; what has come and was not read is dropped. `.closed` follows. Throws `.notFound`.
  public func closeChannel(_ channel: MessageChannelID) throws(MediaError) { try channelTransport().closeChannel(channel) }

  private func channelTransport() throws(MediaError) -> any Transport {
    guard factory.features.contains(.channels) else {
      throw MediaError(.unsupported, "the session's url has no data channels; accepted: \(Transports.forms(with: .channels))")
    }
    guard let transport = guarded.withLock({ $0.transport }) else {
      throw MediaError(.state, "the session is not connecting or connected; accepted after msdk_session_connect")
    }
    return transport
  }
}
