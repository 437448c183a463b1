import CMediaSDK
import MediaCodecs
import MediaCore

/// The states and buffers of a producer of sound.
extension PluginInstance {
  /// What `pullAudio` got.
  public enum PulledAudio {
    /// With a reference, the caller's.
    case frame(AudioFrame)
    case nothingYet
    case ended
  }

  private func audioProducerTable() throws(MediaError) -> msdk_audio_producer {
    guard let table = descriptor.audioProducer else { throw MediaError(.unsupported, "class \(descriptor.id) is not an audio producer") }
    return table
  }

  /// Whether its buffers are asked for; otherwise it delivers them to the sink.
  public var isAudioPull: Bool { (descriptor.audioProducer?.flags ?? 0) & UInt32(MSDK_PRODUCER_PULL) != 0 }
  /// `.created` when the class is no audio producer, too.
  public var audioProducerPhase: Phase { state.withLock { $0.audioProducer } }

  /// From `.created` to `.ready`; later it does nothing. `.invalid` without a required parameter, `.unsupported` for another class.
  public func initialiseAudioProducer() throws(MediaError) {
    let table = try audioProducerTable()
    try turn.take("init_capture") { () throws(MediaError) in
      try checkAlive()
      guard audioProducerPhase == .created else { return }
      try checkRequired()
      try call("init_capture") { table.init_capture?($0) ?? 0 }
      state.withLock { $0.audioProducer = .ready }
    }
  }

  /// Agrees on what it makes, and says what that is: what is wanted, or its capture settings when it cannot make that.
  public func setAudioFormat(_ wanted: AudioFormat) throws(MediaError) -> AudioFormat {
    let table = try audioProducerTable()
    return try turn.take("set_format") { () throws(MediaError) in
      try checkAlive()
      guard audioProducerPhase == .ready else {
        throw MediaError(.state, "the format of \(descriptor.id) can be set when it is ready; it is \(audioProducerPhase)")
      }
      var agreed = wanted
      do throws(MediaError) {
        try set(wanted, table)
      } catch {
        guard error.status == .format, table.capture_settings != nil else { throw error }
        agreed = try audioSettings(table)
        try set(agreed, table)
      }
      state.withLock { $0.audioFormat = agreed }
      return agreed
    }
  }

  private func set(_ format: AudioFormat, _ table: msdk_audio_producer) throws(MediaError) {
    var native = format.foreign
    try call("set_format") { table.set_format?($0, &native) ?? 0 }
  }

  /// From `.ready` to `.started`; `.state` in another phase. The sink is called on the plugin's threads, perhaps before this returns; the
  /// frame is borrowed, and a status that is not nil is what the plugin gets.
  public func startAudioProducer(sink: @escaping AudioSink) throws(MediaError) {
    let table = try audioProducerTable()
    try turn.take("start_capture") { () throws(MediaError) in
      try checkAlive()
      guard audioProducerPhase == .ready else {
        throw MediaError(.state, "\(descriptor.id) can be started when it is ready; it is \(audioProducerPhase)")
      }
      // The sink is there before the call: the first buffer may come during it.
      state.withLock { state in
        state.audioSink = Taker(take: sink)
        state.audioProducer = .started
      }
      do throws(MediaError) {
        try call("start_capture") { table.start_capture?($0) ?? 0 }
      } catch {
        state.withLock { state in
          state.audioSink = nil
          state.audioProducer = .ready
        }
        throw error
      }
    }
  }

  /// Back to `.ready`; in another phase it does nothing. What the plugin delivers from now on is refused.
  public func stopAudioProducer() throws(MediaError) {
    guard let table = descriptor.audioProducer else { return }
    // Closed before the call, so that a thread of the plugin that delivers meanwhile is sent home.
    state.withLock { $0.audioSink = nil }
    try turn.take("stop_capture") { () throws(MediaError) in
      guard audioProducerPhase == .started else { return }
      state.withLock { $0.audioProducer = .ready }
      try call("stop_capture") { table.stop_capture?($0) ?? 0 }
    }
  }

  /// From `.ready` to `.created`; in another phase it does nothing. The format that was agreed is forgotten.
  public func releaseAudioProducer() throws(MediaError) {
    guard let table = descriptor.audioProducer else { return }
    try turn.take("release_capture") { () throws(MediaError) in
      guard audioProducerPhase == .ready else { return }
      state.withLock { state in
        state.audioProducer = .created
        state.audioFormat = nil
      }
      try call("release_capture") { table.release_capture?($0) ?? 0 }
    }
  }

  /// What it makes, or would rather make; nil when it does not say. Initialises it if need be.
  public func audioCaptureSettings() throws(MediaError) -> AudioFormat? {
    let table = try audioProducerTable()
    guard table.capture_settings != nil else { return nil }
    try initialiseAudioProducer()
    return try turn.take("capture_settings") { () throws(MediaError) in
      try checkAlive()
      return try audioSettings(table)
    }
  }

  private func audioSettings(_ table: msdk_audio_producer) throws(MediaError) -> AudioFormat {
    var format = msdk_audio_format()
    format.struct_size = UInt32(MemoryLayout<msdk_audio_format>.size)
    try call("capture_settings") { table.capture_settings?($0, &format) ?? msdk_result(MSDK_E_UNSUPPORTED) }
    return try AudioFormat(checking: format, argument: "the format from capture_settings of \(descriptor.id)")
  }

  /// Asks a pull producer for its next buffer.
  public func pullAudio(due: Int64) throws(MediaError) -> PulledAudio {
    let table = try audioProducerTable()
    var pointer: UnsafeMutablePointer<msdk_audio_frame>?
    do throws(MediaError) {
      try turn.take("produce_frame") { () throws(MediaError) in
        guard audioProducerPhase == .started else { throw MediaError(.closed, "\(descriptor.id) is not started") }
        try call("produce_frame") { table.produce_frame?($0, due, &pointer) ?? msdk_result(MSDK_E_CLOSED) }
      }
    } catch {
      if error.status == .again { return .nothingYet }
      if error.status == .closed { return .ended }
      throw error
    }
    guard let pointer else { return .nothingYet }
    // Its reference becomes ours: one is added for having looked, and taken away again.
    let frame = try AudioFrame.retained(foreign: pointer)
    frame.release()
    do throws(MediaError) {
      try checkProduced(frame)
    } catch {
      frame.release()
      throw error
    }
    frame.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
    if frame.native.pointee.timestamp_ns == 0 { frame.native.pointee.timestamp_ns = due }
    return .frame(frame)
  }

  /// Sound is taken when it is of the format that was agreed on, if one was, and every sample is a number.
  func checkProduced(_ frame: AudioFrame) throws(MediaError) {
    try frame.check()
    let format = frame.format
    if let agreed = state.withLock({ $0.audioFormat }), !format.isSameSound(as: agreed) {
      throw MediaError(.format, "\(descriptor.id) made \(format); agreed: \(agreed)")
    }
    try frame.checkNumbers(argument: "the buffer")
  }
}
