import MediaCore
import MediaTransport

/// What was told of the targets of encoders, one for each layer, and of which publication.
struct TargetNotifier {
  private var id: StreamID?
  private var bitrates = [UInt64](repeating: 0, count: StreamLayers.most)

  /// Whether it is to be told now. Without an encoder, 0, nothing is.
  mutating func isNews(_ bitrate: UInt64, layer: Int = 0, of id: StreamID?) -> Bool {
    guard let id, bitrate > 0 else { return false }
    if self.id != id {
      self.id = id
      for index in bitrates.indices { bitrates[index] = 0 }
    }
    defer { bitrates[layer] = bitrate }
    return bitrates[layer] != bitrate
  }
}

// MARK: What a stream is on its way over a network

extension OutgoingVideo {
  /// How the stream is sent over the network at present. Throws `.state` if it is not started, or has sent nothing over a network.
  public func networkLook() throws(MediaError) -> OutboundSnapshot { try guarded.withLock { $0.life.publication }.networkLook() }
}

extension OutgoingAudio {
  /// How the stream is sent over the network at present. Throws `.state` if it is not started, or has sent nothing over a network.
  public func networkLook() throws(MediaError) -> OutboundSnapshot { try guarded.withLock { $0.life.publication }.networkLook() }
}

extension Publication? {
  fileprivate func networkLook() throws(MediaError) -> OutboundSnapshot {
    guard let self else { throw MediaError(.state, "the stream is not started; accepted: a started stream of a session over a network") }
    guard let look = self.transport.look(sending: self.id) else {
      let why = "its session is in a loopback room without a scripted network, or there is no receiver yet"
      throw MediaError(.state, "the stream has sent nothing over a network: \(why)")
    }
    return look
  }
}

extension IncomingVideo {
  /// How the stream is received over the network. Throws `.state` if it has no receiver on a network, or was removed.
  public func networkLook() throws(MediaError) -> InboundSnapshot { try transport.networkLook(receiving: description.id) }
}

extension IncomingAudio {
  /// How the stream is received over the network. Throws `.state` for the mix, and if the stream has no receiver on a network, or was
  /// removed.
  public func networkLook() throws(MediaError) -> InboundSnapshot {
    guard let remote else { throw MediaError(.state, "the mix is not received over a network; accepted: a participant's stream") }
    return try remote.transport.networkLook(receiving: remote.description.id)
  }
}

extension Transport {
  fileprivate func networkLook(receiving stream: StreamID) throws(MediaError) -> InboundSnapshot {
    guard let look = look(receiving: stream) else {
      let why = "its session is in a loopback room without a scripted network, it was removed, or it has no receiver yet"
      throw MediaError(.state, "the stream receives nothing over a network: \(why)")
    }
    return look
  }
}
