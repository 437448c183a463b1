import CMediaSDK
import MediaCodecs
import MediaCore
import MediaSDK

// outgoing_audio.h

@c @implementation
public func msdk_outgoing_audio_create(
  _ engine: OpaquePointer!, _ options: UnsafePointer<msdk_outgoing_audio_options>!, _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let out = try required(out, "out")
    var settings = OutgoingAudioOptions()
    if let options { settings = try OutgoingAudioOptions(ForeignStruct.read(options, argument: "options")) }
    let stream = try engine.makeOutgoingAudio(settings)
    try Handles.publish(stream.handle.handle(of: stream), to: out) { stream.close() }
  }
}

extension OutgoingAudioOptions {
  fileprivate init(_ native: msdk_outgoing_audio_options) throws(MediaError) {
    self.init()
    if native.kind != 0 { kind = try choice(native.kind, "options.kind", "MSDK_AUDIO_MICROPHONE, MSDK_AUDIO_SCREEN_SHARE, or 0") }
    if native.sample_rate != 0 { sampleRate = native.sample_rate }
    if native.channels != 0 { channels = native.channels }
    if native.sample_format != 0 { sampleFormat = try SampleFormat.named(native.sample_format, argument: "options.sample_format") }
    if native.buffer_ms != 0 { bufferMilliseconds = native.buffer_ms }
    if native.queue_ms != 0 { queueMilliseconds = native.queue_ms }
    if native.report_capacity != 0 { reportCapacity = Int(native.report_capacity) }
    codec = native.codec
    isEncodedInput = try flag(native.encoded_input, "options.encoded_input")
    application = try choice(native.application, "options.application", "MSDK_OPUS_VOIP, MSDK_OPUS_AUDIO, MSDK_OPUS_LOW_DELAY")
    bitrate = Int(clamping: native.bitrate)
    if native.complexity != 0 { complexity = native.complexity == MSDK_ZERO ? 0 : Int(native.complexity) }
    packetMilliseconds = native.packet_ms
    fec = try flag(native.fec, "options.fec")
    if native.expected_loss != 0 { expectedLoss = native.expected_loss == MSDK_ZERO ? 0 : Int(native.expected_loss) }
    dtx = try flag(native.dtx, "options.dtx")
  }
}

@c @implementation
public func msdk_outgoing_audio_destroy(_ stream: OpaquePointer!) {
  guard !Fork.isChild, let object = HandleTable.shared.remove(stream, .outgoingAudio) else { return }
  unsafeDowncast(object, to: OutgoingAudio.self).close()
}

@c @implementation
public func msdk_outgoing_audio_get_state(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try required(out, "out").pointee = stream.state.rawValue
  }
}

@c @implementation
public func msdk_outgoing_audio_get_info(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_outgoing_audio_info>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    var info = msdk_outgoing_audio_info()
    info.state = stream.state.rawValue
    info.kind = stream.options.kind.rawValue
    info.codec = stream.currentCodec
    info.encoded_input = stream.options.isEncodedInput ? 1 : 0
    info.is_muted = stream.isMuted ? 1 : 0
    info.format = stream.format.foreign
    try ForeignStruct.write(info, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_outgoing_audio_get_buffer_size(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<UInt64>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try required(out, "out").pointee = UInt64(stream.expectedBufferSize)
  }
}

// MARK: Sending

@c @implementation
public func msdk_outgoing_audio_send(
  _ stream: OpaquePointer!, _ data: UnsafeRawPointer!, _ size: UInt64, _ timestamp: Int64, _ timeout: UInt32, _ completion: msdk_send_fn!,
  _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    let data = try required(data, "data")
    try stream.send(
      UnsafeRawBufferPointer(start: data, count: Int(clamping: size)), timestamp: timestamp,
      deadline: Deadline.after(milliseconds: timeout), completion: completion.map { .foreign($0, user) } ?? .queued(user))
  }
}

@c @implementation
public func msdk_outgoing_audio_write(
  _ stream: OpaquePointer!, _ data: UnsafeRawPointer!, _ size: UInt64, _ flags: UInt32, _ timeout: UInt32,
  _ written: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    written?.pointee = 0
    let stream = try Handles.outgoingAudio(stream)
    guard flags & ~UInt32(MSDK_WRITE_END) == 0 else {
      throw MediaError(.unsupported, "flags are 0x\(String(flags, radix: 16)); accepted: MSDK_WRITE_END (0x1), or 0")
    }
    let data = size == 0 ? nil : try required(data, "data")
    var shortage: MediaError?
    let taken = try stream.write(
      UnsafeRawBufferPointer(start: data, count: Int(clamping: size)), isLast: flags != 0, deadline: Deadline.after(milliseconds: timeout),
      shortage: &shortage)
    written?.pointee = UInt64(taken)
    if let shortage { throw shortage }
  }
}

@c @implementation
public func msdk_outgoing_audio_send_encoded(
  _ stream: OpaquePointer!, _ packet: UnsafePointer<msdk_encoded_frame>!, _ timestamp: Int64, _ timeout: UInt32,
  _ completion: msdk_send_fn!, _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    let packet = try EncodedFrame.retained(foreign: packet)
    defer { packet.release() }
    try stream.send(
      packet, timestamp: timestamp, deadline: Deadline.after(milliseconds: timeout),
      completion: completion.map { .foreign($0, user) } ?? .queued(user))
  }
}

@c @implementation
public func msdk_outgoing_audio_get_queued(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<Int64>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try required(out, "out").pointee = stream.queued
  }
}

@c @implementation
public func msdk_outgoing_audio_flush(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoingAudio(stream).flush() }
}

@c @implementation
public func msdk_outgoing_audio_wait_played(_ stream: OpaquePointer!, _ timeout: UInt32) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try pulled(timeout) { deadline throws(MediaError) in try stream.waitPlayed(deadline: deadline) }
  }
}

@c @implementation
public func msdk_outgoing_audio_read_report(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<msdk_frame_report>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    let out = try required(out, "out")
    // A struct that cannot be filled must not cost a report.
    try ForeignStruct.check(out, argument: "out")
    let report = try pulled(timeout) { deadline throws(MediaError) in try stream.readReport(deadline: deadline) }
    try ForeignStruct.write(report.foreign, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_outgoing_audio_get_report_fd(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try required(out, "out").pointee = try stream.reportDescriptor()
  }
}

// MARK: Steering

@c @implementation
public func msdk_outgoing_audio_set_muted(_ stream: OpaquePointer!, _ muted: UInt32) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try stream.setMuted(flag(muted, "muted"))
  }
}

@c @implementation
public func msdk_outgoing_audio_set_gain(_ stream: OpaquePointer!, _ gain: Double) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoingAudio(stream).setGain(gain) }
}

@c @implementation
public func msdk_outgoing_audio_set_bitrate(_ stream: OpaquePointer!, _ bitrate: UInt64) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoingAudio(stream).setBitrate(Int(clamping: bitrate)) }
}

@c @implementation
public func msdk_outgoing_audio_set_expected_loss(_ stream: OpaquePointer!, _ percent: UInt32) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoingAudio(stream).setExpectedLoss(Int(percent)) }
}

@c @implementation
public func msdk_outgoing_audio_attach_producer(_ stream: OpaquePointer!, _ producer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try stream.attachProducer(Handles.instance(producer, "producer"))
  }
}

@c @implementation
public func msdk_outgoing_audio_detach_producer(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoingAudio(stream).attachProducer(nil) }
}

@c @implementation
public func msdk_outgoing_audio_add_filter(_ stream: OpaquePointer!, _ filter: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try stream.addFilter(Handles.instance(filter, "filter"))
  }
}

@c @implementation
public func msdk_outgoing_audio_remove_filter(_ stream: OpaquePointer!, _ filter: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try stream.removeFilter(Handles.instance(filter, "filter"))
  }
}

@c @implementation
public func msdk_outgoing_audio_set_encoded_callback(
  _ stream: OpaquePointer!, _ callback: msdk_encoded_fn!, _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    guard let callback else { return try stream.setEncodedCallback(nil) }
    let user = ForeignUser(pointer: user)
    try stream.setEncodedCallback { frame in callback(user.pointer, frame.native) }
  }
}

// MARK: Tap

@c @implementation
public func msdk_outgoing_audio_start_tap(_ stream: OpaquePointer!, _ options: UnsafePointer<msdk_audio_tap_options>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    guard let options else { return try stream.startTap() }
    try stream.startTap(AudioTapOptions(ForeignStruct.read(options, argument: "options")))
  }
}

extension AudioTapOptions {
  fileprivate init(_ native: msdk_audio_tap_options) throws(MediaError) {
    self.init()
    output = try choice(native.output, "options.output", "MSDK_OUTPUT_RAW, MSDK_OUTPUT_ENCODED, MSDK_OUTPUT_BOTH")
    if native.queue_ms != 0 { queueMilliseconds = native.queue_ms }
    queuePolicy = try choice(native.queue_policy, "options.queue_policy", "MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST")
  }
}

@c @implementation
public func msdk_outgoing_audio_stop_tap(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoingAudio(stream).stopTap() }
}

@c @implementation
public func msdk_outgoing_audio_read(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_audio_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try stream.read(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_outgoing_audio_read_encoded(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try stream.readEncoded(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_outgoing_audio_get_fd(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try required(out, "out").pointee = try stream.tapDescriptor()
  }
}

@c @implementation
public func msdk_outgoing_audio_get_stats(
  _ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_outgoing_audio_stats>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stats = try Handles.outgoingAudio(stream).stats
    let counters = stats.counters
    var native = msdk_outgoing_audio_stats()
    native.state = stats.state.rawValue
    native.buffers_offered = counters.offered
    native.buffers_sent = counters.sent
    native.buffers_encoded = counters.encoded
    native.buffers_dropped = counters.dropped
    native.buffers_failed = counters.failed
    native.packets_sent = counters.packets
    native.bytes_sent = counters.bytesSent
    native.queued_ns = stats.queued
    native.caught_up_ns = stats.caughtUp
    native.total_encode_time_ns = Int64(clamping: counters.totalEncodeTime)
    native.total_filter_time_ns = Int64(clamping: counters.totalFilterTime)
    native.level = counters.level
    native.is_muted = stats.isMuted ? 1 : 0
    native.receivers = UInt32(clamping: stats.receivers)
    native.bitrate = UInt64(clamping: stats.bitrate)
    native.reports_dropped = stats.reportsDropped
    native.tap_buffers_dropped = stats.tapDropped
    native.gain = stats.gain
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}
