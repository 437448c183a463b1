import MediaCore
import MediaICE
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP
import MediaTLS

/// DTLS over the path: keys for media (RFC 5764), and data.
extension PeerConnection {
  /// Begins as soon as there is a path and the other end's fingerprint is known; then what came early is read.
  func advanceHandshake(now: Int64) {
    guard dtls == nil, route != nil, state != .closed, let transport = signalling.negotiated?.transport else { return }
    let fingerprints = transport.fingerprints.map { DTLSFingerprint($0.algorithm, $0.bytes) }
    do throws(MediaError) {
      dtls = try DTLSMachine(
        transport.isClient ? .client : .server, certificate: certificate, peer: fingerprints, profiles: PeerConnection.profiles, now: now)
    } catch {
      return fail(error, now: now)
    }
    let datagrams = early
    early = []
    for datagram in datagrams { datagram.withUnsafeBytes { receive(handshake: $0, now: now) } }
    drainHandshake()
  }

  func receive(handshake datagram: UnsafeRawBufferPointer, now: Int64) {
    guard let dtls else {
      guard early.count < PeerConnection.mostEarly, datagram.count <= PeerConnection.longestEarly else { return }
      return early.append(Array(datagram))
    }
    dtls.receive(datagram, now: now) { receive(packet: $0, now: now) }
    takeKeys(now: now)
    advanceChannels(now: now)
    drainHandshake()
    pumpChannels()
  }

  /// As soon as the handshake is over, or media follow on data.
  func takeKeys(now: Int64) {
    guard !isKeyed, failure == nil, let dtls, dtls.state == .open else { return }
    // Who only wants data need not agree on keys, and has nothing to report.
    let isData = signalling.negotiated?.media.isEmpty ?? true
    if isData, dtls.srtp == nil || signalling.state == .stable && !settings.expectsMedia { return }
    do throws(MediaError) {
      guard let keys = dtls.srtp, let profile = SRTPProfile(dtlsNumber: keys.profile) else {
        throw MediaError(
          .unsupported, "DTLS: no keys for SRTP were agreed on; accepted: the profiles 7 and 8 (AES-GCM) and 1 (AES in counter mode)")
      }
      let client = try SRTPKey(keys.clientKey + keys.clientSalt, profile)
      let server = try SRTPKey(keys.serverKey + keys.serverSalt, profile)
      let isClient = signalling.negotiated?.transport?.isClient ?? true
      let protection = try PacketProtection(profile, own: isClient ? client : server, theirs: isClient ? server : client)
      cipher = profile
      peer.install(protection, now: now)
    } catch {
      fail(error, now: now)
    }
  }

  /// What DTLS has to send goes over the path; without one it waits there.
  func drainHandshake() {
    guard let route, let dtls else { return }
    while outbox.count < PeerConnection.mostOutgoing, let bytes = dtls.takeDatagram() {
      if let datagram = route.wrapped(bytes) { outbox.append(datagram) }
    }
  }
}

extension ICERoute {
  /// A datagram with what the route puts around it.
  func wrapped(_ bytes: [UInt8]) -> ICEDatagram? {
    guard isWrapped else { return ICEDatagram(base: base, destination: destination, bytes: bytes) }
    var memory = [UInt8](repeating: 0, count: ICERoute.headRoom + bytes.count + ICERoute.tailRoom)
    let payload = ICERoute.headRoom..<(ICERoute.headRoom + bytes.count)
    memory.replaceSubrange(payload, with: bytes)
    guard let range = memory.withUnsafeMutableBytes({ wrap($0, payload: payload) }) else { return nil }
    return ICEDatagram(base: base, destination: destination, bytes: Array(memory[range]))
  }
}
