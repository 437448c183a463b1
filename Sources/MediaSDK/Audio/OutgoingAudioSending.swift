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
  public func send(
    _ data: UnsafeRawBufferPointer, timestamp: Int64 = 0, deadline: Int64 = 0, completion: Completion = .queued()
  ) throws(MediaError) {
    guard !options.isEncodedInput else {
      throw MediaError(.state, "the stream takes packets (encoded_input); use msdk_outgoing_audio_send_encoded")
    }
    guard data.count == expectedBufferSize, let source = data.baseAddress else {
      throw MediaError(
        .invalid,
        "size is \(data.count); accepted: \(expectedBufferSize) bytes, \(format.samplesPerBuffer) samples of \(format.stride) bytes")
    }
    let frame = try makeFrame()
    frame.bytes.baseAddress?.copyMemory(from: source, byteCount: data.count)
    try checkNumbers(of: frame, argument: "data")
    try accept(.raw(frame), timestamp: timestamp, duration: frame.native.pointee.duration_ns, deadline: deadline, completion: completion)
  }

  /// A buffer of the stream's format from a producer, copied, as it may be kept by others.
  func send(_ buffer: AudioFrame, deadline: Int64) throws(MediaError) {
    try buffer.check()
    guard buffer.format.isSameSound(as: format), buffer.sampleCount == Int(format.samplesPerBuffer) else {
      throw MediaError(
        .format, "the buffer has \(buffer.sampleCount) samples of \(buffer.format); accepted: \(format.samplesPerBuffer) of \(format)")
    }
    let frame = try makeFrame()
    frame.bytes.copyMemory(from: UnsafeRawBufferPointer(buffer.bytes))
    frame.native.pointee.flags |= buffer.native.pointee.flags & UInt32(MSDK_FRAME_DISCONTINUITY)
    try checkNumbers(of: frame, argument: "the producer's buffer")
    try accept(
      .raw(frame), timestamp: buffer.timestamp, duration: frame.native.pointee.duration_ns, deadline: deadline, completion: .silent)
  }

  /// Sends one packet, which is copied, on a stream with `isEncodedInput`, else `.state` is thrown. A timestamp of 0 is the packet's own if
  /// that is set. Waits for room until `deadline`, in nanoseconds of the monotonic clock. Throws `.format` for another codec, `.again` or
  /// `.timeout` if there is no room, and `.noMemory` when 4,096 packets of the stream are in use.
  public func send(
    _ packet: EncodedFrame, timestamp: Int64 = 0, deadline: Int64 = 0, completion: Completion = .queued()
  ) throws(MediaError) {
    guard options.isEncodedInput else {
      throw MediaError(.state, "the stream takes samples; make it with encoded_input to send packets")
    }
    try packet.check()
    guard packet.native.pointee.codec == options.codec else {
      let codec = FourCC.text(packet.native.pointee.codec)
      throw MediaError(.format, "the packet's codec is \(codec); this stream's is \(FourCC.text(options.codec))")
    }
    guard let codec else { throw MediaError(.state, "the stream has no codec") }
    let header = try codec.parse(packet.bytes)
    guard let ours = try EncodedFrame.make(copying: packet.bytes, attributes: packet.native.pointee, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "4,096 packets of this stream are in use")
    }
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

  /// One that has samples which are no numbers is let go of.
  private func checkNumbers(of frame: AudioFrame, argument: String) throws(MediaError) {
    do throws(MediaError) {
      try frame.checkNumbers(argument: argument)
    } catch {
      frame.release()
      throw error
    }
  }

  /// Takes the caller's reference, whatever becomes of it: nobody but the stream has one while the frame is filtered.
  private func accept(
    _ frame: StreamFrame<AudioFrame>, timestamp: Int64, duration: Int64, deadline: Int64, completion: Completion
  ) throws(MediaError) {
    var accepted: Accepted
    do throws(MediaError) {
      accepted = try tryAccept(frame, timestamp: timestamp, duration: duration, completion: completion)
      while case .full = accepted {
        let most = "\(options.queueMilliseconds) ms of audio are queued, the maximum"
        guard deadline != 0 else { throw MediaError(.again, "\(most); wait, or give a timeout") }
        guard waitForRoom(duration, until: deadline) else { throw MediaError(.timeout, most) }
        accepted = try tryAccept(frame, timestamp: timestamp, duration: duration, completion: completion)
      }
    } catch {
      frame.release()
      throw error
    }
    switch accepted {
    case .full: break
    case .queued: worker?.poke()
    case .drain(let first): drain(first)
    }
  }

  private func tryAccept(
    _ frame: StreamFrame<AudioFrame>, timestamp: Int64, duration: Int64, completion: Completion
  ) throws(MediaError) -> Accepted {
    let now = clock.now()
    return try guarded.withLock { guarded throws(MediaError) in
      guard guarded.life.state == .started else {
        throw MediaError(.state, "the stream is not started; its state is \(guarded.life.state)")
      }
      guard guarded.hasRoom(for: duration, limit: options.queueMilliseconds) else { return .full }
      let samples = MediaTime.units(fromNanoseconds: duration, rate: clockRate)
      let stamp = guarded.stamp(timestamp, now, duration, rate: clockRate)
      guarded.acceptedAt = now
      guarded.advance(samples, from: stamp, rate: clockRate)
      guarded.sequence += 1
      guarded.counters.offered += 1
      frame.stamp(sequence: guarded.sequence, timestamp: stamp)
      let pending = Pending(
        frame: frame, sequence: guarded.sequence, timestamp: stamp, duration: duration, acceptedAt: now, completion: completion)
      if guarded.encoding == nil, !guarded.draining.isUnderWay, guarded.hold == nil, guarded.pending.isEmpty, guarded.pacer.due <= now {
        guarded.draining.begin()
        guarded.pacer.leave(at: now, duration: duration, captured: stamp)
        return .drain(pending)
      }
      _ = guarded.pending.push(pending)
      guarded.queued += duration
      guarded.decideHold(rate: clockRate, isOver: false)
      return .queued
    }
  }

  func hasRoom(for duration: Int64) -> Bool {
    guarded.withLock { $0.hasRoom(for: duration, limit: options.queueMilliseconds) }
  }

  /// Of the samples that time is counted in.
  var clockRate: UInt32 { options.isEncodedInput ? 48_000 : format.sampleRate }

  private func waitForRoom(_ duration: Int64, until deadline: Int64) -> Bool {
    guarded.withLock { $0.waiters += 1 }
    defer { guarded.withLock { $0.waiters -= 1 } }
    return guarded.wait(until: deadline) { guarded in
      guarded.life.state != .started || guarded.hasRoom(for: duration, limit: self.options.queueMilliseconds) ? true : nil
    } ?? false
  }
}

extension OutgoingAudio.Guarded {
  /// A single buffer that is longer than the queue may be still has its place.
  fileprivate func hasRoom(for duration: Int64, limit: UInt32) -> Bool {
    pending.isEmpty || !pending.isFull && queued + duration <= Int64(limit) * 1_000_000
  }

  fileprivate mutating func advance(_ samples: Int64, from stamp: Int64, rate: UInt32) {
    let counted = next(rate: rate) == stamp ? position : nil
    position = (counted?.anchor ?? stamp, (counted?.samples ?? 0) &+ samples)
  }
}
