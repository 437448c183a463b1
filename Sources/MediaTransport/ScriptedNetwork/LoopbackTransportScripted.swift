import MediaCore
import MediaRTP

/// A member's network path under a script, on the event loop.
extension LoopbackTransport {
  func send(
    _ frame: some LoopbackFrame, _ id: FrameID, bytes: Int, on stream: StreamID, to receivers: [LoopbackRoom.Receiver],
    under script: NetworkScript
  ) -> SendResult {
    let now = loop.clock.now()
    guard script.step(at: now)?.isDisconnected != true else { return .notConnected }
    let packets = NetworkLink.packets(bytes: bytes)
    if let encoded = frame.encoded {
      switch way.withLock({ $0.send(encoded, id, on: stream, under: script, user: member.userID, now: now) }) {
      case .taken:
        traffic.countSent(bytes: bytes, packets: UInt64(packets))
        ring(at: now)
        return .sent
      case .full: return .queueFull
      case .not(let asks): if asks { post(.keyFrameRequested(stream)) }
      }
    }
    let arrivals = way.withLock { way in
      way.arrivals(bytes: bytes, at: receivers.map(\.transport), under: script, user: member.userID, now: now)
    }
    guard let arrivals else { return .queueFull }
    traffic.countSent(bytes: bytes, packets: UInt64(packets))
    for (receiver, arrival) in zip(receivers, arrivals) {
      receiver.transport.expect(frame, id, for: receiver.sink, bytes: bytes, packets: packets, arrival: arrival)
    }
    return .sent
  }

  // MARK: In packets

  /// One timer, whatever sets it.
  func ring(at time: Int64) {
    guard let number = way.withLock({ $0.setAlarm(at: time) }) else { return }
    loop.schedule(at: time) { self.turn(number) }
  }

  private func turn(_ number: UInt64) {
    guard !hasLeft, let room = room.withLock({ $0 }), let script = currentScript() else { return way.withLock { $0.end() } }
    let now = loop.clock.now()
    let (turn, maximum): (ScriptedPair.Turn?, Int) = way.withLock { way in
      (way.turn(number, under: script, now: now), way.pair?.maximum ?? 0)
    }
    guard let turn else { return }
    ring(at: turn.next)
    for unit in turn.units {
      hand(unit, in: room)
      unit.frame.release()
    }
    for stream in turn.keyFrames { tell(.keyFrameRequested(stream)) }
    guard let target = turn.target else { return }
    // As much as can be measured, where the script has no bound, is none.
    let isUnlimited = script.step(at: now)?.bandwidth ?? 0 == 0 && target >= maximum
    setEstimate(isUnlimited ? 0 : UInt64(clamping: target))
  }

  private func hand(_ unit: ScriptedPair.Unit, in room: LoopbackRoom) {
    let receivers = room.state.withLock { $0.streams[unit.stream]?.receivers } ?? []
    let bytes = unit.frame.bytes.count
    let (packets, missed) = (UInt64(NetworkLink.packets(bytes: bytes)), unit.missed)
    for receiver in receivers {
      receiver.transport.deliver(
        unit.frame, unit.picture, to: receiver.sink, bytes: bytes, packets: packets, lost: missed.packets)
      if missed.leftOut > 0 || missed.requests > 0 { receiver.sink.encoded.waited(leavingOut: missed.leftOut, requests: missed.requests) }
    }
  }

  /// Somebody who receives a stream of this member's needs a key frame.
  func wantKeyFrame(of stream: StreamID) {
    if way.withLock({ $0.pair?.requestKeyFrame(of: stream) }) == true {
      ring(at: loop.clock.now())
    } else {
      tell(.keyFrameRequested(stream))
    }
  }

  // MARK: In one piece

  private func expect(
    _ frame: some LoopbackFrame, _ id: FrameID, for sink: StreamSink, bytes: Int, packets: Int, arrival: (time: Int64, lost: Int)
  ) {
    let isExpected = state.withLock { state in
      state.stats.packetsLost += UInt64(arrival.lost)
      guard arrival.lost == 0 else {
        traffic.countReceived(bytes: 0, packets: UInt64(packets - arrival.lost))
        return false
      }
      guard state.inFlight < LoopbackTransport.inFlightLimit else {
        state.stats.packetsLost += UInt64(packets)
        return false
      }
      state.inFlight += 1
      return true
    }
    guard isExpected else { return }
    let held = RetainedFrame(frame)
    loop.schedule(at: arrival.time) {
      self.state.withLock { $0.inFlight -= 1 }
      self.deliver(held.frame, id, to: sink, bytes: bytes, packets: UInt64(packets))
    }
  }

  // MARK: Figures

  /// 0 without a script.
  public func backlog(of stream: StreamID) -> Int64 {
    guard isScripted else { return 0 }
    let now = loop.clock.now()
    return way.withLock { $0.backlog(of: stream, at: now) }
  }

  /// For the stats of a path that sends in packets; without one it has no effect. Of several layers such a path carries the best.
  public func setTargetBitrate(_ stream: StreamID, layer: Int, _ bitrate: UInt64) {
    guard layer + 1 >= layers(of: stream).count else { return }
    way.withLock { $0.pair?.setTargetBitrate(bitrate, of: stream) }
  }

  /// What is sent and what comes is counted here, in packets or not; the rest is known of packets only.
  public var networkFigures: NetworkFigures? {
    guard isScripted else { return nil }
    var figures = way.withLock { $0.pair?.networkFigures } ?? NetworkFigures()
    let stats = counters
    (figures.packetsSent, figures.packetsReceived) = (stats.packetsSent, stats.packetsReceived)
    figures.packetsLost = Int64(clamping: stats.packetsLost)
    return figures
  }

  /// nil without a script that sends in packets.
  public func look(sending stream: StreamID) -> OutboundSnapshot? {
    way.withLock { $0.pair?.look(sending: stream) }
  }

  /// Of the publisher's path: nil when that is not scripted, and for a stream of this member's own.
  public func look(receiving stream: StreamID) -> InboundSnapshot? {
    guard let publisher = room.withLock({ $0 })?.publisher(of: stream), publisher !== self else { return nil }
    return publisher.way.withLock { $0.pair?.look(receiving: stream) }
  }

  /// The own path first, then those of whom something is received, each as a transport of its own.
  public func statsEntries(at time: Double) -> [JSON] {
    let others = room.withLock({ $0 })?.publishers(to: self) ?? []
    let ways =
      [way.withLock { $0.pair?.look }] + others.map { other in other.publisher.way.withLock { $0.pair?.look(receiving: other.streams) } }
    return ways.enumerated().flatMap { index, look in look?.entries(of: index, cipher: nil, at: time) ?? [] }
  }
}

/// Keeps a frame alive while it is under way to one receiver, wherever that ends.
private final class RetainedFrame<Frame: LoopbackFrame>: Sendable {
  let frame: Frame

  init(_ frame: Frame) {
    self.frame = frame
    frame.retain()
  }

  deinit {
    frame.release()
  }
}
