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
        return try PluginInstance.run(command, arguments, native: plugin, context, secrets, id: descriptor.id)
      }
    }
    guard commandGate.enter() else { throw MediaError(.closed, "the instance of \(descriptor.id) is destroyed") }
    defer { commandGate.leave() }
    return try PluginInstance.run(command, arguments, native: plugin, context, secrets, id: descriptor.id)
  }

  /// Without the instance, which costs more than others to hold and let go of, as there is a weak reference to it.
  private static func run(
    _ command: CommandDescriptor, _ arguments: [ParameterValue], native plugin: OpaquePointer, _ context: Context, _ secrets: SecretTexts,
    id: String
  ) throws(MediaError) -> ParameterValue? {
    switch command.run(plugin, arguments, { CommandWords.collect(for: context, $0) }) {
    case .answer(let value): return value
    case .broken(let error): throw MediaError(error.status, "\(id): \(secrets.redacted(error.text))")
    case .failed(let result, let words):
      // A plugin may have left the work, and the words, to a thread of its own.
      let elsewhere = command.isThreadSafe ? nil : context.errorText.withLock { $0 }
      throw PluginInstance.error(result, command.label, of: id, (words ?? elsewhere).map { secrets.redacted($0) })
    }
  }
}

extension CommandDescriptor {
  package enum Outcome {
    /// nil when it returns nothing.
    case answer(ParameterValue?)
    /// What the plugin returned, and its words.
    case failed(msdk_result, String?)
    /// It did not answer what it declares.
    case broken(MediaError)
  }

  /// Calls the plugin with values that were checked, and copies what it answers. `collect` makes the call, and gives with its result what was
  /// said with set_error meanwhile.
  package func run(
    _ plugin: OpaquePointer, _ arguments: [ParameterValue], _ collect: (() -> msdk_result) -> (msdk_result, MediaError?)
  ) -> Outcome {
    if case .elsewhere(let call) = target {
      var answer: ParameterValue?
      let (result, said) = collect { ForeignCode.run { call(plugin, self, arguments, &answer) } }
      return result < 0 ? .failed(result, said?.text) : .answer(answer)
    }
    // The answer is read while the arguments are there: it may be one of them.
    return ParameterValue.withForeign(arguments) { values -> Outcome in
      var answer = msdk_value()
      let (result, said) = collect {
        ForeignCode.run {
          switch target {
          case .invoke(let invoke): invoke(plugin, UnsafePointer(values.baseAddress), UInt32(values.count), &answer)
          case .native(let function): function.call(plugin, values, into: &answer)
          case .elsewhere: msdk_result(MSDK_E_UNSUPPORTED)
          }
        }
      }
      guard result >= 0 else { return .failed(result, said?.text) }
      do throws(MediaError) { return .answer(try read(answer, said)) } catch { return .broken(error) }
    }
  }

  /// A copy of what the plugin answered, if that is what it declared.
  private func read(_ answer: msdk_value, _ said: MediaError?) throws(MediaError) -> ParameterValue? {
    let declared = result?.rawValue ?? UInt32(MSDK_T_VOID)
    guard answer.type == declared else {
      let wanted = result.map { "\($0), \(declared)" } ?? "nothing, \(declared)"
      throw MediaError(.fail, "\(label) returned a value of type \(answer.type); it declares \(wanted)")
    }
    guard let type = result else { return nil }
    if type == .string && answer.u.str == nil || type == .bytes && answer.u.bytes.data == nil && answer.u.bytes.size > 0 {
      guard let said else { throw MediaError(.fail, "\(label) returned NULL; it declares \(type)") }
      throw said
    }
    do throws(MediaError) {
      return try ParameterValue(foreign: answer, argument: answerLabel)
    } catch {
      throw MediaError(.fail, error.text)
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
