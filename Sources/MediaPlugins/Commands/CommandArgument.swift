import CMediaSDK
import MediaCore

/// An argument that a command declares, with its limits: copied out of the plugin's tables and checked.
public final class CommandArgument: Sendable {
  /// Of up to 63 bytes, [a-z][a-z0-9_]*, unique in the command.
  public let name: String
  /// A line for people; may be empty.
  public let summary: String
  /// To which each value is converted.
  public let type: ParameterType
  /// nil for a type that is no number, and for a number without limits.
  public let bounds: ValueBounds?
  /// All that a string may be; nil is anything.
  public let choices: [String]?
  /// For a call that leaves the argument out; nil when it must be given.
  public let defaultValue: ParameterValue?
  /// How errors name it.
  let label: String

  init(foreign: msdk_arg, limits: msdk_arg_limits?, of command: String, argument: String) throws(MediaError) {
    name = try PluginText.identifier(foreign.name, limit: 63, argument: "\(argument).name")
    label = "argument \"\(name)\" of \(command)"
    let argument = "\(argument) \"\(name)\""
    guard let type = ParameterType(rawValue: foreign.type) else {
      throw MediaError(.abi, "\(argument) has the type \(foreign.type); accepted: MSDK_T_BOOL to MSDK_T_BYTES, 1..8")
    }
    self.type = type
    guard foreign.flags == 0, limits?.flags ?? 0 == 0 else { throw MediaError(.abi, "\(argument) has flags; accepted: 0") }
    try PluginTable.check(reserved: limits?.reserved0 ?? 0, "the limits of \(argument)")
    summary = try PluginText.optional(limits?.summary, argument: "\(argument).summary")
    bounds = try ValueBounds(foreign: limits?.min ?? msdk_value(), limits?.max ?? msdk_value(), of: type, argument: argument)
    choices = try ParameterDescriptor.choices(limits?.choices, limits?.choice_count ?? 0, argument: "\(argument).choices")
    guard choices == nil || type == .string else { throw MediaError(.abi, "\(argument) has choices and is not a string") }
    guard let given = limits?.def else {
      defaultValue = nil
      return
    }
    do throws(MediaError) {
      let value = try ParameterValue(foreign: given.pointee, argument: "its default")
      defaultValue = try CommandArgument.check(value, type, bounds, choices, label)
    } catch {
      throw MediaError(.abi, "\(argument) has a default that it does not accept: \(error.text)")
    }
  }

  /// The value in the argument's own type, if it is one that is accepted.
  func check(_ value: ParameterValue) throws(MediaError) -> ParameterValue {
    // It would end there for the plugin.
    if case .string(let text) = value, choices == nil, text.utf8.contains(0) {
      throw MediaError(type == .string ? .invalid : .type, "\(label) has a NUL character in it; accepted: \(type), text without one")
    }
    return try accept(value)
  }

  /// The same of what has come from C, where a text has no NUL in it.
  func accept(_ value: ParameterValue) throws(MediaError) -> ParameterValue {
    try CommandArgument.check(value, type, bounds, choices, label)
  }

  private static func check(
    _ value: ParameterValue, _ type: ParameterType, _ bounds: ValueBounds?, _ choices: [String]?, _ label: String
  ) throws(MediaError) -> ParameterValue {
    var accepted: String { CommandArgument.accepted(type, bounds, choices) }
    guard let converted = value.converted(to: type) else {
      // An integer that does not fit is of the right type and out of range.
      let reason = value.type.isInteger && (type.isInteger || type == .f64) ? Status.range : .type
      throw MediaError(reason, "\(label) is \(value) of type \(value.type); accepted: \(accepted)")
    }
    switch converted {
    case .string(let text):
      if let choices {
        guard choices.contains(text) else { throw MediaError(.range, "\(label) is \(value); accepted: \(accepted)") }
      } else {
        guard text.utf8.count <= ParameterValue.longestText else {
          throw MediaError(.invalid, "\(label) has \(text.utf8.count) bytes; accepted: up to \(ParameterValue.longestText)")
        }
      }
    case .bytes(let bytes):
      guard bytes.count <= ParameterValue.mostBytes else {
        throw MediaError(.range, "\(label) has \(bytes.count) bytes; accepted: up to \(ParameterValue.mostBytes)")
      }
    default:
      guard let number = converted.number else { break }
      guard number.isFinite, bounds?.contains(converted) ?? true else {
        throw MediaError(.range, "\(label) is \(value); accepted: \(accepted)")
      }
    }
    return converted
  }

  /// For people.
  public var accepted: String { CommandArgument.accepted(type, bounds, choices) }

  private static func accepted(_ type: ParameterType, _ bounds: ValueBounds?, _ choices: [String]?) -> String {
    if let choices { return choices.joined(separator: ", ") }
    if let bounds { return "\(type) \(bounds)" }
    return "\(type)"
  }
}
