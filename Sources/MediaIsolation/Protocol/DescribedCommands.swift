import CMediaSDK
import MediaCore
import MediaPlugins

/// The commands of a class in a module's description.
extension ModuleDescription {
  static func write(_ command: CommandDescriptor, to writer: inout WireWriter) {
    writer.put(text: command.name)
    writer.put(text: command.summary)
    writer.put(command.flags)
    writer.put(command.result?.rawValue ?? UInt32(MSDK_T_VOID))
    writer.put(UInt32(command.arguments.count))
    for argument in command.arguments {
      writer.put(text: argument.name)
      writer.put(text: argument.summary)
      writer.put(argument.type.rawValue)
      write(argument.bounds, argument.choices, to: &writer)
      writer.put(UInt32(argument.defaultValue == nil ? 0 : 1))
      if let value = argument.defaultValue { writer.put(value: value) }
    }
  }

  static func readCommands(_ reader: inout WireReader, into table: inout msdk_class) throws(MediaError) {
    var commands: [msdk_command] = []
    for _ in 0..<(try count(&reader)) { commands.append(try readCommand(&reader)) }
    guard !commands.isEmpty else { return }
    table.command_count = UInt32(commands.count)
    table.commands = kept(commands)
  }

  private static func readCommand(_ reader: inout WireReader) throws(MediaError) -> msdk_command {
    var command = msdk_command()
    command.struct_size = UInt32(MemoryLayout<msdk_command>.size)
    command.name = try text(&reader)
    command.summary = try text(&reader)
    command.flags = try reader.get()
    command.result = try reader.get()
    // Only the twin is called (`ProxyCommands`).
    command.invoke = { _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    command.arg_count = try reader.get()
    guard command.arg_count <= UInt32(MSDK_ARGS_MAX) else {
      throw MediaError(.corrupt, "a command of a module's description has \(command.arg_count) arguments")
    }
    guard command.arg_count > 0 else { return command }
    var args: [msdk_arg] = []
    var limits: [msdk_arg_limits] = []
    for _ in 0..<command.arg_count {
      let (arg, limit) = try readArgument(&reader)
      args.append(arg)
      limits.append(limit)
    }
    command.limits = kept(limits)
    withUnsafeMutableBytes(of: &command.args) { bytes in
      args.withUnsafeBytes { bytes.copyMemory(from: $0) }
    }
    return command
  }

  private static func readArgument(_ reader: inout WireReader) throws(MediaError) -> (msdk_arg, msdk_arg_limits) {
    var limits = msdk_arg_limits()
    limits.struct_size = UInt32(MemoryLayout<msdk_arg_limits>.size)
    let name = try text(&reader)
    limits.summary = try text(&reader)
    let type = try reader.get(UInt32.self)
    (limits.min, limits.max) = (try bound(&reader), try bound(&reader))
    (limits.choices, limits.choice_count) = try choices(&reader)
    if try reader.get(UInt32.self) == 1 { limits.def = kept([kept(try reader.getValue())]) }
    return (msdk_arg(name: name, type: type, flags: 0), limits)
  }
}
