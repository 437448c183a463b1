import MediaCore

/// Where an end that is known by its keys may be sent to: to an address that has returned a challenge, and to no other (RFC 9000, sections 8.2 and 9.3).
/// Who copies an authentic packet and sends it from elsewhere draws nothing there but challenges, at most three times what came from there (section
/// 8.1). Pure: packets, time and randomness in, challenges out. One call at a time.
public struct PathValidation: Sendable {
  private struct Candidate {
    let address: SocketAddress
    let challenge: UInt64
    var received = 0
    var sent = 0
    var due = Int64.min
    var heard: Int64 = 0
  }

  /// nil: none has returned a challenge yet.
  public private(set) var confirmed: SocketAddress?
  private var candidates: [Candidate] = []

  /// Those that were heard last; the one that was silent for longest makes room.
  static let mostCandidates = 4
  static let amplification = 3
  /// From one challenge to the next, when packets go on coming.
  static let pause: Int64 = 50_000_000

  /// No address is confirmed, and none is known.
  public init() {}

  /// An authentic packet of so many bytes came. A challenge to be sent there now, in `challengeSize` bytes, if there is one.
  public mutating func received(_ size: Int, from address: SocketAddress, challengeSize: Int, now: Int64, random: () -> UInt64) -> UInt64? {
    guard address != confirmed else { return nil }
    let place = place(of: address, random)
    candidates[place].heard = now
    candidates[place].received += size
    let candidate = candidates[place]
    guard now >= candidate.due, candidate.sent + challengeSize <= PathValidation.amplification * candidate.received else { return nil }
    candidates[place].sent += challengeSize
    candidates[place].due = now &+ PathValidation.pause
    return candidate.challenge
  }

  private mutating func place(of address: SocketAddress, _ random: () -> UInt64) -> Int {
    if let place = candidates.firstIndex(where: { $0.address == address }) { return place }
    let candidate = Candidate(address: address, challenge: random())
    if candidates.count == PathValidation.mostCandidates,
      let oldest = candidates.indices.min(by: { candidates[$0].heard < candidates[$1].heard })
    {
      candidates[oldest] = candidate
      return oldest
    }
    candidates.append(candidate)
    return candidates.count - 1
  }

  /// A challenge came back from there. Whether that confirms the address, which all is sent to from now on.
  public mutating func returned(_ challenge: UInt64, from address: SocketAddress) -> Bool {
    guard candidates.contains(where: { $0.address == address && $0.challenge == challenge }) else { return false }
    (confirmed, candidates) = (address, [])
    return true
  }
}
