import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

/// A medium that both ends take, as this end sees it.
struct RTPAgreement {
  /// Of `Local.legs`.
  let leg: Int
  let own: RTPDescription.Local.Medium
  /// Where they are, and what they take.
  let theirs: DescribedMedium
  /// The answer, whichever end made it: its payloads, their feedback and the extensions are what both do.
  let agreed: RTPMedia
  let direction: RTPMedia.Direction
  let ownKey: CryptoAttribute?
  let theirKey: CryptoAttribute?

  static func configuration(_ local: RTPDescription.Local, _ agreements: [RTPAgreement]) throws(MediaError) -> RTPConfiguration {
    var configuration = RTPConfiguration(cname: local.cname)
    (configuration.bitrates, configuration.packetSize) = (local.bitrates, local.packetSize)
    for (place, own) in local.legs.enumerated() {
      let media = agreements.filter { $0.leg == place }
      guard let first = media.first else { continue }
      var leg = try first.leg(own)
      for agreement in media { try agreement.join(&leg) }
      try RTPConfiguration.checkPayloads(leg.media, "SDP")
      try leg.extensions.check()
      configuration.legs.append(leg)
    }
    return configuration
  }

  private func leg(_ own: RTPDescription.Local.Leg) throws(MediaError) -> RTPConfiguration.Leg {
    let remote = try theirs.address()
    guard !remote.isMulticast else {
      throw MediaError(
        .unsupported,
        "SDP: m=\(theirs.kind.rawValue) is at \(remote.host), a multicast group; accepted in offer and answer: a unicast address")
    }
    guard remote.isIPv6 == own.local.isIPv6 else {
      throw .description(
        "m=\(theirs.kind.rawValue) is at \(remote.host), and the local address is IPv\(own.local.isIPv6 ? 6 : 4); accepted: two addresses of one family"
      )
    }
    var leg = RTPConfiguration.Leg(local: own.local, remote: remote.isUnspecified ? nil : remote)
    if !agreed.isMultiplexed {
      guard let control = own.control else {
        throw .description("m=\(theirs.kind.rawValue) is without rtcp-mux, and there is no local port for RTCP; accepted: one of them")
      }
      leg.localControl = control
      var apart = theirs
      apart.rtp.isMultiplexed = false
      let remoteControl = try apart.controlAddress()
      leg.remoteControl = remoteControl?.isUnspecified == true ? nil : remoteControl
    }
    leg.hasReducedSize = agreed.hasReducedSize
    if let ownKey, let theirKey {
      guard let profile = SRTPProfile(rawValue: ownKey.suite) else { throw .description("a=crypto with an unknown suite") }
      leg.keys = RTPConfiguration.Keys(profile, own: try SRTPKey(ownKey.key, profile), theirs: try SRTPKey(theirKey.key, profile))
    } else if ownKey != nil || theirKey != nil || theirs.rtp.isProtected {
      throw .description("m=\(theirs.kind.rawValue) is protected, but has no keys for both directions")
    }
    return leg
  }

  private func join(_ leg: inout RTPConfiguration.Leg) throws(MediaError) {
    let remote = try theirs.address()
    guard remote.isUnspecified ? leg.remote == nil : leg.remote == remote else {
      throw .description(
        "two media that were offered at one port are answered at two; accepted: one port, by BUNDLE, or port 0 for a refused medium")
    }
    try leg.extensions.join(agreed.extensions)
    leg.hasTransportFeedback =
      leg.hasTransportFeedback
      || (agreed.extensions.transportSequence != 0 && agreed.payloads.contains { $0.feedback.contains("transport-cc") })
    leg.media.append(medium)
  }

  private var medium: RTPConfiguration.Medium {
    var medium = RTPConfiguration.Medium(theirs.kind)
    medium.direction = direction
    medium.take(agreed.payloads)
    if agreed.extensions.mid != 0 { medium.mid = agreed.mid }
    if direction.sends {
      medium.ssrc = own.ssrc
      if medium.retransmission != nil { medium.retransmissionSSRC = own.retransmissionSSRC }
      medium.bandwidth = theirs.rtp.bandwidth
    }
    if direction.receives, theirs.kind == .video { medium.frameRate = theirs.rtp.frameRate }
    return medium
  }
}

extension RTPConfiguration.Medium {
  /// Payloads in the order of preference, by the direction that is set.
  mutating func take(_ payloads: [RTPMedia.Payload]) {
    let media = payloads.filter { $0.associated == nil && RTPDescription.encoding($0, kind) != nil }
    let again = payloads.filter { again in
      again.isRetransmission && media.contains { $0.type == again.associated && $0.type != again.type }
    }
    hasNACK = media.contains { $0.feedback.contains("nack") }
    if direction.receives {
      for payload in media + again where receiving[payload.type] == nil { receiving[payload.type] = RTPDescription.encoding(payload, kind) }
    }
    guard direction.sends, let first = media.first, let encoding = RTPDescription.encoding(first, kind) else { return }
    sending = (first.type, encoding)
    retransmission = again.first { $0.associated == first.type }?.type
  }
}
