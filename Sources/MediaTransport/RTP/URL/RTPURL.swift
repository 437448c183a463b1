import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

/// "rtp://HOST:PORT?key=value&…": a session by configuration alone, where both ends are told what the other does. Nothing is looked up
/// here, nothing is negotiated, and no key stands in it: URLs are logged.
enum RTPURL {
  /// Of own and other end's master key and salt, as SDP's `inline:` holds them, decoded.
  typealias Keys = (own: [UInt8], theirs: [UInt8])

  /// `resolved`: what the host's name was found to stand for. Until it is known, another address does in its place.
  static func configuration(
    _ url: String, cname: String, keys: Keys? = nil, argument: String = "url", at resolved: SocketAddress? = nil
  ) throws(MediaError) -> RTPConfiguration {
    try RTPURLReader(RTPURLParts(RTPURLParts.parse(url, argument), at: resolved), keys).configuration(cname: cname)
  }
}

/// The parts of one URL and what they come to.
struct RTPURLReader {
  let parts: RTPURLParts
  private let keys: RTPConfiguration.Keys?
  private let direction: RTPMedia.Direction
  private let kinds: [RTPConfiguration.Medium.Kind]
  private let isMultiplexed: Bool
  private let hasFeedback: Bool

  init(_ parts: RTPURLParts, _ keys: RTPURL.Keys?) throws(MediaError) {
    self.parts = parts
    self.keys = try RTPURLReader.protection(parts, keys)
    (direction, kinds) = (try parts.direction(), try parts.kinds())
    isMultiplexed = try parts.query.flag("rtcp-mux")
    hasFeedback = try parts.query.flag("feedback")
    for key in ["twcc", "rtx"] where !hasFeedback && parts.query[key] != nil {
      throw MediaError(.invalid, "\(parts.argument) has \(key) without feedback=1, which it needs")
    }
    if let remote = parts.remote, remote.isMulticast, direction == .sendReceive {
      throw MediaError(
        .invalid, "\(parts.argument) has the multicast address \(remote.host); accepted with it: direction=recvonly or sendonly")
    }
  }

  private static func protection(_ parts: RTPURLParts, _ keys: RTPURL.Keys?) throws(MediaError) -> RTPConfiguration.Keys? {
    let accepted = SRTPProfile.allCases.map(\.rawValue).joined(separator: ", ")
    guard let suite = parts.query["srtp"] else {
      guard keys == nil else {
        throw MediaError(.invalid, "\(parts.argument) has no srtp, but keys are set; accepted with keys: srtp=\(accepted)")
      }
      return nil
    }
    // Not repeated: it may be a key that somebody put there.
    guard let profile = SRTPProfile(rawValue: String(suite)) else {
      throw MediaError(.invalid, "\(parts.argument) has an unknown suite in srtp; accepted: \(accepted), and \(RTPURLParts.keyAdvice)")
    }
    guard let keys else { throw MediaError(.invalid, "\(parts.argument) has srtp, but there are no keys: \(RTPURLParts.keyAdvice)") }
    return RTPConfiguration.Keys(profile, own: try SRTPKey(keys.own, profile), theirs: try SRTPKey(keys.theirs, profile))
  }

  func configuration(cname: String) throws(MediaError) -> RTPConfiguration {
    var configuration = RTPConfiguration(cname: cname)
    var media: [RTPConfiguration.Medium] = []
    for kind in kinds { media.append(try medium(kind)) }
    let ports = try RTPURLPorts(parts, isMultiplexed: isMultiplexed, kinds: kinds)
    if let second = ports.second {
      configuration.legs = [try leg(ports.first, media.filter { $0.kind == .video }), try leg(second, media.filter { $0.kind == .audio })]
    } else {
      configuration.legs = [try leg(ports.first, media)]
    }
    for leg in configuration.legs { try RTPConfiguration.checkPayloads(leg.media, parts.argument) }
    configuration.bitrates = try parts.bitrates()
    if let size = try parts.query.number("mtu", 576...1500) {
      // Headers of IP and UDP.
      configuration.packetSize = Int(size) - (ports.first.local.isIPv6 ? 48 : 28) - (keys?.profile.tagSize ?? 0)
    }
    return configuration
  }

  /// Beside twcc, which has a number of its own accord.
  private static var extensions: [(String, WritableKeyPath<ExtensionMap, UInt8>)] {
    [("level", \.audioLevel), ("orientation", \.orientation), ("color", \.colorSpace), ("capture", \.captureTime)]
  }

  private func leg(_ ports: RTPURLPorts.Pair, _ media: [RTPConfiguration.Medium]) throws(MediaError) -> RTPConfiguration.Leg {
    var leg = RTPConfiguration.Leg(local: ports.local, remote: ports.remote)
    (leg.localControl, leg.remoteControl) = (ports.localControl, ports.remoteControl)
    leg.keys = keys
    leg.hasReducedSize = hasFeedback
    if hasFeedback {
      // Which is where libwebrtc has it by habit.
      leg.extensions.transportSequence = UInt8(truncatingIfNeeded: try parts.query.number("twcc", 0...14) ?? 5)
      leg.hasTransportFeedback = leg.extensions.transportSequence != 0
    }
    for (name, field) in RTPURLReader.extensions {
      let id = UInt8(truncatingIfNeeded: try parts.query.number(name, 1...14) ?? 0)
      let taken = [("twcc", \.transportSequence)] + RTPURLReader.extensions
      if id != 0, let other = taken.first(where: { $0.0 != name && leg.extensions[keyPath: $0.1] == id }) {
        throw MediaError(.invalid, "\(parts.argument) has \(id) for \(name) and for \(other.0); accepted: two different numbers")
      }
      leg.extensions[keyPath: field] = id
    }
    if !media.contains(where: { $0.kind == .audio }) { leg.extensions.audioLevel = 0 }
    if !media.contains(where: { $0.kind == .video }) { (leg.extensions.orientation, leg.extensions.colorSpace) = (0, 0) }
    leg.media = media
    return leg
  }

  private func medium(_ kind: RTPConfiguration.Medium.Kind) throws(MediaError) -> RTPConfiguration.Medium {
    var medium = RTPConfiguration.Medium(kind)
    let encoding: RTPEncoding = kind == .video ? .vp8 : .opus
    let type = try kind == .video ? parts.payloadType("vp8") ?? 96 : parts.payloadType("opus") ?? 111
    let again = try kind == .video ? parts.payloadType("rtx") : nil
    (medium.direction, medium.hasNACK) = (direction, hasFeedback)
    if direction.sends { (medium.sending, medium.retransmission) = ((type, encoding), again) }
    if direction.receives {
      medium.receiving = [type: encoding]
      if let again, again != type { medium.receiving[again] = .retransmission(of: type) }
    }
    guard again != type else {
      throw MediaError(.invalid, "\(parts.argument) has the payload type \(type) for vp8 and for rtx; accepted: two different numbers")
    }
    let frameRate = try parts.frameRate("framerate")
    if kind == .video, direction.receives { medium.frameRate = frameRate }
    return medium
  }
}

extension RTPConfiguration {
  /// What shares a leg is told apart by payload type (RFC 9143, section 9.1): one number, one meaning.
  static func checkPayloads(_ media: [Medium], _ argument: String) throws(MediaError) {
    var meanings: [UInt8: RTPEncoding] = [:]
    func check(_ type: UInt8, _ encoding: RTPEncoding) throws(MediaError) {
      if let other = meanings[type], other != encoding {
        throw MediaError(
          .invalid, "\(argument) has two meanings for the payload type \(type) of media that share a port; accepted: one")
      }
      meanings[type] = encoding
    }
    for medium in media {
      if let sending = medium.sending {
        try check(sending.type, sending.encoding)
        if let again = medium.retransmission { try check(again, .retransmission(of: sending.type)) }
      }
      for (type, encoding) in medium.receiving { try check(type, encoding) }
    }
  }
}
