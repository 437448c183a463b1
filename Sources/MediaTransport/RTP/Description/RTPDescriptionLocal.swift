import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP

/// This end's media as an offer has them.
extension RTPDescription.Local {
  /// All media over one leg (RFC 9143).
  var isShared: Bool { legs.count == 1 && media.count > 1 }

  func check() throws(MediaError) {
    func refuse(_ what: String) -> MediaError { MediaError(.invalid, "the local description has \(what)") }
    guard (1...16).contains(media.count) else { throw refuse("\(media.count) media; accepted: 1..16") }
    guard legs.count == 1 || legs.count == media.count else {
      throw refuse("\(legs.count) legs; accepted: 1, or \(media.count), one for each medium")
    }
    guard let address = SocketAddress(host, port: 0), !address.isUnspecified, !address.isMulticast else {
      throw refuse("the host \"\(host.prefix(64))\"; accepted: an address that peers can reach")
    }
    guard (1...255).contains(cname.utf8.count), cname.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else {
      throw refuse("a cname that is not 1..255 bytes without spaces")
    }
    for leg in legs {
      guard leg.local.isIPv6 == address.isIPv6, leg.control.map({ $0.isIPv6 == address.isIPv6 }) ?? true else {
        throw refuse("a leg at \(leg.local), whose address family is not the host's")
      }
      guard leg.local.port != 0, leg.control?.port != 0 else { throw refuse("a leg without a port; accepted: bound legs") }
      guard isMultiplexed || leg.control != nil else {
        throw refuse("a leg without a port for RTCP and without rtcp-mux; accepted: one of them")
      }
    }
    let sources = media.flatMap { [$0.ssrc, $0.retransmissionSSRC].compactMap { $0 } }
    guard Set(sources).count == sources.count else { throw refuse("an SSRC twice") }
    for medium in media {
      for type in [medium.type, medium.retransmission ?? medium.type] {
        guard type < 128, !(64...95).contains(type) else { throw refuse("the payload type \(type); accepted: 0..63 and 96..127") }
      }
      let others = isShared ? media.filter { $0.kind != medium.kind }.flatMap { [$0.type, $0.retransmission] } : []
      guard medium.type != medium.retransmission, !others.contains(medium.type) else {
        throw refuse("two meanings for the payload type \(medium.type)")
      }
    }
  }

  /// o=, s= and c=.
  var session: SessionDescription {
    var session = SessionDescription(id: id, version: version, address: plainHost)
    session.connection = .init(plainHost)
    return session
  }

  /// Zones mean nothing to others.
  private var plainHost: String { String(host.prefix { $0 != "%" }) }

  /// One of its media over one of its legs.
  func described(_ place: Int, over legPlace: Int) -> RTPMedia {
    let (medium, leg) = (media[place], legs[legPlace])
    var described = RTPMedia(medium.kind.rawValue, port: leg.local.port)
    described.direction = medium.direction
    (described.isProtected, described.keys) = (!leg.keys.isEmpty, leg.keys)
    (described.hasFeedback, described.hasReducedSize, described.isMultiplexed) = (hasFeedback, hasFeedback, isMultiplexed)
    // What is next to it is said by saying nothing (RFC 3605, section 2.1).
    if let control = leg.control, control.port != leg.local.port &+ 1 { described.controlPort = control.port }
    described.payloads = [RTPDescription.known(medium.kind, medium.type)]
    described.extensions = RTPDescription.extensions.of(medium.kind)
    if hasFeedback {
      described.payloads[0].feedback = medium.kind == .video ? ["nack", "nack pli", "ccm fir", "transport-cc"] : ["nack", "transport-cc"]
      if medium.kind == .video, let again = medium.retransmission { described.payloads.append(.retransmission(again, of: medium.type)) }
    } else {
      described.extensions.transportSequence = 0
    }
    described.bandwidth = medium.bandwidth
    if medium.direction.sends, let ssrc = medium.ssrc {
      described.add(ssrc, retransmission: described.payloads.count > 1 ? medium.retransmissionSSRC : nil, cname: cname)
    }
    if medium.direction.receives, medium.kind == .video, medium.frameRate?.isKnown == true { described.frameRate = medium.frameRate }
    return described
  }
}
