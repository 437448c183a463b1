import MediaCore
import MediaNetwork
import MediaRTP
import MediaSDP

/// A URL taken apart: host, port, and the parameters by name. Values have no escapes, as none needs one.
struct RTPURLParts {
  let argument: String
  /// nil: the host is an address, or there is none.
  let name: HostName?
  /// nil where the URL names nobody. Of a name that was not looked up yet an address that stands for it, by which the rest can be checked.
  private(set) var remote: SocketAddress?
  let port: UInt16
  private(set) var isIPv6: Bool
  private let accepted: [String]
  private var values: [String: Substring] = [:]

  static let longest = 2048
  static let keyAdvice = "keys are set with msdk_session_set_srtp_keys"
  private static let form = "rtp://HOST:PORT?key=value&…, an IPv6 address in brackets"
  static let names = [
    "local", "audio", "local-audio", "media", "direction", "vp8", "opus", "rtx", "rtcp-mux", "feedback", "twcc", "level", "orientation",
    "color", "capture", "min-bitrate", "start-bitrate", "max-bitrate", "mtu", "framerate", "srtp"
  ]
  /// Of a session by descriptions, which say all the rest.
  static let described = ["host", "media", "direction", "min-bitrate", "start-bitrate", "max-bitrate", "mtu", "framerate", "srtp"]
  private static let secrets = ["key", "secret", "pass", "token", "auth", "crypt", "inline", "salt"]

  /// "rtp:" alone, or with parameters.
  init(described url: String, _ argument: String) throws(MediaError) {
    (self.argument, accepted, name, remote, port, isIPv6) = (argument, RTPURLParts.described, nil, nil, 0, false)
    guard url.utf8.count <= RTPURLParts.longest else {
      throw MediaError(.limit, "\(argument) has \(url.utf8.count) bytes; accepted: at most \(RTPURLParts.longest)")
    }
    let query = url.dropFirst(4)
    guard query.isEmpty || query.hasPrefix("?") else {
      throw MediaError(.invalid, "\(argument) is not \"rtp:?key=value&…\" and not \(RTPURLParts.form)")
    }
    if query.count > 1 { try take(query.dropFirst()) }
  }

  /// `resolved`: what the host's name was found to stand for.
  init(_ url: String, _ argument: String, at resolved: SocketAddress? = nil) throws(MediaError) {
    self.argument = argument
    accepted = RTPURLParts.names
    guard url.utf8.count <= RTPURLParts.longest else {
      throw MediaError(.limit, "\(argument) has \(url.utf8.count) bytes; accepted: at most \(RTPURLParts.longest)")
    }
    guard url.utf8.starts(with: "rtp://".utf8) else {
      throw MediaError(
        .unsupported, "\(argument) begins with \"\(url.prefix { !":?@".contains($0) }.prefix(32))\"; accepted: \(RTPURLParts.form)")
    }
    let halves = url.dropFirst(6).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard !url.contains("#"), let front = halves.first else {
      throw MediaError(.invalid, "\(argument) has a #; accepted: \(RTPURLParts.form)")
    }
    guard !front.contains("@") else { throw MediaError(.invalid, "\(argument) has a user; \(RTPURLParts.keyAdvice)") }
    let authority = front.hasSuffix("/") ? front.dropLast() : front
    guard let (host, digits) = RTPURLParts.split(authority) else {
      throw MediaError(.invalid, "\(argument) has \"\(authority.prefix(64))\" for address and port; accepted: \(RTPURLParts.form)")
    }
    port = try RTPURLParts.port(digits, "\(argument)'s port", from: 1)
    // A zone's percent sign is written %25 in a URL (RFC 6874).
    let plain = host.replacing("%25", with: "%")
    let isBracketed = authority.hasPrefix("[")
    let numeric = plain.isEmpty ? SocketAddress("0.0.0.0", port: port) : SocketAddress(plain, port: port)
    name = numeric == nil && !isBracketed ? HostName(host) : nil
    if let numeric, plain.isEmpty || numeric.isIPv6 == isBracketed {
      isIPv6 = numeric.isIPv6
      remote = numeric.isUnspecified ? nil : numeric
    } else if name != nil {
      isIPv6 = resolved?.isIPv6 ?? false
      remote = resolved?.with(port: port)
    } else {
      throw MediaError(
        .invalid,
        "\(argument) has the host \"\(host.prefix(64))\"; accepted: an IPv4 address, an IPv6 address in brackets, \(HostName.accepted), "
          + "or nothing to receive only"
      )
    }
    if halves.count > 1, !halves[1].isEmpty { try take(halves[1]) }
    if name != nil, resolved == nil {
      isIPv6 = isLocalIPv6 ?? false
      remote = SocketAddress(isIPv6 ? "::1" : "127.0.0.1", port: port)
    }
  }

  /// Of the addresses to receive at; nil: there is none.
  private var isLocalIPv6: Bool? {
    ["local", "local-audio"].lazy.compactMap { values[$0] }.first { $0.contains(":") }?.hasPrefix("[")
  }

  /// What is to be looked up, if anything: the address has the family of the one to receive at.
  var question: NameResolver.Question? {
    name.map { NameResolver.Question($0, port: port, isStream: false, isIPv6: isLocalIPv6) }
  }

  private mutating func take(_ query: Substring) throws(MediaError) {
    for (number, piece) in query.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
      // What has no name is not repeated: it may be anything.
      guard let sign = piece.firstIndex(of: "=") else {
        throw MediaError(
          .invalid,
          "\(argument) has a parameter, number \(number + 1), that is not key=value; accepted keys: \(accepted.joined(separator: ", "))")
      }
      let (name, value) = (String(piece[..<sign]), piece[piece.index(after: sign)...])
      guard accepted.contains(name) else {
        let small = name.lowercased()
        if RTPURLParts.secrets.contains(where: { small.contains($0) }) {
          throw MediaError(.invalid, "\(argument) has \"\(name.prefix(32))\", but URLs are logged: \(RTPURLParts.keyAdvice)")
        }
        throw MediaError(.invalid, "\(argument) has the unknown key \"\(name.prefix(32))\"; accepted: \(accepted.joined(separator: ", "))")
      }
      guard values[name] == nil else { throw MediaError(.invalid, "\(argument) has \(name) twice; accepted: once") }
      guard !value.isEmpty else { throw MediaError(.invalid, "\(argument) has \(name) without a value") }
      values[name] = value
    }
  }

  /// Host, without its brackets, and port.
  private static func split(_ authority: Substring) -> (host: String, port: Substring)? {
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { return nil }
      let rest = authority[authority.index(after: end)...]
      guard rest.hasPrefix(":") else { return nil }
      return (String(authority[authority.index(after: authority.startIndex)..<end]), rest.dropFirst())
    }
    let pieces = authority.split(separator: ":", omittingEmptySubsequences: false)
    return pieces.count == 2 ? (String(pieces[0]), pieces[1]) : nil
  }

  private static func port(_ digits: Substring, _ name: String, from least: UInt64) throws(MediaError) -> UInt16 {
    guard let value = plain(digits), (least...65_535).contains(value) else {
      throw MediaError(.range, "\(name) is \"\(digits.prefix(32))\"; accepted: \(least)..65535")
    }
    return UInt16(truncatingIfNeeded: value)
  }

  /// Digits and nothing else.
  private static func plain(_ text: Substring) -> UInt64? {
    text.utf8.allSatisfy { (48...57).contains($0) } ? UInt64(text) : nil
  }

  // MARK: Values

  subscript(_ name: String) -> String? { values[name].map { String($0) } }

  func number(_ name: String, _ range: ClosedRange<UInt64>) throws(MediaError) -> UInt64? {
    guard let text = values[name] else { return nil }
    guard let value = RTPURLParts.plain(text), range.contains(value) else {
      throw MediaError(.range, "\(argument) has \(name)=\(text.prefix(32)); accepted: \(range.lowerBound)..\(range.upperBound)")
    }
    return value
  }

  func flag(_ name: String) throws(MediaError) -> Bool {
    try choice(name, ["0": false, "1": true]) ?? false
  }

  func choice<Value>(_ name: String, _ accepted: KeyValuePairs<String, Value>) throws(MediaError) -> Value? {
    guard let text = values[name] else { return nil }
    guard let found = accepted.first(where: { $0.key == text }) else {
      throw MediaError(.invalid, "\(argument) has \(name)=\(text.prefix(32)); accepted: \(accepted.map(\.key).joined(separator: ", "))")
    }
    return found.value
  }

  func direction() throws(MediaError) -> RTPMedia.Direction {
    try choice("direction", ["sendrecv": .sendReceive, "sendonly": .sendOnly, "recvonly": .receiveOnly]) ?? .sendReceive
  }

  func kinds() throws(MediaError) -> [RTPConfiguration.Medium.Kind] {
    try choice("media", ["video": [.video], "audio": [.audio], "both": [.video, .audio]]) ?? [.video, .audio]
  }

  /// 64 to 95 look like packets of RTCP (RFC 5761, section 4).
  func payloadType(_ name: String) throws(MediaError) -> UInt8? {
    guard let text = values[name] else { return nil }
    guard let value = RTPURLParts.plain(text), value < 128, !(64...95).contains(value) else {
      throw MediaError(.range, "\(argument) has \(name)=\(text.prefix(32)); accepted: 0..63 and 96..127")
    }
    return UInt8(truncatingIfNeeded: value)
  }

  func frameRate(_ name: String) throws(MediaError) -> FrameRate? {
    guard let text = values[name] else { return nil }
    let pieces = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = pieces.compactMap { RTPURLParts.plain($0) }.filter { (1...1_000_000).contains($0) }
    guard (1...2).contains(pieces.count), numbers.count == pieces.count, let first = numbers.first, let last = numbers.last else {
      throw MediaError(.range, "\(argument) has \(name)=\(text.prefix(32)); accepted: N or N/D, each 1..1000000")
    }
    return FrameRate(UInt32(truncatingIfNeeded: first), numbers.count == 2 ? UInt32(truncatingIfNeeded: last) : 1)
  }

  /// PORT or ADDRESS:PORT; the address is nil where only the port is said.
  func local(_ name: String) throws(MediaError) -> (address: SocketAddress?, port: UInt16)? {
    guard let text = values[name] else { return nil }
    guard text.contains(":") else { return (nil, try RTPURLParts.port(text, "\(argument)'s \(name)", from: 0)) }
    guard let (host, digits) = RTPURLParts.split(text) else {
      throw MediaError(
        .invalid, "\(argument) has \(name)=\(text.prefix(64)); accepted: PORT or ADDRESS:PORT, an IPv6 address in brackets")
    }
    let port = try RTPURLParts.port(digits, "\(argument)'s \(name)", from: 0)
    guard let address = SocketAddress(host.replacing("%25", with: "%"), port: port), address.isIPv6 == text.hasPrefix("[") else {
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

  func port(_ name: String) throws(MediaError) -> UInt16? {
    guard let text = values[name] else { return nil }
    return try RTPURLParts.port(text, "\(argument)'s \(name)", from: 1)
  }

  func bitrates() throws(MediaError) -> BandwidthEstimator.Limits {
    let range: ClosedRange<UInt64> = 5_000...10_000_000_000
    let (minimum, start, maximum) = (try number("min-bitrate", range), try number("start-bitrate", range), try number("max-bitrate", range))
    var limits = BandwidthEstimator.Limits()
    // What is not said gives way to what is.
    limits.maximum = maximum.map { Int($0) } ?? max(limits.maximum, Int(max(minimum ?? 0, start ?? 0)))
    limits.minimum = minimum.map { Int($0) } ?? min(limits.minimum, Int(min(maximum ?? .max >> 1, start ?? .max >> 1)))
    limits.start = start.map { Int($0) } ?? min(max(limits.start, limits.minimum), limits.maximum)
    guard limits.minimum <= limits.start, limits.start <= limits.maximum else {
      throw MediaError(
        .range,
        "\(argument) has bitrates of \(limits.minimum), \(limits.start) and \(limits.maximum); accepted: min-bitrate at most start-bitrate at most max-bitrate"
      )
    }
    return limits
  }
}

extension SocketAddress {
  /// 0.0.0.0 or ::, which is nobody.
  var isUnspecified: Bool { self == SocketAddress(isIPv6 ? "::" : "0.0.0.0", port: port) }
  func unspecified(port: UInt16) -> SocketAddress { SocketAddress(isIPv6 ? "::" : "0.0.0.0", port: port) ?? with(port: port) }
}
