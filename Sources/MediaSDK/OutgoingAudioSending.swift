import CMediaSDK
import MediaCodecs
import MediaCore
import MediaTransport

/// What is accepted, and when there is room for it.
extension OutgoingAudio {
  private enum Accepted {
    /// The sender's thread takes it on, and those that come meanwhile.
    case drain(Pending)
    case full
    case queued
  }

  /// One buffer, copied. A deadline of 0 does not wait for room.
  public func send(_ data: UnsafeRawBufferPointer, timestamp: Int64 = 0, deadline: Int64 = 0, completion: Completion = .none) throws(MediaError) {
    guard !options.isEncodedInput else {
      throw MediaError(.state, "the stream takes packets (encoded_input); use msdk_outgoing_audio_send_encoded")
    }
    guard data.count == expectedBufferSize, let source = data.baseAddress else {
      throw MediaError(
        .invalid,
        "size is \(data.count); accepted: \(expectedBufferSize) bytes, \(format.samplesPerBuffer) samples of \(format.stride) bytes")
    }
    let frame = try makeFrame()
    defer { frame.release() }
    frame.bytes.baseAddress?.copyMemory(from: source, byteCount: data.count)
    try frame.checkNumbers(argument: "data")
    try accept(.sound(frame), timestamp: timestamp, duration: frame.native.pointee.duration_ns, deadline: deadline, completion: completion)
  }

  /// A buffer of the stream's format from a producer, copied, as it may be kept by others.
  func send(_ buffer: AudioFrame, deadline: Int64) throws(MediaError) {
    try buffer.check()
    guard buffer.format.isSameSound(as: format), buffer.sampleCount == Int(format.samplesPerBuffer) else {
      throw MediaError(.format, "the buffer has \(buffer.sampleCount) samples of \(buffer.format); accepted: \(format.samplesPerBuffer) of \(format)")
    }
    let frame = try makeFrame()
    defer { frame.release() }
    frame.bytes.copyMemory(from: UnsafeRawBufferPointer(buffer.bytes))
    frame.native.pointee.flags |= buffer.native.pointee.flags & UInt32(MSDK_FRAME_DISCONTINUITY)
    try frame.checkNumbers(argument: "the producer's buffer")
    try accept(
      .sound(frame), timestamp: buffer.timestamp, duration: frame.native.pointee.duration_ns, deadline: deadline, completion: .silent)
  }

  public func send(_ packet: EncodedFrame, timestamp: Int64 = 0, deadline: Int64 = 0, completion: Completion = .none) throws(MediaError) {
    guard options.isEncodedInput else {
      throw MediaError(.state, "the stream takes samples; make it with encoded_input to send packets")
    }
    try packet.check()
    guard packet.native.pointee.codec == options.codec else {
      throw MediaError(.format, "the packet's codec is \(packet.native.pointee.codec); this stream's is \(options.codec)")
    }
    guard let codec else { throw MediaError(.state, "the stream has no codec") }
    let header = try codec.parse(packet.bytes)
    guard let ours = try EncodedFrame.make(copying: packet.bytes, attributes: packet.native.pointee, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "4,096 packets of this stream are in use")
    }
    defer { ours.release() }
    let duration = MediaTime.nanoseconds(fromUnits: Int64(header.sampleCount), rate: 48_000)
    let own = packet.native.pointee.timestamp_ns
    try accept(
      .encoded(ours), timestamp: timestamp != 0 ? timestamp : own, duration: duration, deadline: deadline, completion: completion)
  }

  private func makeFrame() throws(MediaError) -> AudioFrame {
    guard let frame = try AudioFrame.make(format, sampleCount: Int(format.samplesPerBuffer), from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "4,096 buffers of this stream are in use")
    }
    return frame
  }

  private func accept(
    _ unit: MediaUnit, timestamp: Int64, duration: Int64, deadline: Int64, completion: Completion
  ) throws(MediaError) {
    var accepted = try tryAccept(unit, timestamp: timestamp, duration: duration, completion: completion)
    while case .full = accepted {
      let most = "\(options.queueMilliseconds) ms of sound wait to be sent, the most that may"
      guard deadline != 0 else { throw MediaError(.again, "\(most); wait, or give a timeout") }
      guard waitForRoom(duration, until: deadline) else { throw MediaError(.timeout, most) }
      accepted = try tryAccept(unit, timestamp: timestamp, duration: duration, completion: completion)
    }
    switch accepted {
    case .full: break
    case .queued: guarded.withLock { $0.worker }?.poke()
    case .drain(let first): drain(first)
    }
  }

  private func tryAccept(
    _ unit: MediaUnit, timestamp: Int64, duration: Int64, completion: Completion
  ) throws(MediaError) -> Accepted {
    let now = clock.now()
    return try guarded.withLock { guarded throws(MediaError) in
      guard guarded.state == .started else { throw MediaError(.state, "the stream is not started; its state is \(guarded.state)") }
      guard guarded.hasRoom(for: duration, limit: options.queueMilliseconds) else { return .full }
      let samples = MediaTime.units(fromNanoseconds: duration, rate: clockRate)
      let stamp = guarded.stamp(timestamp, now, duration, rate: clockRate)
      guard stamp.magnitude < OutgoingAudio.farthestTimestamp else {
        throw MediaError(.range, "timestamp_ns is \(stamp); accepted: times of the engine's clock, within 146 years")
      }
      guard stamp > guarded.lastTimestamp else {
        throw MediaError(.range, "timestamp_ns is \(stamp), the buffer before had \(guarded.lastTimestamp); accepted: later ones")
      }
      guarded.lastTimestamp = stamp
      guarded.acceptedAt = now
      guarded.advance(samples, from: stamp, rate: clockRate)
      guarded.sequence += 1
      guarded.counters.offered += 1
      unit.stamp(sequence: guarded.sequence, timestamp: stamp)
      unit.retain()
      let pending = Pending(unit: unit, sequence: guarded.sequence, timestamp: stamp, duration: duration, acceptedAt: now, completion: completion)
      if !hasEncoder, !guarded.draining.isUnderWay, guarded.pending.isEmpty, guarded.pacer.due <= now {
        guarded.draining.begin()
        guarded.pacer.leave(at: now, duration: duration, captured: stamp)
        return .drain(pending)
      }
      _ = guarded.pending.push(pending)
      guarded.queued += duration
      return .queued
    }
  }

  /// Beyond it sums would overflow.
  private static let farthestTimestamp: UInt64 = 1 << 62

  func hasRoom(for duration: Int64) -> Bool {
    guarded.withLock { $0.hasRoom(for: duration, limit: options.queueMilliseconds) }
  }

  /// Of the samples that time is counted in.
  private var clockRate: UInt32 { options.isEncodedInput ? 48_000 : format.sampleRate }

  private func waitForRoom(_ duration: Int64, until deadline: Int64) -> Bool {
    guarded.withLock { $0.waiters += 1 }
    defer { guarded.withLock { $0.waiters -= 1 } }
    return guarded.wait(until: deadline) { guarded in
      guarded.state != .started || guarded.hasRoom(for: duration, limit: self.options.queueMilliseconds) ? true : nil
    } ?? false
  }
}

extension OutgoingAudio.Guarded {
  private static let longestPause: Int64 = 100_000_000
  private static let tolerance: Int64 = 10_000_000

  /// A single buffer that is longer than the queue may be still has its place.
  fileprivate func hasRoom(for duration: Int64, limit: UInt32) -> Bool {
    pending.isEmpty || !pending.isFull && queued + duration <= Int64(limit) * 1_000_000
  }

  /// The time that was given; or where the sound before ended, unless that was long ago. A source whose clock is not ours is followed, by a
  /// thousandth at most.
  fileprivate func stamp(_ given: Int64, _ now: Int64, _ duration: Int64, rate: UInt32) -> Int64 {
    guard given == 0 else { return given }
    guard let next = next(rate: rate), next >= now - OutgoingAudio.Guarded.longestPause else { return max(now, lastTimestamp &+ 1) }
    // A burst is ahead, and tells nothing of a clock.
    let isBurst = !pending.isEmpty || acceptedAt > now - duration / 2
    guard !isBurst, abs(now - next) > OutgoingAudio.Guarded.tolerance else { return next }
    return next + (now > next ? duration / 1000 : -duration / 1000)
  }

  private func next(rate: UInt32) -> Int64? {
    position.map { $0.anchor &+ MediaTime.nanoseconds(fromUnits: $0.samples, rate: rate) }
  }

  fileprivate mutating func advance(_ samples: Int64, from stamp: Int64, rate: UInt32) {
    let counted = next(rate: rate) == stamp ? position : nil
    position = (counted?.anchor ?? stamp, (counted?.samples ?? 0) &+ samples)
  }
}

extension MediaUnit {
  /// Under the lock that counts, before anybody else has the unit.
  fileprivate func stamp(sequence: UInt64, timestamp: Int64) {
    switch self {
    case .raw: break
    case .sound(let frame):
      frame.native.pointee.sequence = sequence
      frame.native.pointee.timestamp_ns = timestamp
      frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
    case .encoded(let frame):
      frame.native.pointee.sequence = sequence
      frame.native.pointee.timestamp_ns = timestamp
    }
  }
}
