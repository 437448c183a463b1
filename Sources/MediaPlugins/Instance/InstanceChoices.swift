import CMediaSDK
import MediaCore

/// What the string parameters of an instance accept now.
extension PluginInstance {
  /// The choices of a parameter: those that its class lists, or what the plugin finds; nil when it has none.
  public func choices(of name: String) throws(MediaError) -> [ParameterChoice]? {
    let parameter = try descriptor.parameter(name)
    if let choices = parameter.choices { return choices.map { ParameterChoice(value: $0, label: $0) } }
    guard parameter.hasDynamicChoices else { return nil }
    return try turn.take("param_choice") { () throws(MediaError) in
      try checkAlive()
      return try findChoices(of: parameter)
    }
  }

  /// One after the other: the first asks the plugin, the others are of what was found then. nil ends the list.
  public func choice(of name: String, at index: UInt32) throws(MediaError) -> ParameterChoice? {
    var list = index > 0 ? state.withLock { $0.choices[name] } : nil
    if list == nil {
      guard let found = try choices(of: name) else {
        throw MediaError(
          .unsupported,
          "parameter \"\(name)\" of \(descriptor.id) has no choices; it accepts any \(try descriptor.parameter(name).accepted)")
      }
      list = found
      state.withLock { $0.choices[name] = found }
    }
    guard let list, index < list.count else { return nil }
    return list[Int(index)]
  }

  /// Asks the plugin for all of them. Inside the turn.
  func findChoices(of parameter: ParameterDescriptor) throws(MediaError) -> [ParameterChoice] {
    guard let choice = descriptor.table.param_choice else { return [] }
    var found: [ParameterChoice] = []
    while found.count < ParameterDescriptor.mostChoices {
      var native = msdk_choice()
      native.struct_size = UInt32(MemoryLayout<msdk_choice>.size)
      do throws(MediaError) {
        try call("param_choice") { plugin in
          parameter.name.withCString { choice(plugin, $0, UInt32(found.count), &native) }
        }
      } catch {
        guard error.status == .notFound else { throw error }
        break
      }
      let argument = "choice \(found.count) of parameter \"\(parameter.name)\""
      let value = try ForeignText.read(native.value, limit: 1024, argument: "\(argument): its value")
      let label = try ForeignText.readOptional(native.label, limit: 1024, argument: "\(argument): its label")
      found.append(ParameterChoice(value: value, label: label ?? value))
    }
    return found
  }
}
