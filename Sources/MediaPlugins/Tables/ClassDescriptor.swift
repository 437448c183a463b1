import CMediaSDK
import MediaCore

/// A class that can be instantiated: the plugin's table, copied and checked once, so that nothing foreign is read on trust later.
public final class ClassDescriptor: @unchecked Sendable {
  /// Of up to 127 bytes, [a-z0-9._-], unique in an engine.
  public let id: String
  /// For people; may be empty.
  public let name: String
  /// A line for people; may be empty.
  public let summary: String
  /// MSDK_KIND_*, one at least.
  public let kinds: UInt32
  /// MSDK_CLASS_*.
  public let flags: UInt32
  /// In the order of the plugin's table; names are unique.
  public let parameters: [ParameterDescriptor]
  /// In the order of the plugin's table; names are unique.
  public let commands: [CommandDescriptor]
  /// Where it is from.
  public let module: PluginModule
  /// Texts as the C face hands them out.
  public let strings: CStringArena

  package let table: msdk_class
  /// As the module listed it, for `create`; nil of a class with other functions, which does not look.
  private let listed: UnsafePointer<msdk_class>?
  package let producer: msdk_video_producer?
  package let renderer: msdk_video_renderer?
  package let audioProducer: msdk_audio_producer?
  package let audioRenderer: msdk_audio_renderer?
  package let videoFilter: msdk_video_filter?
  package let audioFilter: msdk_audio_filter?
  package let videoEncoder: msdk_video_encoder?
  package let videoDecoder: msdk_video_decoder?
  package let audioEncoder: msdk_audio_encoder?
  package let audioDecoder: msdk_audio_decoder?
  /// What an encoder of video takes, the best first.
  public let pixelFormats: [PixelFormat]
  /// What an encoder of sound takes.
  public let sampleRates: [UInt32]
  /// How an instance is isolated, if it is; MediaIsolation's.
  package let isolation: (any AnyObject & Sendable)?

  private static let knownKinds =
    UInt32(
      MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER)
    | UInt32(MSDK_KIND_VIDEO_FILTER | MSDK_KIND_AUDIO_FILTER)
    | videoCodecKinds | audioCodecKinds

  private static let knownFlags = UInt32(MSDK_CLASS_SINGLETON | MSDK_CLASS_NO_ISOLATION | MSDK_CLASS_PREFERS_ISOLATION | MSDK_CLASS_UPRIGHT)

  /// The same class with other functions.
  package convenience init(
    _ table: msdk_class, isolation: any AnyObject & Sendable, like other: ClassDescriptor,
    commands call: @escaping CommandDescriptor.Elsewhere
  ) throws(MediaError) {
    let copy = UnsafeMutablePointer<msdk_class>.allocate(capacity: 1)
    copy.initialize(to: table)
    defer { copy.deallocate() }
    let commands = other.commands.map { CommandDescriptor(like: $0, call) }
    try self.init(copy, index: 0, module: other.module, listed: nil, isolation: isolation, commands: commands, strings: other.strings)
  }

  init(
    _ pointer: UnsafePointer<msdk_class>, index: Int, module: PluginModule, listed: UnsafePointer<msdk_class>?,
    isolation: (any AnyObject & Sendable)? = nil,
    commands given: [CommandDescriptor]? = nil, strings: CStringArena = CStringArena()
  ) throws(MediaError) {
    self.isolation = isolation
    self.strings = strings
    let table = try PluginTable.read(pointer, "classes[\(index)]")
    id = try ClassDescriptor.id(table.id, argument: "classes[\(index)].id")
    let argument = "class \(id)"
    name = try PluginText.optional(table.name, argument: "\(argument).name")
    summary = try PluginText.optional(table.summary, argument: "\(argument).summary")
    kinds = table.kinds
    flags = table.flags
    self.module = module
    self.listed = listed
    self.table = table
    guard kinds != 0, kinds & ~ClassDescriptor.knownKinds == 0 else {
      throw MediaError(.abi, "\(argument).kinds is \(kinds); accepted: a mask of MSDK_KIND_*, within \(ClassDescriptor.knownKinds)")
    }
    try PluginTable.check(flags, known: ClassDescriptor.knownFlags, named: "MSDK_CLASS_*", argument)
    try PluginTable.check(reserved: table.reserved0, argument)
    guard table.create != nil, table.destroy != nil else { throw MediaError(.abi, "\(argument) lacks create or destroy") }
    producer = try PluginTable.videoProducer(of: table, argument)
    renderer = try PluginTable.videoRenderer(of: table, argument)
    audioProducer = try PluginTable.audioProducer(of: table, argument)
    audioRenderer = try PluginTable.audioRenderer(of: table, argument)
    videoFilter = try PluginTable.videoFilter(of: table, argument)
    audioFilter = try PluginTable.audioFilter(of: table, argument)
    videoEncoder = try PluginTable.videoEncoder(of: table, argument)
    videoDecoder = try PluginTable.videoDecoder(of: table, argument)
    audioEncoder = try PluginTable.audioEncoder(of: table, argument)
    audioDecoder = try PluginTable.audioDecoder(of: table, argument)
    pixelFormats = try PluginTable.pixelFormats(of: videoEncoder, argument)
    sampleRates = try PluginTable.sampleRates(of: audioEncoder, argument)
    parameters = try ClassDescriptor.parameters(table, argument: argument)
    guard parameters.isEmpty || table.set_param != nil || parameters.allSatisfy(\.isReadOnly) else {
      throw MediaError(.abi, "\(argument) has parameters and no set_param")
    }
    if let parameter = parameters.first(where: \.hasDynamicChoices), table.param_choice == nil {
      throw MediaError(.abi, "\(argument) has the parameter \"\(parameter.name)\" with MSDK_PARAM_DYNAMIC_CHOICES and no param_choice")
    }
    if let given {
      commands = given
    } else {
      commands = try ClassDescriptor.commands(table, strings: strings, argument: argument)
    }
  }

  package func create(
    _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>
  ) -> msdk_result {
    table.create?(listed, host, context, out) ?? msdk_result(MSDK_E_ABI)
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
    var parameters: [ParameterDescriptor] = []
    for param in try PluginTable.array(table.params, count: table.param_count, "\(argument).params") {
      let descriptor = try ParameterDescriptor(foreign: param, argument: "\(argument).params[\(parameters.count)]")
      guard !parameters.contains(where: { $0.name == descriptor.name }) else {
        throw MediaError(.abi, "\(argument) has two parameters \"\(descriptor.name)\"")
      }
      parameters.append(descriptor)
    }
    return parameters
  }

  /// `.notFound` when the class has none of that name; the error lists those that it has.
  public func parameter(_ name: String) throws(MediaError) -> ParameterDescriptor {
    guard let parameter = parameters.first(where: { $0.name == name }) else {
      let names = parameters.map(\.name).joined(separator: ", ")
      throw MediaError(.notFound, "class \(id) has no parameter \"\(name)\"; it has \(names.isEmpty ? "none" : names)")
    }
    return parameter
  }
}
