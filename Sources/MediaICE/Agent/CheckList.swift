import MediaCore
import MediaSDP

/// All that is of one generation of credentials: candidates of the other end, pairs, checks in flight, what was selected. A restart
/// makes another one. Everything in it is bounded, and without the password nothing of it grows.
final class CheckList {
  struct Remote {
    let credentials: ICECredentials
    let isLite: Bool
  }

  enum Awaited {
    case check(CandidatePair)
    case consent(at: Int64)
  }

  static let mostRemotes = 100
  /// Learnt of checks, in addition.
  static let mostReflexive = 32
  static let mostPairs = 200
  static let mostRecent = 64

  let local: ICECredentials
  var remote: Remote?
  private(set) var remotes: [RemoteCandidate] = []
  private var reflexive = 0
  /// The last checks of the other end, and over what they came.
  private var recent: [(id: TransactionID, key: CandidatePair.Key)] = []
  var hasAllRemotes = false
  private(set) var pairs: [CandidatePair] = []
  private var byKey: [CandidatePair.Key: CandidatePair] = [:]
  /// Checks that go first (RFC 8445, section 6.1.4.1).
  var triggered: [CandidatePair] = []
  var awaited: [TransactionID: Awaited] = [:]
  var selected: CandidatePair?
  var nominated: CandidatePair?
  /// When the first check could be sent, and the first one succeeded.
  var started: Int64?
  var firstValid: Int64?
  /// No earlier than that everything has failed (RFC 8863): a check of the other end may still come.
  var mayFailAt: Int64 = .min
  var consent = Consent()
  /// Gathering of this generation is over, and was said to be.
  var isGathered = false

  init(_ local: ICECredentials) {
    self.local = local
  }

  /// A check that came before, from elsewhere: somebody has copied it, who has not the password. Not where the address is known, or who is
  /// faster with a copy than the original would make that one refused.
  func isReplay(_ id: TransactionID, _ path: ICEPath, _ remote: SocketAddress) -> Bool {
    let key = CandidatePair.Key(path: path, remote: remote)
    if let known = recent.first(where: { $0.id == id }) { return known.key != key && !remotes.contains { $0.address == remote } }
    if recent.count >= CheckList.mostRecent { recent.removeFirst() }
    recent.append((id, key))
    return false
  }

  func pair(_ path: ICEPath, _ remote: SocketAddress) -> CandidatePair? {
    if let selected, selected.path == path, selected.remote == remote { return selected }
    return byKey[.init(path: path, remote: remote)]
  }

  /// Something came that answers nothing; by the route, or not.
  func noteArrival(_ path: ICEPath, _ remote: SocketAddress, isData: Bool, now: Int64) {
    guard let selected, selected.path == path, selected.remote == remote else { return }
    consent.arrived(now: now, isData: isData)
  }

  func remote(_ address: SocketAddress, isTCP: Bool) -> Int? { remotes.firstIndex { $0.address == address && $0.isTCP == isTCP } }

  /// As signalled. false: there are too many, or it is known. What was learnt before it was signalled now has a name.
  func add(signalled candidate: RemoteCandidate) -> Bool {
    if let index = remote(candidate.address, isTCP: candidate.isTCP) {
      guard remotes[index].kind == .peerReflexive else { return false }
      (remotes[index].kind, remotes[index].priority) = (candidate.kind, candidate.priority)
      reflexive -= 1
      for pair in pairs where pair.remote == candidate.address {
        pair.remotePriority = candidate.priority
        pair.isRelayed = pair.path.relay != nil || candidate.kind == .relayed
      }
      return true
    }
    guard remotes.count - reflexive < CheckList.mostRemotes else { return false }
    remotes.append(candidate)
    return true
  }

  /// The other end's, by a check that it has proven (RFC 8445, section 7.3.1.3). nil: there are too many.
  func learn(_ address: SocketAddress, isTCP: Bool, priority: UInt32) -> RemoteCandidate? {
    if let index = remote(address, isTCP: isTCP) { return remotes[index] }
    if reflexive >= CheckList.mostReflexive { forgetReflexive() }
    guard reflexive < CheckList.mostReflexive else { return nil }
    let candidate = RemoteCandidate(address: address, isTCP: isTCP, kind: .peerReflexive, priority: priority)
    remotes.append(candidate)
    reflexive += 1
    return candidate
  }

  /// The first that no pair needs: a NAT may give another address every few minutes.
  private func forgetReflexive() {
    let index = remotes.firstIndex { remote in
      remote.kind == .peerReflexive
        && !pairs.contains { $0.remote == remote.address && ($0.state == .succeeded || $0.check != nil || $0 === selected) }
    }
    guard let index else { return }
    let address = remotes.remove(at: index).address
    reflexive -= 1
    drop { $0.remote == address }
  }

  /// nil: they do not fit together, or there are better ones enough.
  func makePair(_ path: LocalPath, _ remote: RemoteCandidate, isControlling: Bool) -> CandidatePair? {
    guard path.isTCP == remote.isTCP, path.address.isIPv6 == remote.address.isIPv6 else { return nil }
    if let known = byKey[.init(path: path.path, remote: remote.address)] { return known }
    let pair = CandidatePair(path, remote)
    if pairs.count >= CheckList.mostPairs {
      let worst = pairs.filter { $0.state == .waiting || $0.state == .failed }.min {
        $0.priority(isControlling: isControlling) < $1.priority(isControlling: isControlling)
      }
      guard let worst, worst.priority(isControlling: isControlling) < pair.priority(isControlling: isControlling) else { return nil }
      drop(worst)
    }
    pairs.append(pair)
    byKey[pair.key] = pair
    return pair
  }

  func drop(_ pair: CandidatePair) {
    stop(pair)
    pairs.removeAll { $0 === pair }
    byKey[pair.key] = nil
    triggered.removeAll { $0 === pair }
    if selected === pair { selected = nil }
    if nominated === pair { nominated = nil }
  }

  func drop(where isDropped: (CandidatePair) -> Bool) {
    for pair in pairs.filter(isDropped) { drop(pair) }
  }

  /// Its answer is not awaited any longer.
  func stop(_ pair: CandidatePair) {
    if let check = pair.check { awaited[check.id] = nil }
    pair.check = nil
  }

  func fail(_ pair: CandidatePair) {
    stop(pair)
    (pair.state, pair.isNominationPending) = (.failed, false)
    if nominated === pair { nominated = nil }
  }

  func queue(_ pair: CandidatePair) {
    guard !pair.isQueued else { return }
    pair.isQueued = true
    triggered.append(pair)
  }

  /// The next one to be checked. Waiting ones by priority (RFC 8445, section 6.1.4.2).
  func takeNext(isControlling: Bool) -> CandidatePair? {
    while !triggered.isEmpty {
      let pair = triggered.removeFirst()
      pair.isQueued = false
      if pair.check == nil, pair.state != .succeeded || nominated !== pair { return pair }
    }
    guard nominated == nil else { return nil }
    return best(isControlling) { $0.state == .waiting && $0.check == nil }
  }

  var hasNext: Bool { !triggered.isEmpty || nominated == nil && pairs.contains { $0.state == .waiting && $0.check == nil } }

  func best(_ isControlling: Bool, where isMeant: (CandidatePair) -> Bool) -> CandidatePair? {
    var (best, priority): (CandidatePair?, UInt64) = (nil, 0)
    for pair in pairs where isMeant(pair) {
      let other = pair.priority(isControlling: isControlling)
      if best == nil || other > priority { (best, priority) = (pair, other) }
    }
    return best
  }

  /// So many are not decided.
  var undecided: Int { pairs.reduce(0) { $0 + ($1.state == .waiting || $1.state == .inProgress ? 1 : 0) } }
}
