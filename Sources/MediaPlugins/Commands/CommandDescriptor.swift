import CMediaSDK
import Glibc
import MediaCore

/// A command that a class declares: the plugin's table, copied and checked once, and what is needed to call it.
public final class CommandDescriptor: @unchecked Sendable {
  typealias Invoke =
    @convention(c) (
      OpaquePointer?, UnsafePointer<msdk_value>?, UInt32, UnsafeMutablePointer<msdk_value>?
    ) -> msdk_result

  /// Calls a command of a plugin that is not in this process: gives what the plugin said and, of a success, what it answered, of the type
  /// declared.
  package typealias Elsewhere = @Sendable (OpaquePointer, CommandDescriptor, [ParameterValue], inout ParameterValue?) -> msdk_result

  enum Target {
    case invoke(Invoke)
    case native(NativeCall)
    case elsewhere(Elsewhere)
  }

  /// Of up to 63 bytes, [a-z][a-z0-9_]*, unique in the class.
  public let name: String
  /// A line for people; may be empty.
  public let summary: String
  /// MSDK_COMMAND_*.
  public let flags: UInt32
  /// nil when it returns nothing.
  public let result: ParameterType?
  /// In the order of a call; those with a default come last.
  public let arguments: [CommandArgument]
  /// As engine.h hands it out.
  public let table: CommandTable
  let target: Target
  /// How errors name it, and what it answers.
  package let label: String
  let answerLabel: String
  /// The name with NUL, as programs give it.
  private let nameBytes: ContiguousArray<CChar>

  /// It may run beside all other calls to the instance.
  public var isThreadSafe: Bool { flags & UInt32(MSDK_COMMAND_THREAD_SAFE) != 0 }
  /// The plugin states that it changes nothing; for people.
  public var isConstant: Bool { flags & UInt32(MSDK_COMMAND_CONST) != 0 }

  private static let knownFlags = UInt32(MSDK_COMMAND_THREAD_SAFE | MSDK_COMMAND_CONST)

  init(foreign command: msdk_command, strings: CStringArena, argument: String) throws(MediaError) {
    name = try PluginText.identifier(command.name, limit: 63, argument: "\(argument).name")
    label = "command \"\(name)\""
    answerLabel = "the result of \(label)"
    nameBytes = name.utf8CString
    let argument = "\(argument) \"\(name)\""
    summary = try PluginText.optional(command.summary, argument: "\(argument).summary")
    flags = command.flags
    guard flags & ~CommandDescriptor.knownFlags == 0 else {
      throw MediaError(.abi, "\(argument).flags is \(flags); accepted: a mask of MSDK_COMMAND_*, 0..\(CommandDescriptor.knownFlags)")
    }
    arguments = try CommandDescriptor.arguments(of: command, named: name, argument: argument)
    result = ParameterType(rawValue: command.result)
    switch (command.invoke, command.native) {
    case (let invoke?, nil):
      guard result != nil || Int(command.result) == MSDK_T_VOID else {
        throw MediaError(
          .abi, "\(argument).result is \(command.result); accepted: MSDK_T_VOID to MSDK_T_BYTES, 0..8, and MSDK_T_STATUS, 9, with native")
      }
      target = .invoke(invoke)
    case (nil, let function?):
      guard result != nil || Int(command.result) == MSDK_T_VOID || Int(command.result) == MSDK_T_STATUS else {
        throw MediaError(.abi, "\(argument).result is \(command.result); accepted: MSDK_T_VOID to MSDK_T_STATUS, 0..9")
      }
      guard let call = NativeCall(function, result: command.result, arguments: arguments.map(\.type)) else {
        throw MediaError(.abi, "\(argument) cannot be called on this machine")
      }
      target = .native(call)
    default:
      throw MediaError(.abi, "\(argument) has \(command.invoke == nil ? "neither" : "both") of invoke and native; accepted: exactly one")
    }
    table = CommandTable(name: name, summary: summary, flags: flags, result: result, arguments: arguments, strings: strings)
  }

  /// The same command, of a plugin that is elsewhere.
  init(like other: CommandDescriptor, _ call: @escaping Elsewhere) {
    (name, summary, flags, result, arguments) = (other.name, other.summary, other.flags, other.result, other.arguments)
    (table, label, answerLabel, nameBytes) = (other.table, other.label, other.answerLabel, other.nameBytes)
    target = .elsewhere(call)
  }

  private static func arguments(of command: msdk_command, named name: String, argument: String) throws(MediaError) -> [CommandArgument] {
    guard command.arg_count <= UInt32(MSDK_ARGS_MAX) else {
      throw MediaError(.abi, "\(argument).arg_count is \(command.arg_count); accepted: 0..\(MSDK_ARGS_MAX)")
    }
    let args = command.args
    let all = [args.0, args.1, args.2, args.3, args.4, args.5, args.6, args.7]
    let limits = command.limits == nil ? nil : try PluginTable.array(command.limits, count: command.arg_count, "\(argument).limits")
    var arguments: [CommandArgument] = []
    for index in 0..<Int(command.arg_count) {
      let one = try CommandArgument(foreign: all[index], limits: limits?[index], of: name, argument: "\(argument).args[\(index)]")
      guard !arguments.contains(where: { $0.name == one.name }) else {
        throw MediaError(.abi, "\(argument) has two arguments \"\(one.name)\"")
      }
      guard one.defaultValue != nil || arguments.last?.defaultValue == nil else {
        throw MediaError(.abi, "\(argument).args[\(index)] \"\(one.name)\" has no default and follows one that has")
      }
      arguments.append(one)
    }
    return arguments
  }

  func isCalled(_ name: UnsafePointer<CChar>) -> Bool {
    nameBytes.withUnsafeBufferPointer { bytes in bytes.baseAddress.map { strcmp($0, name) == 0 } ?? false }
  }

  /// The arguments of a call in their own types, with the defaults of those that were left out.
  package func check(_ given: [ParameterValue]) throws(MediaError) -> [ParameterValue] {
    try complete(given.count) { index, argument throws(MediaError) in try argument.check(given[index]) }
  }

  /// The same from a program's array.
  func read(_ given: UnsafePointer<msdk_value>?, count: UInt32) throws(MediaError) -> [ParameterValue] {
    try complete(Int(count)) { index, argument throws(MediaError) in
      guard let given else { throw MediaError(.invalid, "args is NULL; accepted: an array of arg_count values, here \(count)") }
      return try argument.accept(ParameterValue(foreign: given[index], argument: argument.label))
    }
  }

  private func complete(
    _ count: Int, _ value: (Int, CommandArgument) throws(MediaError) -> ParameterValue
  ) throws(MediaError) -> [ParameterValue] {
    guard count <= arguments.count else {
      let names = arguments.isEmpty ? "" : " (\(arguments.map(\.name).joined(separator: ", ")))"
      throw MediaError(.invalid, "\(label) takes \(arguments.count) arguments\(names); \(count) were given")
    }
    guard !arguments.isEmpty else { return [] }
    var values: [ParameterValue] = []
    values.reserveCapacity(arguments.count)
    for index in arguments.indices {
      let argument = arguments[index]
      if index < count {
        values.append(try value(index, argument))
      } else if let value = argument.defaultValue {
        values.append(value)
      } else {
        throw MediaError(.invalid, "\(argument.label) is missing: it has no default; accepted: \(argument.accepted)")
      }
    }
    return values
  }
}

extension ClassDescriptor {
  static func commands(_ table: msdk_class, strings: CStringArena, argument: String) throws(MediaError) -> [CommandDescriptor] {
    var commands: [CommandDescriptor] = []
    for command in try PluginTable.array(table.commands, count: table.command_count, "\(argument).commands") {
      let descriptor = try CommandDescriptor(foreign: command, strings: strings, argument: "\(argument).commands[\(commands.count)]")
      guard !commands.contains(where: { $0.name == descriptor.name }) else {
        throw MediaError(.abi, "\(argument) has two commands \"\(descriptor.name)\"")
      }
      commands.append(descriptor)
    }
    return commands
  }

  /// `.notFound` when the class has none of that name; the error lists those that it has.
  public func command(_ name: String) throws(MediaError) -> CommandDescriptor {
    guard let command = commands.first(where: { $0.name == name }) else {
      let names = commands.map(\.name).joined(separator: ", ")
      throw MediaError(.notFound, "class \(id) has no command \"\(name)\"; it has \(names.isEmpty ? "none" : names)")
    }
    return command
  }

  /// The same from a program's text, of which no copy is made when there is such a command.
  func command(foreign name: UnsafePointer<CChar>?) throws(MediaError) -> CommandDescriptor {
    if let name, let command = commands.first(where: { $0.isCalled(name) }) { return command }
    return try command(ForeignText.read(name, limit: Int(MSDK_TEXT_MAX), argument: "name"))
  }
}
