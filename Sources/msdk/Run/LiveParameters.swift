import MediaCore
import MediaPlugins

/// Parameters that were set, while it ran, to something else than their defaults, and what they read then.
struct LiveParameters {
  private let values: [(name: String, value: ParameterValue)]

  /// Sets all that may be set at any time and can be read. What makes frames stop (`goesOn`) is set back.
  init(setting instance: PluginInstance, apart: [String], goesOn: () throws(MediaError) -> Bool) throws(MediaError) {
    var values: [(name: String, value: ParameterValue)] = []
    for parameter in instance.descriptor.parameters {
      let isOurs = parameter.isLive && !parameter.isReadOnly && !parameter.isSecret && !apart.contains(parameter.name)
      guard isOurs, let text = LiveParameters.other(parameter), (try? instance.setParameter(parameter.name, text: text)) != nil else {
        continue
      }
      guard try goesOn() else {
        try? instance.setParameter(parameter.name, parameter.defaultValue)
        continue
      }
      let value = try instance.parameter(parameter.name)
      if value != parameter.defaultValue { values.append((parameter.name, value)) }
    }
    self.values = values
  }

  /// In words.
  func difference(from instance: PluginInstance) throws(MediaError) -> String? {
    for (name, value) in values {
      let now = try instance.parameter(name)
      if now != value { return "parameter \"\(name)\" is \(now); \(value) was set, and set again after the restart, before init" }
    }
    return nil
  }

  /// A value that is accepted and is not the default; nil where none is known.
  private static func other(_ parameter: ParameterDescriptor) -> String? {
    if let choices = parameter.choices { return choices.first { .string($0) != parameter.defaultValue } }
    if case .bool(let isOn) = parameter.defaultValue { return isOn ? "false" : "true" }
    return [parameter.bounds?.least, parameter.bounds?.most].lazy.compactMap { $0 }.first { $0 != parameter.defaultValue }?.description
  }
}
