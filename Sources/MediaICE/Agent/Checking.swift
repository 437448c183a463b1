import MediaCore

extension ICEAgent {
  /// RFC 8863: nothing has failed before that, because the other end may begin so late.
  static let failureTimeout: Int64 = 39_500_000_000
  /// For a candidate that comes later.
  static let lateFailureTimeout: Int64 = 10_000_000_000

  func pollChecks(_ list: CheckList, _ now: Int64) -> Int64 {
    guard list.remote != nil else { return .max }
    var deadline = Int64.max
    for pair in list.pairs {
      guard let check = pair.check else { continue }
      if check.schedule.due <= now { resend(pair, check, list, now) }
      if let check = pair.check { deadline = min(deadline, check.schedule.due) }
    }
    guard list.hasNext else { return deadline }
    if now >= nextCheck, let pair = list.takeNext(isControlling: isControlling) {
      nextCheck = now &+ settings.pace
      send(pair, list, now: now)
      if let check = pair.check { deadline = min(deadline, check.schedule.due) }
    }
    return list.hasNext ? min(deadline, nextCheck) : deadline
  }

  private func resend(_ pair: CandidatePair, _ check: CandidatePair.Check, _ list: CheckList, _ now: Int64) {
    // As long as there is nothing better, the other end may still appear.
    let isHoped = list.firstValid == nil && now < list.mayFailAt && !check.isNominating
    guard !check.schedule.isOver || isHoped, permits(pair) else {
      list.fail(pair)
      choose(list, now: now)
      return
    }
    pair.check?.schedule.send(now: now)
    pair.check?.sent = now
    transmit(check.bytes, on: pair.path, to: pair.remote, now: now)
  }

  /// Its relay lets it through, as far as is known.
  private func permits(_ pair: CandidatePair) -> Bool {
    guard let id = pair.path.relay else { return true }
    guard let relay = relays.first(where: { $0.id == id }), relay.allocation.state == .ready else { return false }
    return relay.allocation.permit(pair.remote)
  }

  /// RFC 8445, section 7.2.4.
  func send(_ pair: CandidatePair, _ list: CheckList, isNominating: Bool = false, now: Int64) {
    let id = random.transaction()
    guard permits(pair), let bytes = request(id, pair, list, isNominating: isNominating) else {
      list.fail(pair)
      return
    }
    list.stop(pair)
    // Of a path that is known, not before its answer can have come.
    let pause = max(settings.pace &* Int64(list.undecided), pair.roundTrip &+ pair.roundTrip / 4)
    var schedule = STUNSchedule.check(first: pause, now: now)
    schedule.send(now: now)
    pair.check = .init(
      id: id, schedule: schedule, bytes: bytes, isNominating: isNominating, isControlling: isControlling, began: now, sent: now)
    if pair.state != .succeeded { pair.state = .inProgress }
    list.awaited[id] = .check(pair)
    transmit(bytes, on: pair.path, to: pair.remote, now: now)
  }

  func request(_ id: TransactionID, _ pair: CandidatePair, _ list: CheckList, isNominating: Bool = false) -> [UInt8]? {
    guard let remote = list.remote else { return nil }
    var writer = STUNWriter(.request, .binding, id)
    writer.add(STUNAttribute.username, "\(remote.credentials.user):\(list.local.user)")
    writer.add(STUNAttribute.priority, number: pair.reflexivePriority)
    writer.add(isControlling ? STUNAttribute.controlling : STUNAttribute.controlled, number: tieBreaker)
    if isNominating { writer.add(STUNAttribute.useCandidate) }
    guard writer.addIntegrity(STUNKey(password: remote.credentials.password)) else { return nil }
    writer.addFingerprint()
    return writer.bytes
  }

  /// An answer to a check, or to a request for consent. false: nothing that is awaited, or not of who has the password.
  func conclude(_ message: STUNMessage, on path: ICEPath, from remote: SocketAddress, now: Int64) -> Bool {
    for list in lists {
      guard let awaited = list.awaited[message.transaction], let other = list.remote else { continue }
      guard message.isAuthentic(password: other.credentials.password) else { return false }
      switch awaited {
      case .consent:
        guard message.kind == .success, let selected = list.selected, selected.path == path, selected.remote == remote else { return false }
        list.awaited[message.transaction] = nil
        list.consent.answered(now: now)
      case .check(let pair):
        // An answer that comes by another path proves none (RFC 8445, section 7.2.5.2.1). The pair has not failed by it, as it has there:
        // it may be a copy.
        guard pair.path == path, pair.remote == remote else { return false }
        conclude(pair, in: list, message, now: now)
      }
      return true
    }
    return false
  }

  private func conclude(_ pair: CandidatePair, in list: CheckList, _ message: STUNMessage, now: Int64) {
    guard let check = pair.check else { return }
    guard message.kind == .success || message.errorCode == 487 else {
      list.fail(pair)
      choose(list, now: now)
      return
    }
    list.stop(pair)
    if message.kind == .failure {
      // Section 7.2.5.1: the other role, and again.
      if check.isControlling == isControlling {
        take(role: !isControlling)
        tieBreaker = random.next()
      }
      if pair.state == .inProgress { pair.state = .waiting }
      if pair.state == .waiting { list.queue(pair) }
      return
    }
    (pair.state, pair.isProven, pair.roundTrip) = (.succeeded, true, now &- check.began)
    if check.sent == check.began { pair.leastRoundTrip = min(pair.leastRoundTrip, pair.roundTrip) }
    if list.firstValid == nil { list.firstValid = now }
    if isControlling ? check.isNominating : pair.isNominationPending {
      pair.isNominationPending = false
      nominate(pair, in: list, now: now)
    } else {
      choose(list, now: now)
    }
  }
}
