import ArgumentParser
import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK

/// A class and its parameters as they are written on the command line: NAME[:VALUE][,key=value...].
struct PluginItem: Sendable, Equatable {
  /// What an item is wanted for.
  enum Role: String, CustomStringConvertible {
    case producer
    case renderer
    case filter
    case soundProducer
    case soundRenderer
    case soundFilter

    var kind: UInt32 {
      switch self {
      case .producer: UInt32(MSDK_KIND_VIDEO_PRODUCER)
      case .renderer: UInt32(MSDK_KIND_VIDEO_RENDERER)
      case .filter: UInt32(MSDK_KIND_VIDEO_FILTER)
      case .soundProducer: UInt32(MSDK_KIND_AUDIO_PRODUCER)
      case .soundRenderer: UInt32(MSDK_KIND_AUDIO_RENDERER)
      case .soundFilter: UInt32(MSDK_KIND_AUDIO_FILTER)
      }
    }

    private var family: Role {
      switch self {
      case .producer, .soundProducer: .producer
      case .renderer, .soundRenderer: .renderer
      case .filter, .soundFilter: .filter
      }
    }

    var description: String { self == family ? rawValue : "\(family.rawValue) of sound" }
    /// The classes that have a short name.
    var shortPrefix: String { "org.mediasdk.\(family.rawValue)." }
  }

  struct Setting: Sendable, Equatable {
    let key: String
    let value: String
  }

  var name: String
  var value: String?
  var settings: [Setting] = []

  // MARK: Making

  /// An instance of the class, with the parameters set: those of a file first.
  func make(_ role: Role, _ files: ParameterFiles, in engine: Engine) throws(MediaError) -> PluginInstance {
    let descriptor = try find(role, in: engine)
    let instance = try engine.makeInstance(descriptor.id)
    try files.apply(to: instance)
    if let value {
      let settable = descriptor.parameters.filter { !$0.isReadOnly }
      guard let parameter = settable.first(where: \.isRequired) ?? settable.first else {
        throw MediaError(.invalid, "class \(descriptor.id) takes no value, \"\(value)\": it has no parameter")
      }
      try instance.setParameter(parameter.name, text: value)
    }
    for setting in settings { try instance.setParameter(setting.key, text: setting.value) }
    return instance
  }

  private func find(_ role: Role, in engine: Engine) throws(MediaError) -> ClassDescriptor {
    let fitting = engine.plugins.classes.filter { $0.kinds & role.kind != 0 }
    let id = name.contains(".") ? name : role.shortPrefix + name
    if let descriptor = fitting.first(where: { $0.id == id }) { return descriptor }
    let names = fitting.map { $0.id.hasPrefix(role.shortPrefix) ? String($0.id.dropFirst(role.shortPrefix.count)) : $0.id }
    let known = names.isEmpty ? "none: no plugin was found, see msdk inspect" : names.joined(separator: ", ")
    let isKnown = engine.plugins.classes.contains { $0.id == id }
    let reason = isKnown ? "class \(id) is no \(role)" : "there is no \(role) \"\(name)\""
    throw MediaError(.notFound, "\(reason); there are \(known)")
  }

  // MARK: Writing

  /// As it would be written on the command line.
  var text: String {
    let own = value.map { "\(name):\(PluginItem.escaped($0))" } ?? name
    return ([own] + settings.map { "\($0.key)=\(PluginItem.escaped($0.value))" }).joined(separator: ",")
  }

  private static func escaped(_ text: String) -> String {
    String(text.flatMap { $0 == "," || $0 == "\\" ? ["\\", $0] : [$0] })
  }
}
