import MediaCore
import MediaTransport

/// What a URL names, by its scheme: "loopback:NAME", "rtp:…", "hub://…".
public enum RoomURL {
  private static let loopback = "loopback:"

  public static func loopbackName(_ url: String, argument: String) throws(MediaError) -> String {
    guard url.hasPrefix(loopback) else {
      throw MediaError(.unsupported, "\(argument) is \"\(url.prefix(64))\"; accepted: \(loopback)NAME")
    }
    let name = String(url.dropFirst(loopback.count))
    guard (1...255).contains(name.utf8.count) else {
      throw MediaError(.invalid, "\(argument) has a room name of \(name.utf8.count) bytes; accepted: 1..255")
    }
    return name
  }

  /// Where a session connects to.
  enum Target: Sendable {
    case room(String)
    case rtp(RTPTarget)
    case hub(HubURL)

    var isRemote: Bool { if case .room = self { false } else { true } }
  }

  static func target(_ url: String, argument: String) throws(MediaError) -> Target {
    if RTPTarget.isNamed(by: url) { return .rtp(try RTPTarget(url, argument: argument)) }
    if HubURL.isNamed(by: url) { return .hub(try HubURL(url, argument: argument)) }
    guard url.hasPrefix(loopback) else {
      // Nothing behind a question mark: it may be anything.
      let shown = url.prefix { $0 != "?" }.prefix(64)
      throw MediaError(.unsupported, "\(argument) is \"\(shown)\"; accepted: \(loopback)NAME, rtp://HOST:PORT, hub://HOST:PORT/NAME")
    }
    return .room(try loopbackName(url, argument: argument))
  }
}
