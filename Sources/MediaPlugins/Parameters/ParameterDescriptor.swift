import CMediaSDK
import MediaCore

/// A parameter that a class declares, copied out of the plugin's table and checked.
public struct ParameterDescriptor: Sendable {
  /// Of up to 63 bytes, [a-z][a-z0-9_]*, unique in the class.
  public let name: String
  /// A line for people; may be empty.
  public let summary: String
  /// MSDK_PARAM_*.
  public let flags: UInt32
  /// Its type is that of the parameter. Of a secret one, `shownDefault` is for people.
  public let defaultValue: ParameterValue
  /// nil for a type that is no number, and for a number without limits.
  public let bounds: ValueBounds?
  /// All that a string may be; nil is anything.
  public let choices: [String]?

  /// To which each value is converted.
  public var type: ParameterType { defaultValue.type }
  /// It may be set while the instance is started.
  public var isLive: Bool { flags & UInt32(MSDK_PARAM_LIVE) != 0 }
  /// It can be read and not set.
  public var isReadOnly: Bool { flags & UInt32(MSDK_PARAM_READONLY) != 0 }
  /// Its values appear in no error, log or list. They can be set, not read.
  public var isSecret: Bool { flags & UInt32(MSDK_PARAM_SECRET) != 0 }
  /// It must be set before the instance is initialised; its default does not count.
  public var isRequired: Bool { flags & UInt32(MSDK_PARAM_REQUIRED) != 0 }
  /// Whether the instance is asked what a string may be.
  public var hasDynamicChoices: Bool { flags & UInt32(MSDK_PARAM_DYNAMIC_CHOICES) != 0 }
  /// The default of a secret one is not told: empty, of its type.
  public var shownDefault: ParameterValue { isSecret ? type.empty : defaultValue }

  static let mostChoices = 1024
  private static let knownFlags =
    UInt32(MSDK_PARAM_LIVE | MSDK_PARAM_READONLY | MSDK_PARAM_SECRET)
    | UInt32(MSDK_PARAM_REQUIRED | MSDK_PARAM_DYNAMIC_CHOICES)

  init(foreign param: msdk_param, argument: String) throws(MediaError) {
    name = try PluginText.identifier(param.name, limit: 63, argument: "\(argument).name")
    let argument = "\(argument) \"\(name)\""
    summary = try PluginText.optional(param.summary, argument: "\(argument).summary")
    flags = param.flags
    try PluginTable.check(flags, known: ParameterDescriptor.knownFlags, named: "MSDK_PARAM_*", argument)
    try PluginTable.check(reserved: param.reserved0, argument)
    defaultValue = try ParameterDescriptor.defaultValue(param.def, argument: "\(argument).def")
    bounds = try ValueBounds(foreign: param.min, param.max, of: defaultValue.type, argument: argument)
    choices = try ParameterDescriptor.choices(param.choices, param.choice_count, argument: "\(argument).choices")
    guard choices == nil || type == .string else { throw MediaError(.abi, "\(argument) has choices and is not a string") }
    guard !hasDynamicChoices || (type == .string && choices == nil) else {
      throw MediaError(.abi, "\(argument) has MSDK_PARAM_DYNAMIC_CHOICES; accepted: for a string without choices")
    }
    guard !isRequired || !isReadOnly else {
      throw MediaError(.abi, "\(argument) has both MSDK_PARAM_REQUIRED and MSDK_PARAM_READONLY; accepted: one of them")
    }
    do throws(MediaError) {
      if !isRequired { _ = try check(defaultValue, argument: "its default") }
    } catch {
      throw MediaError(.abi, "\(argument): \(error.text)")
    }
  }

  private static func defaultValue(_ value: msdk_value, argument: String) throws(MediaError) -> ParameterValue {
    // No default text is an empty one.
    if Int(value.type) == MSDK_T_STRING, value.u.str == nil, value.reserved == 0 { return .string("") }
    do throws(MediaError) {
      return try ParameterValue(foreign: value, argument: argument)
    } catch {
      throw MediaError(.abi, error.text)
    }
  }

  static func choices(
    _ list: UnsafePointer<UnsafePointer<CChar>?>?, _ count: UInt32, argument: String
  ) throws(MediaError) -> [String]? {
    guard count > 0 || list != nil else { return nil }
    guard let list else { throw MediaError(.abi, "\(argument) is NULL and choice_count is \(count)") }
    guard 1...mostChoices ~= Int(count) else { throw MediaError(.abi, "\(argument) has \(count) entries; accepted: 1..\(mostChoices)") }
    var choices: [String] = []
    for index in 0..<Int(count) { choices.append(try PluginText.required(list[index], argument: "\(argument)[\(index)]")) }
    return choices
  }

  /// The value in the parameter's own type, if it is one that is accepted.
  func check(_ value: ParameterValue, argument: String) throws(MediaError) -> ParameterValue {
    guard let converted = value.converted(to: type) else {
      // An integer that does not fit is of the right type and out of range.
      let reason = value.type.isInteger && (type.isInteger || type == .f64) ? Status.range : .type
      throw MediaError(reason, "\(argument) is \(shown(value)) of type \(value.type); parameter \"\(name)\" accepts \(accepted)")
    }
    if let number = converted.number {
      guard !number.isNaN, bounds?.contains(converted) ?? true else {
        throw MediaError(.range, "\(argument) is \(shown(value)); parameter \"\(name)\" accepts \(accepted)")
      }
    }
    if case .string(let text) = converted, let choices, !choices.contains(text) {
      throw MediaError(.range, "\(argument) is \(shown(value)); parameter \"\(name)\" accepts \(accepted)")
    }
    return converted
  }

  /// Whether a value that was checked is among what there is now.
  func check(_ value: ParameterValue, among found: [ParameterChoice]) throws(MediaError) {
    guard case .string(let text) = value, !found.contains(where: { $0.value == text }) else { return }
    let listed = found.prefix(ParameterDescriptor.mostListed).map { "\"\($0.value)\"" }.joined(separator: ", ")
    let more = found.count - ParameterDescriptor.mostListed
    let accepted = found.isEmpty ? "none: there are none now" : more > 0 ? "\(listed) and \(more) more" : listed
    throw MediaError(.range, "the value is \(shown(value)); parameter \"\(name)\" accepts \(accepted)")
  }

  private static let mostListed = 16

  func parse(_ text: String) throws(MediaError) -> ParameterValue {
    guard let value = type.parse(text) else {
      throw MediaError(.type, "\"\(isSecret ? "…" : text)\" is not a valid \(type); parameter \"\(name)\" accepts \(accepted)")
    }
    return try check(value, argument: "the text")
  }

  private func shown(_ value: ParameterValue) -> String {
    isSecret ? "(secret)" : value.description
  }

  /// For people.
  public var accepted: String {
    if let choices { return choices.joined(separator: ", ") }
    if hasDynamicChoices { return "\(type), one of those found at run time" }
    if let bounds { return "\(type) \(bounds)" }
    return "\(type)"
  }
}

/// One of the values that a string parameter accepts, and what people call it.
public struct ParameterChoice: Sendable, Equatable {
  /// What the parameter is set to.
  public let value: String
  /// For people; may be the value.
  public let label: String

  init(value: String, label: String) {
    self.value = value
    self.label = label
  }
}

/// Texts of a plugin's tables, whose faults are faults of the table.
enum PluginText {
  static func required(_ pointer: UnsafePointer<CChar>?, argument: String) throws(MediaError) -> String {
    do throws(MediaError) {
      return try ForeignText.read(pointer, limit: 1024, argument: argument)
    } catch {
      throw MediaError(.abi, error.text)
    }
  }

  static func optional(_ pointer: UnsafePointer<CChar>?, argument: String) throws(MediaError) -> String {
    pointer == nil ? "" : try required(pointer, argument: argument)
  }

  /// [a-z][a-z0-9_]*
  static func identifier(_ pointer: UnsafePointer<CChar>?, limit: Int, argument: String) throws(MediaError) -> String {
    let text = try required(pointer, argument: argument)
    let isFit = text.utf8.enumerated().allSatisfy { index, byte in
      (97...122).contains(byte) || index > 0 && ((48...57).contains(byte) || byte == 95)
    }
    guard !text.isEmpty, isFit, text.utf8.count <= limit else {
      throw MediaError(.abi, "\(argument) is \"\(text.prefix(64))\"; accepted: [a-z][a-z0-9_]*, at most \(limit) bytes")
    }
    return text
  }
}
