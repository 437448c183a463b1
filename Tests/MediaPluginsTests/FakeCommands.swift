import CMediaSDK
import MediaCore

@testable import MediaPlugins

/// Commands for a fake class. What the plugin gets is written down as the call "command 7 text"; what it gives is its first argument.
enum FakeCommands {
  static let echo: CommandDescriptor.Invoke = { plugin, args, count, result in
    guard let fake = FakePlugin.of(plugin) else { return msdk_result(MSDK_E_FAIL) }
    let values = UnsafeBufferPointer(start: args, count: Int(count))
    let words = values.map { (try? FakePlugin.ParameterText($0))?.text ?? "?" }
    let code = fake.call(["command"].appending(words).joined(separator: " "))
    if code >= 0, let first = values.first { result?.pointee = first }
    return code
  }

  /// An ordinary function, as libffi calls it.
  static let add: @convention(c) (OpaquePointer?, Int32, Double) -> Double = { plugin, a, b in
    _ = FakePlugin.of(plugin)?.call("add \(a) \(b)")
    return Double(a) + b
  }

  static func native<Function>(_ function: Function) -> NativeCall.Function {
    unsafeBitCast(function, to: NativeCall.Function.self)
  }
}

extension [String] {
  fileprivate func appending(_ others: [String]) -> [String] { self + others }
}

/// An argument for a fake command.
struct FakeArgument {
  var name: String
  var type: Int
  var summary: String?
  var min: Double?
  var max: Double?
  var choices: [String]?
  var defaultValue: ParameterValue?

  init(
    _ name: String, _ type: Int, summary: String? = nil, min: Double? = nil, max: Double? = nil, choices: [String]? = nil,
    defaultValue: ParameterValue? = nil
  ) {
    (self.name, self.type, self.summary, self.min, self.max) = (name, type, summary, min, max)
    (self.choices, self.defaultValue) = (choices, defaultValue)
  }
}

extension FakeModule {
  /// A command of the first class, which gives what it gets unless there is a function.
  func add(
    command name: String, _ arguments: [FakeArgument] = [], result: Int = MSDK_T_VOID, flags: Int = 0, native: NativeCall.Function? = nil
  ) {
    var command = msdk_command()
    command.struct_size = UInt32(MemoryLayout<msdk_command>.size)
    command.flags = UInt32(flags)
    command.name = FakeModule.text(name)
    command.summary = FakeModule.text("what \(name) does")
    command.result = msdk_type(result)
    command.arg_count = UInt32(arguments.count)
    withUnsafeMutableBytes(of: &command.args) { bytes in
      for (index, argument) in arguments.enumerated() {
        bytes.bindMemory(to: msdk_arg.self)[index] = msdk_arg(
          name: FakeModule.text(argument.name), type: msdk_type(argument.type), flags: 0)
      }
    }
    if !arguments.isEmpty { command.limits = UnsafePointer(FakeModule.keep(arguments.map(FakeModule.limits))) }
    if let native { command.native = native } else { command.invoke = FakeCommands.echo }
    commands.append(command)
  }

  private static func limits(_ argument: FakeArgument) -> msdk_arg_limits {
    var limits = msdk_arg_limits()
    limits.struct_size = UInt32(MemoryLayout<msdk_arg_limits>.size)
    limits.summary = argument.summary.flatMap { FakeModule.text($0) }
    let type = msdk_type(argument.type)
    (limits.min, limits.max) = (FakeModule.bound(argument.min, type), FakeModule.bound(argument.max, type))
    if let choices = argument.choices {
      (limits.choices, limits.choice_count) = (UnsafePointer(FakeModule.keep(choices.map { FakeModule.text($0) })), UInt32(choices.count))
    }
    if let value = argument.defaultValue {
      var native = value.withForeign { $0.pointee }
      if case .string(let text) = value { native.u.str = FakeModule.text(text) }
      if case .bytes(let bytes) = value { native.u.bytes.data = UnsafeRawPointer(FakeModule.keep(bytes)) }
      limits.def = UnsafePointer(FakeModule.keep([native]))
    }
    return limits
  }
}
