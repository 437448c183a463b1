import MediaCore
import MediaWebRTC

/// The pair of candidates that is used, by the names and units of W3C's webrtc-stats.
extension PeerStats {
  /// Nothing where there is no path. `local`: of the base; nil: it is a connection to a relay.
  func candidateEntries(local: SocketAddress?, at time: Double) -> [JSON] {
    guard let remote else { return [] }
    func head(_ id: String, _ type: String) -> [(String, JSON)] { [("id", .text(id)), ("type", .text(type)), ("timestamp", .number(time))] }
    func place(_ address: SocketAddress?) -> [(String, JSON)] {
      [("address", address.map { .text($0.host) } ?? .null), ("port", address.map { .whole($0.port) } ?? .null)]
    }
    let pair: [(String, JSON)] =
      head("candidate-pair-0", "candidate-pair") + [
        ("transportId", .text("transport-0")), ("localCandidateId", .text("local-candidate-0")),
        ("remoteCandidateId", .text("remote-candidate-0")), ("state", .text("succeeded")), ("nominated", .bool(ice == .completed)),
        ("currentRoundTripTime", roundTrip.map { .number(Double($0) / 1e9) } ?? .null)
      ]
    return [
      .object(pair),
      .object(
        head("local-candidate-0", "local-candidate") + place(local) + [("isRelayed", .bool(isRelayed))]),
      .object(head("remote-candidate-0", "remote-candidate") + place(remote))
    ]
  }
}
