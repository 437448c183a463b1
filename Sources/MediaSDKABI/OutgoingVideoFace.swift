import CMediaSDK
import MediaCore
import MediaSDK

// outgoing_video.h

private func videoKind(_ value: UInt32, _ argument: StaticString) throws(MediaError) -> VideoKind {
  try value == 0 ? .virtual : choice(value, argument, "MSDK_VIDEO_VIRTUAL, MSDK_VIDEO_SCREEN_SHARE, or 0 for virtual")
}

private func limits(_ value: UInt32) throws(MediaError) -> VideoLimits {
  try choice(value, "limits", "MSDK_LIMITS_CONFERENCE, MSDK_LIMITS_EXTENDED")
}

@c @implementation
public func msdk_video_limit_at(
  _ kind: UInt32, _ limits: UInt32, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_video_limit>!
) -> msdk_result {
  face { () throws(MediaError) in
    let kind = try videoKind(kind, "kind")
    let list = try MediaSDKABI.limits(limits).list(of: kind)
    let out = try required(out, "out")
    guard index < list.count else { throw MediaError(.notFound, "index is \(index); there are \(list.count) limits") }
    let limit = list[Int(index)]
    let native = msdk_video_limit(struct_size: 0, width: limit.width, height: limit.height, fps: limit.frameRate)
    try ForeignStruct.write(native, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_video_limit_check(_ kind: UInt32, _ limits: UInt32, _ format: UnsafePointer<msdk_video_format>!) -> msdk_result {
  face { () throws(MediaError) in
    let kind = try videoKind(kind, "kind")
    let native = try ForeignStruct.read(required(format, "format"), argument: "format")
    try MediaSDKABI.limits(limits).check(VideoFormat(checking: native, argument: "format"), of: kind, argument: "format")
  }
}

// MARK: Stream

@c @implementation
public func msdk_outgoing_video_create(
  _ engine: OpaquePointer!, _ options: UnsafePointer<msdk_outgoing_video_options>!, _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let out = try required(out, "out")
    let native = try ForeignStruct.read(required(options, "options"), argument: "options")
    let stream = try engine.makeOutgoingVideo(OutgoingVideoOptions(native))
    try Handles.publish(stream.handle.handle(of: stream), to: out) { stream.close() }
  }
}

extension OutgoingVideoOptions {
  fileprivate init(_ native: msdk_outgoing_video_options) throws(MediaError) {
    let kind = try videoKind(native.kind, "options.kind")
    guard native.format_count <= 64 else {
      throw MediaError(.range, "options.format_count is \(native.format_count); accepted: 1..64")
    }
    var formats: [VideoFormat] = []
    for (index, format) in try foreignArray(native.formats, count: native.format_count, name: "options.formats").enumerated() {
      formats.append(try VideoFormat(checking: format, argument: "options.formats[\(index)]"))
    }
    self.init(formats: formats)
    self.kind = kind
    limits = try MediaSDKABI.limits(native.limits)
    codec = native.codec
    guard native.codec_count <= 16 else {
      throw MediaError(.range, "options.codec_count is \(native.codec_count); accepted: 0..16")
    }
    guard native.codec_count == 0 || native.codecs != nil else {
      throw MediaError(.invalid, "options.codecs is NULL, codec_count \(native.codec_count)")
    }
    codecs = Array(UnsafeBufferPointer(start: native.codecs, count: Int(native.codec_count)))
    preset = try choice(native.preset, "options.preset", "MSDK_PRESET_REALTIME..MSDK_PRESET_QUALITY, 0..3")
    queuePolicy = try choice(native.queue_policy, "options.queue_policy", "MSDK_POLICY_*, 0..2")
    queueCapacity = Int(native.queue_capacity)
    isEncodedInput = try flag(native.encoded_input, "options.encoded_input")
    encoderThreads = Int(native.encoder_threads)
    mostLayers = Int(native.most_layers)
    carriesMetadata = try flag(native.carries_metadata, "options.carries_metadata")
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    bitrate.target = native.target_bitrate
    if native.min_bitrate != 0 { bitrate.least = native.min_bitrate }
    if native.max_bitrate != 0 { bitrate.most = native.max_bitrate }
    if native.key_frame_interval_ms != 0 { keyFrameInterval = Int64(native.key_frame_interval_ms) * 1_000_000 }
    if native.report_capacity != 0 { reportCapacity = Int(native.report_capacity) }
  }
}

@c @implementation
public func msdk_outgoing_video_destroy(_ stream: OpaquePointer!) {
  guard !Fork.isChild, let object = HandleTable.shared.remove(stream, .outgoingVideo) else { return }
  unsafeDowncast(object, to: OutgoingVideo.self).close()
}

@c @implementation
public func msdk_outgoing_video_get_state(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    try required(out, "out").pointee = stream.state.rawValue
  }
}

@c @implementation
public func msdk_outgoing_video_get_info(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_outgoing_video_info>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    let (state, codec, format) = stream.progress
    var info = msdk_outgoing_video_info()
    info.state = state.rawValue
    info.kind = stream.options.kind.rawValue
    info.limits = stream.options.limits.rawValue
    info.codec = codec
    info.encoded_input = stream.options.isEncodedInput ? 1 : 0
    if let format { info.format = format.foreign }
    try ForeignStruct.write(info, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_outgoing_video_get_sender(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<OpaquePointer?>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    let out = try required(out, "out")
    let sender = try stream.currentSender()
    try Handles.publish(sender.handle.handle(of: sender), to: out) {}
  }
}

@c @implementation
public func msdk_outgoing_video_set_bitrate(_ stream: OpaquePointer!, _ target: UInt64, _ min: UInt64, _ max: UInt64) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoing(stream).setBitrate(target: target, least: min, most: max) }
}

@c @implementation
public func msdk_outgoing_video_set_frame_rate(_ stream: OpaquePointer!, _ numerator: UInt32, _ denominator: UInt32) -> msdk_result {
  face { () throws(MediaError) in
    let rate = numerator == 0 && denominator == 0 ? nil : FrameRate(numerator, denominator)
    try Handles.outgoing(stream).setFrameRate(rate)
  }
}

@c @implementation
public func msdk_outgoing_video_request_key_frame(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoing(stream).requestKeyFrame() }
}

@c @implementation
public func msdk_outgoing_video_attach_producer(_ stream: OpaquePointer!, _ producer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    try stream.attachProducer(Handles.instance(producer, "producer"))
  }
}

@c @implementation
public func msdk_outgoing_video_detach_producer(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoing(stream).attachProducer(nil) }
}

@c @implementation
public func msdk_outgoing_video_attach_renderer(
  _ stream: OpaquePointer!, _ renderer: OpaquePointer!, _ view: UnsafePointer<msdk_view>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    try stream.attachRenderer(Handles.instance(renderer, "renderer"), through: View(optional: view))
  }
}

@c @implementation
public func msdk_outgoing_video_detach_renderer(_ stream: OpaquePointer!, _ renderer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    try stream.detachRenderer(Handles.instance(renderer, "renderer"))
  }
}

@c @implementation
public func msdk_outgoing_video_add_filter(_ stream: OpaquePointer!, _ filter: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    try stream.addFilter(Handles.instance(filter, "filter"))
  }
}

@c @implementation
public func msdk_outgoing_video_remove_filter(_ stream: OpaquePointer!, _ filter: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    try stream.removeFilter(Handles.instance(filter, "filter"))
  }
}

// MARK: Frame sender

@c @implementation
public func msdk_frame_sender_get_format(_ sender: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_video_format>!) -> msdk_result {
  face { () throws(MediaError) in
    let sender = try Handles.sender(sender)
    try ForeignStruct.write(sender.format.foreign, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_frame_sender_acquire(
  _ sender: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let sender = try Handles.sender(sender)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try sender.acquire(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_frame_sender_send(
  _ sender: OpaquePointer!, _ frame: UnsafePointer<msdk_video_frame>!, _ timestamp: Int64, _ completion: msdk_send_fn!,
  _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let sender = try Handles.sender(sender)
    let frame = try VideoFrame.retained(foreign: frame)
    defer { frame.release() }
    try sender.send(frame, timestamp: timestamp, completion: completion.map { .foreign($0, user) } ?? .queued(user))
  }
}

@c @implementation
public func msdk_frame_sender_send_encoded(
  _ sender: OpaquePointer!, _ frame: UnsafePointer<msdk_encoded_frame>!, _ timestamp: Int64, _ completion: msdk_send_fn!,
  _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let sender = try Handles.sender(sender)
    let frame = try EncodedFrame.retained(foreign: frame)
    defer { frame.release() }
    try sender.send(frame, timestamp: timestamp, completion: completion.map { .foreign($0, user) } ?? .queued(user))
  }
}

@c @implementation
public func msdk_outgoing_video_read_report(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<msdk_frame_report>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    let out = try required(out, "out")
    // A struct that cannot be filled must not cost a report.
    try ForeignStruct.check(out, argument: "out")
    let report = try pulled(timeout) { deadline throws(MediaError) in try stream.readReport(deadline: deadline) }
    try ForeignStruct.write(report.foreign, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_outgoing_video_get_report_fd(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    try required(out, "out").pointee = try stream.reportDescriptor()
  }
}

@c @implementation
public func msdk_outgoing_video_set_encoded_callback(
  _ stream: OpaquePointer!, _ callback: msdk_encoded_fn!, _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    guard let callback else { return stream.setEncodedCallback(nil) }
    guard stream.canEncode else {
      throw MediaError(.unsupported, "the stream has no encoder; accepted: streams with a codec and without encoded_input")
    }
    let user = ForeignUser(pointer: user)
    stream.setEncodedCallback { frame in callback(user.pointer, frame.native) }
  }
}

// MARK: Tap

@c @implementation
public func msdk_outgoing_video_start_tap(_ stream: OpaquePointer!, _ options: UnsafePointer<msdk_video_tap_options>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    guard let options else { return try stream.startTap() }
    try stream.startTap(VideoTapOptions(ForeignStruct.read(options, argument: "options")))
  }
}

extension VideoTapOptions {
  fileprivate init(_ native: msdk_video_tap_options) throws(MediaError) {
    self.init()
    output = try choice(native.output, "options.output", "MSDK_OUTPUT_RAW, MSDK_OUTPUT_ENCODED, MSDK_OUTPUT_BOTH")
    queueCapacity = Int(native.queue_capacity)
    encodedQueueCapacity = Int(native.encoded_queue_capacity)
    queuePolicy = try choice(native.queue_policy, "options.queue_policy", "MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST")
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
  }
}

@c @implementation
public func msdk_outgoing_video_stop_tap(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.outgoing(stream).stopTap() }
}

@c @implementation
public func msdk_outgoing_video_read(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try stream.read(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_outgoing_video_read_encoded(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try stream.readEncoded(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_outgoing_video_get_fd(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.outgoing(stream)
    try required(out, "out").pointee = try stream.tapDescriptor()
  }
}

// MARK: Stats

@c @implementation
public func msdk_outgoing_video_get_stats(
  _ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_outgoing_video_stats>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stats = try Handles.outgoing(stream).stats
    let counters = stats.counters
    var native = msdk_outgoing_video_stats()
    native.state = stats.state.rawValue
    native.width = stats.format?.width ?? 0
    native.height = stats.format?.height ?? 0
    native.frames_per_second = stats.framesPerSecond
    native.paced_frames_per_second = stats.pacedRate?.perSecond ?? 0
    native.frames_repeated = counters.repeated
    native.codec = stats.codec
    native.frames_offered = counters.offered
    native.frames_sent = counters.sent
    native.frames_encoded = counters.encoded
    native.frames_replaced = counters.replaced
    native.frames_dropped = counters.dropped
    native.frames_failed = counters.failed
    native.key_frames_encoded = counters.keyFrames
    native.bytes_sent = counters.bytesSent
    native.target_bitrate = counters.targetBitrate
    native.total_encode_time_ns = Int64(clamping: counters.totalEncodeTime)
    native.total_filter_time_ns = Int64(clamping: counters.totalFilterTime)
    native.format_changes = counters.formatChanges
    native.key_frame_requests = counters.keyFrameRequests
    native.reports_dropped = stats.reportsDropped
    native.tap_frames_dropped = stats.tapDropped
    (native.layers, native.active_layers) = (UInt32(stats.layers), stats.counters.activeLayers)
    (native.wanted_width, native.wanted_height) = (stats.wanted.width, stats.wanted.height)
    native.wanted_frames_per_second = stats.wanted.frameRate?.perSecond ?? 0
    native.receivers = UInt32(clamping: stats.receivers)
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}
