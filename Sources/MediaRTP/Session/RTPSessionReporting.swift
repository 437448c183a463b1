import MediaCore

/// Control packets that are sent.
extension RTPSession {
  /// Sends what is due of control packets; when the next is.
  func pollControl(_ now: Int64, _ delegate: some RTPSessionDelegate) -> Int64 {
    for stream in receiving { ask(stream, now, delegate) }
    answerThoseWhoAskedAgain(now, delegate)
    let isDue = isReportDue(at: now)
    if isDue || group?.isLarge != true { sayGoodbyes(now, delegate) }
    if let feedbackDue, now >= feedbackDue {
      self.feedbackDue = nil
      while !feedback.isEmpty {
        var isWritten = false
        transmit(now, delegate) {
          isWritten = self.feedback.write(to: &$0, sender: self.reporter, media: self.receiving.first?.ssrc ?? self.ownSSRC)
        }
        if !isWritten { break }
      }
    }
    if let due = answerDue, now >= due {
      (answerDue, answered) = (nil, now)
      report(now, delegate)
    }
    if isDue { report(now, delegate) }
    for stream in receiving where isGone(stream, at: now) { end(stream.ssrc, now, delegate) }
    return min(reportDeadline, feedbackDue ?? .max, answerDue ?? .max)
  }

  /// For streams that ended. Of many members, each does it when its next report is due (RFC 3550, section 6.3.7).
  private func sayGoodbyes(_ now: Int64, _ delegate: some RTPSessionDelegate) {
    for stream in sending where stream.isLeaving {
      stream.isLeaving = false
      // It was gone on with while its goodbye waited.
      if group?.isLarge == true, stream.next > stream.first { continue }
      stream.announcement = Announcement()
      transmit(now, delegate, isReport: true) { Goodbye.write(to: &$0, [stream.settings.ssrc]) }
    }
    while !leaving.isEmpty {
      let some = Array(leaving.prefix(31))
      leaving.removeFirst(some.count)
      transmit(now, delegate, isReport: true) { Goodbye.write(to: &$0, some) }
    }
  }

  private func isReportDue(at now: Int64) -> Bool {
    let isSender = !sending.isEmpty
    if group != nil { return group?.isReportDue(sending: isSender, at: now, using: &random) ?? false }
    return pace?.isReportDue(at: now, using: &random) ?? false
  }

  private var reportDeadline: Int64 { group?.deadline ?? pace?.deadline ?? .max }

  var reporter: SSRC { sending.first?.settings.ssrc ?? ownSSRC }

  /// Asks for what is missing of a stream.
  private func ask(_ stream: ReceivingStream, _ now: Int64, _ delegate: some RTPSessionDelegate) {
    if let due = stream.missing.nextDeadline, due <= now {
      asking.removeAll(keepingCapacity: true)
      let arrival = now &+ stream.missing.roundTrip
      stream.missing.requests(
        now: now, givesUp: !stream.isSilent(at: now),
        isOfUse: { number in
          // Sound that would come when its place is past is concealed anyway.
          if case .sound(let buffer) = stream.content { buffer.isInTime(number, at: arrival) } else { true }
        }
      ) { asking.append(SequenceNumber(UInt16(truncatingIfNeeded: $0))) }
      var rest = asking[...]
      while !rest.isEmpty {
        var written = 0
        transmit(now, delegate) { written = GenericNACK.write(to: &$0, sender: self.reporter, media: stream.ssrc, rest) }
        guard written > 0 else { break }
        stream.meter.nackCount &+= 1
        rest = rest.dropFirst(written)
      }
    }
    if stream.takeKeyFrameRequest(now: now, roundTrip: smoothedRoundTrip ?? 0) {
      transmit(now, delegate) { PictureLossIndication(sender: self.reporter, media: stream.ssrc).write(to: &$0) }
      stream.meter.pliCount &+= 1
    }
  }

  /// Who is here and what was received of whom, beside the schedule: before there is anything else to say, or because the other end waits for it
  /// (RFC 6051, section 2.1).
  public func report(_ now: Int64, _ delegate: some RTPSessionDelegate) {
    transmit(now, delegate, isReport: true) { _ in }
    // Again until it is known how long the way is, once there is somebody.
    guard settings.reportsAtOnce, path.packetsReceived > 0, asked < RTPSession.mostAsked,
      roundTrip.measurements < RTPSession.firstRoundTrips
    else { return }
    answerDue = answerDue ?? now &+ RTPSession.answerPause
    asked += 1
  }

  /// Says goodbye for all streams of this end (RFC 3550, section 6.6). Not in a group of more than 50: goodbyes are said in turn there (section 6.3.7),
  /// and who does not stay until then is missed after five intervals (section 6.3.5). And not in a group in which this end said nothing before.
  public func leave(now: Int64, _ delegate: some RTPSessionDelegate) {
    if let group, group.isLarge || path.packetsSent == 0 { return }
    let sources = sending.isEmpty ? [ownSSRC] : sending.map(\.settings.ssrc)
    transmit(now, delegate, isReport: true) { Goodbye.write(to: &$0, sources) }
  }

  /// One datagram: alone where that was agreed, else behind a report, which comes first in every compound packet (RFC 3550, section 6.1).
  func transmit(_ now: Int64, _ delegate: some RTPSessionDelegate, isReport: Bool = false, _ body: (inout PacketWriter) -> Void) {
    var writer = PacketWriter(UnsafeMutableRawBufferPointer(rebasing: controlMemory.prefix(1200)))
    if isReport || !settings.hasReducedSize { writeReports(to: &writer, now) }
    body(&writer)
    guard !writer.isFull, writer.count > 0 else { return }
    group?.count(bytes: writer.count)
    transmit(writer.bytes, isControl: true, delegate)
  }

  /// As many as there is room for, beside one's goodbye or feedback: with the next others come first (RFC 3550, section 6.1).
  private func writeReports(to writer: inout PacketWriter, _ now: Int64) {
    let chunk = SourceDescription.size(cname: settings.cname)
    var blocks = reportBlocks(now)[...]
    var room = writer.room - 400 - blocks.count * ReportBlock.size
    var described: [SourceDescription.Chunk] = []
    var turn = reportTurn
    for _ in sending.indices {
      let stream = sending[turn % sending.count]
      room -= 28 + chunk
      guard room >= 0 || described.isEmpty else { break }
      turn = (turn + 1) % sending.count
      guard stream.reports.isActive, let report = stream.reports.report(at: now) else {
        room += 28 + chunk
        continue
      }
      report.write(to: &writer, blocks)
      blocks = []
      described.append(.init(ssrc: report.ssrc, cname: settings.cname))
    }
    reportTurn = turn
    if writer.count == 0 || !blocks.isEmpty {
      ReceiverReport(ssrc: reporter).write(to: &writer, blocks)
      described.append(.init(ssrc: reporter, cname: settings.cname))
    }
    SourceDescription.write(to: &writer, described)
    guard settings.hasReferenceTimes else { return }
    // Who sends hears of round trips by the reports of what it sends.
    let (asks, delays) = (!sending.contains { $0.reports.counters.packetsSent > 0 }, references.take(at: now))
    guard asks || !delays.isEmpty else { return }
    ExtendedReport.write(to: &writer, sender: reporter, receiverReferenceTime: asks ? settings.clock.time(at: now) : nil, delays)
  }

  /// At most 24, so that there is room for something beside them.
  private func reportBlocks(_ now: Int64) -> [ReportBlock] {
    var blocks: [ReportBlock] = []
    for _ in receiving.indices where blocks.count < 24 {
      blockTurn = (blockTurn + 1) % receiving.count
      if let block = receiving[blockTurn].statistics.reportBlock(at: now) { blocks.append(block) }
    }
    return blocks
  }
}
