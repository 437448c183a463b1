import CMediaSDK
import MediaCore

extension PluginInstance {
  /// Sets a parameter after checking name, type, range and choice, and that this is the time for it.
  public func setParameter(_ name: String, _ value: ParameterValue) throws(MediaError) {
    let parameter = try descriptor.parameter(name)
    try set(parameter, parameter.check(value, argument: "the value"))
  }

  /// The same from text.
  public func setParameter(_ name: String, text: String) throws(MediaError) {
    let parameter = try descriptor.parameter(name)
    try set(parameter, parameter.parse(text))
  }

  private func set(_ parameter: ParameterDescriptor, _ value: ParameterValue) throws(MediaError) {
    guard !parameter.isReadOnly else { throw MediaError(.permission, "parameter \"\(parameter.name)\" of \(descriptor.id) is read-only") }
    try turn.take("set_param") { () throws(MediaError) in
      try checkAlive()
      let phase = state.withLock { $0.phase }
      guard phase < .started || parameter.isLive else {
        throw MediaError(.state, "parameter \"\(parameter.name)\" of \(descriptor.id) cannot be set while it is started")
      }
      if parameter.hasDynamicChoices { try parameter.check(value, among: findChoices(of: parameter)) }
      // Before the plugin can speak of it.
      if parameter.isSecret { secrets.add(value) }
      let set = descriptor.table.set_param
      try call("set_param") { plugin in
        parameter.name.withCString { name in
          value.withForeign { set?(plugin, name, $0) ?? msdk_result(MSDK_E_UNSUPPORTED) }
        }
      }
      state.withLock { $0.values[parameter.name] = value }
    }
    reportFromPlugin(UInt32(MSDK_PLUGIN_EVENT_PARAM_CHANGED), nil, text: parameter.name)
  }

  /// Secret ones are for setting only.
  public func parameter(_ name: String) throws(MediaError) -> ParameterValue {
    let parameter = try descriptor.parameter(name)
    guard !parameter.isSecret else {
      throw MediaError(.permission, "parameter \"\(name)\" of \(descriptor.id) is secret: it can be set, not read")
    }
    guard let get = descriptor.table.get_param else {
      return state.withLock { $0.values[name] } ?? parameter.defaultValue
    }
    return try turn.take("get_param") { () throws(MediaError) in
      try checkAlive()
      var value = msdk_value()
      try call("get_param") { plugin in name.withCString { get(plugin, $0, &value) } }
      let read = try ParameterValue(foreign: value, argument: "parameter \"\(name)\"")
      guard let converted = read.converted(to: parameter.type) else {
        throw MediaError(.type, "\(descriptor.id) returned a \(read.type) for parameter \"\(name)\", which is a \(parameter.type)")
      }
      return converted
    }
  }

  /// Whether an event that a plugin posted about a parameter names one that it can be about; if not, that is logged.
  func knows(_ event: UInt32, of name: String) -> Bool {
    let found = descriptor.parameters.first { $0.name == name }
    switch Int(event) {
    case MSDK_PLUGIN_EVENT_PARAM_CHANGED:
      if found != nil { return true }
      log(MSDK_LOG_WARN.level, "an event says that parameter \"\(name)\" changed; \(descriptor.id) has no such parameter")
    case MSDK_PLUGIN_EVENT_CHOICES_CHANGED:
      if found?.hasDynamicChoices == true { return true }
      log(MSDK_LOG_WARN.level, "an event says that the choices of parameter \"\(name)\" changed; \(descriptor.id) has none that change")
    default: return true
    }
    return false
  }

  /// Whether somebody set it.
  public func isParameterSet(_ name: String) -> Bool {
    state.withLock { $0.values[name] != nil }
  }

  /// Whether all that is required was set.
  func checkRequired() throws(MediaError) {
    for parameter in descriptor.parameters where parameter.isRequired {
      guard state.withLock({ $0.values[parameter.name] != nil }) else {
        throw MediaError(.invalid, "parameter \"\(parameter.name)\" of \(descriptor.id) must be set first: \(parameter.summary)")
      }
    }
  }
}
