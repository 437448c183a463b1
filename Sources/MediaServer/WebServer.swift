import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSignalling
import MediaTLS
import MediaTransport

/// Opens a loopback room of this process to browsers and to clients of WHIP, WHEP and LiveKit's protocol: who connects by HTTP and is let in by the room is a
/// member like any other. Nothing is decoded or encoded here; what is encoded passes as it is, and raw streams stay within the process.
///
///     POST /whip/ROOM[?user=…&name=…&kind=screen]        sends media to the room (RFC 9725)
///     POST /whep/ROOM[/PARTICIPANT][?user=…&name=…]      receives those of everybody there, or of one (draft-ietf-wish-whep)
///     GET /rtc/v1                                        the signalling of LiveKit, over WebSocket
///     GET /ROOM                                          the page
public final class WebServer: Sendable {
  /// What `WebServer.init` is given; it refuses what is out of range.
  public struct Options: Sendable {
    /// Where it is reached. A port of 0 lets the kernel choose one.
    public var addresses: [SocketAddress] = []
    /// nil: one is made, which a person has to accept in the browser.
    public var certificate: TLSCertificate?
    /// Without TLS it is served on loopback addresses only: browsers use camera and microphone there, and nobody listens.
    public var isEncrypted = true
    /// Over the network, players included; the room's own capacity counts them all.
    public var mostMembers = 64
    /// Pages of which origins may use WHIP and WHEP from a browser; nil: all, as no page has a token by itself.
    public var origins: [String]?
    /// Secrets of API keys, by which access tokens of LiveKit are verified. Without one nobody comes by its protocol.
    public var accessKeys: [String: String] = [:]
    /// Of UDP, by which all media goes; 0: one that is free, nil: each client has one of its own, that is free.
    public var mediaPort: UInt16?
    /// At which others reach the addresses of this machine, port by port: those of a NAT. Media are announced there, too; `url` and `sessionURL` have
    /// the first one of the family.
    public var publicAddresses: [SocketAddress] = []
    /// Servers of STUN and TURN that clients are told to use (RFC 9725, section 4.6).
    public var iceServers: [ICEServer] = []
    /// What is sent to one client.
    public var bitrates = BandwidthEstimator.Limits(start: 1_000_000)
    /// Of strangers, and as many more of those at addresses of members.
    public var handshakes = WebStrangers.handshakes
    /// Of those who are no members; each section more than seven counts as an eighth of one.
    public var offers = WebStrangers.offers
    /// Told of who comes and goes, on threads of the server's, where nothing is locked.
    public var watch: (@Sendable (ServerChange) -> Void)?

    /// One to eight addresses; everything else has its default.
    public init(_ addresses: [SocketAddress]) {
      self.addresses = addresses
    }
  }

  private let table: WebTable
  private let listeners: [WebListener]
  private let certificate: TLSCertificate?
  private let room: String

  /// Opens the room of that name; it listens on all addresses when this returns. `.invalid` for a name that has not 1 to 255 bytes or has
  /// control characters, for none or more than eight addresses, and without TLS for one that is not loopback; `.range` for a member limit
  /// out of 1...1000; else the error of binding or of making a certificate.
  public init(room: String, options: Options, loop: EventLoop, thread: any DriverLoop, network: any Network = SystemNetwork.shared)
    throws(MediaError)
  {
    guard (1...255).contains(room.utf8.count), room.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
      throw MediaError(.invalid, "the room has a name of \(room.utf8.count) bytes; accepted: 1..255, without control characters")
    }
    guard (1...8).contains(options.addresses.count) else {
      throw MediaError(.invalid, "the web server has \(options.addresses.count) addresses; accepted: 1..8")
    }
    guard (1...1000).contains(options.mostMembers) else {
      throw MediaError(.range, "the web server's member limit is \(options.mostMembers); accepted: 1..1000")
    }
    if !options.isEncrypted, let other = options.addresses.first(where: { !$0.isLoopback }) {
      throw MediaError(.invalid, "the web server has the address \(other) without TLS; accepted: addresses of loopback, or TLS")
    }
    if !options.isEncrypted {
      certificate = nil
    } else if let given = options.certificate {
      certificate = given
    } else {
      certificate = try TLSCertificate.make()
    }
    self.room = room
    table = try WebTable(room, options, thread, network, loop)
    var listeners = try WebServer.listen(options.addresses, certificate, table)
    // A free port of the first address may be taken at another one.
    for _ in 0..<WebServer.attempts where listeners == nil { listeners = try WebServer.listen(options.addresses, certificate, table) }
    guard let listeners else {
      let places = options.addresses.map(\.host).joined(separator: ", ")
      throw MediaError(.exists, "no port is free at all of \(places)")
    }
    self.listeners = listeners
    table.ports.listen(at: listeners.map(\.address))
  }

  /// Other ports that are tried, where any is accepted.
  private static let attempts = 8

  /// At one port; nil: the one that was found free is taken at another address.
  private static func listen(
    _ addresses: [SocketAddress], _ certificate: TLSCertificate?, _ table: WebTable
  ) throws(MediaError) -> [WebListener]? {
    var listeners: [WebListener] = []
    do throws(MediaError) {
      for address in addresses {
        let port = address.port == 0 ? listeners.first?.address.port ?? 0 : address.port
        let listener = try WebListener(address.with(port: port), certificate, table)
        listeners.append(listener)
        try listener.open()
      }
      return listeners
    } catch {
      for listener in listeners { listener.close() }
      guard error.status == .exists, addresses.contains(where: { $0.port == 0 }), !listeners.isEmpty else { throw error }
      return nil
    }
  }

  deinit {
    close()
  }

  /// Where it is reached, ports included; as many as were asked for.
  public var addresses: [SocketAddress] { listeners.map(\.address) }
  /// Of the first address.
  public var port: UInt16 { listeners.first?.address.port ?? 0 }
  /// Of UDP; nil: each client has its own.
  public var mediaPort: UInt16? { table.ports.udp }
  /// What clients that know it check, "AA:BB:…"; nil without TLS.
  public var fingerprint: String? { certificate.map { "\($0.fingerprint)" } }
  /// Of the page, at the first address. A public one replaces it; an unspecified one is replaced by that from which this machine sends to others.
  public var url: String { "\(certificate == nil ? "http" : "https")://\(authority)/\(WebPage.escaped(room))" }
  /// For sessions of this library elsewhere, at that address: without API keys the room is named in it.
  public var sessionURL: String {
    let options = [keys.isEmpty ? "room=\(WebPage.escaped(room))" : nil, fingerprint.map { "fingerprint=\($0)" }].compactMap { $0 }
    let rest = options.isEmpty ? "" : "#" + options.joined(separator: "&")
    return "livekit+\(certificate == nil ? "ws" : "wss")://\(authority)\(rest)"
  }
  private var keys: [String: String] { table.options.accessKeys }
  private var authority: String { addresses.first.map { ServedAddress.authority($0, public: table.options.publicAddresses) } ?? "" }
  /// Over the network, those who wait for the room's answer not included.
  public var memberCount: Int { table.memberCount }
  /// Sessions of WHIP and WHEP.
  public var sessionCount: Int { table.sessionCount }
  var strangerCount: Int { table.strangerCount }
  var liveKit: LiveKitRegistry { table.liveKit }

  /// Puts everybody out, with a reason, and lets nobody in. The room stays as it is to the members of this process.
  public func close() {
    for listener in listeners { listener.close() }
    table.close()
  }
}
