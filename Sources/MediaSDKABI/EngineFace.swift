import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK

// engine.h

private let longestPath = 4095

@c @implementation
public func msdk_engine_create(
  _ options: UnsafePointer<msdk_engine_options>!, _ out: UnsafeMutablePointer<OpaquePointer?>!
) -> msdk_result {
  face { () throws(MediaError) in
    _ = Fork.watch
    let out = try required(out, "out")
    var settings = EngineOptions()
    if let options {
      let native = try ForeignStruct.read(options, argument: "options")
      guard native.clock <= UInt32(MSDK_CLOCK_VIRTUAL) else {
        throw MediaError(.unsupported, "options.clock is \(native.clock); accepted: MSDK_CLOCK_SYSTEM, MSDK_CLOCK_VIRTUAL")
      }
      try ForeignStruct.checkReserved(native.reserved0, "options.reserved0")
      settings.isVirtualClock = native.clock == UInt32(MSDK_CLOCK_VIRTUAL)
      settings.ignoresEnvironment = try flag(native.ignore_environment, "options.ignore_environment")
    }
    guard EngineCount.shared.add() else { throw MediaError(.full, "\(EngineCount.limit) engines are alive in this process") }
    let engine = Engine(settings)
    try Handles.publish(engine.handle.handle(of: engine), to: out) {
      engine.close()
      EngineCount.shared.remove()
    }
  }
}

@c @implementation
public func msdk_engine_destroy(_ engine: OpaquePointer!) {
  guard !Fork.isChild, let object = HandleTable.shared.remove(engine, .engine) else { return }
  unsafeDowncast(object, to: Engine.self).close()
  EngineCount.shared.remove()
}

@c @implementation
public func msdk_engine_now(_ engine: OpaquePointer!) -> Int64 {
  var now: Int64 = 0
  _ = face { () throws(MediaError) in now = try Handles.engine(engine).now() }
  return now
}

@c @implementation
public func msdk_engine_advance_clock(_ engine: OpaquePointer!, _ nanoseconds: Int64) -> msdk_result {
  face { () throws(MediaError) in try Handles.engine(engine).advanceClock(by: nanoseconds) }
}

// MARK: Log

@c @implementation
public func msdk_engine_set_log_level(_ engine: OpaquePointer!, _ level: Int32) -> msdk_result {
  face { () throws(MediaError) in try Handles.engine(engine).logger.set(level: checkedLogLevel(level)) }
}

@c @implementation
public func msdk_engine_next_log_record(
  _ engine: OpaquePointer!, _ timeout: UInt32, _ out: UnsafeMutablePointer<msdk_log_record>!
) -> msdk_result {
  face { () throws(MediaError) in
    let logger = try Handles.engine(engine).logger
    let out = try required(out, "out")
    // A struct that cannot be filled must not cost a record.
    try ForeignStruct.check(out, argument: "out")
    let record = try pulled(timeout) { deadline throws(MediaError) in try logger.next(deadline: deadline) }
    try ForeignStruct.write(record.foreign, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_engine_get_log_fd(_ engine: OpaquePointer!, _ out: UnsafeMutablePointer<Int32>!) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    try required(out, "out").pointee = try engine.logger.descriptor()
  }
}

@c @implementation
public func msdk_engine_set_log_callback(
  _ engine: OpaquePointer!, _ level: Int32, _ callback: msdk_log_fn!, _ user: UnsafeMutableRawPointer!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let level = try checkedLogLevel(level)
    guard let callback else { return engine.logger.set(level: level, callback: nil) }
    let user = ForeignUser(pointer: user)
    engine.logger.set(level: level) { record in withUnsafePointer(to: record.foreign) { callback(user.pointer, $0) } }
  }
}

private func checkedLogLevel(_ level: Int32) throws(MediaError) -> Int32 {
  guard (0...Int32(MSDK_LOG_NONE)).contains(level) else {
    throw MediaError(.unsupported, "level is \(level); accepted: MSDK_LOG_DEBUG..MSDK_LOG_NONE, 0..4")
  }
  return level
}

extension LogRecord {
  fileprivate var foreign: msdk_log_record {
    var native = msdk_log_record()
    native.struct_size = UInt32(MemoryLayout<msdk_log_record>.size)
    native.level = level
    native.timestamp_ns = time
    native.dropped = dropped
    withUnsafeMutableBytes(of: &native.category) { ForeignText.write(category.rawValue, to: $0) }
    withUnsafeMutableBytes(of: &native.text) { ForeignText.write(text, to: $0) }
    return native
  }
}

// MARK: Plugins

@c @implementation
public func msdk_engine_load_plugin(_ engine: OpaquePointer!, _ path: UnsafePointer<CChar>!) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    try engine.plugins.load(ForeignText.read(path, limit: longestPath, argument: "path"))
  }
}

@c @implementation
public func msdk_engine_add_plugin_dir(
  _ engine: OpaquePointer!, _ path: UnsafePointer<CChar>!, _ loaded: UnsafeMutablePointer<UInt32>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let count = try engine.loadPlugins(in: ForeignText.read(path, limit: longestPath, argument: "path"))
    loaded?.pointee = UInt32(clamping: count)
  }
}

@c @implementation
public func msdk_engine_load_default_plugins(_ engine: OpaquePointer!, _ loaded: UnsafeMutablePointer<UInt32>!) -> msdk_result {
  face { () throws(MediaError) in
    let count = try Handles.engine(engine).loadDefaultPlugins()
    loaded?.pointee = UInt32(clamping: count)
  }
}

@c @implementation
public func msdk_engine_register_module(_ engine: OpaquePointer!, _ module: UnsafePointer<msdk_module>!) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    try engine.plugins.register(required(module, "module"))
  }
}

@c @implementation
public func msdk_engine_class_at(
  _ engine: OpaquePointer!, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_class_info>!
) -> msdk_result {
  face { () throws(MediaError) in
    let classes = try Handles.engine(engine).plugins.listed
    let out = try required(out, "out")
    guard index < classes.count else { throw MediaError(.notFound, "index is \(index); there are \(classes.count) classes") }
    let descriptor = classes[Int(index)]
    let strings = descriptor.strings
    var info = msdk_class_info()
    info.kinds = descriptor.kinds
    info.flags = descriptor.flags
    info.param_count = UInt32(descriptor.parameters.count)
    info.id = strings.string(descriptor.id)
    info.name = strings.string(descriptor.name)
    info.summary = strings.string(descriptor.summary)
    info.module_path = strings.string(descriptor.module.path)
    info.module_vendor = strings.string(descriptor.module.vendor)
    info.module_version = strings.string(descriptor.module.version)
    info.module_license = strings.string(descriptor.module.license)
    info.module_url = strings.string(descriptor.module.url)
    try ForeignStruct.write(info, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_engine_class_param_at(
  _ engine: OpaquePointer!, _ classID: UnsafePointer<CChar>!, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_param>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let descriptor = try engine.plugins.descriptor(ForeignText.read(classID, limit: 127, argument: "class_id"))
    let out = try required(out, "out")
    guard index < descriptor.parameters.count else {
      throw MediaError(.notFound, "index is \(index); class \(descriptor.id) has \(descriptor.parameters.count) parameters")
    }
    try ForeignStruct.write(descriptor.parameters[Int(index)].foreign(descriptor.strings), to: out, argument: "out")
  }
}

@c @implementation
public func msdk_engine_class_command_at(
  _ engine: OpaquePointer!, _ classID: UnsafePointer<CChar>!, _ index: UInt32, _ out: UnsafeMutablePointer<msdk_command>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let descriptor = try engine.plugins.descriptor(ForeignText.read(classID, limit: 127, argument: "class_id"))
    let out = try required(out, "out")
    guard index < descriptor.commands.count else {
      throw MediaError(.notFound, "index is \(index); class \(descriptor.id) has \(descriptor.commands.count) commands")
    }
    try ForeignStruct.write(descriptor.commands[Int(index)].table.foreign, to: out, argument: "out")
  }
}

@c @implementation
public func msdk_engine_set_codec_param(
  _ engine: OpaquePointer!, _ classID: UnsafePointer<CChar>!, _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<msdk_value>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let classID = try ForeignText.read(classID, limit: 127, argument: "class_id")
    let name = try ForeignText.read(name, limit: 255, argument: "name")
    guard let value else { return try engine.setCodecParameter(classID, name, nil) }
    try engine.setCodecParameter(classID, name, ParameterValue(foreign: value.pointee, argument: "value of \"\(name)\""))
  }
}

@c @implementation
public func msdk_engine_set_codec_param_text(
  _ engine: OpaquePointer!, _ classID: UnsafePointer<CChar>!, _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!
) -> msdk_result {
  face { () throws(MediaError) in
    let engine = try Handles.engine(engine)
    let classID = try ForeignText.read(classID, limit: 127, argument: "class_id")
    let name = try ForeignText.read(name, limit: 255, argument: "name")
    guard let value else { return try engine.setCodecParameter(classID, name, nil) }
    try engine.setCodecParameter(
      classID, name, text: ForeignText.read(value, limit: ParameterValue.longestText, argument: "text"))
  }
}

extension ParameterDescriptor {
  fileprivate func foreign(_ strings: CStringArena) -> msdk_param {
    var param = msdk_param()
    param.flags = flags
    param.name = strings.string(name)
    param.summary = strings.string(summary)
    shownDefault.withForeign { param.def = $0.pointee }
    switch shownDefault {
    case .string(let text): param.def.u.str = strings.string(text)
    case .bytes: param.def.u.bytes = msdk_bytes()
    default: break
    }
    param.min = bounds?.least?.withForeign { $0.pointee } ?? msdk_value()
    param.max = bounds?.most?.withForeign { $0.pointee } ?? msdk_value()
    if let choices { (param.choices, param.choice_count) = (strings.list(choices), UInt32(choices.count)) }
    return param
  }
}

// MARK: Stats

@c @implementation
public func msdk_engine_get_stats(_ engine: OpaquePointer!, _ out: UnsafeMutablePointer<msdk_engine_stats>!) -> msdk_result {
  face { () throws(MediaError) in
    let stats = try Handles.engine(engine).stats
    var native = msdk_engine_stats()
    native.sessions = UInt32(clamping: stats.sessions)
    native.outgoing_videos = UInt32(clamping: stats.outgoingVideos)
    native.incoming_videos = UInt32(clamping: stats.incomingVideos)
    native.instances = UInt32(clamping: stats.instances)
    native.threads = UInt32(clamping: stats.threads)
    native.frames = UInt32(clamping: stats.frames)
    native.encoded_frames = UInt32(clamping: stats.encodedFrames)
    native.outgoing_audios = UInt32(clamping: stats.outgoingAudios)
    native.incoming_audios = UInt32(clamping: stats.incomingAudios)
    native.audio_frames = UInt32(clamping: stats.audioFrames)
    native.log_dropped = stats.logDropped
    try ForeignStruct.write(native, to: required(out, "out"), argument: "out")
  }
}

/// How many engines there are in the process.
private final class EngineCount: Sendable {
  static let shared = EngineCount()
  static let limit = 256
  private let count = Monitor(0)

  func add() -> Bool {
    count.withLock { count in
      guard count < EngineCount.limit else { return false }
      count += 1
      return true
    }
  }

  func remove() {
    count.withLock { $0 -= 1 }
  }
}
