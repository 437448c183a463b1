import MediaCore

/// Regular nomination (RFC 8445, section 8.1.1): the controlling end chooses one of the pairs that are valid, and says so with one more
/// check. Until then data already go over the best of them, and a better one takes over; after it only the loss of consent, or a restart,
/// changes the route. The controlled end follows regular and aggressive nomination.
extension ICEAgent {
  /// Aggressive nomination names one pair after the other, of which the best counts, for so long.
  static let aggressiveTime: Int64 = 5_000_000_000
  /// Later another pair is followed when nothing was heard over the one before for that long: the other end has left it. Until then who
  /// sends a copy of an old check from elsewhere changes nothing.
  static let silence: Int64 = 3_000_000_000

  func pollNomination(_ list: CheckList, _ now: Int64) -> Int64 {
    guard isControlling, list.nominated == nil, list.remote != nil, let first = list.firstValid,
      !list.pairs.contains(where: { $0.check?.isNominating == true }),
      let best = list.best(isControlling, where: { $0.state == .succeeded })
    else { return .max }
    let priority = best.priority(isControlling: isControlling)
    let isAnyBetter = list.pairs.contains {
      ($0.state == .waiting || $0.state == .inProgress) && $0.priority(isControlling: isControlling) > priority
    }
    let mayCome = best.isRelayed && !(list.hasAllRemotes && list.isGathered)
    let end = first &+ (best.isRelayed ? settings.relayNominationDelay : settings.nominationDelay)
    if isAnyBetter || mayCome, now < end { return end }
    send(best, list, isNominating: true, now: now)
    return best.check?.schedule.due ?? .max
  }

  /// The pair is the one, for both ends.
  func nominate(_ pair: CandidatePair, in list: CheckList, now: Int64) {
    guard list.nominated !== pair else { return }
    if let old = list.nominated {
      let isBetter =
        pair.priority(isControlling: isControlling) > old.priority(isControlling: isControlling)
        && !list.consent.isSettled(now: now, after: ICEAgent.aggressiveTime)
      guard isBetter || now >= old.lastHeard &+ ICEAgent.silence else { return }
    }
    list.nominated = pair
    pair.state = .succeeded
    // Section 8.1.2: what is not decided is not of interest any longer. What is valid stays, in case that consent is lost.
    for other in list.pairs where other !== pair && other.check != nil { list.stop(other) }
    for other in list.triggered where other !== pair { other.isQueued = false }
    list.triggered.removeAll()
    list.drop { $0 !== pair && $0.state != .succeeded }
    choose(list, now: now)
  }

  /// The nominated pair, or else the best that is valid, is the route of its generation.
  func choose(_ list: CheckList, now: Int64) {
    let best = list.nominated ?? list.best(isControlling) { $0.state == .succeeded && !settings.isLite }
    guard best !== list.selected else { return }
    list.selected = best
    guard let best else {
      list.consent.end()
      return
    }
    list.consent.begin(now: now, random: random)
    if settings.isLite { list.consent.withoutRequests() }
    best.indication = random.transaction()
    if let id = best.path.relay { relays.first { $0.id == id }?.allocation.bind(best.remote) }
  }
}
