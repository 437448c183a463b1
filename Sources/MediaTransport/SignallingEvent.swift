/// What a program has to carry to the other end, or to act on, where a session has no server that does (`TransportFeatures.negotiation`).
public enum SignallingEvent: Sendable, Equatable {
  /// Something is wanted that no description has: an offer is to be made.
  case negotiationNeeded
  /// A candidate of this end as a=candidate has it ("candidate:...", RFC 8839, section 5.1), with the name of its section and the user name
  /// of ICE that it belongs to.
  case localCandidate(String, mid: String, user: String)
  /// No candidate of this end follows (RFC 8838, section 8.2): the local description has them all.
  case candidatesComplete
  /// The path is lost or about to be, or an address of this machine has changed: an offer that restarts ICE may bring another path.
  case restartWanted
  /// A server of ICE brings no candidate, or the one that it brought is lost. The code is that of its answer; nil: it gave none.
  case serverFailed(server: String, code: Int?, String)
}
