import MediaCore
import MediaSDP
import MediaTransport

/// What a URL names, by its scheme: "loopback:NAME", "rtp:…", "hub://…".
public enum RoomURL {
  public static func loopbackName(_ url: String, argument: String) throws(MediaError) -> String {
    guard let (scheme, rest) = ParsedURL.split(url), scheme == "loopback" else {
      throw MediaError(.unsupported, "\(argument) is \"\(url.prefix(64))\"; accepted: loopback:NAME")
    }
    // All of it, as it stands.
    let name = String(rest)
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
    switch ParsedURL.split(url)?.scheme {
    case "loopback": return .room(try loopbackName(url, argument: argument))
    case "rtp": return .rtp(try RTPTarget(url, argument: argument))
    case "hub": return .hub(try HubURL(url, argument: argument))
    default:
      // Nothing behind a question mark: it may be anything.
      let shown = url.prefix { $0 != "?" }.prefix(64)
      throw MediaError(.unsupported, "\(argument) is \"\(shown)\"; accepted: loopback:NAME, rtp://HOST:PORT, hub://HOST:PORT/NAME")
    }
  }
}
