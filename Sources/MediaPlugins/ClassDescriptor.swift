import CMediaSDK
import MediaCore

/// A class that can be instantiated: the plugin's table, copied and checked once, so that nothing foreign is read on trust later.
public final class ClassDescriptor: @unchecked Sendable {
  public let id: String
  public let name: String
  public let summary: String
  public let kinds: UInt32
  public let flags: UInt32
  public let parameters: [ParameterDescriptor]
  public let module: PluginModule
  /// Texts as the C face hands them out.
  public let strings = CStringArena()

  let table: msdk_class
  let producer: msdk_video_producer?
  let renderer: msdk_video_renderer?
  let audioProducer: msdk_audio_producer?
  let audioRenderer: msdk_audio_renderer?

  private static let knownKinds = UInt32(
    MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER)
  private static let mostEntries: UInt64 = 256

  init(_ pointer: UnsafePointer<msdk_class>, index: Int, module: PluginModule) throws(MediaError) {
    let table = try PluginTable.read(pointer, "classes[\(index)]")
    id = try ClassDescriptor.id(table.id, argument: "classes[\(index)].id")
    let argument = "class \(id)"
    name = try PluginText.optional(table.name, argument: "\(argument).name")
    summary = try PluginText.optional(table.summary, argument: "\(argument).summary")
    kinds = table.kinds
    flags = table.flags
    self.module = module
    self.table = table
    guard kinds != 0, kinds & ~ClassDescriptor.knownKinds == 0 else {
      throw MediaError(.abi, "\(argument).kinds is \(kinds); accepted: a mask of MSDK_KIND_*, 1..15")
    }
    guard table.create != nil, table.destroy != nil else { throw MediaError(.abi, "\(argument) lacks create or destroy") }
    producer = try PluginTable.videoProducer(of: table, argument)
    renderer = try PluginTable.videoRenderer(of: table, argument)
    audioProducer = try PluginTable.audioProducer(of: table, argument)
    audioRenderer = try PluginTable.audioRenderer(of: table, argument)
    parameters = try ClassDescriptor.parameters(table, argument: argument)
    guard parameters.isEmpty || table.set_param != nil || parameters.allSatisfy(\.isReadOnly) else {
      throw MediaError(.abi, "\(argument) has parameters and no set_param")
    }
    try PluginTable.checkArray(
      count: table.command_count, stride: table.command_stride, base: table.commands, of: msdk_command.self,
      most: ClassDescriptor.mostEntries, "\(argument).commands")
  }

  private static func id(_ pointer: UnsafePointer<CChar>?, argument: String) throws(MediaError) -> String {
    let id = try PluginText.required(pointer, argument: argument)
    let isFit = id.utf8.allSatisfy { byte in
      (97...122).contains(byte) || (48...57).contains(byte) || byte == 46 || byte == 95 || byte == 45
    }
    guard (1...127).contains(id.utf8.count), isFit else {
      throw MediaError(.abi, "\(argument) is \"\(id.prefix(64))\"; accepted: [a-z0-9._-], 1..127 bytes")
    }
    return id
  }

  private static func parameters(_ table: msdk_class, argument: String) throws(MediaError) -> [ParameterDescriptor] {
    try PluginTable.checkArray(
      count: table.param_count, stride: table.param_stride, base: table.params, of: msdk_param.self, most: mostEntries, "\(argument).params"
    )
    guard let base = table.params else { return [] }
    var parameters: [ParameterDescriptor] = []
    for index in 0..<Int(table.param_count) {
      let entry = UnsafeRawPointer(base) + index * Int(table.param_stride)
      let param = try PluginTable.read(entry.assumingMemoryBound(to: msdk_param.self), "\(argument).params[\(index)]")
      let descriptor = try ParameterDescriptor(foreign: param, argument: "\(argument).params[\(index)]")
      guard !parameters.contains(where: { $0.name == descriptor.name }) else {
        throw MediaError(.abi, "\(argument) has two parameters \"\(descriptor.name)\"")
      }
      parameters.append(descriptor)
    }
    return parameters
  }

  public func parameter(_ name: String) throws(MediaError) -> ParameterDescriptor {
    guard let parameter = parameters.first(where: { $0.name == name }) else {
      let names = parameters.map(\.name).joined(separator: ", ")
      throw MediaError(.notFound, "class \(id) has no parameter \"\(name)\"; it has \(names.isEmpty ? "none" : names)")
    }
    return parameter
  }
}
