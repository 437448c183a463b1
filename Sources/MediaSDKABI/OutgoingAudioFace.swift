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
    bitrate = Int(native.bitrate)
    if native.complexity != 0 { complexity = Int(native.complexity) }
    packetMilliseconds = native.packet_ms
    fec = try flag(native.fec, "options.fec")
    expectedLoss = Int(native.expected_loss)
    dtx = try flag(native.dtx, "options.dtx")
  }
}

@c @implementation
public func msdk_outgoing_audio_destroy(_ stream: OpaquePointer!) {
  guard !Fork.isChild, let object = HandleTable.shared.remove(stream, .outgoingAudio) else { return }
  unsafeDowncast(object, to: OutgoingAudio.self).close()
}

@c @implementation
public func msdk_outgoing_audio_state(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try required(out, "out").pointee = stream.state.rawValue
  }
}

@c @implementation
public func msdk_outgoing_audio_format(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_audio_format>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try ForeignStruct.write(stream.format.foreign, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_outgoing_audio_expected_buffer_size(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<UInt64>!) -> msdk_result {
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
      deadline: Deadline.after(milliseconds: timeout), completion: completion.map { .foreign($0, user) } ?? .none)
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
      completion: completion.map { .foreign($0, user) } ?? .none)
  }
}

@c @implementation
public func msdk_outgoing_audio_queued(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<Int64>!) -> msdk_result {
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
    try Handles.outgoingAudio(stream).waitPlayed(deadline: Deadline.after(milliseconds: timeout))
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
    try ForeignStruct.write(msdk_frame_report(), to: out, argument: "out")
    try ForeignStruct.write(stream.readReport(deadline: Deadline.after(milliseconds: timeout)).foreign, to: out, argument: "out")
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
public func msdk_outgoing_audio_set_bitrate(_ stream: OpaquePointer!, _ bitrate: UInt32) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoingAudio(stream).setBitrate(Int(bitrate)) }
}

@c @implementation
public func msdk_outgoing_audio_set_expected_loss(_ stream: OpaquePointer!, _ percent: UInt32) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoingAudio(stream).setExpectedLoss(Int(percent)) }
}

@c @implementation
public func msdk_outgoing_audio_attach_producer(_ stream: OpaquePointer!, _ producer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoingAudio(stream)
    try stream.attachProducer(producer == nil ? nil : Handles.instance(producer, "producer"))
  }
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

@c @implementation
public func msdk_outgoing_audio_stats_get(
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
    native.total_encode_time_ns = counters.totalEncodeTime
    native.total_filter_time_ns = counters.totalFilterTime
    native.level = counters.level
    native.muted = stats.isMuted ? 1 : 0
    native.receivers = UInt32(clamping: stats.receivers)
    native.bitrate = UInt32(clamping: stats.bitrate)
    native.reports_dropped = stats.reportsDropped
    native.gain = stats.gain
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}
