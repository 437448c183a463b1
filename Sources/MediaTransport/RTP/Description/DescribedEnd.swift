import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP
import MediaSRTP

/// What "rtp:?key=value&…" says of this end, for its descriptions.
struct DescribedEnd: Sendable {
  let host: SocketAddress?
  let profiles: [SRTPProfile]
  let bitrates: BandwidthEstimator.Limits
  let packetSize: Int
  let cname: String
  private let media: [RTPDescription.Local.Medium]

  init(_ parts: RTPURLParts, cname: String) throws(MediaError) {
    self.cname = cname
    host = try parts.query["host"].map { (text) throws(MediaError) in
      guard let address = SocketAddress(String(text), port: 0), !address.isUnspecified, !address.isMulticast else {
        throw MediaError(.invalid, "\(parts.argument) has host=\(text.prefix(64)); accepted: an address of this machine")
      }
      return address
    }
    let (direction, kinds) = (try parts.direction(), try parts.kinds())
    let frameRate = try parts.frameRate("framerate")
    media = kinds.map { kind in
      var medium = RTPDescription.Local.Medium(kind, direction, ssrc: .random(), retransmissionSSRC: kind == .video ? .random() : nil)
      if kind == .video { medium.frameRate = frameRate }
      return medium
    }
    profiles =
      try parts.query["srtp"].map { (text) throws(MediaError) in
        guard let profile = SRTPProfile(rawValue: String(text)) else {
          throw MediaError(
            .invalid,
            "\(parts.argument) has an unknown suite in srtp; accepted: \(SRTPProfile.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        return [profile]
      } ?? []
    bitrates = try parts.bitrates()
    packetSize = try parts.query.number("mtu", 576...1500).map { Int($0) - 48 - 16 } ?? 1200
  }

  /// With its sockets bound: one pair for all, or for each medium.
  func bind(
    toward remote: SocketAddress?, on network: any Network, isShared: Bool, isProtected: Bool
  ) throws(MediaError) -> (RTPDescription.Local, [RTPSockets]) {
    let outward = remote ?? SocketAddress("192.0.2.1", port: 9)
    guard let host = host ?? outward.flatMap({ network.localAddress(toward: $0) }) ?? SocketAddress("127.0.0.1", port: 0) else {
      throw MediaError(.fail, "no address")
    }
    var sockets: [RTPSockets] = []
    var legs: [RTPDescription.Local.Leg] = []
    for _ in 0..<(isShared ? 1 : media.count) {
      var plan = RTPConfiguration.Leg(local: host.unspecified(port: 0), remote: nil)
      plan.localControl = plan.local
      let pair = try RTPSockets(plan, on: network)
      guard let address = pair.localAddress, let control = pair.controlAddress else {
        throw MediaError(.io, "a socket without an address")
      }
      var leg = RTPDescription.Local.Leg(local: address, control: control)
      for profile in isProtected ? (profiles.isEmpty ? SRTPProfile.allCases : profiles) : [] {
        try leg.protect(profile, key: (0..<profile.keySize + profile.saltSize).map { _ in UInt8.random(in: 0...(.max)) })
      }
      sockets.append(pair)
      legs.append(leg)
    }
    var local = RTPDescription.Local(id: RTPTarget.sessionID, host: host.host, cname: cname, legs: legs, media: media)
    (local.bitrates, local.packetSize) = (bitrates, packetSize)
    return (local, sockets)
  }
}

extension RTPTarget {
  /// The other end's. What it says is agreed when this returns.
  public func setRemote(_ type: DescriptionType, _ text: String) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      guard let described else {
        throw MediaError(.state, "the session's url already names its peer; accepted for descriptions: \"rtp:\" or \"rtp:?key=value&…\"")
      }
      switch type {
      case .announced:
        let configuration = try RTPDescription.announced(text, cname: cname, localHost: described.host?.host)
        let sockets = try RTPTarget.bind(configuration, network)
        (state.configuration, state.sockets, state.offered, state.local, state.isUsed) = (configuration, sockets, nil, nil, false)
      case .offer:
        let offer = try SessionDescription(parsing: text)
        let isProtected = offer.media.contains(where: \.isProtected)
        let remote = (offer.media.first?.connection ?? offer.connection).flatMap { SocketAddress($0.address, port: 9) }
        let (local, sockets) = try described.bind(
          toward: remote, on: network, isShared: false, isProtected: isProtected || !described.profiles.isEmpty)
        let (answer, configuration) = try RTPDescription.answer(to: text, local)
        (state.configuration, state.sockets, state.offered, state.local, state.isUsed) = (configuration, sockets, nil, answer, false)
      case .answer:
        guard let offered = state.offered else {
          throw MediaError(.state, "there is no offer to answer; msdk_session_get_local_sdp makes one")
        }
        state.configuration = try RTPDescription.accept(text, to: offered)
      }
    }
  }

  func offer(_ state: inout State) throws(MediaError) -> String {
    guard let described else { throw MediaError(.state, "the session's url already describes the whole session") }
    guard state.configuration == nil else { throw MediaError(.state, "an announced description is only received from, and not answered") }
    let (local, sockets) = try described.bind(toward: nil, on: network, isShared: true, isProtected: !described.profiles.isEmpty)
    let text = try RTPDescription.offer(of: local)
    (state.offered, state.sockets, state.local, state.isUsed) = (local, sockets, text, false)
    return text
  }
}
