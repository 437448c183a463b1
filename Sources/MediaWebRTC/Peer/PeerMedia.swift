import MediaCore
import MediaICE
import MediaNetwork
import MediaRTP
import MediaSCTP
import MediaSDP
import MediaSRTP

/// Frames out, and figures.
extension PeerConnection {
  /// Enqueues an encoded frame of a transceiver, in one of its layers, whole or not at all (`RTPSession.full`); a `push` is to follow. `number`: of a
  /// video frame, in its stream. `isVoice`: somebody speaks. Throws where the other end takes nothing in it.
  public func send(
    _ frame: EncodedFrame, number: UInt16, on transceiver: Transceiver.ID, layer: Int = 0, isVoice: Bool = false, now: Int64
  ) throws(PacketError) {
    guard let streams = streams[transceiver], streams.indices.contains(layer) else { throw PeerConnection.unsent }
    try peer.send(frame, number: number, on: streams[layer], isVoice: isVoice, now: now)
  }

  private static let unsent = PacketError("WebRTC: the other end takes nothing in that layer of the transceiver")

  /// The index in `rtp` of what is sent in a layer; nil: nothing is.
  public func stream(_ transceiver: Transceiver.ID, layer: Int = 0) -> Int? {
    streams[transceiver].flatMap { $0.indices.contains(layer) ? $0[layer] : nil }
  }

  /// Sends what may leave of what was enqueued just now. Returns when that wants to be polled.
  public func push(now: Int64, _ send: (ICERoute, DatagramBatch, Int) -> DatagramSending) -> Int64 {
    guard state != .closed else { return .max }
    let route = route
    return peer.push(now: now) { if let route { send(route, $1, $2) } else { .all } }
  }

  /// Offers what a call left to be sent.
  public func flush(_ send: (ICERoute, DatagramBatch, Int) -> DatagramSending) {
    if let route { peer.flush { send(route, $1, $2) } }
  }

  /// Shows all packets of media that pass to somebody. `local`: the address of the route's base.
  public func watch(_ tap: (any PacketTap)?, local: SocketAddress?) { peer.watch(tap, local: local) }

  /// Figures of now.
  public var stats: PeerStats {
    var stats = counts
    (stats.ice, stats.route, stats.cipher) = (ice.state, route, cipher)
    (stats.roundTrip, stats.refused, stats.dropped) = (ice.roundTrip, ice.refused, peer.dropped)
    stats.path = rtp.pathStats
    stats.channels = channels?.counts
    return stats
  }
}

/// Figures of a connection. Streams have theirs in `PeerConnection.rtp`.
public struct PeerStats: Sendable {
  /// How far the path has come.
  public internal(set) var ice = ICEState.new
  /// nil: there is no path.
  public internal(set) var route: ICERoute?
  /// By which media are protected; nil: keys are not agreed on yet.
  public internal(set) var cipher: SRTPProfile?
  /// Where the other end is; nil: there is no path.
  public var remote: SocketAddress? { route?.remote }
  /// By a relay of this end.
  public var isRelayed: Bool { route?.isRelayed ?? false }
  /// Of the path, in nanoseconds; nil: not measured.
  public internal(set) var roundTrip: Int64?
  /// Datagrams of strangers.
  public internal(set) var refused: UInt64 = 0
  /// Packets of media that went nowhere, by why.
  public internal(set) var dropped = SecureRTPPeer.Dropped()
  /// Of all media.
  public internal(set) var path = TransportPathStats()
  /// Protected bytes of media.
  public internal(set) var bytesReceived: UInt64 = 0
  /// Datagrams of the other end that are neither DTLS nor RTP.
  public internal(set) var unknown: UInt64 = 0
  /// Packets of data channels that came while none were agreed on.
  public internal(set) var dataDropped: UInt64 = 0

  /// What of data channels had no effect; nil: there were none.
  public internal(set) var channels: DataChannels.Counts?

  init() {}
}
