/// Both ends believe to be controlling, or controlled (RFC 8445, section 7.3.1.1): the larger number decides.
enum RoleConflict {
  enum Outcome: Equatable {
    case none
    /// This end takes the other role, and answers.
    case yield
    /// The other end is to: error 487.
    case refuse
  }

  /// `controlling` and `controlled` are the attributes of the request.
  static func resolve(isControlling: Bool, tieBreaker: UInt64, controlling: UInt64?, controlled: UInt64?, isLite: Bool = false) -> Outcome {
    if isControlling, let theirs = controlling { return tieBreaker >= theirs ? .refuse : .yield }
    if !isControlling, controlling == nil, let theirs = controlled {
      // A lite agent cannot control a full one (section 6.1.1).
      return isLite || tieBreaker < theirs ? .refuse : .yield
    }
    return .none
  }
}
