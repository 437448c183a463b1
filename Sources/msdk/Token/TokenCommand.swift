import ArgumentParser
import CMediaSDK
import MediaCore
import MediaSignalling

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Makes an access token, with which a participant joins a room of msdk serve or of a LiveKit server.",
    discussion: """
      The token is printed. It says who the participant is, which room they may join, what they may do there, and until when. It is a JSON \
      Web Token (RFC 7519) signed with HS256, with the claims of LiveKit. It is not encrypted, and its holder can join until it expires.

      The API key and its secret, which the server has too, are taken from the environment variables MSDK_API_KEY and MSDK_API_SECRET, or \
      from a file with --api-key. A secret has at least 32 bytes.

      By default the participant may join, send and receive.

      Examples:
        umask 077
        export MSDK_API_KEY=devkey
        export MSDK_API_SECRET=$(head -c 32 /dev/urandom | base64)
        msdk token --room lobby --user anna --name Anna > token.txt
        msdk token --room lobby --user ben --no-publish --for 90m > listener.txt
        echo "$MSDK_API_KEY: $MSDK_API_SECRET" > key.txt
        msdk token --room lobby --user carol --admin --attribute role=host \\
          --api-key key.txt > host.txt
      """)

  @Option(help: ArgumentHelp("The room's name.", valueName: "room"))
  var room: String

  @Option(
    name: [.customLong("user"), .customLong("identity")],
    help: ArgumentHelp("Their user id, unique in the room; LiveKit's identity.", valueName: "id"))
  var user: String

  @Option(help: ArgumentHelp("Their display name.", valueName: "name"))
  var name: String?

  @Option(help: ArgumentHelp("Text that all participants can read.", valueName: "text"))
  var metadata: String?

  @Option(
    name: .customLong("attribute"),
    help: ArgumentHelp("An attribute that they have from the beginning. Repeatable, each name once.", valueName: "name=value"),
    transform: { try Arguments.attribute($0) })
  var attributes: [Arguments.Attribute] = []

  @Flag(name: .customLong("no-publish"), help: "They may send neither media nor data.")
  var isListener = false

  @Flag(name: .customLong("no-subscribe"), help: "They may not receive media.")
  var isSender = false

  @Flag(name: .customLong("admin"), help: "They may remove and mute others.")
  var isAdministrator = false

  @Flag(name: .customLong("hidden"), help: "The others in the room are not notified of them.")
  var isHidden = false

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long the token is valid, from 1s to 365d, as in 90s, 45m, 6h, 30d; default: 6h.", valueName: "time"),
    transform: { try Arguments.lifetime($0) })
  var lifetime = LiveKitToken.ordinaryLifetime

  @Option(
    help: ArgumentHelp(
      "A file of one line, KEY: SECRET, in place of the environment variables MSDK_API_KEY and MSDK_API_SECRET.", valueName: "file"))
  var apiKey: String?

  func validate() throws {
    for (name, text) in [("--room", room), ("--user", user)] where !(1...Int(MSDK_NAME_MAX)).contains(text.utf8.count) {
      throw ValidationError("\(name) has \(text.utf8.count) bytes; accepted: 1..\(MSDK_NAME_MAX)")
    }
    if let name, name.utf8.count > Int(MSDK_NAME_MAX) {
      throw ValidationError("--name has \(name.utf8.count) bytes; accepted: up to \(MSDK_NAME_MAX)")
    }
    guard attributes.count <= Int(MSDK_ATTRIBUTES_MAX) else {
      throw ValidationError("--attribute is given \(attributes.count) times; accepted: up to \(MSDK_ATTRIBUTES_MAX)")
    }
    let keys = attributes.map(\.key)
    if let twice = keys.first(where: { key in keys.filter { $0 == key }.count > 1 }) {
      throw ValidationError("--attribute \(twice) is given twice; accepted: each name once")
    }
  }

  func run() throws {
    let key = if let apiKey { try APIKey(reading: apiKey) } else { try APIKey() }
    var grants = LiveKitGrants(identity: user, room: room)
    (grants.name, grants.metadata) = (name ?? "", metadata ?? "")
    for attribute in attributes { grants.attributes[attribute.key] = attribute.value }
    (grants.publishes, grants.publishesData, grants.subscribes) = (!isListener, !isListener, !isSender)
    (grants.isAdministrator, grants.isHidden) = (isAdministrator, isHidden)
    let now = MediaTime.wallClock() / 1_000_000_000
    Terminal.show(try LiveKitToken.make(grants, key: key.name, secret: key.secret, now: now, expires: now + lifetime))
  }
}

extension Arguments {
  struct Attribute: Sendable {
    let key: String
    let value: String
  }

  static func attribute(_ text: String) throws -> Attribute {
    let equals = text.firstIndex(of: "=") ?? text.startIndex
    let key = text[..<equals]
    let value = text[equals...].dropFirst()
    guard (1...Int(MSDK_ATTRIBUTE_KEY_MAX)).contains(key.utf8.count), value.utf8.count <= Int(MSDK_ATTRIBUTE_VALUE_MAX) else {
      throw ValidationError("accepted: NAME=VALUE, 1..\(MSDK_ATTRIBUTE_KEY_MAX) bytes and up to \(MSDK_ATTRIBUTE_VALUE_MAX) bytes")
    }
    return Attribute(key: String(key), value: String(value))
  }

  /// In seconds.
  static func lifetime(_ text: String) throws -> Int64 {
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let count = Int64(text.dropLast()), count > 0,
      count <= LiveKitToken.lifetimes.upperBound / unit
    else { throw ValidationError("accepted: a whole number with s, m, h or d, from 1s to 365d, as in 6h") }
    return count * unit
  }
}
