import MediaCore

/// What comes from the other end.
extension RTPSession {
  /// A datagram, out of its protection. What is no packet, or of no stream that was agreed on, is counted and dropped. The address is whatever
  /// tells others apart where there is more than one.
  public func receive(_ datagram: UnsafeRawBufferPointer, from address: UInt64 = 0, now: Int64, _ delegate: some RTPSessionDelegate) {
    path.packetsReceived &+= 1
    path.bytesReceived &+= UInt64(clamping: datagram.count)
    let isAfterSilence = incoming.isSilent(at: now)
    incoming.arrived(datagram.count, at: now)
    if RTPPacket.isRTCP(datagram) { return receiveControl(datagram, from: address, now: now, delegate) }
    guard let packet = try? RTPPacket(parsing: datagram, settings.extensions), let route = route(packet) else {
      path.refusedPackets &+= 1
      return
    }
    let ssrc = packet.header.ssrc
    if isOwn(ssrc) { return judge(ssrc, .media, from: address, isLoop: hasSent(packet), now, delegate) }
    guard isOfAnother(ssrc, .media, from: address, now) else { return }
    if settings.hasProbation, receivingStream(ssrc) == nil, route.encoding.isOriginal {
      guard case .valid(let first) = probation.heard(ssrc, packet.header.sequence, datagram) else { return }
      first?.withUnsafeBytes { bytes in
        guard let first = try? RTPPacket(parsing: bytes, settings.extensions), let route = self.route(first) else { return }
        accept(first, route, isAfterSilence: isAfterSilence, now, delegate)
      }
    }
    accept(packet, route, isAfterSilence: isAfterSilence, now, delegate)
  }

  /// What a packet is, and of which medium; of one that is sent again the medium may not be known. nil: nothing that was agreed on.
  private typealias Route = (medium: Int?, encoding: RTPEncoding)

  private func route(_ packet: RTPPacket) -> Route? {
    let header = packet.header
    var medium: Int?
    if let known = (receivingStream(header.ssrc) ?? repeated(header.ssrc))?.medium, routing.isCalled(known, header.extensions.mid) {
      medium = known
    } else {
      medium = routing.medium(of: header)
    }
    if let medium { return routing.encoding(header.payloadType, in: medium).map { (medium, $0) } }
    guard header.extensions.mid == nil else { return nil }
    return routing.repeated(by: header.payloadType).map { (nil, $0) }
  }

  /// The stream of which a source's packets are retransmissions.
  private func repeated(_ ssrc: SSRC) -> ReceivingStream? {
    (repeating[ssrc] ?? routing.original(of: ssrc)).flatMap { receivingStream($0) }
  }

  /// A packet of a source that is known, or may be from now on.
  private func accept(_ packet: RTPPacket, _ route: Route, isAfterSilence: Bool, _ now: Int64, _ delegate: some RTPSessionDelegate) {
    let ssrc = packet.header.ssrc
    if let sequence = packet.header.extensions.transportSequence {
      feedback.arrived(feedbackNumbers.unwrap(sequence), at: now)
      // Often until it is known what comes; and at once when nothing has come for a while, as the sender waits for that.
      feedbackDue = isAfterSilence ? now : feedbackDue ?? now &+ TransportFeedbackBuilder.interval(atBitrate: incoming.bitrate ?? .max)
    }
    if case .retransmission(let original) = route.encoding { return receiveAgain(packet, of: original, route.medium, now, delegate) }
    guard let medium = route.medium else { return }
    var (held, encoding, redundancy) = (packet, route.encoding, Redundancy.Payload?.none)
    if case .redundancy = encoding {
      redundancy = try? Redundancy.read(packet.payload)
      guard let redundancy, let newest = routing.encoding(redundancy.type, in: medium) else { return path.refusedPackets &+= 1 }
      var header = packet.header
      header.payloadType = redundancy.type
      (held, encoding) = (RTPPacket(header: header, payload: redundancy.packet), newest)
    }
    guard let format = encoding.format, redundancy == nil || !format.isVideo else { return path.refusedPackets &+= 1 }
    if let known = receivingStream(ssrc), known.medium != medium { end(ssrc, now, delegate) }
    let stream = receivingStream(ssrc) ?? begin(held, encoding, in: medium, now, delegate)
    if stream.payloadType != held.header.payloadType {
      guard follow(stream, held.header, format, now, delegate) else { return refuse(stream) }
    }
    if let rid = packet.header.extensions.rid, rid != stream.rid { name(stream, rid, now, delegate) }
    stream.heard(at: now)
    hear(ssrc, isMedia: true, at: now)
    let outcome = stream.statistics.received(
      packet.header, headerBytes: packet.headerSize + packet.paddingSize, payloadBytes: packet.payload.count, at: now)
    switch outcome {
    case .probation, .jumped, .duplicate: return
    case .restarted: stream.restart()
    case .accepted, .reordered: break
    }
    if let level = packet.header.extensions.audioLevel, stream.voice.heard(level, at: now) {
      delegate.session(did: .spoke(ssrc, level: level.level))
    }
    let number = stream.numbers.unwrap(packet.header.sequence.rawValue)
    if let redundancy { take(redundancy, before: number, packet.header, stream, now) }
    take(held, number, stream, now)
    deliver(stream, now, delegate)
  }

  /// Those of the earlier packets that are missing. They are no resends: who waits for them waits as for late ones.
  private func take(_ redundancy: Redundancy.Payload, before number: Int64, _ header: RTPHeader, _ stream: ReceivingStream, _ now: Int64) {
    guard case .sound(let buffer) = stream.content else { return }
    redundancy.forEachEarlier { distance, block in
      let earlier = number - distance
      guard block.type == redundancy.type, !block.bytes.isEmpty, buffer.lacks(earlier) else { return }
      _ = stream.missing.received(earlier, now: now)
      guard buffer.insert(earlier, stamp: header.timestamp.advanced(by: -block.offset), block.bytes, now: now) == .kept else { return }
      stream.meter.packetsRepaired &+= 1
    }
  }

  private func begin(
    _ packet: RTPPacket, _ encoding: RTPEncoding, in medium: Int, _ now: Int64, _ delegate: some RTPSessionDelegate
  ) -> ReceivingStream {
    let rid = packet.header.extensions.rid ?? routing.rid(of: packet.header.ssrc)
    if let rid { endOther(rid, in: medium, now, delegate) }
    if receiving.count >= settings.mostStreams {
      // A flood of sources makes room for the next of it, before streams that go on.
      if let idle = receiving.min(by: { $0.rank < $1.rank }) { end(idle.ssrc, now, delegate) }
    }
    let stream = ReceivingStream(packet.header.ssrc, payloadType: packet.header.payloadType, encoding, in: medium, settings)
    stream.rid = rid
    stream.person = persons[packet.header.ssrc] ?? 0
    if let time = roundTrip.smoothed ?? checkedRoundTrip { stream.setRoundTrip(time) }
    receiving.append(stream)
    sources[stream.ssrc] = stream
    ended.removeAll { $0.ssrc == stream.ssrc }
    let early = earlyReports.take(of: stream.ssrc, at: now)
    if let cname = early?.cname { join(stream, cname) } else if settings.reportsAtOnce { stream.join(peer) }
    if let early { stream.received(early.report, at: early.time) }
    let mid = packet.header.extensions.mid ?? routing.media[medium].mid
    delegate.session(did: .streamBegan(packet.header.ssrc, payloadType: packet.header.payloadType, mid: mid, rid: rid))
    return stream
  }

  /// A stream goes on under another payload type. False: not as that.
  private func follow(
    _ stream: ReceivingStream, _ header: RTPHeader, _ format: any PayloadFormat, _ now: Int64, _ delegate: some RTPSessionDelegate
  ) -> Bool {
    let isNew = stream.numbers.isNew(header.sequence.rawValue)
    if stream.holds(format) {
      if isNew { stream.payloadType = header.payloadType }
      return true
    }
    // What comes late of the codec before is of no use any more.
    guard isNew, stream.allows(format) else { return false }
    deliver(stream, now, delegate, isOver: true)
    stream.change(to: format)
    stream.payloadType = header.payloadType
    delegate.session(did: .streamChanged(stream.ssrc, payloadType: header.payloadType))
    return true
  }

  /// Whether a stream has, or had, that payload type.
  private func isOf(_ stream: ReceivingStream, _ payloadType: UInt8) -> Bool {
    if stream.payloadType == payloadType { return true }
    return routing.encoding(payloadType, in: stream.medium)?.format.map { stream.holds($0) } ?? false
  }

  /// It says which of its medium's streams it is.
  private func name(_ stream: ReceivingStream, _ rid: String, _ now: Int64, _ delegate: some RTPSessionDelegate) {
    endOther(rid, in: stream.medium, now, delegate)
    stream.rid = rid
    delegate.session(did: .streamNamed(stream.ssrc, rid: rid))
  }

  /// A stream that goes on from another source is over under that one.
  private func endOther(_ rid: String, in medium: Int, _ now: Int64, _ delegate: some RTPSessionDelegate) {
    if let other = receiving.first(where: { $0.medium == medium && $0.rid == rid }) { end(other.ssrc, now, delegate) }
  }

  /// A packet that was lost, in a stream of its own: whose it is, is said by its description or itself, or known by a stream that misses it.
  private func receiveAgain(
    _ packet: RTPPacket, of payloadType: UInt8, _ medium: Int?, _ now: Int64, _ delegate: some RTPSessionDelegate
  ) {
    let known = repeated(packet.header.ssrc)
    known?.meter.receivedAgain(packet)
    guard let again = try? Retransmission.read(packet.payload), !again.payload.isEmpty else { return }
    let rid = packet.header.extensions.repairedRID
    let candidate =
      known
      ?? receiving.first { stream in
        guard isOf(stream, payloadType), medium == nil || stream.medium == medium else { return false }
        if let rid, medium != nil { return stream.rid == rid }
        return stream.missing.isMissing(stream.numbers.peek(again.original.rawValue))
      }
    guard let stream = candidate, isOf(stream, payloadType) else { return }
    stream.heard(at: now)
    if known == nil {
      stream.meter.receivedAgain(packet)
      if repeating.count < settings.mostStreams { repeating[packet.header.ssrc] = stream.ssrc }
    }
    var header = packet.header
    (header.ssrc, header.sequence, header.payloadType) = (stream.ssrc, again.original, payloadType)
    let number = stream.numbers.peek(again.original.rawValue)
    take(RTPPacket(header: header, payload: again.payload), number, stream, now)
    deliver(stream, now, delegate)
  }

  private func take(_ packet: RTPPacket, _ number: Int64, _ stream: ReceivingStream, _ now: Int64) {
    let arrival = stream.missing.received(number, now: now)
    if arrival != .new { stream.meter.packetsRepaired &+= 1 }
    if let time = packet.header.extensions.captureTime { stream.received(time, for: packet.header.timestamp) }
    switch stream.content {
    case .sound(let buffer):
      guard !packet.payload.isEmpty else { return }
      switch buffer.insert(number, stamp: packet.header.timestamp, packet.payload, isResent: arrival == .resent, now: now) {
      case .kept, .duplicate: break
      case .late: stream.meter.packetsDiscarded &+= 1
      case .refused: refuse(stream)
      }
    case .pictures(let buffer):
      switch buffer.insert(number, packet, now: now) {
      case .kept, .duplicate: break
      case .late: if !packet.payload.isEmpty { stream.meter.packetsDiscarded &+= 1 }
      case .refused: refuse(stream)
      }
    }
  }

  private func refuse(_ stream: ReceivingStream) {
    stream.meter.packetsDiscarded &+= 1
    path.refusedPackets &+= 1
  }

  /// A stream of the other end's is over, as is known from elsewhere: what has come of it is handed on, though it is not due yet.
  public func handOnRest(of ssrc: SSRC, now: Int64, _ delegate: some RTPSessionDelegate) {
    if let stream = receivingStream(ssrc) { deliver(stream, now, delegate, isOver: true) }
  }

  /// Hands on what is due; of a stream that is over all that is left.
  func deliver(_ stream: ReceivingStream, _ now: Int64, _ delegate: some RTPSessionDelegate, isOver: Bool = false) {
    let least = min(roundTrip.least ?? .max, checkedRoundTrip ?? .max)
    let roundTrip = least == .max ? nil : least
    switch stream.content {
    case .sound(let buffer):
      while let step = buffer.step(now: isOver ? .max : now) {
        switch step {
        case .packet(let number, let stamp):
          guard let packet = buffer.packet(number) else { break }
          let samples = stream.format.duration(of: packet)
          let target = buffer.delay.target &+ buffer.delay.hold
          stream.meter.handedOn(samples: samples, arrival: buffer.arrival(number) ?? now, target: target, at: now)
          delegate.session(received: packet, stamp: stamp, captured: stream.captureTime(of: stamp, roundTrip: roundTrip), of: stream.ssrc)
        case .lost(let count, let duration):
          stream.meter.concealed(samples: duration)
          delegate.session(lost: count, duration: duration, of: stream.ssrc)
        }
      }
    case .pictures(let buffer):
      while var picture = buffer.next() {
        stream.saw(picture)
        guard let due = stream.release(picture, of: buffer), isOver || now >= due else { return }
        picture.captured = stream.captureTime(of: picture.timestamp, roundTrip: roundTrip)
        var isTaken = false
        delegate.session(received: picture, of: stream.ssrc) { memory in
          isTaken = buffer.take(picture, into: memory)
          return isTaken
        }
        if isTaken {
          stream.meter.handedOn(picture, target: stream.delay.target &+ stream.delay.hold, at: now)
        } else {
          buffer.skip(picture)
        }
        stream.took(picture, now: now)
      }
    }
  }
}
