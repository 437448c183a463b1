import MediaCore

/// What a description is for (RFC 9429, section 4.1.8).
public enum DescriptionKind: String, Sendable {
  case offer
  case answer
  case provisional = "pranswer"
  case rollback
}

/// How far a negotiation has come (RFC 9429, section 4.1.3).
public enum SignalingState: String, Sendable {
  /// None goes on.
  case stable
  /// This end has offered.
  case haveLocalOffer = "have-local-offer"
  /// The other end has offered.
  case haveRemoteOffer = "have-remote-offer"
  case closed
}

/// What became of a description of the other end.
public enum RemoteDescriptionOutcome: Sendable {
  case applied
  /// It is an offer that met one of this end, which is not polite: this end's goes on.
  case ignored
}
