import MediaCore
import MediaSDP

extension TransportFactory {
  /// Rooms inside this process, found by their name. Raw frames are carried, too.
  public static let loopback = TransportFactory(
    scheme: "loopback", form: "loopback:NAME", features: [.members, .attributes, .data, .accessTokens, .preferences, .layers, .encryption]
  ) { url, argument throws(MediaError) in LoopbackTarget(room: try LoopbackURL.room(url, argument: argument)) }
}

/// "loopback:NAME". All after the colon is the room's name, as it stands.
public enum LoopbackURL {
  /// The name of the room; `argument` is what an error calls the url. `.unsupported` for another scheme, `.invalid` for a name that has not
  /// 1 to 255 bytes.
  public static func room(_ url: String, argument: String) throws(MediaError) -> String {
    guard let (scheme, rest) = ParsedURL.split(url), scheme == TransportFactory.loopback.scheme else {
      throw MediaError(.unsupported, "\(argument) is \"\(url.prefix(64))\"; accepted: \(TransportFactory.loopback.form)")
    }
    let name = String(rest)
    guard (1...255).contains(name.utf8.count) else {
      throw MediaError(.invalid, "\(argument) has a room name of \(name.utf8.count) bytes; accepted: 1..255")
    }
    return name
  }
}

struct LoopbackTarget: TransportTarget {
  let room: String

  func makeTransport(_ context: TransportContext) -> any Transport {
    LoopbackTransport(room: room, member: context.member, token: context.token, loop: context.loop)
  }
}
