import CMediaSDK
import MediaCore

/// The states and frames of a producer.
extension PluginInstance {
  /// What `pull` got.
  public enum Pulled {
    /// With a reference, the caller's.
    case frame(VideoFrame)
    /// The same, of a producer whose frames come encoded.
    case packet(EncodedFrame)
    case nothingYet
    case ended
  }

  private func producerTable() throws(MediaError) -> msdk_video_producer {
    guard let table = descriptor.producer else { throw MediaError(.unsupported, "class \(descriptor.id) is not a video producer") }
    return table
  }

  /// Whether its frames are asked for; otherwise it delivers them to the sink.
  public var isPull: Bool { (descriptor.producer?.flags ?? 0) & UInt32(MSDK_PRODUCER_PULL) != 0 }
  /// A pull producer's frames say when the next one is due.
  public var isTimed: Bool { (descriptor.producer?.flags ?? 0) & UInt32(MSDK_PRODUCER_TIMED) != 0 }
  /// `.created` when the class is no video producer, too.
  public var producerPhase: Phase { state.withLock { $0.producer } }

  /// From `.created` to `.ready`; later it does nothing. `.invalid` without a required parameter, `.unsupported` for another class.
  public func initialiseProducer() throws(MediaError) {
    let table = try producerTable()
    try turn.take("init_capture") { () throws(MediaError) in
      try checkAlive()
      guard producerPhase == .created else { return }
      try checkRequired()
      try call("init_capture") { table.init_capture?($0) ?? 0 }
      state.withLock { $0.producer = .ready }
    }
  }

  /// `.state` unless it is `.ready`; else what the plugin refuses the format with.
  public func setProducerFormat(_ format: VideoFormat) throws(MediaError) {
    let table = try producerTable()
    try turn.take("set_format") { () throws(MediaError) in
      try checkAlive()
      guard producerPhase == .ready else {
        throw MediaError(.state, "the format of \(descriptor.id) can be set when it is ready; it is \(producerPhase)")
      }
      var native = format.foreign
      try call("set_format") { table.set_format?($0, &native) ?? 0 }
    }
  }

  /// From `.ready` to `.started`; `.state` in another phase. The sink for what the producer makes is called on the plugin's threads,
  /// perhaps before this returns. Frames are borrowed; a status that is not nil is what the plugin gets.
  public func startProducer(sink: @escaping Sink, encodedSink: @escaping EncodedSink = { _ in .unsupported }) throws(MediaError) {
    let table = try producerTable()
    try turn.take("start_capture") { () throws(MediaError) in
      try checkAlive()
      guard producerPhase == .ready else {
        throw MediaError(.state, "\(descriptor.id) can be started when it is ready; it is \(producerPhase)")
      }
      // The sink is there before the call: the first frame may come during it.
      state.withLock { state in
        state.sink = isEncodedProducer ? nil : Taker(take: sink)
        state.encodedSink = isEncodedProducer ? Taker(take: encodedSink) : nil
        state.producer = .started
      }
      do throws(MediaError) {
        try call("start_capture") { table.start_capture?($0) ?? 0 }
      } catch {
        state.withLock { state in
          (state.sink, state.encodedSink) = (nil, nil)
          state.producer = .ready
        }
        throw error
      }
    }
  }

  /// Back to `.ready`; in another phase it does nothing. What the plugin delivers from now on is refused.
  public func stopProducer() throws(MediaError) {
    guard let table = descriptor.producer else { return }
    // Closed before the call, so that a thread of the plugin that delivers meanwhile is sent home.
    state.withLock { ($0.sink, $0.encodedSink) = (nil, nil) }
    try turn.take("stop_capture") { () throws(MediaError) in
      guard producerPhase == .started else { return }
      state.withLock { $0.producer = .ready }
      try call("stop_capture") { table.stop_capture?($0) ?? 0 }
    }
  }

  /// From `.ready` to `.created`; in another phase it does nothing.
  public func releaseProducer() throws(MediaError) {
    guard let table = descriptor.producer else { return }
    try turn.take("release_capture") { () throws(MediaError) in
      guard producerPhase == .ready else { return }
      state.withLock { $0.producer = .created }
      try call("release_capture") { table.release_capture?($0) ?? 0 }
    }
  }

  /// The format of that index, of a producer that is initialised if need be; nil ends the list.
  public func producerFormat(at index: UInt32) throws(MediaError) -> VideoFormat? {
    let table = try producerTable()
    guard let list = table.enum_formats else {
      guard index == 0 else { return nil }
      return try captureSettings()
    }
    try initialiseProducer()
    do throws(MediaError) {
      return try readFormat("enum_formats") { list($0, index, $1) }
    } catch {
      guard error.status == .notFound else { throw error }
      return nil
    }
  }

  /// What it makes, or would rather make; nil when it does not say. Initialises it if need be.
  public func captureSettings() throws(MediaError) -> VideoFormat? {
    let table = try producerTable()
    guard let settings = table.capture_settings else { return nil }
    try initialiseProducer()
    return try readFormat("capture_settings") { settings($0, $1) }
  }

  private func readFormat(
    _ function: String, _ body: (OpaquePointer, UnsafeMutablePointer<msdk_video_format>) -> msdk_result
  ) throws(MediaError) -> VideoFormat {
    try turn.take(function) { () throws(MediaError) in
      try checkAlive()
      var format = msdk_video_format()
      format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
      try call(function) { body($0, &format) }
      return try VideoFormat(checking: format, argument: "the format from \(function) of \(descriptor.id)")
    }
  }

  /// Whether its frames come encoded.
  public var isEncodedProducer: Bool { descriptor.isEncodedProducer }
  /// Of what it makes encoded; 0 of another.
  public var producedCodec: UInt32 { descriptor.producer?.codec ?? 0 }

  /// A receiver needs a key frame. What cannot make one says nothing to that.
  public func requestKeyFrame() throws(MediaError) {
    let table = try producerTable()
    guard let request = table.request_key_frame else { return }
    do throws(MediaError) {
      try turn.take("request_key_frame") { () throws(MediaError) in
        guard producerPhase == .started else { return }
        try call("request_key_frame") { request($0) }
      }
    } catch {
      guard error.status == .unsupported else { throw error }
    }
  }

  private func pullEncoded(_ due: Int64, _ table: msdk_video_producer) throws(MediaError) -> Pulled {
    var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
    do throws(MediaError) {
      try turn.take("produce_encoded_frame") { () throws(MediaError) in
        guard producerPhase == .started else { throw MediaError(.closed, "\(descriptor.id) is not started") }
        try call("produce_encoded_frame") { table.produce_encoded_frame?($0, due, &pointer) ?? msdk_result(MSDK_E_CLOSED) }
      }
    } catch {
      if error.status == .again { return .nothingYet }
      if error.status == .closed { return .ended }
      throw error
    }
    guard pointer != nil else { return .nothingYet }
    let frame = try takeEncoded(pointer, from: "produce_encoded_frame")
    do throws(MediaError) {
      try frame.check()
    } catch {
      frame.release()
      throw error
    }
    if frame.native.pointee.timestamp_ns == 0 { frame.native.pointee.timestamp_ns = due }
    return .packet(frame)
  }

  /// Asks a pull producer for a frame.
  public func pull(due: Int64) throws(MediaError) -> Pulled {
    let table = try producerTable()
    if isEncodedProducer { return try pullEncoded(due, table) }
    var pointer: UnsafeMutablePointer<msdk_video_frame>?
    do throws(MediaError) {
      try turn.take("produce_frame") { () throws(MediaError) in
        guard producerPhase == .started else { throw MediaError(.closed, "\(descriptor.id) is not started") }
        try call("produce_frame") { table.produce_frame?($0, due, &pointer) ?? msdk_result(MSDK_E_CLOSED) }
      }
    } catch {
      if error.status == .again { return .nothingYet }
      if error.status == .closed { return .ended }
      throw error
    }
    guard let pointer else { return .nothingYet }
    // Its reference becomes ours: one is added for having looked, and taken away again.
    let frame = try VideoFrame.retained(foreign: pointer)
    frame.release()
    do throws(MediaError) {
      try frame.check(argument: "what produce_frame returned")
    } catch {
      frame.release()
      throw error
    }
    if frame.native.pointee.timestamp_ns == 0 { frame.native.pointee.timestamp_ns = due }
    return .frame(frame)
  }
}
