import MediaCore

extension ICEAgent {
  /// A check of somebody (RFC 8445, section 7.3). Who has not the password is not answered, not even with an error, and changes nothing:
  /// what that costs is a search for the user name, and for who knows that, one HMAC. false: it was refused.
  func answer(_ message: STUNMessage, on path: ICEPath, from remote: SocketAddress, now: Int64) -> Bool {
    // Where only relays are used nothing else answers, or the other end would choose that.
    guard paths.contains(where: { $0.path == path }), message.hasFingerprint, let name = message.value(STUNAttribute.username),
      let list = list(named: name),
      message.isAuthentic(password: list.local.password), !list.isReplay(message.transaction, path, remote)
    else { return false }
    let unknown = message.unknown(besides: STUNAttribute.isKnownOfCheck)
    guard unknown.isEmpty else {
      respond(to: message, list, on: path, remote, error: 420, "Unknown Attribute", unknown, now: now)
      return true
    }
    guard let priority = message.u32(STUNAttribute.priority), priority > 0 else {
      respond(to: message, list, on: path, remote, error: 400, "Bad Request", now: now)
      return true
    }
    switch RoleConflict.resolve(
      isControlling: isControlling, tieBreaker: tieBreaker, controlling: message.u64(STUNAttribute.controlling),
      controlled: message.u64(STUNAttribute.controlled), isLite: settings.isLite)
    {
    case .none: break
    case .yield: take(role: !isControlling)
    case .refuse:
      respond(to: message, list, on: path, remote, error: 487, "Role Conflict", now: now)
      return true
    }
    respond(to: message, list, on: path, remote, now: now)
    note(list, path, remote, priority: priority, isNomination: message.has(STUNAttribute.useCandidate), now: now)
    return true
  }

  /// Ours, a colon and theirs (RFC 8445, section 7.2.2). Theirs is not known before their description, which may come after their checks.
  private func list(named name: UnsafeRawBufferPointer) -> CheckList? {
    for list in lists {
      let own = list.local.user.utf8
      guard name.count > own.count, name.starts(with: own), name[own.count] == UInt8(ascii: ":") else { continue }
      if let remote = list.remote, !name.dropFirst(own.count + 1).elementsEqual(remote.credentials.user.utf8) { continue }
      return list
    }
    return nil
  }

  private func respond(
    to message: STUNMessage, _ list: CheckList, on path: ICEPath, _ remote: SocketAddress, error: Int? = nil, _ reason: String = "",
    _ unknown: [UInt16] = [], now: Int64
  ) {
    var writer = STUNWriter(error == nil ? .success : .failure, .binding, message.transaction)
    if let error {
      writer.add(errorCode: error, reason)
      if !unknown.isEmpty {
        writer.add(STUNAttribute.unknownAttributes, unknown.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] })
      }
    } else {
      writer.add(STUNAttribute.xorMappedAddress, xor: remote)
    }
    guard writer.addIntegrity(STUNKey(password: list.local.password, message.integrity > 0 ? .sha1 : .sha256)) else { return }
    writer.addFingerprint()
    transmit(writer.bytes, on: path, to: remote, now: now)
  }

  /// It came from who has the password: the pair is known, and checked from here at once (sections 7.3.1.3 to 7.3.1.5).
  private func note(_ list: CheckList, _ path: ICEPath, _ remote: SocketAddress, priority: UInt32, isNomination: Bool, now: Int64) {
    let isTCP = path.relay == nil && bases[path.base]?.kind == .tcpPassive
    guard let local = paths.first(where: { $0.path == path }),
      let pair = list.pair(path, remote)
        ?? list.learn(remote, isTCP: isTCP, priority: priority).flatMap({ list.makePair(local, $0, isControlling: isControlling) })
    else { return }
    (pair.isProven, pair.lastHeard) = (true, now)
    list.noteArrival(path, remote, isData: false, now: now)
    if settings.isLite {
      list.consent.answered(now: now)
      if isNomination { nominate(pair, in: list, now: now) }
      return
    }
    if isNomination, !isControlling {
      if pair.state == .succeeded { nominate(pair, in: list, now: now) } else { pair.isNominationPending = true }
    }
    switch pair.state {
    case .succeeded: break
    case .waiting, .failed:
      pair.state = .waiting
      list.queue(pair)
    case .inProgress:
      // What was sent before may have met a closed NAT. Not for each of theirs: they may be many.
      guard let check = pair.check, now >= check.sent &+ settings.pace else { break }
      pair.check?.sent = now
      transmit(check.bytes, on: path, to: remote, now: now)
    }
  }
}
