import MediaCore
import MediaSDP

/// How an agent is made. What follows the first of a list beyond its bound is not used.
public struct ICESettings: Sendable {
  /// Which candidates are offered and used.
  public enum Policy: Sendable {
    /// Of each kind.
    case all
    /// Only addresses at relays are offered and used: peers do not learn this machine's.
    case relay
  }

  /// The one that makes the offer is (RFC 8445, section 6.1.1); a conflict resolves itself.
  public var isControlling: Bool
  /// Answers checks and sends none (RFC 8445, section 2.5): for a server with a public address. The other end is a full agent.
  public var isLite = false
  /// All, unless it is said.
  public var policy = Policy.all
  /// At most 4.
  public var stunServers: [SocketAddress] = []
  /// Of a NAT before this machine that hands on each port as it is (1:1). Each base of the same family is announced at them, too. At most 4.
  public var publicAddresses: [SocketAddress] = []
  /// At most 4.
  public var relays: [ICERelay] = []
  /// Between checks. RFC 8445, section 14.2, recommends 50 ms and allows 5; a check is some 130 bytes.
  public var pace: Int64 = 10_000_000
  /// A valid pair waits so long for a better one before it is nominated, unless none can come. Media flow meanwhile.
  public var nominationDelay: Int64 = 100_000_000
  /// The same of a pair with a relay: what is direct may need some checks more, until both NATs are open.
  public var relayNominationDelay: Int64 = 1_000_000_000

  /// A full agent without servers.
  public init(isControlling: Bool) {
    self.isControlling = isControlling
  }
}

/// ice-ufrag and ice-pwd (RFC 8839, section 5.4). The password is a secret.
public struct ICECredentials: Sendable, Equatable, CustomStringConvertible {
  /// ice-ufrag. An agent takes 4 to 256 bytes.
  public let user: String
  /// ice-pwd. An agent takes 22 to 256 bytes.
  public let password: String

  /// Nothing is checked.
  public init(user: String, password: String) {
    (self.user, self.password) = (user, password)
  }

  /// Random ones: 48 and 144 bits; RFC 8445, section 5.3, wants 24 and 128.
  public init(using random: inout some RandomNumberGenerator) {
    func text(_ count: Int) -> String {
      String(decoding: (0..<count).map { _ in RandomSource.letters[Int(random.next() >> 58)] }, as: UTF8.self)
    }
    self.init(user: text(8), password: text(24))
  }

  /// Without the password.
  public var description: String { user }
}

/// A socket of the driver, or a connection that it opens to a relay.
public struct ICEBase: Hashable, Sendable {
  let number: Int
}

/// What a base is.
public enum ICETransport: Sendable {
  case udp
  /// A listening socket (RFC 6544): its connections are those of its address and the other end's.
  case tcpPassive
}

/// How far an agent has come.
public enum ICEState: Sendable {
  /// Nothing is known of the other end.
  case new
  case checking
  /// There is a route; a better one may follow.
  case connected
  /// The route is nominated.
  case completed
  /// No answer came over the route for a while. It still is the route.
  case disconnected
  /// There is no route, and only a restart, or the other end, brings one.
  case failed
  case closed
}

/// What happened. In the order in which it did.
public enum ICEEvent: Sendable {
  /// To be signalled to the other end.
  case candidate(Candidate)
  /// None of this generation follows (RFC 8838, section 8.2).
  case gatheringComplete
  case state(ICEState)
  /// Where application data goes now; nil: nowhere.
  case route(ICERoute?)
  /// The conflict was resolved against the settings (RFC 8445, section 7.3.1.1).
  case role(isControlling: Bool)
  /// A connection to a server is to be opened: then `connected(_:now:)`, or `closed(_:now:)`.
  case connect(ICEBase, to: SocketAddress, ICERelay)
  /// The connection is not used any longer.
  case disconnect(ICEBase)
  /// A server brings no candidate, or the one that it brought is lost. With the code of its answer.
  case serverFailed(SocketAddress, code: Int?, String)
}

/// What became of a datagram.
public enum ICEArrival {
  /// It was the agent's. To be polled.
  case consumed
  /// Data of the other end, without the headers of a relay. From an address that has proven itself; only inside of what was given in.
  case application(UnsafeRawBufferPointer)
  /// From a stranger, or not understood.
  case refused
}

/// Bytes to be sent.
public struct ICEDatagram: Sendable {
  /// The socket or the connection that sends it.
  public let base: ICEBase
  /// Of a connection to a relay, the server; of a passive base, the other end of the connection. Over both, these are bytes of the stream.
  public let destination: SocketAddress
  /// With the headers of a relay, where one is on the path.
  public let bytes: [UInt8]

  /// One of the application's, by a route that has wrapped it.
  public init(base: ICEBase, destination: SocketAddress, bytes: [UInt8]) {
    (self.base, self.destination, self.bytes) = (base, destination, bytes)
  }
}
