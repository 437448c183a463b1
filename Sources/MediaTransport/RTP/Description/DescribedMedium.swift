import MediaCore
import MediaNetwork
import MediaSDP

/// A medium of a description with its addresses as sockets have them.
struct DescribedMedium {
  var rtp: RTPMedia
  let kind: RTPConfiguration.Medium.Kind
  /// Keys that stand beside RTP/AVP, as FFmpeg writes them.
  var isProtected: Bool { rtp.isProtected || !rtp.keys.isEmpty }

  /// nil for what is not RTP, or neither video nor audio, or has its keys by DTLS.
  init?(_ media: SessionDescription.Media, in session: SessionDescription) throws(MediaError) {
    guard let kind = RTPConfiguration.Medium.Kind(rawValue: media.kind), let rtp = try RTPMedia(media, in: session), !rtp.isKeyedByTLS
    else {
      return nil
    }
    (self.rtp, self.kind) = (rtp, kind)
    // What looks like RTCP is of no use (RFC 5761, section 4).
    self.rtp.payloads.removeAll { (64...95).contains($0.type) }
  }

  /// c= and the port of m=.
  func address() throws(MediaError) -> SocketAddress {
    guard let connection = rtp.connection else { throw .description("m=\(kind.rawValue) has no c= line, and neither has the session") }
    return try address(connection.address, rtp.port)
  }

  /// Where RTCP goes; nil where it goes with the rest.
  func controlAddress() throws(MediaError) -> SocketAddress? {
    if rtp.isMultiplexed { return nil }
    let media = try address()
    guard let port = rtp.controlPort ?? (rtp.port < .max ? rtp.port + 1 : nil), port > 0 else {
      throw .description(
        "m=\(kind.rawValue) at port \(rtp.port) has no port for RTCP; accepted: a=rtcp with 1..65535, a port below 65535, or rtcp-mux")
    }
    return try rtp.controlHost.map { (host) throws(MediaError) in try address(host, port) } ?? media.with(port: port)
  }

  private func address(_ host: String, _ port: UInt16) throws(MediaError) -> SocketAddress {
    guard let address = SocketAddress(host, port: port) else {
      throw .description("m=\(kind.rawValue) is at \"\(host.prefix(64))\"; accepted: an IPv4 or IPv6 address, host names are not resolved")
    }
    return address
  }

  /// Of a time before directions: nobody is there to be sent to (RFC 3264, section 8.4).
  mutating func applyHold() throws(MediaError) {
    guard rtp.connection != nil, try address().isUnspecified else { return }
    rtp.direction = .init(sends: rtp.direction.sends, receives: false)
  }
}
