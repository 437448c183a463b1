import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP

/// What the scheme rtp: makes of a URL: host, port, and parameters. Values have no escapes, as none needs one.
struct RTPURLParts {
  let query: URLQuery
  /// nil: the host is an address, or there is none.
  let name: HostName?
  /// nil where the URL names nobody. Of a name that was not looked up yet an address that stands for it, by which the rest can be checked.
  private(set) var remote: SocketAddress?
  let port: UInt16
  private(set) var isIPv6: Bool
  var argument: String { query.argument }

  static let keyAdvice = "keys are set with msdk_session_set_srtp_keys"
  private static let form = "rtp://HOST:PORT?key=value&…, an IPv6 address in brackets"
  static let names = [
    "local", "audio", "local-audio", "media", "direction", "vp8", "opus", "rtx", "rtcp-mux", "feedback", "twcc", "level", "orientation",
    "color", "capture", "min-bitrate", "start-bitrate", "max-bitrate", "mtu", "framerate", "srtp"
  ]
  /// Of a session by descriptions, which say all the rest.
  static let described = ["host", "media", "direction", "min-bitrate", "start-bitrate", "max-bitrate", "mtu", "framerate", "srtp"]

  static func parse(_ url: String, _ argument: String) throws(MediaError) -> ParsedURL {
    try ParsedURL(url, scheme: "rtp", argument: argument, form: form)
  }

  private static func query(_ url: ParsedURL, _ accepted: [String]) throws(MediaError) -> URLQuery {
    try URLQuery(url.query ?? "", argument: url.argument, accepted: accepted, advice: keyAdvice)
  }

  /// "rtp:" alone, or with parameters.
  init(described url: ParsedURL) throws(MediaError) {
    guard url.path.isEmpty else {
      throw MediaError(.invalid, "\(url.argument) is not \"rtp:?key=value&…\" and not \(RTPURLParts.form)")
    }
    (name, remote, port, isIPv6) = (nil, nil, 0, false)
    query = try RTPURLParts.query(url, RTPURLParts.described)
  }

  /// `resolved`: what the host's name was found to stand for.
  init(_ url: ParsedURL, at resolved: SocketAddress? = nil) throws(MediaError) {
    let (host, port) = try url.hostAndPort()
    guard host.user == nil else { throw MediaError(.invalid, "\(url.argument) has a user; \(RTPURLParts.keyAdvice)") }
    guard url.path.isEmpty || url.path == "/" else {
      throw MediaError(
        .invalid, "\(url.argument) has a \(url.path.utf8.contains(UInt8(ascii: "#")) ? "#" : "path"); accepted: \(RTPURLParts.form)")
    }
    self.port = port
    switch (host.host.isEmpty, NetworkHost(host, port: port)) {
    case (true, _): (name, remote, isIPv6) = (nil, nil, false)
    case (false, .address(let address)): (name, remote, isIPv6) = (nil, address.isUnspecified ? nil : address, address.isIPv6)
    case (false, .name(let name, _)): (self.name, remote, isIPv6) = (name, resolved?.with(port: port), resolved?.isIPv6 ?? false)
    case (false, nil):
      throw MediaError(
        .invalid,
        "\(url.argument) has the host \"\(host.host.prefix(64))\"; accepted: an IPv4 address, an IPv6 address in brackets, \(HostName.accepted), "
          + "or nothing to receive only")
    }
    query = try RTPURLParts.query(url, RTPURLParts.names)
    if name != nil, resolved == nil {
      isIPv6 = isLocalIPv6 ?? false
      remote = SocketAddress(isIPv6 ? "::1" : "127.0.0.1", port: port)
    }
  }

  /// Of the addresses to receive at; nil: there is none.
  private var isLocalIPv6: Bool? {
    ["local", "local-audio"].lazy.compactMap { query[$0] }.first { $0.contains(":") }?.hasPrefix("[")
  }

  /// What is to be looked up, if anything: the address has the family of the one to receive at.
  var question: NameResolver.Question? {
    name.map { NameResolver.Question($0, port: port, isStream: false, isIPv6: isLocalIPv6) }
  }

  // MARK: Values

  func direction() throws(MediaError) -> RTPMedia.Direction {
    try query.choice("direction", ["sendrecv": .sendReceive, "sendonly": .sendOnly, "recvonly": .receiveOnly]) ?? .sendReceive
  }

  func kinds() throws(MediaError) -> [RTPConfiguration.Medium.Kind] {
    try query.choice("media", ["video": [.video], "audio": [.audio], "both": [.video, .audio]]) ?? [.video, .audio]
  }

  /// 64 to 95 look like packets of RTCP (RFC 5761, section 4).
  func payloadType(_ name: String) throws(MediaError) -> UInt8? {
    guard let text = query[name] else { return nil }
    guard let value = ParsedURL.number(text), value < 128, !(64...95).contains(value) else {
      throw MediaError(.range, "\(argument) has \(name)=\(text.prefix(32)); accepted: 0..63 and 96..127")
    }
    return UInt8(truncatingIfNeeded: value)
  }

  func frameRate(_ name: String) throws(MediaError) -> FrameRate? {
    guard let text = query[name] else { return nil }
    let pieces = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = pieces.compactMap { ParsedURL.number($0) }.filter { (1...1_000_000).contains($0) }
    guard (1...2).contains(pieces.count), numbers.count == pieces.count, let first = numbers.first, let last = numbers.last else {
      throw MediaError(.range, "\(argument) has \(name)=\(text.prefix(32)); accepted: N or N/D, each 1..1000000")
    }
    return FrameRate(UInt32(truncatingIfNeeded: first), numbers.count == 2 ? UInt32(truncatingIfNeeded: last) : 1)
  }

  /// PORT or ADDRESS:PORT; the address is nil where only the port is said.
  func local(_ name: String) throws(MediaError) -> (address: SocketAddress?, port: UInt16)? {
    guard let text = query[name] else { return nil }
    guard text.contains(":") else { return try query.port(name, from: 0).map { (nil, $0) } }
    guard let place = ParsedURL.Authority(text), place.user == nil, let port = try place.port("\(argument)'s \(name)", from: 0),
      case .address(let address) = NetworkHost(place, port: port)
    else {
      throw MediaError(
        .invalid, "\(argument) has \(name)=\(text.prefix(64)); accepted: PORT or ADDRESS:PORT, an IPv6 address in brackets")
    }
    guard address.isIPv6 == isIPv6 else {
      throw MediaError(
        .invalid,
        "\(argument) has \(name)=\(text.prefix(64)), whose address family is not \(self.name == nil ? "the host's" : "that of local"); "
          + "accepted: an IPv\(isIPv6 ? 6 : 4) address")
    }
    return (address, port)
  }

  func bitrates() throws(MediaError) -> BandwidthEstimator.Limits { try query.bitrates() }
}

extension NetworkHost {
  /// nil for what is neither an address, with brackets if of IPv6, nor a name.
  init?(_ place: ParsedURL.Authority, port: UInt16) {
    if let address = SocketAddress(place.host, port: port) {
      guard address.isIPv6 == place.isBracketed else { return nil }
      self = .address(address)
    } else if !place.isBracketed, let name = HostName(place.host) {
      self = .name(name, port: port)
    } else {
      return nil
    }
  }
}

extension SocketAddress {
  /// 0.0.0.0 or ::, which is nobody.
  package var isUnspecified: Bool { self == SocketAddress(isIPv6 ? "::" : "0.0.0.0", port: port) }
  func unspecified(port: UInt16) -> SocketAddress { SocketAddress(isIPv6 ? "::" : "0.0.0.0", port: port) ?? with(port: port) }
}
