import CMediaSDK
import MediaCore
import MediaIsolation
import MediaPlugins
import MediaSDK

// instance.h

private func text(_ pointer: UnsafePointer<CChar>?, _ name: String) throws(MediaError) -> String {
  try ForeignText.read(pointer, limit: Int(MSDK_TEXT_MAX), argument: name)
}

@c @implementation
public func msdk_instance_create(
  _ engine: OpaquePointer!, _ classID: UnsafePointer<CChar>!, _ options: UnsafePointer<msdk_instance_options>!,
  _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let out = try required(out, "out")
    let classID = try text(classID, "class_id")
    let options = try instanceOptions(options)
    let instance = try engine.makeInstance(classID, options)
    try Handles.publish(instance.handle.handle(of: instance), to: out) { instance.destroy() }
  }
}

private func instanceOptions(_ pointer: UnsafePointer<msdk_instance_options>?) throws(MediaError) -> InstanceOptions {
  var options = InstanceOptions()
  guard let pointer else { return options }
  let given = try ForeignStruct.read(pointer, argument: "options")
  options.isolation = try choice(given.isolation, "options.isolation", "MSDK_ISOLATION_*, 0..2")
  func has(_ flag: Int) -> Bool { given.flags & UInt32(flag) != 0 }
  guard given.flags & ~UInt32(MSDK_ISOLATED_MAY_FORK | MSDK_ISOLATED_NO_NETWORK | MSDK_ISOLATED_READ_ONLY) == 0 else {
    throw MediaError(.unsupported, "options.flags is \(given.flags); accepted: a sum of MSDK_ISOLATED_*, 0..7")
  }
  options.mayFork = has(MSDK_ISOLATED_MAY_FORK)
  options.hasNoNetwork = has(MSDK_ISOLATED_NO_NETWORK)
  options.isReadOnly = has(MSDK_ISOLATED_READ_ONLY)
  func within(_ value: UInt32, _ range: ClosedRange<UInt32>, _ name: StaticString) throws(MediaError) -> UInt32? {
    guard value != 0 else { return nil }
    guard range.contains(value) else {
      throw MediaError(.range, "options.\(name) is \(value); accepted: 0, \(range.lowerBound)..\(range.upperBound)")
    }
    return value
  }
  options.controlDeadline = try within(given.control_deadline_ms, 10...600_000, "control_deadline_ms") ?? options.controlDeadline
  options.mediaDeadline = try within(given.media_deadline_ms, 10...600_000, "media_deadline_ms") ?? options.mediaDeadline
  if given.memory_max_mb == .max {
    options.memory = nil
  } else {
    options.memory = try within(given.memory_max_mb, 256...1_048_576, "memory_max_mb") ?? options.memory
  }
  options.processorTime = try within(given.cpu_max_s, 1...86_400, "cpu_max_s")
  options.restarts = try within(given.restarts_max, 1...1_000_000, "restarts_max")
  return options
}

@c @implementation
public func msdk_instance_get_isolation(_ instance: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_instance_isolation>!) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    var native = msdk_instance_isolation()
    native.is_isolated = instance.isIsolated ? 1 : 0
    native.containment = instance.containment.rawValue
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}

@c @implementation
public func msdk_instance_destroy(_ instance: OpaquePointer!) {
  guard !Fork.isChild, let object = HandleTable.shared.remove(instance, .instance) else { return }
  unsafeDowncast(object, to: PluginInstance.self).destroy()
}

// MARK: Parameters

@c @implementation
public func msdk_instance_set_param(
  _ instance: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<msdk_value>!
) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    let name = try text(name, "name")
    try instance.setParameter(name, ParameterValue(foreign: required(value, "value").pointee, argument: "value of \"\(name)\""))
  }
}

@c @implementation
public func msdk_instance_set_param_text(
  _ instance: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!
) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    let name = try text(name, "name")
    try instance.setParameter(name, text: ForeignText.read(value, limit: ParameterValue.longestText, argument: "text"))
  }
}

@c @implementation
public func msdk_instance_get_param(
  _ instance: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ out: UnsafeMutablePointer<msdk_value>!, _ buffer: UnsafeMutableRawPointer!,
  _ size: UInt64, _ needed: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    let name = try text(name, "name")
    let out = try required(out, "out")
    let value = try instance.parameter(name)
    let bytes: [UInt8]
    switch value {
    case .string(let text): bytes = Array(text.utf8) + [0]
    case .bytes(let data): bytes = data
    default:
      needed?.pointee = 0
      value.withForeign { out.pointee = $0.pointee }
      return
    }
    needed?.pointee = UInt64(bytes.count)
    guard UInt64(bytes.count) <= size, let buffer else {
      throw MediaError(.bufferSmall, "size is \(buffer == nil ? 0 : size); parameter \"\(name)\" needs \(bytes.count) bytes")
    }
    buffer.copyMemory(from: bytes, byteCount: bytes.count)
    var native = msdk_value()
    native.type = value.type.rawValue
    if case .string = value {
      native.u.str = UnsafePointer(buffer.assumingMemoryBound(to: CChar.self))
    } else {
      native.u.bytes = msdk_bytes(data: buffer, size: UInt64(bytes.count))
    }
    out.pointee = native
  }
}

@c @implementation
public func msdk_instance_param_choice_at(
  _ instance: OpaquePointer!, _ name: UnsafePointer<CChar>!, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_choice>!,
  _ buffer: UnsafeMutableRawPointer!, _ size: UInt64, _ needed: UnsafeMutablePointer<UInt64>!
) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    let name = try text(name, "name")
    let out = try required(out, "out")
    guard let choice = try instance.choice(of: name, at: index) else {
      throw MediaError(.notFound, "index is \(index), past the last choice of \"\(name)\"")
    }
    let value = Array(choice.value.utf8) + [0]
    let bytes = value + Array(choice.label.utf8) + [0]
    needed?.pointee = UInt64(bytes.count)
    guard UInt64(bytes.count) <= size, let buffer else {
      throw MediaError(.bufferSmall, "size is \(buffer == nil ? 0 : size); choice \(index) of \"\(name)\" needs \(bytes.count) bytes")
    }
    buffer.copyMemory(from: bytes, byteCount: bytes.count)
    let start = buffer.assumingMemoryBound(to: CChar.self)
    var native = msdk_choice()
    native.value = UnsafePointer(start)
    native.label = UnsafePointer(start + value.count)
    try ForeignStruct.write(native, to: out, argument: "out")
  }
}

// MARK: Events

@c @implementation
public func msdk_instance_next_event(
  _ instance: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<msdk_instance_event>!
) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    let out = try required(out, "out")
    // A struct that cannot be filled must not cost an event.
    try ForeignStruct.check(out, argument: "out")
    let event = try pulled(timeout) { deadline throws(MediaError) in try instance.events.next(deadline: deadline) }
    try ForeignStruct.write(event.foreign(of: instance), to: out, argument: "out")
  }
}

@c @implementation
public func msdk_instance_get_event_fd(_ instance: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    try required(out, "out").pointee = try instance.events.descriptor()
  }
}

@c @implementation
public func msdk_instance_set_event_callback(
  _ instance: OpaquePointer!, _ callback: msdk_instance_event_fn!, _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    guard let callback else { return try instance.events.setCallback(nil) }
    let user = ForeignUser(pointer: user)
    try instance.events.setCallback { [weak instance] event in
      guard let instance else { return }
      var native = event.foreign(of: instance)
      callback(user.pointer, &native)
    }
  }
}

extension InstanceEvents.Event {
  fileprivate func foreign(of instance: PluginInstance) -> msdk_instance_event {
    var native = msdk_instance_event()
    native.struct_size = UInt32(MemoryLayout<msdk_instance_event>.size)
    native.event = event
    native.status = status?.rawValue ?? msdk_result(MSDK_OK)
    native.flags = isAfterLoss ? UInt32(MSDK_EVENT_FLAG_LOST) : 0
    native.timestamp_ns = time
    native.instance = instance.handle.handle(of: instance)
    withUnsafeMutableBytes(of: &native.text) { ForeignText.write(text, to: $0) }
    return native
  }
}

// MARK: States

@c @implementation
public func msdk_instance_get_state(_ instance: OpaquePointer!, _ kind: UInt32, _ out: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let instance = try Handles.instance(instance)
    let out = try required(out, "out")
    out.pointee = try instance.phase(of: kind).rawValue
  }
}

@c @implementation
public func msdk_instance_format_at(
  _ producer: OpaquePointer!, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_video_format>!
) -> msdk_result {
  face { () throws(MediaError) in
    let producer = try Handles.instance(producer, "producer")
    let out = try required(out, "out")
    guard let format = try producer.producerFormat(at: index) else {
      throw MediaError(.notFound, "index is \(index), past the last format of \(producer.descriptor.id)")
    }
    try ForeignStruct.write(format.foreign, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_instance_get_audio_format(_ producer: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_audio_format>!) -> msdk_result {
  face { () throws(MediaError) in
    let producer = try Handles.instance(producer, "producer")
    let out = try required(out, "out")
    guard let format = try producer.audioCaptureSettings() else {
      throw MediaError(.unsupported, "class \(producer.descriptor.id) does not report what it makes")
    }
    try ForeignStruct.write(format.foreign, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_instance_attach_renderer(_ filter: OpaquePointer!, _ renderer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let filter = try Handles.instance(filter, "filter")
    try filter.attachDownstream(Handles.instance(renderer, "renderer"))
  }
}

@c @implementation
public func msdk_instance_detach_renderer(_ filter: OpaquePointer!, _ renderer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in
    let filter = try Handles.instance(filter, "filter")
    try filter.detachDownstream(Handles.instance(renderer, "renderer"))
  }
}

@c @implementation
public func msdk_instance_render(_ renderer: OpaquePointer!, _ frame: UnsafePointer<msdk_video_frame>!) -> msdk_result {
  face { () throws(MediaError) in
    let renderer = try Handles.instance(renderer, "renderer")
    let frame = try VideoFrame.checked(foreign: frame)
    defer { frame.release() }
    try renderer.render(frame, from: nil)
  }
}

@c @implementation
public func msdk_instance_render_audio(_ renderer: OpaquePointer!, _ frame: UnsafePointer<msdk_audio_frame>!) -> msdk_result {
  face { () throws(MediaError) in
    let renderer = try Handles.instance(renderer, "renderer")
    let frame = try AudioFrame.checked(foreign: frame)
    defer { frame.release() }
    try renderer.render(frame, from: nil)
  }
}

// MARK: Pulling

@c @implementation
public func msdk_instance_start_pull(
  _ producer: OpaquePointer!, _ format: UnsafePointer<msdk_video_format>!, _ options: UnsafePointer<msdk_video_pull_options>!
) -> msdk_result {
  face { () throws(MediaError) in
    let producer = try Handles.instance(producer, "producer")
    var wanted: VideoFormat?
    if let format { wanted = try VideoFormat(checking: ForeignStruct.read(format, argument: "format"), argument: "format") }
    var pull = VideoPullOptions()
    if let options {
      let given = try ForeignStruct.read(options, argument: "options")
      pull.queueCapacity = Int(given.queue_capacity)
      pull.queuePolicy = try choice(given.queue_policy, "options.queue_policy", "MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST")
      try ForeignStruct.checkReserved(given.reserved0, "options.reserved0")
    }
    try producer.startPull(wanted, pull)
  }
}

@c @implementation
public func msdk_instance_start_pull_audio(
  _ producer: OpaquePointer!, _ format: UnsafePointer<msdk_audio_format>!, _ options: UnsafePointer<msdk_audio_pull_options>!
) -> msdk_result {
  face { () throws(MediaError) in
    let producer = try Handles.instance(producer, "producer")
    var wanted: AudioFormat?
    if let format { wanted = try AudioFormat(checking: ForeignStruct.read(format, argument: "format"), argument: "format") }
    var pull = AudioPullOptions()
    if let options {
      let given = try ForeignStruct.read(options, argument: "options")
      if given.queue_ms != 0 { pull.queueMilliseconds = given.queue_ms }
      pull.queuePolicy = try choice(given.queue_policy, "options.queue_policy", "MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST")
      try ForeignStruct.checkReserved(given.reserved0, "options.reserved0")
    }
    try producer.startAudioPull(wanted, pull)
  }
}

@c @implementation
public func msdk_instance_stop_pull(_ producer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.instance(producer, "producer").stopPull() }
}

@c @implementation
public func msdk_instance_stop_pull_audio(_ producer: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.instance(producer, "producer").stopAudioPull() }
}

@c @implementation
public func msdk_instance_read(
  _ producer: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let producer = try Handles.instance(producer, "producer")
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try producer.read(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_instance_read_audio(
  _ producer: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_audio_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let producer = try Handles.instance(producer, "producer")
    let out = try required(out, "out")
    out.pointee = try pulled(timeout) { deadline throws(MediaError) in try producer.readAudio(deadline: deadline) }.native
  }
}

@c @implementation
public func msdk_instance_get_fd(_ producer: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let producer = try Handles.instance(producer, "producer")
    try required(out, "out").pointee = try producer.pullDescriptor()
  }
}

@c @implementation
public func msdk_instance_get_fd_audio(_ producer: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let producer = try Handles.instance(producer, "producer")
    try required(out, "out").pointee = try producer.audioPullDescriptor()
  }
}

@c @implementation
public func msdk_instance_release(_ instance: OpaquePointer!) -> msdk_result {
  face { () throws(MediaError) in try Handles.instance(instance).release() }
}

@c @implementation
public func msdk_instance_snapshot(
  _ renderer: OpaquePointer!, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>!
) -> msdk_result {
  face { () throws(MediaError) in
    let renderer = try Handles.instance(renderer, "renderer")
    let out = try required(out, "out")
    out.pointee = try renderer.snapshot().native
  }
}
