/// Mutes and unmutes that a client was asked for. It confirms each, as if they were its own: a confirmation that comes after the next request
/// would undo that for everybody, until the next confirmation. A pure value.
struct MuteEchoes {
  /// Nanoseconds in which a request is confirmed.
  static let patience: Int64 = 3_000_000_000
  /// Requests that wait; the oldest goes for another.
  static let most = 256

  private var requests: [(sid: String, isMuted: Bool, time: Int64)] = []

  mutating func ask(_ sid: String, _ isMuted: Bool, now: Int64) {
    requests.append((sid, isMuted, now))
    if requests.count > MuteEchoes.most { requests.removeFirst() }
  }

  /// Whether what the client says of a track confirms a request after which another one followed.
  mutating func isOutdated(_ sid: String, _ isMuted: Bool, now: Int64) -> Bool {
    requests.removeAll { now &- $0.time > MuteEchoes.patience }
    guard let place = requests.firstIndex(where: { $0.sid == sid && $0.isMuted == isMuted }) else { return false }
    let isFollowed = requests[(place + 1)...].contains { $0.sid == sid }
    requests = requests.enumerated().filter { $0.offset > place || $0.element.sid != sid }.map(\.element)
    return isFollowed
  }
}
