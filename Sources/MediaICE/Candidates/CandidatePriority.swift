import MediaSDP

/// RFC 8445, section 5.1.2.1, of component 1.
enum CandidatePriority {
  /// Types as section 5.1.2.2 recommends; over TCP below all of UDP but relays (RFC 6544, section 4.2), and a relay that is reached by TCP
  /// or TLS below one that is reached by UDP.
  static func type(_ kind: Candidate.Kind, isTCP: Bool = false, relay: ICERelay.Transport = .udp) -> UInt32 {
    switch kind {
    case .host: isTCP ? 90 : 126
    case .peerReflexive: isTCP ? 80 : 110
    case .serverReflexive: isTCP ? 70 : 100
    case .relayed: relay == .udp ? 2 : relay == .tcp ? 1 : 0
    }
  }

  /// `place`: of the base among those of this end, the first one first.
  static func of(type: UInt32, place: Int) -> UInt32 {
    type << 24 | UInt32(65_535 - min(max(place, 0), 65_535)) << 8 | 255
  }

  /// No priority is larger (section 5.1.2), whatever the other end says.
  static let most: UInt32 = 0x7FFF_FFFF

  /// Of a pair (section 6.1.2.3).
  static func pair(controlling: UInt32, controlled: UInt32) -> UInt64 {
    let (controlling, controlled) = (UInt64(min(controlling, most)), UInt64(min(controlled, most)))
    return min(controlling, controlled) << 32 + max(controlling, controlled) * 2 + (controlling > controlled ? 1 : 0)
  }
}
