import MediaCore
import MediaSCTP
import MediaSignalling
import MediaWebRTC

extension WebRTCOptions {
  /// Of a connection. `label`: by which descriptions bind the streams of this end together (RFC 8830); `id`: random bits.
  func driverSettings(label: String, id: UInt64, servers added: [ICEServer] = []) -> PeerDriverSettings {
    var signalling = JSEPSettings(
      cname: String(label.prefix(24)), id: id >> 2 | 1,
      // The certificate's is put in its place.
      fingerprint: .init("sha-256", []))
    (signalling.isPolite, signalling.trickles, signalling.bitrates) = (isPolite, trickles, bitrates)
    signalling.acceptsLayers = acceptsLayers
    if carriesVideo { signalling.video = JSEPSettings.forwardedVideo }
    var peer = PeerSettings(signalling)
    peer.ice.policy = isRelayed ? .relay : .all
    (peer.isForwarded, peer.isPlayedOut, peer.expectsMedia) = (isForwarded, isPlayedOut, expectsMedia)
    if hasChannels { peer.data = DataChannelSettings() }
    var settings = PeerDriverSettings(peer)
    settings.servers = servers + added
    (settings.offersLoopback, settings.relayFingerprint) = (offersLoopback, relayFingerprint)
    return settings
  }
}
