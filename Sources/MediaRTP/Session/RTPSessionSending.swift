import MediaCore

/// Streams out: what is enqueued, and what leaves.
extension RTPSession {
  /// What `send` throws where nothing was taken as there is no room: no number was used, and the same may be sent again later. Of pictures, what
  /// is predicted from one that was left out is of no use: a key frame is to come next.
  public static let full = PacketError("RTP: the send queue is full")

  /// An index for `send`. Streams go first; an end that has none sends reports only.
  public func addStream(_ stream: OutgoingRTP) throws(PacketError) -> Int {
    guard sending.count < min(settings.mostStreams, SendingStreams.capacity) else {
      throw PacketError("RTP: more streams than their bound")
    }
    guard stream.encoding.format != nil else { throw PacketError("RTP: retransmissions and redundancy are of another stream") }
    guard !isOwn(stream.ssrc), receivingStream(stream.ssrc) == nil else { throw PacketError("RTP: the SSRC is in use") }
    if let again = stream.retransmission?.ssrc {
      guard !isOwn(again), again != stream.ssrc, receivingStream(again) == nil else {
        throw PacketError("RTP: the SSRC for retransmissions is in use")
      }
    }
    return add(stream)
  }

  /// One that was found to be possible.
  @discardableResult func add(_ stream: OutgoingRTP) -> Int {
    if sending.isEmpty { disown(ownSSRC) }
    let added = SendingStream(stream, outgoing.nextHandle, settings, &random)
    outgoing.add(added)
    own(stream)
    return added.handle
  }

  /// The index of a stream of this end.
  public func stream(sending ssrc: SSRC) -> Int? { outgoing.of(ssrc)?.handle }

  /// Enqueues a picture, stamped in units of 90 kHz: all of it, or nothing (`full`). Without another time it was captured now. `isDroppable`: no other
  /// picture is predicted from it.
  public func send(
    _ picture: UnsafeRawBufferPointer, number: UInt16, units: Int64, orientation: UInt8 = 0,
    color: HeaderExtensions.ColorSpace = HeaderExtensions.ColorSpace(), isDroppable: Bool = false, capturedAt time: Int64? = nil,
    on stream: Int, now: Int64
  ) throws(PacketError) {
    try enqueue(stream, .video, now) { stream, hasRoom throws(PacketError) in
      let frame = SendingStream.Frame(
        number: number, units: units, orientation: orientation, color: color, isDroppable: isDroppable, captured: time ?? now)
      return try stream.packetize(picture, frame, now: now, hasRoom: hasRoom)
    }
  }

  /// Enqueues a packet of Opus, stamped in units of 48 kHz. The marker is the beginning of a spurt of talk (RFC 3551, section 4.1).
  public func send(
    sound: UnsafeRawBufferPointer, units: Int64, marker: Bool, level: HeaderExtensions.AudioLevel? = nil, capturedAt time: Int64? = nil,
    on stream: Int, now: Int64
  ) throws(PacketError) {
    try enqueue(stream, .audio, now) { stream, hasRoom throws(PacketError) in
      let frame = SendingStream.Frame(units: units, marker: marker, level: level, target: target, captured: time ?? now)
      return try stream.packetize(sound, frame, now: now, hasRoom: hasRoom)
    }
  }

  private func enqueue(
    _ index: Int, _ kind: PacedKind, _ now: Int64,
    _ packetize: (SendingStream, (Int, Int) -> Bool) throws(PacketError) -> Range<Int64>
  ) throws(PacketError) {
    guard let stream = outgoing[index] else { throw PacketError("RTP: no such stream") }
    guard stream.settings.isActive else { throw PacketError("RTP: nothing is sent in this stream now") }
    let packets: Range<Int64>
    let room = pacer.room(for: kind)
    do throws(PacketError) {
      packets = try packetize(stream) { $0 <= room.packets && $1 <= room.bytes }
    } catch {
      if error == RTPSession.full { path.refusedSends &+= 1 }
      throw error
    }
    // There is room for all of them.
    let isReported = stream.map.transportSequence != 0
    for number in packets {
      let (handle, size) = (Handle(stream: index, number: number), stream.ring.entry(number)?.size ?? 0)
      _ = pacer.enqueue(handle, size: size, kind: kind, isFirst: number == packets.lowerBound, isReported: isReported, now: now)
    }
  }

  /// The stamp that a packet of that time bears on the wire.
  public func stamp(ofUnits units: Int64, on stream: Int) -> RTPTimestamp? {
    outgoing[stream]?.stamp(units)
  }

  /// What was agreed on of a stream; nil: there is none of that index.
  public func settings(ofStream stream: Int) -> OutgoingRTP? { outgoing[stream]?.settings }

  /// Says goodbye for one stream with the next poll (RFC 3550, section 6.6). It may be gone on with later.
  public func endStream(_ stream: Int) {
    guard let stream = outgoing[stream], stream.reports.hasSent else { return }
    stream.isLeaving = true
    stream.first = stream.next
    stream.keyFrame = nil
  }

  /// Whether the stream's last key frame has not come at the other end, as far as is known; `isSure`: for certain.
  public func isKeyFrameUnderWay(sending stream: Int, isSure: Bool = false, at now: Int64) -> Bool {
    outgoing[stream]?.isKeyFrameUnderWay(at: now, roundTrip: smoothedRoundTrip ?? 0, target: target, isSure: isSure) ?? false
  }

  // MARK: What leaves

  func drain(_ now: Int64, _ delegate: some RTPSessionDelegate) {
    while let departure = delegate.hasRoom ? pacer.next(now: now) : nil {
      switch departure {
      case .expired(let handle, .retransmission):
        // It did not leave, and can be requested again.
        outgoing[handle.stream]?.ring.leftAgain(handle.number, now: nil)
      case .packet(let handle, .retransmission, let probe):
        guard let stream = outgoing[handle.stream] else { break }
        stream.ring.leftAgain(handle.number, now: now)
        guard handle.number >= stream.first, let packet = stream.ring.packet(handle.number) else { break }
        guard stream.settings.retransmission != nil else {
          leaveAgain(packet, stream, now, delegate)
          stream.keyFrame?.sent(handle.number, as: nil, at: now)
          break
        }
        guard let size = stream.writeAgain(packet, into: scratch) else { break }
        leave(UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(size)), stream, handle.number, isAgain: true, probe, now, delegate)
      case .expired(let handle, _):
        guard let stream = outgoing[handle.stream] else { break }
        stream.left(handle.number, isWhole: false, now: now)
        path.expiredPackets &+= 1
        guard stream.numbersFrames else {
          // An empty packet would hide that the frame is missing: this one is missed, cannot be had, and a key frame is to come.
          stream.ring.drop(handle.number)
          requestKeyFrame(stream, now, delegate)
          break
        }
        guard let packet = stream.empty(handle.number) else { break }
        leave(UnsafeMutableRawBufferPointer(mutating: packet), stream, nil, isAgain: false, 0, now, delegate)
      case .packet(let handle, _, let probe):
        guard let stream = outgoing[handle.stream], let packet = stream.ring.packet(handle.number) else { break }
        guard handle.number >= stream.first else {
          // Of before a goodbye.
          stream.left(handle.number, isWhole: false, now: now)
          break
        }
        stream.left(handle.number, isWhole: true, now: now)
        leave(UnsafeMutableRawBufferPointer(mutating: packet), stream, handle.number, isAgain: false, probe, now, delegate)
      case .padding(let size, let probe):
        // In a stream that has retransmissions and is sent; without one a path is not probed.
        guard let stream = sending.first(where: { $0.settings.retransmission != nil && $0.settings.isActive && !$0.isLeaving }),
          let written = stream.writePadding(size, into: scratch)
        else {
          pacer.padded(0, now: now)
          break
        }
        pacer.padded(written, now: now)
        leave(UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(written)), stream, nil, isAgain: true, probe, now, delegate)
      }
    }
  }

  private func leave(
    _ packet: UnsafeMutableRawBufferPointer, _ stream: SendingStream, _ number: Int64?, isAgain: Bool, _ probe: Int32, _ now: Int64,
    _ delegate: some RTPSessionDelegate
  ) {
    let bytes = UnsafeRawBufferPointer(packet)
    let place = HeaderExtensions.place(of: stream.map.transportSequence, size: 2, in: bytes)
    if let place = HeaderExtensions.place(of: stream.map.absoluteSendTime, size: 3, in: bytes) {
      let time = settings.clock.time(at: now).absoluteSendTime
      for byte in 0..<3 { packet[place + byte] = UInt8(truncatingIfNeeded: time >> UInt32(16 - 8 * byte)) }
    }
    if let number { stream.keyFrame?.sent(number, as: settings.hasTransportFeedback && place != nil ? nextTransport : nil, at: now) }
    if let place {
      packet.storeBytes(of: nextTransport.bigEndian, toByteOffset: place, as: UInt16.self)
      estimator.onSent(sequence: nextTransport, size: packet.count, probe: probe, now: now)
      nextTransport &+= 1
    } else {
      estimator.onSent(sequence: nil, size: packet.count, probe: probe, now: now)
    }
    count(bytes, stream, isAgain: isAgain, now, delegate)
  }

  /// A packet of a stream that has no other one for this is sent again as it left, to the last byte: its number seals one packet (RFC 3711, section 9.1).
  private func leaveAgain(_ packet: UnsafeRawBufferPointer, _ stream: SendingStream, _ now: Int64, _ delegate: some RTPSessionDelegate) {
    let place = HeaderExtensions.place(of: stream.map.transportSequence, size: 2, in: packet)
    let sequence = place.map { UInt16(bigEndian: packet.loadUnaligned(fromByteOffset: $0, as: UInt16.self)) }
    estimator.onSentAgain(sequence: sequence, size: packet.count, now: now)
    count(packet, stream, isAgain: true, now, delegate)
  }

  private func count(
    _ bytes: UnsafeRawBufferPointer, _ stream: SendingStream, isAgain: Bool, _ now: Int64, _ delegate: some RTPSessionDelegate
  ) {
    if let front = try? RTPHeaderView(parsing: bytes) {
      let headerBytes = front.size + (front.isPadded ? Int(bytes.last ?? 0) : 0)
      stream.reports.sent(
        front.timestamp, headerBytes: headerBytes, payloadBytes: bytes.count - headerBytes,
        capturedAt: isAgain ? nil : stream.captureTime(of: front.timestamp), isElsewhere: front.ssrc != stream.settings.ssrc)
    }
    // Before the packet, so that not even its first frame has to be stamped by a guess.
    if !isAgain, settings.reportsAtOnce, stream.announcement.isDue(at: now) { report(now, delegate) }
    transmit(bytes, isControl: false, delegate)
  }

  /// All that leaves.
  func transmit(_ datagram: UnsafeRawBufferPointer, isControl: Bool, _ delegate: some RTPSessionDelegate) {
    path.packetsSent &+= 1
    path.bytesSent &+= UInt64(clamping: datagram.count)
    delegate.session(transmits: datagram, isControl: isControl)
  }
}
