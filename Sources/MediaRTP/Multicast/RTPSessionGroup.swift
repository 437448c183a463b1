import MediaCore

/// What differs between a group and one other end.
extension RTPSession {
  /// A number of one's own comes into use, or is used no more.
  func own(_ ssrc: SSRC) { group?.conflicts.add(own: ssrc) }
  func disown(_ ssrc: SSRC) { group?.conflicts.remove(own: ssrc) }

  func hear(_ ssrc: SSRC, isMedia: Bool, isNamed: Bool = false, at now: Int64) {
    group?.members.heard(ssrc, isMedia: isMedia, isNamed: isNamed, at: now)
  }

  func isReportDue(at now: Int64) -> Bool {
    let isSender = !sending.isEmpty
    if group != nil { return group?.isReportDue(sending: isSender, at: now, using: &random) ?? false }
    return pace?.isReportDue(at: now, using: &random) ?? false
  }

  var reportDeadline: Int64 { group?.schedule.deadline ?? pace?.deadline ?? .max }

  /// Nothing is heard any more of a stream's source (RFC 3550, section 6.3.5).
  func isGone(_ stream: ReceivingStream, at now: Int64) -> Bool {
    guard now &- stream.lastHeard > RTPSession.silence else { return false }
    return group.map { !$0.members.contains(stream.ssrc) } ?? (now &- (stream.lastReported ?? stream.lastHeard) > RTPSession.silence)
  }

  /// A goodbye came.
  func hearGoodbye(size: Int, at now: Int64) {
    guard let population = group?.population(sending: !sending.isEmpty) else { return }
    group?.schedule.goodbyeReceived(size: size, population, at: now)
  }

  /// Whether what came with one of one's own numbers is of somebody else who chose the same: not what comes back, and not without end.
  func isCollision(_ ssrc: SSRC, _ kind: SourceConflicts<UInt64>.Kind, from address: UInt64, _ now: Int64) -> Bool {
    if group != nil { return group?.conflicts.check(ssrc, kind, from: address, at: now) == .ownCollision }
    guard ssrc == ownSSRC else { return true }
    ownChanges += 1
    return ownChanges <= RTPSession.mostOwnChanges
  }

  /// Whether a source is used from one place only.
  func isOfOne(_ ssrc: SSRC, _ kind: SourceConflicts<UInt64>.Kind, from address: UInt64, _ now: Int64) -> Bool {
    group == nil || group?.conflicts.check(ssrc, kind, from: address, at: now) == .fine
  }
}
