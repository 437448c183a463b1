import CMediaSDK
import MediaCore

/// A command in the shape of the contract, for programs that ask what there is: all that it points to lives as long as this and the strings.
public final class CommandTable: @unchecked Sendable {
  /// Without `invoke` and `native`, which nobody but the core calls.
  public private(set) var foreign = msdk_command()

  private let limits: UnsafeMutablePointer<msdk_arg_limits>
  private let defaults: UnsafeMutablePointer<msdk_value>
  private var blobs: [UnsafeMutableRawPointer] = []

  init(
    name: String, summary: String, flags: UInt32, result: ParameterType?, arguments: [CommandArgument], strings: CStringArena
  ) {
    limits = .allocate(capacity: Int(MSDK_ARGS_MAX))
    limits.initialize(repeating: msdk_arg_limits(), count: Int(MSDK_ARGS_MAX))
    defaults = .allocate(capacity: Int(MSDK_ARGS_MAX))
    defaults.initialize(repeating: msdk_value(), count: Int(MSDK_ARGS_MAX))
    foreign.struct_size = UInt32(MemoryLayout<msdk_command>.size)
    foreign.flags = flags
    foreign.name = strings.string(name)
    foreign.summary = strings.string(summary)
    foreign.result = result?.rawValue ?? UInt32(MSDK_T_VOID)
    foreign.arg_count = UInt32(arguments.count)
    withUnsafeMutableBytes(of: &foreign.args) { bytes in
      let args = bytes.bindMemory(to: msdk_arg.self)
      for (index, argument) in arguments.enumerated() {
        args[index] = msdk_arg(name: strings.string(argument.name), type: argument.type.rawValue, flags: 0)
      }
    }
    for (index, argument) in arguments.enumerated() {
      var entry = msdk_arg_limits()
      entry.struct_size = UInt32(MemoryLayout<msdk_arg_limits>.size)
      entry.summary = strings.string(argument.summary)
      entry.min = argument.bounds?.least?.withForeign { $0.pointee } ?? msdk_value()
      entry.max = argument.bounds?.most?.withForeign { $0.pointee } ?? msdk_value()
      if let choices = argument.choices { (entry.choices, entry.choice_count) = (strings.list(choices), UInt32(choices.count)) }
      if let value = argument.defaultValue {
        defaults[index] = kept(value, strings)
        entry.def = UnsafePointer(defaults + index)
      }
      limits[index] = entry
    }
    if !arguments.isEmpty { foreign.limits = UnsafePointer(limits) }
  }

  /// The value in memory that stays.
  private func kept(_ value: ParameterValue, _ strings: CStringArena) -> msdk_value {
    var native = value.withForeign { $0.pointee }
    switch value {
    case .string(let text): native.u.str = strings.string(text)
    case .bytes(let bytes):
      let copy = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
      copy.copyMemory(from: bytes, byteCount: bytes.count)
      blobs.append(copy)
      native.u.bytes = msdk_bytes(data: copy, size: UInt64(bytes.count))
    default: break
    }
    return native
  }

  deinit {
    limits.deallocate()
    defaults.deallocate()
    for blob in blobs { blob.deallocate() }
  }
}
