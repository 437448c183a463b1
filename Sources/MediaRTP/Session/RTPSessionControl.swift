import MediaCore

/// The blocks of a datagram together: each counts as often as there are packets that it is about.
private struct ReportedLoss {
  private var packets = 0.0
  private var lost = 0.0
  private var greatest: Double?

  mutating func add(_ share: Double, of packets: UInt64) {
    self.packets += Double(packets)
    lost += share * Double(packets)
    greatest = max(greatest ?? 0, share)
  }

  /// nil: there was no block.
  var share: Double? { packets > 0 ? lost / packets : greatest }
}

/// Control packets that come.
extension RTPSession {
  func receiveControl(_ datagram: UnsafeRawBufferPointer, from address: UInt64, now: Int64, _ delegate: some RTPSessionDelegate) {
    let form: RTCPForm = settings.hasReducedSize || settings.acceptsReducedSize ? .reducedSize : .compound
    guard var messages = try? RTCPMessage.Iterator(parsing: datagram, form) else {
      path.refusedPackets &+= 1
      return
    }
    group?.count(bytes: datagram.count)
    var left = RTPSession.mostMessages
    // When the other end sent this datagram, by its clock.
    var said: NTPTimestamp?
    var losses = ReportedLoss()
    defer { if let share = losses.share { estimator.onReceiverReport(loss: share, roundTrip: nil, now: now) } }
    while let message = messages.next() {
      left -= 1
      guard left >= 0 else {
        path.refusedPackets &+= 1
        return
      }
      switch message {
      case .senderReport(let report, let blocks):
        guard isOfAnother(report.ssrc, from: address, now) else { continue }
        hear(report.ssrc, isMedia: false, isNamed: true, at: now)
        if let stream = receivingStream(report.ssrc) {
          if !stream.isMapped { answer(now) }
          stream.received(report, at: now)
        } else if earlyReports.keep(report, at: now) {
          answer(now)
        }
        said = report.ntp
        take(blocks, said: said, &losses, now)
      case .receiverReport(let report, let blocks):
        guard isOfAnother(report.ssrc, from: address, now) else { continue }
        hear(report.ssrc, isMedia: false, isNamed: true, at: now)
        take(blocks, said: nil, &losses, now)
      case .goodbye(let goodbye):
        for ssrc in goodbye.sources.prefix(31) where !isOwn(ssrc) {
          handOnRest(of: ssrc, now: now, delegate)
          end(ssrc, now, delegate)
        }
        group?.goodbyeReceived(sending: !sending.isEmpty, at: now)
      case .nack(let nack):
        if isOfAnother(nack.sender) { sendAgain(nack, now) }
      case .pictureLoss(let loss):
        guard isOfAnother(loss.sender), let stream = outgoing.of(loss.media) else { continue }
        stream.meter.pliCount &+= 1
        // Who asks before the last one can have come will have it.
        if !repairsKeyFrame(of: stream, now) { requestKeyFrame(stream, now, delegate) }
      case .fullIntraRequest(let request):
        guard isOfAnother(request.sender) else { continue }
        for command in request {
          guard let stream = outgoing.of(command.media) else { continue }
          stream.meter.firCount &+= 1
          // The command is said again until one comes, and counts then.
          if repairsKeyFrame(of: stream, now) { continue }
          if stream.fullIntraRequests.accept(command, from: request.sender) { requestKeyFrame(stream, now, delegate) }
        }
      case .maximumBitrate(let limit):
        if isOfAnother(limit.sender) { estimator.onRemb(limit.bitrate, now: now) }
      case .transportFeedback(let feedback):
        if isOfAnother(feedback.sender) { take(feedback, now) }
      case .sourceDescription(let description):
        for chunk in description { describe(chunk, from: address, now, delegate) }
      case .extendedReport(let report):
        guard settings.hasReferenceTimes, isOfAnother(report.sender) else { continue }
        take(report, said: said, now)
      }
    }
  }

  /// Whoever asks for a key frame while one is under way gets that: what it lacks is sent again, unless that cannot be.
  private func repairsKeyFrame(of stream: SendingStream, _ now: Int64) -> Bool {
    guard stream.isKeyFrameUnderWay(at: now, roundTrip: smoothedRoundTrip ?? 0, target: target) else { return false }
    if settings.isForwarded { stream.keyFrame?.askAgain() }
    guard stream.settings.hasNACK else { return true }
    for number in stream.keyFrame?.overtaken ?? [] { sendAgain(number, of: stream, now) }
    return stream.keyFrame?.isLost == false
  }

  /// Those who asked while a key frame was under way that they may have missed the beginning of: another one follows it.
  func answerThoseWhoAskedAgain(_ now: Int64, _ delegate: some RTPSessionDelegate) {
    guard settings.isForwarded else { return }
    for stream in sending where stream.keyFrame?.isAskedAgain == true {
      if stream.isKeyFrameUnderWay(at: now, roundTrip: smoothedRoundTrip ?? 0, target: target) { continue }
      stream.keyFrame?.answer()
      requestKeyFrame(stream, now, delegate)
    }
  }

  /// Once for all that ask at the same time.
  func requestKeyFrame(_ stream: SendingStream, _ now: Int64, _ delegate: some RTPSessionDelegate) {
    guard stream.keyFrameRequested != now else { return }
    stream.keyFrameRequested = now
    delegate.session(did: .keyFrameRequested(stream.settings.ssrc))
  }

  func end(_ ssrc: SSRC, _ now: Int64, _ delegate: some RTPSessionDelegate) {
    group?.left(ssrc, at: now)
    guard let place = receiving.firstIndex(where: { $0.ssrc == ssrc }) else { return }
    if let last = stats(receiving: ssrc) {
      if ended.count == RTPSession.mostEnded { ended.removeFirst() }
      ended.append(last)
    }
    receiving.remove(at: place)
    sources[ssrc] = nil
    for (again, of) in repeating where of == ssrc { repeating[again] = nil }
    delegate.session(did: .streamEnded(ssrc))
  }

  /// Which streams are of one sender, and share its clock.
  private func describe(_ chunk: SourceDescription.Chunk, from address: UInt64, _ now: Int64, _ delegate: some RTPSessionDelegate) {
    guard let cname = chunk.cname, !cname.isEmpty else { return }
    // One's own name with one's own number has come back; another's is a collision.
    if isOwn(chunk.ssrc) { return judge(chunk.ssrc, .control, from: address, isLoop: cname == settings.cname, now, delegate) }
    if settings.reportsAtOnce {
      if peer.cname == nil { peer.cname = cname }
      if peer.cname != cname { peer = end(cname) }
    }
    guard let stream = receivingStream(chunk.ssrc) else { return earlyReports.name(chunk.ssrc, cname) }
    join(stream, cname)
  }

  func join(_ stream: ReceivingStream, _ cname: String) {
    guard stream.end.cname != cname else { return }
    stream.join(end(cname))
  }

  private func end(_ cname: String) -> RemoteEnd {
    peer.cname == cname ? peer : receiving.first { $0.end.cname == cname }?.end ?? RemoteEnd(cname: cname)
  }

  private func take(_ blocks: ReportBlocks, said: NTPTimestamp?, _ losses: inout ReportedLoss, _ now: Int64) {
    for block in blocks {
      guard let stream = outgoing.of(block.ssrc) else { continue }
      if block.lastSenderReport != 0 { stream.announcement.isHeard = true }
      let time = settings.clock.time(at: now)
      let measured = roundTrip.received(block, at: time)
      if let said { answered(said, to: block.lastSenderReport, after: block.delaySinceLastSenderReport, now) }
      stream.redundant.reported(lost: block.fractionLost, at: now)
      let count = stream.meter.received(block, clockRate: stream.settings.encoding.clockRate, at: time, now: now)
      losses.add(Double(block.fractionLost) / 256, of: count ?? stream.reports.counters.packetsSent)
      if let measured { estimator.onRoundTrip(measured, now: now) }
    }
    tellRoundTrip()
  }

  private func take(_ report: ExtendedReport, said: NTPTimestamp?, _ now: Int64) {
    var said = said
    for block in report {
      switch block {
      case .receiverReferenceTime(let time):
        said = time
        references.received(time, from: report.sender, at: now)
        if settings.reportsAtOnce { peer.clock.received(time, at: now) }
        // The first ones, as an answer may be lost.
        if timesAsked < RTPSession.mostAnswered { answer(now) }
        timesAsked += 1
      case .delays(let delays):
        for delay in delays where isOwn(delay.ssrc) {
          roundTrip.received(delay, at: settings.clock.time(at: now))
          if let said { answered(said, to: delay.lastReceiverReport, after: delay.delaySinceLastReceiverReport, now) }
        }
      }
    }
    tellRoundTrip()
  }

  /// Where there is one other end, what it says of this one's reports says how long the path there takes.
  private func answered(_ ntp: NTPTimestamp, to stamp: UInt32, after delay: UInt32, _ now: Int64) {
    guard settings.reportsAtOnce else { return }
    peer.clock.answered(ntp, to: stamp, after: delay, at: now, clock: settings.clock.time(at: now))
  }

  /// The other end waits for a report by which it knows how long the way is; but whoever it is cannot have them as fast as they like.
  private func answer(_ now: Int64) {
    guard settings.reportsAtOnce, answerDue == nil else { return }
    answerDue = max(now, answered &+ RTPSession.answerPause)
  }

  func tellRoundTrip() {
    guard let time = roundTrip.smoothed ?? checkedRoundTrip else { return }
    for stream in receiving { stream.setRoundTrip(time) }
  }

  private func sendAgain(_ nack: GenericNACK, _ now: Int64) {
    guard let stream = outgoing.of(nack.media) else { return }
    stream.meter.nackCount &+= 1
    guard stream.settings.hasNACK else { return }
    for sequence in nack {
      // What waits to leave cannot be missing.
      guard let number = stream.number(of: sequence), number < stream.waiting else { continue }
      guard sendAgain(number, of: stream, now) else { return }
    }
  }

  /// Enqueues a packet that is missed, if it may be sent again now; false where there is no room for more.
  @discardableResult private func sendAgain(_ number: Int64, of stream: SendingStream, _ now: Int64) -> Bool {
    let roundTrip = smoothedRoundTrip ?? 50_000_000
    guard
      let packet = stream.ring.takeForResending(
        number, now: now, roundTrip: roundTrip * 3 / 4, longest: SendingStream.longestRepair, mostSendings: SendingStream.mostSendings)
    else {
      if stream.keyFrame?.isMissing(number) == true, stream.isBeyondRepair(number, at: now) { stream.keyFrame?.giveUp() }
      return true
    }
    let isReported = stream.map.transportSequence != 0
    func enqueue() -> Bool {
      pacer.enqueue(
        Handle(stream: stream.handle, number: number), size: packet.count, kind: .retransmission, isReported: isReported, now: now)
    }
    guard enqueue() else {
      stream.ring.leftAgain(number, now: nil)
      return false
    }
    // It was lost, and so was what repaired it: one of two may come. A path that is full does not get more.
    if stream.settings.retransmission != nil, stream.ring.isRepeated(number), !estimator.hasQueue { _ = enqueue() }
    return true
  }

  private func take(_ feedback: TransportFeedback, _ now: Int64) {
    for stream in sending where stream.keyFrame?.isAwaited == true {
      for packet in ReportedPackets(feedback, from: 0, awaiting: estimator.awaited) where packet.arrival != nil {
        stream.keyFrame?.arrived(packet.sequence)
      }
    }
    estimator.onFeedback(ReportedPackets(feedback, from: feedbackClock.time(of: feedback), awaiting: estimator.awaited), now: now)
  }
}
