import MediaCore

/// A server that relays (TURN, RFC 8656). Names are resolved by whoever makes this.
public struct ICERelay: Sendable, Equatable, CustomStringConvertible {
  /// Between this end and the relay.
  public enum Transport: String, Sendable {
    case udp, tcp, tls
  }

  /// Where the relay listens.
  public var server: SocketAddress
  /// UDP, unless it is said.
  public var transport: Transport
  /// Whom the certificate is to be of, for whoever opens the connection of TLS.
  public var serverName: String?
  /// As the relay knows it (RFC 8489, section 9.2).
  public var user: String
  /// A secret.
  public var password: String
  /// What is relayed is of IPv6.
  public var relaysIPv6 = false

  /// One that relays IPv4. Nothing is checked.
  public init(_ server: SocketAddress, _ transport: Transport = .udp, user: String, password: String) {
    (self.server, self.transport, self.user, self.password) = (server, transport, user, password)
  }

  /// Without user and password.
  public var description: String { "turn \(server) over \(transport.rawValue)" }
}
