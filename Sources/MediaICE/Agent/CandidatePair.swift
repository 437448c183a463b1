import MediaCore
import MediaSDP

/// How this end sends: from a socket, or by the address that it has at a relay.
struct ICEPath: Hashable, Sendable {
  let base: Int
  /// The number of an allocation.
  let relay: Int?

  init(base: Int, relay: Int? = nil) {
    (self.base, self.relay) = (base, relay)
  }
}

/// A candidate of the other end.
struct RemoteCandidate {
  let address: SocketAddress
  let isTCP: Bool
  var kind: Candidate.Kind
  var priority: UInt32
}

/// A path of this end and an address of the other (RFC 8445, section 6.1.2). There is no state Frozen: it saves checks of other streams and
/// components, and here is one of each.
final class CandidatePair {
  enum State {
    case waiting, inProgress, succeeded, failed
  }

  /// A check whose answer is awaited.
  struct Check {
    let id: TransactionID
    var schedule: STUNSchedule
    let bytes: [UInt8]
    let isNominating: Bool
    let isControlling: Bool
    /// At first, and last: an answer does not say to which of them it is.
    let began: Int64
    var sent: Int64
  }

  struct Key: Hashable {
    let path: ICEPath
    let remote: SocketAddress
  }

  let path: ICEPath
  let remote: SocketAddress
  let localPriority: UInt32
  /// That of a check of this pair, as if its answer would show a new candidate (section 7.1.1).
  let reflexivePriority: UInt32
  var remotePriority: UInt32
  /// A relay is on it, of this end or the other.
  var isRelayed: Bool
  var state = State.waiting
  var check: Check?
  var isQueued = false
  /// The other end has nominated it before a check of this end succeeded.
  var isNominationPending = false
  /// Checks of the other end came over it, so that it has the password, and its data are taken.
  var isProven = false
  /// When the last check of the other end came.
  var lastHeard: Int64 = .min
  /// At most, where the check had to be sent again.
  var roundTrip: Int64 = 0
  /// Of all checks that were sent once: a busy machine makes some of them longer.
  var leastRoundTrip = Int64.max
  /// Of Send indications of application data (ICERoute): a value per route.
  var indication = TransactionID(high: 0, low: 0)

  var key: Key { Key(path: path, remote: remote) }

  init(_ path: LocalPath, _ remote: RemoteCandidate) {
    (self.path, self.remote) = (path.path, remote.address)
    (localPriority, reflexivePriority, remotePriority) = (path.priority, path.reflexivePriority, remote.priority)
    isRelayed = path.path.relay != nil || remote.kind == .relayed
  }

  func priority(isControlling: Bool) -> UInt64 {
    isControlling
      ? CandidatePriority.pair(controlling: localPriority, controlled: remotePriority)
      : CandidatePriority.pair(controlling: remotePriority, controlled: localPriority)
  }
}

/// A path of this end that pairs are made of, with its candidate.
struct LocalPath {
  let path: ICEPath
  /// Of the host, or at the relay.
  let address: SocketAddress
  let isTCP: Bool
  let priority: UInt32
  let reflexivePriority: UInt32
}
