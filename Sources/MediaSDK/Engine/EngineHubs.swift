import CMediaSDK
import MediaCore
import MediaNetwork
import MediaServer
import MediaSignalling
import MediaTLS
import MediaTransport

/// Where a room is opened to the network, and for how many members (hub.h).
public struct HubOptions: Sendable {
  /// Of TCP and UDP, the same at all addresses; 0: any that is free.
  public var port: UInt16 = 0
  /// Of the page for browsers, and of WHIP and WHEP, over TCP at the same addresses; 0: any that is free. nil: there is none. Without TLS if
  /// all addresses are loopback and no certificate is given.
  public var webPort: UInt16?
  /// Separated by commas.
  public var addresses = "0.0.0.0"
  /// PEM files; nil: a certificate is made.
  public var certificate: (file: String, key: String)?
  /// By which access tokens of clients of LiveKit's protocol are signed, who come by the web port; nil: they are not let in.
  public var access: (key: String, secret: String)?
  /// Members over the network, 1 to 1,000, else `openHub` throws `.range`. One more is refused with `.full`. Sessions of the hub and members
  /// by the web are counted apart.
  public var mostMembers = 64
  /// Told of who comes and goes over the network, on threads of the hub's.
  public var watch: (@Sendable (HubChange) -> Void)?

  /// Any free port at all IPv4 addresses, and a certificate that is made anew.
  public init() {}
}

/// A room that is open to the network, at the moment of the call.
public struct HubInfo: Sendable {
  /// Of TCP and UDP.
  public let port: UInt16
  /// Members over the network, with those that are disconnected for a moment.
  public let memberCount: Int
  /// Datagrams that came from no member.
  public let foreignPackets: UInt64
  /// The SHA-256 of the certificate as hexadecimal bytes with colons between them, for the url. The web server has the same certificate.
  public let fingerprint: String
  /// For sessions elsewhere.
  public let url: String
  /// Of the page, of WHIP and WHEP; 0: there is none.
  public let webPort: UInt16
  /// Of the page; empty: there is none.
  public let webURL: String
}

/// A room's ways in: a hub, and a web server if one is wanted.
struct OpenHub: Sendable {
  let hub: HubServer
  let web: WebServer?

  func close() {
    web?.close()
    hub.close()
  }
}

/// A room that is open to the network, or about to be: its name is taken.
enum HubOpening: Sendable {
  case underWay
  case open(OpenHub)

  var hub: OpenHub? { if case .open(let hub) = self { hub } else { nil } }
}

/// Rooms that are opened to the network.
extension Engine {
  private static let mostAddresses = 8
  private static let mostMembers = 1000

  /// Opens a loopback room to the network, until `closeHub` or the engine's end. Throws `.exists` if the room is open already or a port is
  /// taken, `.unsupported` with a virtual clock, `.notFound` if a file cannot be read, `.range` or `.invalid` for other options, and
  /// `.closed` once the engine is closed.
  public func openHub(_ url: String, _ options: HubOptions = HubOptions()) throws(MediaError) -> HubInfo {
    let room = try Engine.hubRoom(url)
    guard !clock.isVirtual else { throw MediaError(.unsupported, "a hub needs the system's clock, and the engine's is virtual") }
    guard (1...Engine.mostMembers).contains(options.mostMembers) else {
      throw MediaError(.range, "options.most_members is \(options.mostMembers); accepted: 1..\(Engine.mostMembers), or 0 for 64")
    }
    if let (key, secret) = options.access {
      guard !key.isEmpty else { throw MediaError(.invalid, "options.api_key is empty") }
      guard secret.utf8.count >= LiveKitToken.shortestSecret else {
        let accepted = "at least \(LiveKitToken.shortestSecret)"
        throw MediaError(.invalid, "options.api_secret has \(secret.utf8.count) bytes; accepted: \(accepted)")
      }
      guard options.webPort != nil else {
        throw MediaError(.invalid, "options.api_key is set, but web_port is 0, so that no client can join by it")
      }
    }
    var settings = HubServer.Options(try Engine.addresses(options))
    settings.mostMembers = options.mostMembers
    settings.watch = watch(room, options.watch)
    try hubs.withLock { hubs throws(MediaError) in
      guard !isClosed else { throw Engine.destroyed }
      guard hubs[room] == nil else { throw MediaError(.exists, "room \"\(room.prefix(64))\" is already open to the network") }
      hubs[room] = .underWay
    }
    do throws(MediaError) {
      // Files, keys and sockets: nothing is locked.
      if let pair = options.certificate { settings.certificate = try TLSCertificate.load(certificate: pair.file, key: pair.key) }
      let isOwnOnly = options.certificate == nil && settings.addresses.allSatisfy(\.isLoopback)
      // One for both, so that one fingerprint identifies the process.
      if options.webPort != nil, !isOwnOnly, settings.certificate == nil { settings.certificate = try TLSCertificate.make() }
      let web = try openWeb(room, options, settings, isEncrypted: !isOwnOnly)
      do throws(MediaError) {
        return try enter(OpenHub(hub: try HubServer(room: room, options: settings, loop: loop, thread: networkThread()), web: web), room)
      } catch {
        web?.close()
        throw error
      }
    } catch {
      hubs.withLock { if case .underWay = $0[room] { $0[room] = nil } }
      throw error
    }
  }

  /// `isEncrypted`: not at this machine's own addresses, where nobody listens, and a certificate that is made has to be accepted by hand.
  private func openWeb(
    _ room: String, _ options: HubOptions, _ hub: HubServer.Options, isEncrypted: Bool
  ) throws(MediaError) -> WebServer? {
    guard let port = options.webPort else { return nil }
    var web = WebServer.Options(hub.addresses.map { $0.with(port: port) })
    (web.certificate, web.mostMembers, web.watch) = (hub.certificate, hub.mostMembers, hub.watch)
    web.isEncrypted = isEncrypted
    if let (key, secret) = options.access { web.accessKeys = [key: secret] }
    return try WebServer(room: room, options: web, loop: loop, thread: networkThread())
  }

  /// Logs who is refused, and tells the program.
  private func watch(_ room: String, _ program: (@Sendable (HubChange) -> Void)?) -> @Sendable (HubChange) -> Void {
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
  private func enter(_ hub: OpenHub, _ room: String) throws(MediaError) -> HubInfo {
    let isHere = hubs.withLock { hubs in
      guard !isClosed else { return false }
      hubs[room] = .open(hub)
      return true
    }
    guard isHere else {
      hub.close()
      throw Engine.destroyed
    }
    return hub.info(room)
  }

  /// Throws `.notFound` if this engine has not opened the room.
  public func hubInfo(_ url: String) throws(MediaError) -> HubInfo {
    let room = try Engine.hubRoom(url)
    guard let hub = hubs.withLock({ $0[room]?.hub }) else { throw Engine.notOpen(room) }
    return hub.info(room)
  }

  /// Removes all members who joined over the network, which disconnects them with `.closed`, and frees the port. Throws `.notFound` if this
  /// engine has not opened the room.
  public func closeHub(_ url: String) throws(MediaError) {
    let room = try Engine.hubRoom(url)
    let hub: OpenHub? = hubs.withLock { hubs in
      guard let hub = hubs[room]?.hub else { return nil }
      hubs[room] = nil
      return hub
    }
    guard let hub else { throw Engine.notOpen(room) }
    hub.close()
  }

  func closeHubs() {
    let open = hubs.withLock { hubs in
      defer { hubs = [:] }
      return hubs.values.compactMap(\.hub)
    }
    for hub in open { hub.close() }
  }

  /// A name that a url of a hub can have in it.
  private static func hubRoom(_ url: String) throws(MediaError) -> String {
    let room = try LoopbackURL.room(url, argument: "room_url")
    guard !room.contains("?") else {
      throw MediaError(.invalid, "room_url names room \"\(room.prefix(64))\"; accepted for a room that is opened: a name without \"?\"")
    }
    return room
  }

  private static func addresses(_ options: HubOptions) throws(MediaError) -> [SocketAddress] {
    let texts = options.addresses.split(separator: ",", omittingEmptySubsequences: false)
    guard texts.count <= mostAddresses else {
      throw MediaError(.invalid, "options.addresses has \(texts.count) addresses; accepted: 1..\(mostAddresses)")
    }
    var addresses: [SocketAddress] = []
    for text in texts {
      guard let address = SocketAddress(String(text), port: options.port), !address.isMulticast else {
        let accepted = "addresses of this machine, IPv4 or IPv6, separated by commas only, or 0.0.0.0 and ::"
        throw MediaError(.invalid, "options.addresses has \"\(text.prefix(64))\"; accepted: \(accepted)")
      }
      addresses.append(address)
    }
    return addresses
  }

  private static let destroyed = MediaError(.closed, "the engine is destroyed")

  private static func notOpen(_ room: String) -> MediaError {
    MediaError(.notFound, "room \"\(room.prefix(64))\" was not opened to the network by this engine")
  }
}

extension OpenHub {
  fileprivate func info(_ room: String) -> HubInfo {
    let url = hub.addresses.first.map { HubURL.text($0, room: room, fingerprint: hub.fingerprint) } ?? ""
    return HubInfo(
      port: hub.port, memberCount: hub.memberCount + (web?.memberCount ?? 0), foreignPackets: hub.foreignPackets,
      fingerprint: hub.fingerprint,
      url: url, webPort: web?.port ?? 0, webURL: web?.url ?? "")
  }
}
