import MediaCore
import MediaNetwork
import MediaSDP
import MediaSRTP
import MediaTLS

/// Where a hub is, and how it is known: "hub://HOST:PORT/NAME?fingerprint=HEX", with "&srtp=SUITE" if wanted. The room's name stands as it
/// is, without escapes.
public struct HubURL: Sendable {
  let host: NetworkHost
  let room: String
  /// Instead of the fingerprint, authorities may be trusted.
  var trust: TLSTrust
  var profile = SRTPProfile.aesGCM

  private static let form = "hub://HOST:PORT/NAME?fingerprint=HEX, an IPv6 address in brackets"

  init(_ host: NetworkHost, room: String, trust: TLSTrust) {
    (self.host, self.room, self.trust) = (host, room, trust)
  }

  init(_ url: String, argument: String) throws(MediaError) {
    let parsed = try ParsedURL(url, scheme: "hub", argument: argument, form: HubURL.form)
    guard parsed.authority == nil || parsed.path.utf8.first == UInt8(ascii: "/") else {
      throw MediaError(.invalid, "\(argument) names no room; accepted: \(HubURL.form)")
    }
    let (place, port) = try parsed.hostAndPort()
    room = String(Substring(parsed.path.utf8.dropFirst()))
    guard (1...HubWire.longestName).contains(room.utf8.count), !room.utf8.contains(0) else {
      throw MediaError(.invalid, "\(argument) has a room name of \(room.utf8.count) bytes; accepted: 1..\(HubWire.longestName)")
    }
    guard place.user == nil else { throw MediaError(.invalid, "\(argument) has a user; accepted: \(HubURL.form)") }
    guard let host = NetworkHost(place, port: port), !host.isNobody else {
      let accepted = "an IPv4 address, an IPv6 address in brackets, or \(HostName.accepted)"
      throw MediaError(.invalid, "\(argument) has the host \"\(place.host.prefix(64))\"; accepted: \(accepted)")
    }
    self.host = host
    let query = try URLQuery(
      parsed.query ?? "", argument: argument, accepted: ["fingerprint", "srtp"], advice: "set the token apart from the url")
    if let suite = try query.decoded("srtp") {
      guard let profile = SRTPProfile(rawValue: suite) else {
        let accepted = SRTPProfile.allCases.map(\.rawValue).joined(separator: ", ")
        throw MediaError(.unsupported, "\(argument) has srtp=\(suite.prefix(64)); accepted: \(accepted)")
      }
      self.profile = profile
    }
    guard let fingerprint = try query.decoded("fingerprint") else {
      throw MediaError(.invalid, "\(argument) has no fingerprint, which identifies the hub; accepted: \(HubURL.form)")
    }
    trust = .fingerprint(try TLSFingerprint(fingerprint, argument: "\(argument)'s fingerprint"))
  }

  /// By which sessions elsewhere reach a room that is open at an address. An unspecified one is replaced by that from which this machine sends
  /// to others, or its loopback.
  public static func text(_ address: SocketAddress, room: String, fingerprint: String) -> String {
    "hub://\(authority(address))/\(room)?fingerprint=\(fingerprint)"
  }

  /// Host and port of an address, as a url has them for sessions elsewhere.
  package static func authority(_ address: SocketAddress) -> String {
    let host = address.isUnspecified ? reachable(like: address) : address.host
    // A zone's percent sign is written %25 in a URL (RFC 6874).
    let written = address.isIPv6 ? "[\(host.split(separator: "%").joined(separator: "%25"))]" : host
    return "\(written):\(address.port)"
  }

  private static func reachable(like address: SocketAddress) -> String {
    // Documentation's own addresses (RFC 5737, RFC 3849): nothing is sent, the routes are asked.
    let outside = SocketAddress(address.isIPv6 ? "2001:db8::1" : "192.0.2.1", port: 9)
    return outside.flatMap { SocketAddress.local(toward: $0) }?.host ?? (address.isIPv6 ? "::1" : "127.0.0.1")
  }
}

extension NetworkHost {
  /// An address at which nobody is connected to.
  fileprivate var isNobody: Bool { if case .address(let address) = self { address.isMulticast || address.isUnspecified } else { false } }
}
