import CMediaSDK
import MediaCore

/// Commands, called by name. Everything is checked before the plugin is, and what it answers before it is believed.
extension PluginInstance {
  /// Calls a command; nil when it returns nothing. Arguments with a default may be left out at the end.
  @discardableResult
  public func call(_ name: String, _ arguments: [ParameterValue] = []) throws(MediaError) -> ParameterValue? {
    let command = try descriptor.command(name)
    return try perform(command, command.check(arguments))
  }

  /// The same with a program's text and array.
  public func call(
    foreign name: UnsafePointer<CChar>?, _ arguments: UnsafePointer<msdk_value>?, count: UInt32
  ) throws(MediaError) -> ParameterValue? {
    let command = try descriptor.command(foreign: name)
    return try perform(command, command.read(arguments, count: count))
  }

  private func perform(_ command: CommandDescriptor, _ arguments: [ParameterValue]) throws(MediaError) -> ParameterValue? {
    guard command.isThreadSafe else {
      return try turn.take(command.label) { () throws(MediaError) in
        try checkAlive()
        context.errorText.withLock { $0 = nil }
        return try PluginInstance.run(command, arguments, native: plugin, context, id: descriptor.id)
      }
    }
    guard commandGate.enter() else { throw MediaError(.closed, "the instance of \(descriptor.id) is destroyed") }
    defer { commandGate.leave() }
    return try PluginInstance.run(command, arguments, native: plugin, context, id: descriptor.id)
  }

  /// Without the instance, which costs more than others to hold and let go of, as there is a weak reference to it.
  private static func run(
    _ command: CommandDescriptor, _ arguments: [ParameterValue], native plugin: OpaquePointer, _ context: Context, id: String
  ) throws(MediaError) -> ParameterValue? {
    // The answer is read while the arguments are there: it may be one of them.
    let outcome = ParameterValue.withForeign(arguments) { values -> Result<ParameterValue?, MediaError> in
      var answer = msdk_value()
      let (result, said) = CommandWords.collect(for: context) {
        ForeignCode.run {
          switch command.target {
          case .invoke(let invoke): invoke(plugin, UnsafePointer(values.baseAddress), UInt32(values.count), &answer)
          case .native(let function): function.call(plugin, values, into: &answer)
          }
        }
      }
      guard result < 0 else { return Result { () throws(MediaError) in try read(answer, of: command, said, id: id) } }
      // A plugin may have left the work, and the words, to a thread of its own.
      let elsewhere = command.isThreadSafe ? nil : context.errorText.withLock { $0 }
      return .failure(PluginInstance.error(result, command.label, of: id, said?.text ?? elsewhere))
    }
    return try outcome.get()
  }

  /// A copy of what a command answered, if that is what it declared.
  private static func read(
    _ answer: msdk_value, of command: CommandDescriptor, _ said: MediaError?, id: String
  ) throws(MediaError) -> ParameterValue? {
    let declared = command.result?.rawValue ?? UInt32(MSDK_T_VOID)
    guard answer.type == declared else {
      let wanted = command.result.map { "\($0), \(declared)" } ?? "nothing, \(declared)"
      throw MediaError(.fail, "\(id): \(command.label) gave a value of type \(answer.type); it declares \(wanted)")
    }
    guard let type = command.result else { return nil }
    if type == .string && answer.u.str == nil || type == .bytes && answer.u.bytes.data == nil && answer.u.bytes.size > 0 {
      guard let said else { throw MediaError(.fail, "\(id): \(command.label) gave NULL; it declares \(type)") }
      throw MediaError(said.status, "\(id): \(said.text)")
    }
    do throws(MediaError) {
      return try ParameterValue(foreign: answer, argument: command.answerLabel)
    } catch {
      throw MediaError(.fail, "\(id): \(error.text)")
    }
  }
}

extension ParameterValue {
  /// Hands values out in the foreign shape, for the time of the call.
  static func withForeign<Result>(_ values: [ParameterValue], _ body: (UnsafeMutableBufferPointer<msdk_value>) -> Result) -> Result {
    withUnsafeTemporaryAllocation(of: msdk_value.self, capacity: values.count) { room in
      fill(room, from: 0, values[...], body)
    }
  }

  /// One behind the other: texts stay where they are only inside.
  private static func fill<Result>(
    _ room: UnsafeMutableBufferPointer<msdk_value>, from index: Int, _ values: ArraySlice<ParameterValue>,
    _ body: (UnsafeMutableBufferPointer<msdk_value>) -> Result
  ) -> Result {
    guard let first = values.first else { return body(room) }
    return first.withForeign { value in
      room.baseAddress?.advanced(by: index).initialize(to: value.pointee)
      return fill(room, from: index + 1, values.dropFirst(), body)
    }
  }
}
