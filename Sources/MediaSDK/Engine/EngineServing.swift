import CMediaSDK
import MediaCore
import MediaNetwork
import MediaServer
import MediaSignalling
import MediaTLS
import MediaTransport

/// Where a room is served over the network, and for how many members (serve.h).
public struct ServeOptions: Sendable {
  /// TCP, the same at all addresses; 0: any that is free.
  public var port: UInt16 = 0
  /// UDP, for media of all members; 0: one that is free, nil: each member has one.
  public var mediaPort: UInt16?
  /// Separated by commas.
  public var addresses = "0.0.0.0"
  /// Of a NAT that hands on each port as it is, of IPv4, IPv6 or both, separated by commas; nil: none.
  public var publicAddresses: String?
  /// PEM files; nil: a certificate is made, or none is needed, as all addresses are loopback.
  public var certificate: (file: String, key: String)?
  /// By which access tokens of LiveKit's protocol are signed; nil: the room's verifier alone judges tokens.
  public var access: (key: String, secret: String)?
  /// Members over the network, 1 to 1,000, else `serve` throws `.range`. One more is refused with `.full`.
  public var mostMembers = 64
  /// Told of who comes and goes over the network, on threads of the server's.
  public var watch: (@Sendable (ServerChange) -> Void)?

  /// Any free port at all IPv4 addresses, and a certificate that is made anew.
  public init() {}
}

/// A room that is served over the network, at the moment of the call.
public struct ServeInfo: Sendable {
  /// TCP.
  public let port: UInt16
  /// UDP; nil: each member has one.
  public let mediaPort: UInt16?
  /// Members over the network, with those that are disconnected for a moment.
  public let memberCount: Int
  /// The SHA-256 of the certificate as hexadecimal bytes with colons between them; empty without TLS.
  public let fingerprint: String
  /// For sessions elsewhere.
  public let url: String
  /// For browsers.
  public let pageURL: String
}

/// A room that is served, or about to be: its name is taken.
enum Serving: Sendable {
  case underWay
  case open(WebServer)

  var server: WebServer? { if case .open(let server) = self { server } else { nil } }
}

/// Rooms that are served over the network.
extension Engine {
  private static let mostAddresses = 8
  private static let mostMembers = 1000

  /// Serves a loopback room over the network, until `stopServing` or the engine's end. Throws `.exists` if it is served already or the port is
  /// taken, `.unsupported` with a virtual clock, `.notFound` if a file cannot be read, `.range` or `.invalid` for other options, and
  /// `.closed` once the engine is closed.
  public func serve(_ url: String, _ options: ServeOptions = ServeOptions()) throws(MediaError) -> ServeInfo {
    let room = try LoopbackURL.room(url, argument: "room_url")
    guard !clock.isVirtual else { throw MediaError(.unsupported, "serving needs the system's clock, and the engine's is virtual") }
    guard (1...Engine.mostMembers).contains(options.mostMembers) else {
      throw MediaError(.range, "options.most_members is \(options.mostMembers); accepted: 1..\(Engine.mostMembers), or 0 for 64")
    }
    if let (key, secret) = options.access {
      guard !key.isEmpty else { throw MediaError(.invalid, "options.api_key is empty") }
      guard secret.utf8.count >= LiveKitToken.shortestSecret else {
        let accepted = "at least \(LiveKitToken.shortestSecret)"
        throw MediaError(.invalid, "options.api_secret has \(secret.utf8.count) bytes; accepted: \(accepted)")
      }
    }
    var settings = WebServer.Options(try Engine.addresses(options))
    settings.publicAddresses = try Engine.publicAddresses(options)
    (settings.mostMembers, settings.mediaPort, settings.watch) = (options.mostMembers, options.mediaPort, watch(room, options.watch))
    if let (key, secret) = options.access { settings.accessKeys = [key: secret] }
    // At this machine's own addresses nobody listens, and a browser warns of a certificate that is made.
    settings.isEncrypted = options.certificate != nil || !settings.addresses.allSatisfy(\.isLoopback)
    try servers.withLock { servers throws(MediaError) in
      guard !isClosed else { throw Engine.destroyed }
      guard servers[room] == nil else { throw MediaError(.exists, "room \"\(room.prefix(64))\" is served already") }
      servers[room] = .underWay
    }
    do throws(MediaError) {
      // Files, keys and sockets: nothing is locked.
      if let pair = options.certificate { settings.certificate = try TLSCertificate.load(certificate: pair.file, key: pair.key) }
      return try enter(try WebServer(room: room, options: settings, loop: loop, thread: networkThread()), room)
    } catch {
      servers.withLock { if case .underWay = $0[room] { $0[room] = nil } }
      throw error
    }
  }

  /// Logs who is refused, and tells the program.
  private func watch(_ room: String, _ program: (@Sendable (ServerChange) -> Void)?) -> @Sendable (ServerChange) -> Void {
    let (logger, clock, refusals) = (logger, clock, Monitor(RefusalLog()))
    return { change in
      if case .refused(let userID, let address, let error) = change, let omitted = refusals.withLock({ $0.note(at: clock.now()) }) {
        let place = address.map { " at \($0)" } ?? ""
        let others = omitted > 0 ? " (\(omitted) earlier refusals were not logged)" : ""
        logger.log(
          MSDK_LOG_WARN.level32, .room, "room \"\(room.prefix(64))\": \"\(userID.prefix(64))\"\(place) was refused: \(error.text)\(others)")
      }
      program?(change)
    }
  }

  /// The engine may have been closed meanwhile.
  private func enter(_ server: WebServer, _ room: String) throws(MediaError) -> ServeInfo {
    let isHere = servers.withLock { servers in
      guard !isClosed else { return false }
      servers[room] = .open(server)
      return true
    }
    guard isHere else {
      server.close()
      throw Engine.destroyed
    }
    return server.info
  }

  /// Throws `.notFound` if this engine does not serve the room.
  public func serveInfo(_ url: String) throws(MediaError) -> ServeInfo {
    let room = try LoopbackURL.room(url, argument: "room_url")
    guard let server = servers.withLock({ $0[room]?.server }) else { throw Engine.notServed(room) }
    return server.info
  }

  /// Removes all members who joined over the network, which disconnects them with `.closed`, and frees the port. Throws `.notFound` if this
  /// engine does not serve the room.
  public func stopServing(_ url: String) throws(MediaError) {
    let room = try LoopbackURL.room(url, argument: "room_url")
    let server: WebServer? = servers.withLock { servers in
      guard let server = servers[room]?.server else { return nil }
      servers[room] = nil
      return server
    }
    guard let server else { throw Engine.notServed(room) }
    server.close()
  }

  func closeServers() {
    let open = servers.withLock { servers in
      defer { servers = [:] }
      return servers.values.compactMap(\.server)
    }
    for server in open { server.close() }
  }

  private static func addresses(_ options: ServeOptions) throws(MediaError) -> [SocketAddress] {
    let addresses = try parse(
      options.addresses, port: options.port, name: "addresses",
      accepted: "addresses of this machine, IPv4 or IPv6, separated by commas only, or 0.0.0.0 and ::")
    guard addresses.count <= mostAddresses else {
      throw MediaError(.invalid, "options.addresses has \(addresses.count) addresses; accepted: 1..\(mostAddresses)")
    }
    for (place, address) in addresses.enumerated() where addresses[..<place].contains(address) {
      throw MediaError(.exists, "options.addresses has \(address.host) twice")
    }
    return addresses
  }

  private static func publicAddresses(_ options: ServeOptions) throws(MediaError) -> [SocketAddress] {
    guard let text = options.publicAddresses else { return [] }
    let accepted = "an address of IPv4, one of IPv6, or both, separated by a comma only"
    let addresses = try parse(text, port: 0, name: "public_addresses", accepted: accepted)
    let count = addresses.count(where: \.isIPv6)
    guard count <= 1, addresses.count - count <= 1, !addresses.contains(where: \.isUnspecified) else {
      throw MediaError(.invalid, "options.public_addresses has \"\(text.prefix(64))\"; accepted: \(accepted)")
    }
    return addresses
  }

  private static func parse(_ text: String, port: UInt16, name: String, accepted: String) throws(MediaError) -> [SocketAddress] {
    var addresses: [SocketAddress] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let address = SocketAddress(String(part), port: port), !address.isMulticast else {
        throw MediaError(.invalid, "options.\(name) has \"\(part.prefix(64))\"; accepted: \(accepted)")
      }
      addresses.append(address)
    }
    return addresses
  }

  private static let destroyed = MediaError(.closed, "the engine is destroyed")

  private static func notServed(_ room: String) -> MediaError {
    MediaError(.notFound, "room \"\(room.prefix(64))\" is not served by this engine")
  }
}

extension WebServer {
  fileprivate var info: ServeInfo {
    ServeInfo(
      port: port, mediaPort: mediaPort, memberCount: memberCount, fingerprint: fingerprint ?? "", url: sessionURL, pageURL: url)
  }
}
