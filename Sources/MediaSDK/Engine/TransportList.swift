import MediaCore
import MediaSDP
import MediaTransport
import MediaWebRTCTransport

/// The transports of sessions, by the schemes of their urls. A new one is a line here; what errors say is accepted, and what the tool takes,
/// follows.
public enum Transports {
  /// In the order in which errors and help list them.
  public static let all: [TransportFactory] =
    [.loopback, .rtp, .webRTC] + TransportFactory.whip + TransportFactory.janus
    + TransportFactory.liveKit

  /// nil: no transport has such urls.
  public static func factory(of url: String) -> TransportFactory? {
    ParsedURL.split(url).flatMap { parts in all.first { $0.scheme == parts.scheme } }
  }

  /// The same, with an error that says which urls there are.
  static func factory(of url: String, argument: String) throws(MediaError) -> TransportFactory {
    if let factory = factory(of: url) { return factory }
    // Nothing after a question mark: it may be anything.
    let shown = url.prefix { $0 != "?" }.prefix(64)
    throw MediaError(.unsupported, "\(argument) is \"\(shown)\"; accepted: \(forms())")
  }

  /// As in "rtp://HOST:PORT, livekit+wss://HOST:PORT": of all, or of those that have what is needed and nothing that is not wanted.
  public static func forms(with needed: TransportFeatures = [], without unwanted: TransportFeatures = []) -> String {
    matching(needed, unwanted).map(\.form).joined(separator: ", ")
  }

  /// As in "loopback: and livekit+wss:".
  static func schemes(with needed: TransportFeatures, joinedBy word: String) -> String {
    let names = matching(needed, []).map { "\($0.scheme):" }
    guard let last = names.last, names.count > 1 else { return names.joined() }
    return "\(names.dropLast().joined(separator: ", ")) \(word) \(last)"
  }

  private static func matching(_ needed: TransportFeatures, _ unwanted: TransportFeatures) -> [TransportFactory] {
    all.filter { $0.features.isSuperset(of: needed) && $0.features.isDisjoint(with: unwanted) }
  }
}
