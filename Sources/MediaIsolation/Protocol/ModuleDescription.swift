import CMediaSDK
import MediaCore
import MediaPlugins

/// What a module says of itself, from a process that loaded it to one that does not. Written from tables that were checked; read as what it is,
/// foreign, into tables that are checked again.
public enum ModuleDescription {
  /// Of a class itself.
  private static let setParam = UInt32(1), getParam = UInt32(2), paramChoice = UInt32(4)

  /// For `read` in the other process.
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
    let table = descriptor.table
    writer.put(
      (table.set_param == nil ? 0 : setParam) | (table.get_param == nil ? 0 : getParam) | (table.param_choice == nil ? 0 : paramChoice))
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
    ClassTables.write(descriptor, to: &writer)
  }

  // MARK: Reading

  private static let most: UInt32 = 1_024

  static func count(_ reader: inout WireReader) throws(MediaError) -> Int {
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
    var table = msdk_class.sized
    table.id = try text(&reader)
    table.name = try text(&reader)
    table.summary = try text(&reader)
    table.kinds = try reader.get()
    table.flags = try reader.get()
    let functions = try reader.get(UInt32.self)
    table.create = { _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.destroy = { _ in }
    if functions & setParam != 0 { table.set_param = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if functions & getParam != 0 { table.get_param = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    if functions & paramChoice != 0 { table.param_choice = { _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    var parameters: [msdk_param] = []
    for _ in 0..<(try count(&reader)) { parameters.append(try readParameter(&reader)) }
    if !parameters.isEmpty {
      table.param_count = UInt32(parameters.count)
      table.params = kept(parameters)
    }
    try readCommands(&reader, into: &table)
    try ClassTables.read(&reader, into: &table)
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
  static func write(_ bounds: ValueBounds?, _ choices: [String]?, to writer: inout WireWriter) {
    for bound in [bounds?.least, bounds?.most] {
      writer.put(UInt32(bound == nil ? 0 : 1))
      if let bound { writer.put(value: bound) }
    }
    writer.put(UInt32(choices?.count ?? 0))
    for choice in choices ?? [] { writer.put(text: choice) }
  }

  static func bound(_ reader: inout WireReader) throws(MediaError) -> msdk_value {
    try reader.get(UInt32.self) == 1 ? kept(try reader.getValue()) : msdk_value()
  }

  static func choices(_ reader: inout WireReader) throws(MediaError) -> (UnsafePointer<UnsafePointer<CChar>?>?, UInt32) {
    let choiceCount = try count(&reader)
    guard choiceCount > 0 else { return (nil, 0) }
    var choices: [UnsafePointer<CChar>?] = []
    for _ in 0..<choiceCount { choices.append(try text(&reader)) }
    return (kept(choices), UInt32(choiceCount))
  }

  // MARK: Memory that stays

  static func kept<T>(_ values: [T]) -> UnsafePointer<T> {
    UnsafePointer(KeptMemory.copy(values))
  }

  static func kept(_ value: ParameterValue) -> msdk_value {
    var native = value.withForeign { $0.pointee }
    switch value {
    case .string(let text): native.u.str = UnsafePointer(kept(text))
    case .bytes(let bytes):
      native.u.bytes = msdk_bytes(data: bytes.isEmpty ? nil : UnsafeRawPointer(kept(bytes)), size: UInt64(bytes.count))
    default: break
    }
    return native
  }

  static func kept(_ text: String) -> UnsafePointer<CChar> {
    kept(text.utf8.map { CChar(bitPattern: $0) } + [0])
  }

  static func text(_ reader: inout WireReader) throws(MediaError) -> UnsafePointer<CChar> {
    kept(try reader.getText())
  }
}
