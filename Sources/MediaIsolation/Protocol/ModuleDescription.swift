import CMediaSDK
import MediaCore
import MediaPlugins

/// What a module says of itself, as a process that loaded it tells it to one that does not. Written from tables that were checked; read as what it
/// is, foreign, into tables that are checked again.
public enum ModuleDescription {
  /// A bit for each function that a class need not have.
  public enum Function: UInt32 {
    case setParam = 0, getParam, paramChoice
    case captureSettings, enumFormats, produceFrame
    case acceptsFormat, flush, snapshot, acceptsCodec, inputs
    case audioSettings, produceAudio
    case renderAudio, delay, acceptsAudioCodec
    case filterFormat, filterFlush, filterDelay, audioFilterFlush
    case produceEncoded, requestKeyFrame
  }

  public static func write(_ loaded: LoadedModule, to writer: inout WireWriter) {
    let module = loaded.module
    for text in [module.vendor, module.version, module.license, module.url] { writer.put(text: text) }
    writer.put(UInt32(loaded.classes.count))
    for descriptor in loaded.classes { write(descriptor, to: &writer) }
  }

  private static func write(_ descriptor: ClassDescriptor, to writer: inout WireWriter) {
    for text in [descriptor.id, descriptor.name, descriptor.summary] { writer.put(text: text) }
    writer.put(descriptor.kinds)
    writer.put(descriptor.flags)
    writer.put(descriptor.producer?.flags ?? 0)
    writer.put(descriptor.producer?.codec ?? 0)
    writer.put(descriptor.audioProducer?.flags ?? 0)
    writer.put(functions(descriptor).reduce(UInt32(0)) { $0 | 1 << $1.rawValue })
    writer.put(UInt32(descriptor.parameters.count))
    for parameter in descriptor.parameters {
      writer.put(text: parameter.name)
      writer.put(text: parameter.summary)
      writer.put(parameter.flags)
      writer.put(value: parameter.defaultValue)
      write(parameter.bounds, parameter.choices, to: &writer)
    }
    writer.put(UInt32(descriptor.commands.count))
    for command in descriptor.commands { write(command, to: &writer) }
    CodecDescription.write(descriptor, to: &writer)
  }

  private static func functions(_ descriptor: ClassDescriptor) -> [Function] {
    let (producer, renderer) = (descriptor.producer, descriptor.renderer)
    let (audioProducer, audioRenderer) = (descriptor.audioProducer, descriptor.audioRenderer)
    let (filter, audioFilter) = (descriptor.videoFilter, descriptor.audioFilter)
    let all: [(Function, Bool)] = [
      (.setParam, descriptor.table.set_param != nil), (.getParam, descriptor.table.get_param != nil),
      (.paramChoice, descriptor.table.param_choice != nil), (.captureSettings, producer?.capture_settings != nil),
      (.enumFormats, producer?.enum_formats != nil), (.produceFrame, producer?.produce_frame != nil),
      (.acceptsFormat, renderer?.accepts_format != nil), (.flush, renderer?.flush != nil),
      (.snapshot, renderer?.snapshot != nil && renderer?.snapshot_format != nil), (.acceptsCodec, renderer?.accepts_codec != nil),
      (.inputs, renderer?.update_input != nil), (.audioSettings, audioProducer?.capture_settings != nil),
      (.produceAudio, audioProducer?.produce_frame != nil), (.renderAudio, audioRenderer?.render_audio_frame != nil),
      (.delay, audioRenderer?.render_delay_ns != nil), (.acceptsAudioCodec, audioRenderer?.accepts_codec != nil),
      (.filterFormat, filter?.set_format != nil), (.filterFlush, filter?.flush != nil), (.filterDelay, audioFilter?.delay_ns != nil),
      (.audioFilterFlush, audioFilter?.flush != nil), (.produceEncoded, producer?.produce_encoded_frame != nil),
      (.requestKeyFrame, producer?.request_key_frame != nil)
    ]
    return all.filter(\.1).map(\.0)
  }

  // MARK: Reading

  private static let most: UInt32 = 1_024

  public static func count(_ reader: inout WireReader) throws(MediaError) -> Int {
    let count = try reader.get(UInt32.self)
    guard count <= most else { throw MediaError(.corrupt, "a list of a module's description has \(count) entries") }
    return Int(count)
  }

  /// The module, whose tables live as long as the process does, as those of loaded ones do.
  package static func read(_ reader: inout WireReader, path: String, headers: any EncodedHeaders) throws(MediaError) -> LoadedModule {
    var module = msdk_module()
    module.struct_size = UInt32(MemoryLayout<msdk_module>.size)
    module.abi_minor = UInt32(MSDK_ABI_MINOR)
    module.vendor = try text(&reader)
    module.version = try text(&reader)
    module.license = try text(&reader)
    module.url = try text(&reader)
    var classes: [UnsafePointer<msdk_class>?] = []
    for _ in 0..<(try count(&reader)) { classes.append(try readClass(&reader)) }
    (module.classes, module.class_count) = (kept(classes), UInt32(classes.count))
    return try LoadedModule(kept([module]), path: path, isLoaded: false, headers: headers)
  }

  private static func readClass(_ reader: inout WireReader) throws(MediaError) -> UnsafePointer<msdk_class> {
    var table = msdk_class()
    table.struct_size = UInt32(MemoryLayout<msdk_class>.size)
    table.id = try text(&reader)
    table.name = try text(&reader)
    table.summary = try text(&reader)
    table.kinds = try reader.get()
    table.flags = try reader.get()
    let (producerFlags, producerCodec) = (try reader.get(UInt32.self), try reader.get(UInt32.self))
    let audioFlags = try reader.get(UInt32.self)
    let functions = try reader.get(UInt32.self)
    func has(_ function: Function) -> Bool { functions & 1 << function.rawValue != 0 }
    table.create = { _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.destroy = { _ in }
    if has(.setParam) { table.set_param = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if has(.getParam) { table.get_param = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if has(.paramChoice) { table.param_choice = { _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    var parameters: [msdk_param] = []
    for _ in 0..<(try count(&reader)) { parameters.append(try readParameter(&reader)) }
    if !parameters.isEmpty {
      table.param_count = UInt32(parameters.count)
      table.params = kept(parameters)
    }
    try readCommands(&reader, into: &table)
    table.video_filter = kept([videoFilter(has)])
    table.audio_filter = kept([audioFilter(has)])
    try CodecDescription.read(&reader, into: &table)
    table.video_producer = kept([producer(producerFlags, producerCodec, has)])
    table.video_renderer = kept([renderer(has)])
    table.audio_producer = kept([audioProducer(audioFlags, has)])
    table.audio_renderer = kept([audioRenderer(has)])
    return kept([table])
  }

  private static func readParameter(_ reader: inout WireReader) throws(MediaError) -> msdk_param {
    var parameter = msdk_param()
    parameter.struct_size = UInt32(MemoryLayout<msdk_param>.size)
    parameter.name = try text(&reader)
    parameter.summary = try text(&reader)
    parameter.flags = try reader.get()
    parameter.def = kept(try reader.getValue())
    (parameter.min, parameter.max) = (try bound(&reader), try bound(&reader))
    (parameter.choices, parameter.choice_count) = try choices(&reader)
    return parameter
  }

  /// What a parameter or an argument accepts.
  public static func write(_ bounds: ValueBounds?, _ choices: [String]?, to writer: inout WireWriter) {
    for bound in [bounds?.least, bounds?.most] {
      writer.put(UInt32(bound == nil ? 0 : 1))
      if let bound { writer.put(value: bound) }
    }
    writer.put(UInt32(choices?.count ?? 0))
    for choice in choices ?? [] { writer.put(text: choice) }
  }

  public static func bound(_ reader: inout WireReader) throws(MediaError) -> msdk_value {
    try reader.get(UInt32.self) == 1 ? kept(try reader.getValue()) : msdk_value()
  }

  public static func choices(_ reader: inout WireReader) throws(MediaError) -> (UnsafePointer<UnsafePointer<CChar>?>?, UInt32) {
    let choiceCount = try count(&reader)
    guard choiceCount > 0 else { return (nil, 0) }
    var choices: [UnsafePointer<CChar>?] = []
    for _ in 0..<choiceCount { choices.append(try text(&reader)) }
    return (kept(choices), UInt32(choiceCount))
  }

  // What is not there is told apart by NULL; what is there is a twin's to replace (`ProxyTables`).
  private static let call: @convention(c) (OpaquePointer?) -> msdk_result = { _ in msdk_result(MSDK_E_UNSUPPORTED) }
  private static let question: @convention(c) (OpaquePointer?, UInt32) -> Int32 = { _, _ in 0 }
  private static let packet: @convention(c) (OpaquePointer?, UnsafePointer<msdk_encoded_frame>?) -> msdk_result = { _, _ in
    msdk_result(MSDK_E_UNSUPPORTED)
  }

  private static func producer(_ flags: UInt32, _ codec: UInt32, _ has: (Function) -> Bool) -> msdk_video_producer {
    var table = msdk_video_producer()
    table.struct_size = UInt32(MemoryLayout<msdk_video_producer>.size)
    (table.flags, table.codec) = (flags, codec)
    (table.init_capture, table.release_capture, table.start_capture, table.stop_capture) = (call, call, call, call)
    table.set_format = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    if has(.captureSettings) { table.capture_settings = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if has(.enumFormats) { table.enum_formats = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if has(.produceFrame) { table.produce_frame = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if has(.produceEncoded) { table.produce_encoded_frame = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if has(.requestKeyFrame) { table.request_key_frame = call }
    return table
  }

  private static func renderer(_ has: (Function) -> Bool) -> msdk_video_renderer {
    var table = msdk_video_renderer()
    table.struct_size = UInt32(MemoryLayout<msdk_video_renderer>.size)
    (table.init_render, table.release_render) = (call, call)
    table.render_video_frame = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    if has(.acceptsFormat) { table.accepts_format = { _, _ in 0 } }
    if has(.flush) { table.flush = call }
    if has(.snapshot) {
      table.snapshot_format = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
      table.snapshot = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    }
    if has(.acceptsCodec) { (table.accepts_codec, table.render_encoded_frame) = (question, packet) }
    if has(.inputs) {
      table.update_input = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
      table.remove_input = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
      table.render_input_frame = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    }
    return table
  }

  private static func audioProducer(_ flags: UInt32, _ has: (Function) -> Bool) -> msdk_audio_producer {
    var table = msdk_audio_producer()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_producer>.size)
    table.flags = flags
    (table.init_capture, table.release_capture, table.start_capture, table.stop_capture) = (call, call, call, call)
    table.set_format = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    if has(.audioSettings) { table.capture_settings = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if has(.produceAudio) { table.produce_frame = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    return table
  }

  private static func audioRenderer(_ has: (Function) -> Bool) -> msdk_audio_renderer {
    var table = msdk_audio_renderer()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_renderer>.size)
    (table.init_render, table.release_render, table.start_render, table.stop_render) = (call, call, call, call)
    if has(.renderAudio) { table.render_audio_frame = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if has(.delay) { table.render_delay_ns = { _ in 0 } }
    if has(.acceptsAudioCodec) { (table.accepts_codec, table.render_encoded_frame) = (question, packet) }
    return table
  }

  // MARK: Memory that stays

  public static func kept<T>(_ values: [T]) -> UnsafePointer<T> {
    UnsafePointer(KeptMemory.copy(values))
  }

  public static func kept(_ value: ParameterValue) -> msdk_value {
    var native = value.withForeign { $0.pointee }
    switch value {
    case .string(let text): native.u.str = UnsafePointer(kept(text))
    case .bytes(let bytes):
      native.u.bytes = msdk_bytes(data: bytes.isEmpty ? nil : UnsafeRawPointer(kept(bytes)), size: UInt64(bytes.count))
    default: break
    }
    return native
  }

  public static func kept(_ text: String) -> UnsafePointer<CChar> {
    kept(text.utf8.map { CChar(bitPattern: $0) } + [0])
  }

  public static func text(_ reader: inout WireReader) throws(MediaError) -> UnsafePointer<CChar> {
    kept(try reader.getText())
  }
}
