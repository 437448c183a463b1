import MediaCore

/// What a source is known by; the two may come from different ports.
enum PacketKind: Sendable {
  case media, control
}

/// Whose packets are whose: collisions and loops (RFC 3550, section 8.2). In a group by the rules of `GroupControl`.
extension RTPSession {
  /// A number of one's own comes into use, or is used no more.
  func own(_ ssrc: SSRC) { group?.own(ssrc) }
  func disown(_ ssrc: SSRC) { group?.disown(ssrc) }

  func hear(_ ssrc: SSRC, isMedia: Bool, isNamed: Bool = false, at now: Int64) {
    group?.heard(ssrc, isMedia: isMedia, isNamed: isNamed, at: now)
  }

  /// Nothing is heard any more of a stream's source (RFC 3550, section 6.3.5).
  func isGone(_ stream: ReceivingStream, at now: Int64) -> Bool {
    guard now &- stream.lastHeard > RTPSession.silence else { return false }
    return group.map { !$0.members.contains(stream.ssrc) } ?? (now &- (stream.lastReported ?? stream.lastHeard) > RTPSession.silence)
  }

  /// Whether what came with one of one's own numbers is of somebody else who chose the same: not what comes back, and not without end.
  private func isCollision(_ ssrc: SSRC, _ kind: PacketKind, from address: UInt64, _ now: Int64) -> Bool {
    if group != nil { return group?.isCollision(ssrc, kind, from: address, at: now) ?? false }
    guard ssrc == ownSSRC else { return true }
    ownChanges += 1
    return ownChanges <= RTPSession.mostOwnChanges
  }

  /// Whether a source is used from one place only.
  private func isOfOne(_ ssrc: SSRC, _ kind: PacketKind, from address: UInt64, _ now: Int64) -> Bool {
    group?.isOfOne(ssrc, kind, from: address, at: now) ?? true
  }

  /// That of one who sends nothing is in use until there is something to send.
  func isOwn(_ ssrc: SSRC) -> Bool {
    sending.isEmpty ? ssrc == ownSSRC : outgoing.using(ssrc) != nil
  }

  func own(_ stream: OutgoingRTP) {
    own(stream.ssrc)
    if let again = stream.retransmission { own(again.ssrc) }
  }

  /// Whether a packet that came went from here.
  func hasSent(_ packet: RTPPacket) -> Bool {
    outgoing.using(packet.header.ssrc)?.hasSent(packet) ?? false
  }

  /// What came with one of one's own numbers counts as nothing. What went from here ends nothing; somebody else with the same number is told of
  /// once.
  func judge(
    _ ssrc: SSRC, _ kind: PacketKind, from address: UInt64, isLoop: Bool, _ now: Int64,
    _ delegate: some RTPSessionDelegate
  ) {
    guard !isLoop, isCollision(ssrc, kind, from: address, now) else {
      path.loopedPackets &+= 1
      return
    }
    path.conflictingPackets &+= 1
    guard ssrc != ownSSRC else {
      // Nobody else knows it by heart: it is another from now on.
      transmit(now, delegate, isReport: true) { Goodbye.write(to: &$0, [ssrc]) }
      disown(ssrc)
      ownSSRC = SSRC(UInt32.random(in: 1...(.max), using: &random))
      return own(ownSSRC)
    }
    if collided.insert(ssrc).inserted { delegate.session(did: .collision(ssrc)) }
  }

  /// Of a packet with reports: what has one of one's own numbers is dropped; only its description tells whose it is.
  func isOfAnother(_ ssrc: SSRC, from address: UInt64, _ now: Int64) -> Bool {
    isOfAnother(ssrc) && isOfAnother(ssrc, .control, from: address, now)
  }

  func isOfAnother(_ ssrc: SSRC) -> Bool {
    guard isOwn(ssrc) else { return true }
    path.loopedPackets &+= 1
    return false
  }

  func isOfAnother(_ ssrc: SSRC, _ kind: PacketKind, from address: UInt64, _ now: Int64) -> Bool {
    guard !isOfOne(ssrc, kind, from: address, now) else { return true }
    path.conflictingPackets &+= 1
    return false
  }

  /// After a collision: says goodbye under the old number, and goes on under another. What waits to be sent is given up; a key frame is to come
  /// next.
  public func changeSource(
    of stream: Int, to ssrc: SSRC, retransmission: SSRC? = nil, now: Int64, _ delegate: some RTPSessionDelegate
  ) throws(PacketError) {
    guard let old = outgoing[stream] else { throw PacketError("RTP: no such stream") }
    let again = retransmission ?? old.settings.retransmission?.ssrc
    guard !isOwn(ssrc), receivingStream(ssrc) == nil, again != ssrc else { throw PacketError("RTP: the SSRC is in use") }
    if let again, again != old.settings.retransmission?.ssrc, isOwn(again) {
      throw PacketError("RTP: the SSRC for retransmissions is in use")
    }
    transmit(now, delegate, isReport: true) { Goodbye.write(to: &$0, [old.settings.ssrc]) }
    var settings = old.settings
    settings.ssrc = ssrc
    if let again, let former = settings.retransmission { settings.retransmission = (again, former.payloadType) }
    disown(old.settings.ssrc)
    if let former = old.settings.retransmission?.ssrc { disown(former) }
    collided.remove(old.settings.ssrc)
    // Numbers go on, so that none that waits is taken for another.
    outgoing.replace(old, by: SendingStream(settings, old.handle, self.settings, &random, after: old))
    own(settings)
  }
}
