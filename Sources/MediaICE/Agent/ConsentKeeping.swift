import MediaCore

extension ICEAgent {
  /// Requests whose answers are awaited; each is sent once (RFC 7675, section 5.1).
  static let mostConsents = 8

  func pollConsent(_ list: CheckList, _ now: Int64) -> Int64 {
    guard let selected = list.selected else { return .max }
    if list.consent.isExpired(now: now) || list.consent.isSuspect(now: now) && hasMoved(selected, list, now) {
      lose(selected, list, now: now)
      return now
    }
    if list.consent.due <= now {
      list.consent.sent(now: now, random: random)
      let id = random.transaction()
      if let bytes = request(id, selected, list) {
        forgetConsents(of: list, now: now)
        list.awaited[id] = .consent(at: now)
        transmit(bytes, on: selected.path, to: selected.remote, now: now)
      }
    }
    return list.consent.deadline(now: now)
  }

  /// No answers come, but checks from another address that was valid: a NAT has another mapping now.
  private func hasMoved(_ selected: CandidatePair, _ list: CheckList, _ now: Int64) -> Bool {
    list.pairs.contains {
      $0 !== selected && $0.state == .succeeded && $0.lastHeard > selected.lastHeard && now < $0.lastHeard &+ Consent.intervals.upperBound
    }
  }

  /// Answers that come so late are not waited for, and of the others not too many.
  private func forgetConsents(of list: CheckList, now: Int64) {
    let consents = list.awaited.compactMap { entry in
      if case .consent(let time) = entry.value { (id: entry.key, time: time) } else { nil }
    }.sorted { $0.time < $1.time }
    for (index, one) in consents.enumerated() {
      if one.time &+ Consent.expiry <= now || index <= consents.count - ICEAgent.mostConsents { list.awaited[one.id] = nil }
    }
  }

  /// Nothing is sent over it any longer. What else was valid is checked again; only a restart may bring what is not.
  private func lose(_ pair: CandidatePair, _ list: CheckList, now: Int64) {
    (list.nominated, list.firstValid) = (nil, nil)
    list.fail(pair)
    pair.isProven = false
    for other in list.pairs where other !== pair && other.state == .succeeded {
      other.state = .waiting
      if !settings.isLite { list.queue(other) }
    }
    list.mayFailAt = list.pairs.contains { $0.state == .waiting } && !settings.isLite ? now &+ ICEAgent.lateFailureTimeout : now
    list.selected = nil
    list.consent.end()
  }

  // MARK: Route and state

  func update(now: Int64) -> Int64 {
    if current.selected != nil, former != nil, formerEnd == .max { formerEnd = now &+ ICEAgent.formerTime }
    if now >= formerEnd || former?.selected == nil {
      (former, formerEnd) = (nil, .max)
    }
    let list = current.selected != nil ? current : former
    let route = list?.selected.flatMap { makeRoute($0) }
    if route != self.route {
      self.route = route
      emit(.route(route))
    }
    let state = makeState(list, now)
    if state != self.state {
      self.state = state
      emit(.state(state))
    }
    return min(formerEnd, state == .checking && now < current.mayFailAt ? current.mayFailAt : .max)
  }

  private func makeState(_ list: CheckList?, _ now: Int64) -> ICEState {
    if let list, list.selected != nil {
      if list.consent.isSuspect(now: now) { return .disconnected }
      return list === current && list.nominated != nil ? .completed : .connected
    }
    guard current.remote != nil else { return state == .failed ? .failed : .new }
    let isOpen = current.pairs.contains { $0.state == .inProgress || $0.state == .waiting && !settings.isLite }
    return now >= current.mayFailAt && !isOpen ? .failed : .checking
  }

  private func makeRoute(_ pair: CandidatePair) -> ICERoute? {
    let base = ICEBase(number: pair.path.base)
    guard let id = pair.path.relay else {
      let isTCP = bases[pair.path.base]?.kind == .tcpPassive
      return ICERoute(
        base: base, destination: pair.remote, remote: pair.remote, wrapping: isTCP ? .length : .none, isRelayed: false, isStream: isTCP)
    }
    guard let allocation = relays.first(where: { $0.id == id })?.allocation else { return nil }
    let channel = allocation.channels.number(of: pair.remote)
    return ICERoute(
      base: base, destination: allocation.server, remote: pair.remote,
      wrapping: channel.map { .channel($0, isStream: allocation.isStream) } ?? .indication(pair.indication), isRelayed: true,
      isStream: allocation.isStream)
  }
}
