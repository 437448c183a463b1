import MediaCore
import MediaSCTP
import MediaTLS

/// Data channels (RFC 8831): SCTP over DTLS, as soon as both are agreed on.
extension PeerConnection {
  /// Opens a channel, which waits for the connection where there is none, with what is sent on it. The first one has its section offered next
  /// (`negotiationNeeded`). Throws `.state` where the settings have no data channels, `.closed`, the error of a connection that has failed, and as
  /// `DataChannels.open`.
  public func openChannel(_ options: DataChannelOptions, now: Int64) throws(MediaError) -> DataChannelID {
    guard state != .closed else { throw .closedSession }
    if let failure { throw failure }
    guard let channels = try makeChannels() else { throw PeerConnection.noChannels }
    let id = try channels.open(options, now: now)
    try requestData()
    return id
  }

  /// As `DataChannels.send`, `.closed` after the end.
  public func send(_ message: [UInt8], isText: Bool, on channel: DataChannelID, now: Int64) throws(MediaError) {
    guard state != .closed else { throw .closedSession }
    guard let channels else { throw MediaError(.notFound, "data channels: the channel is closed") }
    try channels.send(message, isText: isText, on: channel, now: now)
  }

  /// As `DataChannels.close(_:now:)`.
  public func closeChannel(_ id: DataChannelID, now: Int64) { channels?.close(id, now: now) }

  /// As `DataChannels.bufferedAmount`.
  public func bufferedAmount(of id: DataChannelID) -> Int? { channels?.bufferedAmount(of: id) }

  /// As `DataChannels.setLowThreshold`.
  public func setLowThreshold(_ bytes: Int, of id: DataChannelID) { channels?.setLowThreshold(bytes, of: id) }

  /// The longest message that the other end takes, in bytes; before it is known, the longest that may wait.
  public var mostSentBytes: Int { channels?.mostSentBytes ?? settings.data?.mostBufferedBytes ?? 0 }

  /// The next event of data channels; nil: there is none. The other end waits where nobody takes them, and may go on after one is taken: `poll` is to
  /// follow.
  public func takeChannelEvent() -> DataChannelEvent? { channels?.takeEvent() }

  /// Whether there is one.
  public var hasChannelEvents: Bool { channels?.hasEvents ?? false }

  private static let noChannels = MediaError(.state, "WebRTC: data channels are not in the settings; accepted after they are")

  /// nil: the settings have none.
  private func makeChannels() throws(MediaError) -> DataChannels? {
    if channels == nil, let settings = settings.data { channels = try DataChannels(settings: settings, now: 0) }
    return channels
  }

  /// Begins or ends the association, as negotiations and DTLS have it.
  func advanceChannels(now: Int64) {
    guard failure == nil, state != .closed, let dtls, dtls.state == .open, let negotiated = signalling.negotiated else { return }
    if let begun, begun != negotiated.data?.sctpPort {
      channels?.end(MediaError(.closed, "data channels: the section of data channels was refused"), now: now)
      pumpChannels()
      self.begun = nil
    }
    guard begun == nil, let data = negotiated.data, let transport = negotiated.transport else { return }
    do throws(MediaError) {
      guard let channels = try makeChannels() else { return }
      try channels.begin(
        role: transport.isClient ? .client : .server, peerPort: data.sctpPort, peerMostBytes: data.mostBytes, random: random, now: now)
      begun = data.sctpPort
    } catch {
      fail(error, now: now)
    }
  }

  /// What DTLS has decrypted.
  func receive(packet: UnsafeRawBufferPointer, now: Int64) {
    advanceChannels(now: now)
    guard begun != nil, let channels else { return counts.dataDropped &+= 1 }
    channels.receive(packet, now: now)
  }

  /// Packets of SCTP go out as long as there is room; without a path they wait, as what is sent again would.
  func pumpChannels() {
    guard begun != nil, route != nil, let dtls, let channels else { return }
    while outbox.count < PeerConnection.mostPumped, dtls.state == .open, let packet = channels.takePacket() {
      // What is not sent is sent again.
      _ = packet.withUnsafeBytes { bytes in try? dtls.send(bytes) }
      drainHandshake()
    }
  }

  /// Timers of SCTP rest while there is no path, so that an outage that a restart of ICE ends does not end the channels.
  func pollChannels(now: Int64) -> Int64 {
    guard begun != nil, route != nil, let channels else { return .max }
    channels.poll(now: now)
    pumpChannels()
    return channels.nextDeadline
  }

  /// The other end has refused the section that waiting channels had asked for.
  func refuseChannels(now: Int64) {
    guard begun == nil else { return }
    channels?.end(MediaError(.unsupported, "data channels: the other end has refused them"), now: now)
  }
}
