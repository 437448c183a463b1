import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Commands of a plugin that lives in another process. The core has checked the arguments; what comes back is checked here.
enum ProxyCommands {
  /// A command may have effects: it is never called a second time by itself.
  static func call(
    _ me: OpaquePointer, _ command: CommandDescriptor, _ arguments: [ParameterValue], _ answer: inout ParameterValue?
  ) -> msdk_result {
    var given: ParameterValue?
    let result = Proxy.with(me) { instance in
      if command.isThreadSafe { return callConcurrently(instance, command, arguments, &given) }
      var payload = WireWriter()
      payload.put(text: command.name)
      for argument in arguments { payload.put(value: argument) }
      let deadline = instance.plan.options.controlDeadline
      let outcome = instance.call(.command, waitsForLife: true) { process in
        process.callLong(
          .command, named: command.label, now: instance.now(), deadline: deadline, payload: payload, most: ParameterValue.mostBytes + 64
        ) { reader throws(MediaError) in given = try read(&reader, command) }
      }
      return ending(outcome, command, instance)
    }
    answer = given
    return result
  }

  static func ending(_ outcome: IsolatedInstance.Outcome, _ command: CommandDescriptor, _ instance: IsolatedInstance) -> msdk_result {
    switch outcome {
    case .result(let result): result
    case .died: instance.fail(.pluginDied, "its process died in \(command.label), which is not called again")
    case .away: instance.absence
    }
  }

  static func read(_ reader: inout WireReader, _ command: CommandDescriptor) throws(MediaError) -> ParameterValue? {
    let value = try reader.get(UInt32.self) == 1 ? reader.getValue() : nil
    guard value?.type == command.result else {
      throw MediaError(
        .corrupt, "it has the type \(value.map { "\($0.type)" } ?? "nothing"), not \(command.result.map { "\($0)" } ?? "nothing")")
    }
    switch value {
    case .string(let text)? where text.utf8.count > ParameterValue.longestText: throw MediaError(.corrupt, "its text is too long")
    case .bytes(let bytes)? where bytes.count > ParameterValue.mostBytes: throw MediaError(.corrupt, "it has too many bytes")
    default: return value
    }
  }
}

extension IsolatedInstance {
  /// Why a call that waits was not made.
  var absence: msdk_result {
    let deadline = plan.options.controlDeadline
    let (isUp, isGivenUp) = state.withLock { state in
      switch state.link {
      case .up: (true, false)
      case .givenUp: (false, true)
      default: (false, false)
      }
    }
    if isUp { return fail(.timeout, "it was busy with other calls for \(deadline) ms") }
    if isGivenUp { return fail(.pluginDied, "its process died too often and is not restarted") }
    return fail(.pluginDied, "its process is gone and was not restarted within \(deadline) ms")
  }
}
