import MediaCore
import MediaNetwork
import MediaSRTP
import MediaTLS

/// Where a hub is, and how it is known: "hub://HOST:PORT/NAME?fingerprint=HEX", with "&srtp=SUITE" if wanted. The room's name stands as it
/// is, without escapes.
public struct HubURL: Sendable {
  public let host: NetworkHost
  public let room: String
  /// Instead of the fingerprint, authorities may be trusted.
  public var trust: TLSTrust
  public var profile = SRTPProfile.aesGCM

  private static let scheme = "hub://"
  private static let longest = 2048
  private static let form = "hub://HOST:PORT/NAME?fingerprint=HEX, an IPv6 address in brackets"

  public static func isNamed(by url: String) -> Bool { url.hasPrefix("hub:") }

  public init(_ host: NetworkHost, room: String, trust: TLSTrust) {
    (self.host, self.room, self.trust) = (host, room, trust)
  }

  public init(_ url: String, argument: String) throws(MediaError) {
    guard url.utf8.count <= HubURL.longest else {
      throw MediaError(.limit, "\(argument) has \(url.utf8.count) bytes; accepted: at most \(HubURL.longest)")
    }
    guard url.hasPrefix(HubURL.scheme) else {
      throw MediaError(
        .unsupported, "\(argument) begins with \"\(url.prefix { !"?@".contains($0) }.prefix(32))\"; accepted: \(HubURL.form)")
    }
    let halves = url.dropFirst(HubURL.scheme.count).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = (halves.first ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let authority = parts.first, let name = parts.last else {
      throw MediaError(.invalid, "\(argument) names no room; accepted: \(HubURL.form)")
    }
    guard (1...HubWire.longestName).contains(name.utf8.count), !name.utf8.contains(0) else {
      throw MediaError(.invalid, "\(argument) has a room name of \(name.utf8.count) bytes; accepted: 1..\(HubWire.longestName)")
    }
    host = try HubURL.host(authority, argument)
    room = String(name)
    var fingerprint: TLSFingerprint?
    for (number, piece) in (halves.count > 1 ? halves[1].split(separator: "&", omittingEmptySubsequences: false) : []).enumerated() {
      // What has no name is not repeated: it may be anything.
      guard let sign = piece.firstIndex(of: "=") else {
        throw MediaError(
          .invalid, "\(argument) has a parameter, number \(number + 1), that is not key=value; accepted keys: fingerprint, srtp")
      }
      let value = piece[piece.index(after: sign)...]
      switch piece[..<sign] {
      case "fingerprint":
        guard fingerprint == nil else { throw MediaError(.invalid, "\(argument) has fingerprint twice; accepted: once") }
        fingerprint = try TLSFingerprint(value, argument: "\(argument)'s fingerprint")
      case "srtp":
        guard let profile = SRTPProfile(rawValue: String(value)) else {
          let accepted = SRTPProfile.allCases.map(\.rawValue).joined(separator: ", ")
          throw MediaError(.unsupported, "\(argument) has srtp=\(value.prefix(64)); accepted: \(accepted)")
        }
        self.profile = profile
      case let key:
        let advice =
          key.lowercased().contains("token")
          ? ", but URLs are logged; accepted: the token apart from the url" : "; accepted: fingerprint, srtp"
        throw MediaError(.invalid, "\(argument) has \"\(key.prefix(32))\"\(advice)")
      }
    }
    guard let fingerprint else {
      throw MediaError(.invalid, "\(argument) has no fingerprint, which identifies the hub; accepted: \(HubURL.form)")
    }
    trust = .fingerprint(fingerprint)
  }

  /// By which sessions elsewhere reach a room that is open at an address. An unspecified one is replaced by that from which this machine sends
  /// to others, or its loopback.
  public static func text(_ address: SocketAddress, room: String, fingerprint: String) -> String {
    let host = address.isUnspecified ? reachable(like: address) : address.host
    // A zone's percent sign is written %25 in a URL (RFC 6874).
    let written = address.isIPv6 ? "[\(host.replacing("%", with: "%25"))]" : host
    return "\(scheme)\(written):\(address.port)/\(room)?fingerprint=\(fingerprint)"
  }

  private static func reachable(like address: SocketAddress) -> String {
    // Documentation's own addresses (RFC 5737, RFC 3849): nothing is sent, the routes are asked.
    let outside = SocketAddress(address.isIPv6 ? "2001:db8::1" : "192.0.2.1", port: 9)
    return outside.flatMap { SocketAddress.local(toward: $0) }?.host ?? (address.isIPv6 ? "::1" : "127.0.0.1")
  }

  private static func host(_ authority: Substring, _ argument: String) throws(MediaError) -> NetworkHost {
    guard !authority.contains("@") else { throw MediaError(.invalid, "\(argument) has a user; accepted: \(form)") }
    guard let colon = authority.lastIndex(of: ":") else { throw MediaError(.invalid, "\(argument) has no port; accepted: \(form)") }
    let digits = authority[authority.index(after: colon)...]
    guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits), port > 0 else {
      throw MediaError(.range, "\(argument)'s port is \"\(digits.prefix(32))\"; accepted: 1..65535")
    }
    let host = authority[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    // A zone's percent sign is written %25 in a URL (RFC 6874).
    let plain = String(isBracketed ? host.dropFirst().dropLast() : host).replacing("%25", with: "%")
    if let address = SocketAddress(plain, port: port) {
      if address.isIPv6 == isBracketed, !address.isMulticast, !address.isUnspecified { return .address(address) }
    } else if let name = HostName(host) {
      return .name(name, port: port)
    }
    let accepted = "an IPv4 address, an IPv6 address in brackets, or \(HostName.accepted)"
    throw MediaError(.invalid, "\(argument) has the host \"\(host.prefix(64))\"; accepted: \(accepted)")
  }
}
