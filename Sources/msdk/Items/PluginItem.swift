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

    var description: String { self == family ? rawValue : "audio \(family.rawValue)" }
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
      guard let parameter = descriptor.mainParameter else {
        throw MediaError(.invalid, "class \(descriptor.id) takes no value, \"\(value)\": it has no parameter")
      }
      try instance.setParameter(parameter.name, text: value)
    }
    try PluginItem.set(settings, of: instance)
    return instance
  }

  /// Tells a class that plays a file when to begin, unless the user said it.
  func begin(_ instance: PluginInstance, at time: Int64) throws(MediaError) {
    let name = "start_ns"
    guard instance.descriptor.parameters.contains(where: { $0.name == name }), !settings.contains(where: { $0.key == name }) else { return }
    try instance.setParameter(name, text: String(time))
  }

  static func set(_ settings: [Setting], of instance: PluginInstance) throws(MediaError) {
    for setting in settings {
      do throws(MediaError) {
        try instance.setParameter(setting.key, text: setting.value)
      } catch {
        let names = instance.descriptor.parameters.map(\.name)
        guard !names.contains(setting.key) else { throw error }
        let text = error.text + Suggestion.text(for: setting.key, among: names)
        throw MediaError(error.status, NextStep.trying("msdk inspect \(instance.descriptor.id)", after: text))
      }
    }
  }

  private func find(_ role: Role, in engine: Engine) throws(MediaError) -> ClassDescriptor {
    let fitting = engine.plugins.classes.filter { $0.kinds & role.kind != 0 }
    let id = name.contains(".") ? name : role.shortPrefix + name
    if let descriptor = fitting.first(where: { $0.id == id }) { return descriptor }
    let names = fitting.map { $0.id.hasPrefix(role.shortPrefix) ? String($0.id.dropFirst(role.shortPrefix.count)) : $0.id }
    let known = names.isEmpty ? "none: no plugin was found" : names.joined(separator: ", ")
    // A class of another kind was given, or a short name that is that of one.
    let kinds = name.contains(".") ? "" : engine.plugins.classes.first { Inspection.matches($0.id, name) }.map(PluginItem.kindsText) ?? ""
    if let other = engine.plugins.classes.first(where: { $0.id == id }) {
      throw MediaError(.notFound, "\(PluginItem.kindsText(other)), not for: \(role); there are \(known)\(PluginItem.hint(other, role))")
    }
    let suggestion = kinds.isEmpty ? Suggestion.text(for: name, among: names) : "; \(kinds)"
    let near = Suggestion.nearest(to: name, among: names).map { $0.contains(".") ? $0 : role.shortPrefix + $0 }
    let step = names.isEmpty ? "msdk doctor" : near.map { "msdk inspect \($0)" } ?? "msdk inspect"
    throw MediaError(.notFound, NextStep.trying(step, after: "there is no \(role) \"\(name)\"; there are \(known)\(suggestion)"))
  }

  private static func kindsText(_ descriptor: ClassDescriptor) -> String {
    "\(descriptor.id) is a class for: \(descriptor.kindNames.joined(separator: ", "))"
  }

  /// What takes sound where a producer of video is wanted.
  private static func hint(_ descriptor: ClassDescriptor, _ role: Role) -> String {
    guard role == .producer, descriptor.kinds & Role.soundProducer.kind != 0 else { return "" }
    let name = descriptor.id.hasPrefix(role.shortPrefix) ? String(descriptor.id.dropFirst(role.shortPrefix.count)) : descriptor.id
    return "; for audio: msdk run --sound --producer \(name), msdk send --sound \(name)"
  }

  // MARK: Writing

  /// As it would be written on the command line.
  var text: String {
    let own = value.map { "\(name):\(PluginItem.escaped($0))" } ?? name
    return ([own] + settings.map { "\($0.key)=\(PluginItem.escaped($0.value))" }).joined(separator: ",")
  }

  static func escaped(_ text: String) -> String {
    String(text.flatMap { $0 == "," || $0 == "\\" ? ["\\", $0] : [$0] })
  }
}
