import CMediaSDK
import MediaCore
import MediaSDK

// incoming_audio.h

@c @implementation
public func msdk_incoming_audio_start(
  _ stream: OpaquePointer!, _ options: UnsafePointer<msdk_incoming_audio_options>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    guard let options else { return try stream.start() }
    try stream.start(IncomingAudioOptions(ForeignStruct.read(options, argument: "options")))
  }
}

extension IncomingAudioOptions {
  fileprivate init(_ native: msdk_incoming_audio_options) throws(MediaError) {
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    self.init()
    sampleRate = native.sample_rate
    channels = native.channels
    if native.sample_format != 0 { sampleFormat = try SampleFormat.named(native.sample_format, argument: "options.sample_format") }
    bufferMilliseconds = native.buffer_ms
    delivery = try choice(native.delivery, "options.delivery", "MSDK_DELIVERY_QUEUED, MSDK_DELIVERY_DIRECT")
    output = try choice(native.output, "options.output", "MSDK_OUTPUT_RAW, MSDK_OUTPUT_ENCODED, MSDK_OUTPUT_BOTH")
    if native.queue_ms != 0 { queueMilliseconds = native.queue_ms }
    queuePolicy = try choice(native.queue_policy, "options.queue_policy", "MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST")
  }
}

@c @implementation
public func msdk_incoming_audio_stop(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.incomingAudio(stream).stop() }
}

@c @implementation
public func msdk_incoming_audio_get_state(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    try required(out, "out").pointee = stream.state.rawValue
  }
}

@c @implementation
public func msdk_incoming_audio_get_info(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_incoming_audio_info>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    var info = msdk_incoming_audio_info()
    info.state = stream.state.rawValue
    info.kind = stream.kind
    info.codec = stream.codec
    info.is_muted = stream.isMuted ? 1 : 0
    info.is_encrypted = stream.isEncrypted ? 1 : 0
    withUnsafeMutableBytes(of: &info.user_id) { ForeignText.write(stream.userID, to: $0) }
    info.format = stream.format.foreign
    try ForeignStruct.write(info, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_incoming_audio_read(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_audio_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try stream.read(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_incoming_audio_read_encoded(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try stream.readEncoded(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_incoming_audio_get_fd(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    try required(out, "out").pointee = try stream.descriptor()
  }
}

@c @implementation
public func msdk_incoming_audio_set_frame_callback(
  _ stream: OpaquePointer!, _ callback: msdk_audio_frame_fn!, _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    guard let callback else { return stream.setFrameCallback(nil) }
    let user = ForeignUser(pointer: user)
    stream.setFrameCallback { frame in callback(user.pointer, frame.native) }
  }
}

@c @implementation
public func msdk_incoming_audio_attach_renderer(_ stream: OpaquePointer!, _ renderer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    try stream.attachRenderer(Handles.instance(renderer, "renderer"))
  }
}

@c @implementation
public func msdk_incoming_audio_detach_renderer(_ stream: OpaquePointer!, _ renderer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    try stream.detachRenderer(Handles.instance(renderer, "renderer"))
  }
}

@c @implementation
public func msdk_incoming_audio_add_filter(_ stream: OpaquePointer!, _ filter: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    try stream.addFilter(Handles.instance(filter, "filter"))
  }
}

@c @implementation
public func msdk_incoming_audio_remove_filter(_ stream: OpaquePointer!, _ filter: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incomingAudio(stream)
    try stream.removeFilter(Handles.instance(filter, "filter"))
  }
}

@c @implementation
public func msdk_incoming_audio_set_gain(_ stream: OpaquePointer!, _ gain: Double) -> msdk_result {
  face { () throws(MediaError) in try Handles.incomingAudio(stream).setGain(gain) }
}

@c @implementation
public func msdk_incoming_audio_get_stats(
  _ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_incoming_audio_stats>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stats = try Handles.incomingAudio(stream).stats
    let counters = stats.counters
    var native = msdk_incoming_audio_stats()
    native.state = stats.state.rawValue
    native.packets_received = counters.received
    native.packets_lost = counters.lost
    native.packets_corrupt = counters.corrupt
    native.bytes_received = counters.bytesReceived
    native.fec_packets_recovered = counters.recovered
    native.concealed_samples = counters.concealed
    native.total_samples_received = counters.samples
    native.buffers_delivered = counters.delivered
    native.buffers_dropped = counters.dropped
    native.buffers_rendered = counters.rendered
    native.total_decode_time_ns = Int64(clamping: counters.totalDecodeTime)
    native.total_filter_time_ns = Int64(clamping: counters.totalFilterTime)
    native.jitter_buffer_ns = stats.kept
    native.underruns = stats.underruns
    native.late_samples = stats.late
    native.drift_ppm = stats.driftPPM
    native.level = counters.level
    native.sources = UInt32(clamping: stats.sources)
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}
