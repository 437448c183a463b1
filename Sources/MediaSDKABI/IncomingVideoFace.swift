import CMediaSDK
import MediaCore
import MediaSDK
import MediaTransport

// incoming_video.h

@c @implementation
public func msdk_incoming_video_start(
  _ stream: OpaquePointer!, _ options: UnsafePointer<msdk_incoming_video_options>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    guard let options else { return try stream.start() }
    try stream.start(IncomingVideoOptions(ForeignStruct.read(options, argument: "options")))
  }
}

extension IncomingVideoOptions {
  fileprivate init(_ native: msdk_incoming_video_options) throws(MediaError) {
    self.init()
    if native.pixel_format != 0 { pixelFormat = try PixelFormat.named(native.pixel_format, argument: "options.pixel_format") }
    width = native.width
    height = native.height
    delivery = try choice(native.delivery, "options.delivery", "MSDK_DELIVERY_QUEUED, MSDK_DELIVERY_DIRECT")
    output = try choice(native.output, "options.output", "MSDK_OUTPUT_RAW, MSDK_OUTPUT_ENCODED, MSDK_OUTPUT_BOTH")
    queueCapacity = Int(native.queue_capacity)
    encodedQueueCapacity = Int(native.encoded_queue_capacity)
    try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
    queuePolicy = try choice(native.queue_policy, "options.queue_policy", "MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST")
  }
}

@c @implementation
public func msdk_incoming_video_stop(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.incoming(stream).stop() }
}

@c @implementation
public func msdk_incoming_video_get_state(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    try required(out, "out").pointee = stream.state.rawValue
  }
}

@c @implementation
public func msdk_incoming_video_get_info(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_incoming_video_info>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    var info = msdk_incoming_video_info()
    info.state = stream.state.rawValue
    info.kind = stream.kind
    info.codec = stream.description.codec
    withUnsafeMutableBytes(of: &info.user_id) { ForeignText.write(stream.userID, to: $0) }
    info.format = stream.format.foreign
    info.is_encrypted = stream.isEncrypted ? 1 : 0
    info.carries_metadata = stream.description.carriesMetadata ? 1 : 0
    try ForeignStruct.write(info, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_incoming_video_read(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try stream.read(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_incoming_video_read_encoded(
  _ stream: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try stream.readEncoded(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_incoming_video_get_fd(_ stream: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    try required(out, "out").pointee = try stream.descriptor()
  }
}

@c @implementation
public func msdk_incoming_video_set_frame_callback(
  _ stream: OpaquePointer!, _ callback: msdk_video_frame_fn!, _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    guard let callback else { return stream.setFrameCallback(nil) }
    let user = ForeignUser(pointer: user)
    stream.setFrameCallback { frame in callback(user.pointer, frame.native) }
  }
}

@c @implementation
public func msdk_incoming_video_attach_renderer(
  _ stream: OpaquePointer!, _ renderer: OpaquePointer!, _ view: UnsafePointer<msdk_view>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    try stream.attachRenderer(Handles.instance(renderer, "renderer"), through: View(optional: view))
  }
}

@c @implementation
public func msdk_incoming_video_detach_renderer(_ stream: OpaquePointer!, _ renderer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    try stream.detachRenderer(Handles.instance(renderer, "renderer"))
  }
}

@c @implementation
public func msdk_incoming_video_add_filter(_ stream: OpaquePointer!, _ filter: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    try stream.addFilter(Handles.instance(filter, "filter"))
  }
}

@c @implementation
public func msdk_incoming_video_remove_filter(_ stream: OpaquePointer!, _ filter: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    try stream.removeFilter(Handles.instance(filter, "filter"))
  }
}

@c @implementation
public func msdk_incoming_video_request_key_frame(_ stream: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.incoming(stream).requestKeyFrame() }
}

@c @implementation
public func msdk_incoming_video_set_preference(
  _ stream: OpaquePointer!, _ preference: UnsafePointer<msdk_video_preference>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stream = try Handles.incoming(stream)
    guard let preference else { return try stream.setPreference(.any) }
    let native = try ForeignStruct.read(preference, argument: "preference")
    var wanted = VideoPreference(width: native.width, height: native.height)
    switch native.priority {
    case UInt32(MSDK_PRIORITY_MEDIUM): wanted.priority = .medium
    case UInt32(MSDK_PRIORITY_HIGH): wanted.priority = .high
    case UInt32(MSDK_PRIORITY_LOW): wanted.priority = .low
    case UInt32(MSDK_PRIORITY_VERY_LOW): wanted.priority = .veryLow
    case let other: throw MediaError(.unsupported, "preference.priority is \(other); accepted: MSDK_PRIORITY_*")
    }
    if native.fps_num != 0 || native.fps_den != 0 { wanted.frameRate = FrameRate(native.fps_num, native.fps_den) }
    try stream.setPreference(wanted)
  }
}

@c @implementation
public func msdk_incoming_video_get_stats(
  _ stream: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_incoming_video_stats>!
) -> msdk_result {
  face { () throws(MediaError) in
    let stats = try Handles.incoming(stream).stats
    let counters = stats.counters
    var native = msdk_incoming_video_stats()
    native.state = stats.state.rawValue
    native.width = counters.width
    native.height = counters.height
    native.frames_per_second = stats.framesPerSecond
    native.frames_received = counters.received
    native.frames_lost = counters.lost
    native.frames_decoded = counters.decoded
    native.key_frames_decoded = counters.keyDecoded
    native.frames_corrupt = counters.corrupt
    native.frames_skipped = counters.skipped
    native.frames_delivered = counters.delivered
    native.frames_dropped = counters.dropped
    native.bytes_received = counters.bytesReceived
    native.key_frames_requested = counters.keyFramesRequested
    native.total_decode_time_ns = Int64(clamping: counters.totalDecodeTime)
    native.total_filter_time_ns = Int64(clamping: counters.totalFilterTime)
    native.freeze_count = counters.freezes
    native.frames_rendered = counters.rendered
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}
