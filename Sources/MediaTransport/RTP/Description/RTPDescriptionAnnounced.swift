import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

/// Descriptions that nobody answers: what is sent, and where to (RFC 8866).
extension RTPDescription {
  /// To hear what somebody announced, as FFmpeg's -sdp_file does or a GStreamer pipeline: his ports are where this end listens, at the group, at
  /// `localHost`, or at any address. Reports go to who speaks, under his own key, as there is no other (RFC 4568, section 5.3).
  static func announced(_ text: String, cname: String, localHost: String? = nil) throws(MediaError) -> RTPConfiguration {
    let session = try SessionDescription(parsing: text)
    var configuration = RTPConfiguration(cname: cname)
    for lines in session.media where lines.port != 0 {
      guard let described = try DescribedMedium(lines, in: session), described.rtp.direction != .inactive else { continue }
      var medium = RTPConfiguration.Medium(described.kind)
      medium.direction = .receiveOnly
      medium.take(described.rtp.payloads)
      guard medium.receiving.contains(where: { $0.value == (described.kind == .video ? .vp8 : .opus) }) else { continue }
      (medium.mid, medium.frameRate) = (described.rtp.mid, described.kind == .video ? described.rtp.frameRate : nil)
      let leg = try announcedLeg(described, localHost)
      let place = configuration.legs.firstIndex { $0.local == leg.local && $0.remote == leg.remote } ?? configuration.legs.count
      if place == configuration.legs.count { configuration.legs.append(leg) }
      guard configuration.legs[place].keys?.theirs == leg.keys?.theirs, configuration.legs[place].localControl == leg.localControl else {
        throw .description("media that share the port \(leg.local.port) differ in their keys or their port for RTCP")
      }
      try configuration.legs[place].extensions.join(described.rtp.extensions)
      configuration.legs[place].media.append(medium)
    }
    for leg in configuration.legs {
      try RTPConfiguration.checkPayloads(leg.media, "SDP")
      try leg.extensions.check()
    }
    guard !configuration.legs.isEmpty else {
      throw .description("the announcement has no known media; accepted: VP8/90000 and opus/48000/2 over RTP")
    }
    return configuration
  }

  private static func announcedLeg(_ described: DescribedMedium, _ localHost: String?) throws(MediaError) -> RTPConfiguration.Leg {
    let (address, control) = (try described.address(), try described.controlAddress())
    var host = address.isMulticast ? address : address.unspecified(port: address.port)
    if let localHost {
      guard let given = SocketAddress(localHost, port: address.port), given.isIPv6 == address.isIPv6 else {
        throw MediaError(
          .invalid,
          "the local host is \"\(localHost.prefix(64))\"; accepted with this description: an IPv\(address.isIPv6 ? 6 : 4) address")
      }
      host = given
    }
    var leg = RTPConfiguration.Leg(local: host, remote: address.isMulticast ? address : nil)
    leg.localControl = control.map { host.with(port: $0.port) }
    leg.remoteControl = address.isMulticast ? control : nil
    leg.hasReducedSize = described.rtp.hasReducedSize
    if described.isProtected {
      let known = described.rtp.keys.lazy.compactMap { key in SRTPProfile(rawValue: key.suite).map { ($0, key.key) } }.first
      guard let (profile, bytes) = known else {
        throw .description(
          "m=\(described.kind.rawValue) is protected; accepted: a=crypto with \(SRTPProfile.allCases.map(\.rawValue).joined(separator: ", "))"
        )
      }
      let key = try SRTPKey(bytes, profile)
      leg.keys = RTPConfiguration.Keys(profile, own: key, theirs: key)
    }
    return leg
  }

  /// What a configuration sends, for a player: `ffplay x.sdp`, GStreamer's sdpdemux. Its ports are the other end's. Legs that know no other end need
  /// an address of `remotes`, in the legs' order. Holds this end's keys where there are any. Players as a rule want a port for each medium.
  static func text(
    of configuration: RTPConfiguration, asSentTo remotes: [SocketAddress?] = [], from host: String, id: UInt64, version: UInt64 = 1,
    timeToLive: UInt8 = 1
  ) throws(MediaError) -> String {
    guard let origin = SocketAddress(host, port: 0) else {
      throw MediaError(.invalid, "the host is \"\(host.prefix(64))\"; accepted: an address")
    }
    var session = SessionDescription(id: id, version: version, address: plain(origin))
    var count = 0
    for (place, leg) in configuration.legs.enumerated() {
      let media = leg.media.filter { $0.sending != nil }
      if media.isEmpty { continue }
      guard let remote = (place < remotes.count ? remotes[place] : nil) ?? leg.remote, remote.port != 0, !remote.isUnspecified else {
        throw MediaError(.state, "leg \(place) has no peer address yet; accepted: a peer address to describe")
      }
      var names: [String] = []
      for medium in media {
        var described = sent(medium, over: leg, to: remote, cname: configuration.cname)
        described.connection = .init(plain(remote), timeToLive: remote.isMulticast && !remote.isIPv6 ? timeToLive : nil)
        if media.count > 1 { described.mid = medium.mid ?? "\(count)" }
        names.append(described.mid ?? "")
        session.media.append(described.media)
        count += 1
      }
      if media.count > 1 { session.bundle(names) }
    }
    guard count > 0 else { throw MediaError(.state, "the session sends nothing; accepted: a direction of sendrecv or sendonly") }
    return session.text
  }

  private static func sent(_ medium: RTPConfiguration.Medium, over leg: RTPConfiguration.Leg, to remote: SocketAddress, cname: String)
    -> RTPMedia
  {
    var described = RTPMedia(medium.kind.rawValue, port: remote.port)
    // For who reads it (RFC 8866, section 6.7.1).
    described.direction = .receiveOnly
    described.hasFeedback = medium.hasNACK || leg.hasTransportFeedback
    described.isMultiplexed = leg.localControl == nil
    if let control = leg.remoteControl, control.port != remote.port &+ 1, leg.remote == remote { described.controlPort = control.port }
    if let keys = leg.keys {
      described.isProtected = true
      described.keys = [CryptoAttribute(tag: 1, suite: keys.profile.rawValue, key: keys.own.bytes)]
    }
    if let sending = medium.sending {
      var payload = known(medium.kind, sending.type)
      if medium.hasNACK { payload.feedback = medium.kind == .video ? ["nack", "nack pli"] : ["nack"] }
      if leg.hasTransportFeedback { payload.feedback.append("transport-cc") }
      described.payloads = [payload]
      if let again = medium.retransmission { described.payloads.append(.retransmission(again, of: sending.type)) }
    }
    described.extensions = leg.extensions.of(medium.kind)
    if medium.mid == nil { described.extensions.mid = 0 }
    if let ssrc = medium.ssrc { described.add(ssrc, retransmission: medium.retransmissionSSRC, cname: cname) }
    return described
  }

  private static func plain(_ address: SocketAddress) -> String { String(address.host.prefix { $0 != "%" }) }
}
