import MediaCore
import MediaRuntime

/// What a transport offers beside streams. Errors name the transports that offer what a session was asked for.
public struct TransportFeatures: OptionSet, Sendable {
  /// A bit for each feature.
  public let rawValue: UInt32

  /// Required by `OptionSet`.
  public init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// It reaches other processes: it needs the system's clock, and what passes can be recorded.
  public static let network = TransportFeatures(rawValue: 1)
  /// There is a room, whose members have user ids.
  public static let members = TransportFeatures(rawValue: 2)
  /// The session shows an access token.
  public static let accessTokens = TransportFeatures(rawValue: 4)
  /// What receivers prefer reaches the sender, or whoever chooses for them.
  public static let preferences = TransportFeatures(rawValue: 8)
  /// The program hands keys and descriptions from one end to the other.
  public static let descriptions = TransportFeatures(rawValue: 16)
  /// The program carries descriptions and candidates of both ends while the session runs.
  public static let negotiation = TransportFeatures(rawValue: 32)
  /// Its two ends exchange messages in channels (`Transport.openChannel`).
  public static let channels = TransportFeatures(rawValue: 64)
  /// Members of its rooms say something of themselves (`Transport.setAttribute`).
  public static let attributes = TransportFeatures(rawValue: 128)
  /// Members of its rooms send each other data (`Transport.send`).
  public static let data = TransportFeatures(rawValue: 256)
  /// Its rooms take a video stream in several layers, of which each receiver gets one.
  public static let layers = TransportFeatures(rawValue: 512)
  /// Its rooms say which streams are encrypted from end to end (`StreamDescription.isEncrypted`).
  public static let encryption = TransportFeatures(rawValue: 1_024)
}

/// A kind of url, and the transport behind it. Each transport's folder has its factory, and the session's list of them (`Transports`) a line.
public struct TransportFactory: Sendable {
  /// Of its urls, without the colon.
  public let scheme: String
  /// Such a url, as an error shows what is accepted.
  public let form: String
  /// What its transports offer.
  public let features: TransportFeatures
  /// Reads a url of the scheme; `argument` is what an error calls it. Nothing is bound or looked up here.
  public let target: @Sendable (_ url: String, _ argument: String) throws(MediaError) -> any TransportTarget

  package init(
    scheme: String, form: String, features: TransportFeatures,
    target: @escaping @Sendable (_ url: String, _ argument: String) throws(MediaError) -> any TransportTarget
  ) {
    (self.scheme, self.form, self.features, self.target) = (scheme, form, features, target)
  }
}

/// Where a session connects to. It is kept from one connection to the next, with what is to stay: ports, descriptions. Called from any thread.
public protocol TransportTarget: Sendable {
  /// For one connection.
  func makeTransport(_ context: TransportContext) throws(MediaError) -> any Transport
  /// Frees what was kept: the session has left, and will not connect again.
  func close()
}

extension TransportTarget {
  /// Of a target that keeps nothing.
  public func close() {}
}

/// What a transport gets from its session and engine. The functions are called while it is made, or not at all.
public struct TransportContext {
  /// Whom the session joins as.
  public let member: Member
  /// Shown to the room; empty if there is none.
  public let token: AccessToken
  /// Events are delivered on it, and its clock times everything.
  public let loop: EventLoop
  /// The engine's network thread, which begins when it is asked for first.
  public let thread: () throws(MediaError) -> any DriverLoop
  /// The file that records what passes; nil: nobody wants it.
  public let capture: () throws(MediaError) -> PacketCapture?
  /// The environment plays no part: no proxy that it names.
  public var ignoresEnvironment = false

  /// By default nothing is recorded.
  public init(
    member: Member, token: AccessToken, loop: EventLoop, thread: @escaping () throws(MediaError) -> any DriverLoop,
    capture: @escaping () throws(MediaError) -> PacketCapture? = { () throws(MediaError) in nil }
  ) {
    (self.member, self.token, self.loop, self.thread, self.capture) = (member, token, loop, thread, capture)
  }
}
