import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Commands, called as the core calls those of plugins in its own process.
extension PluginCalls {
  func command(_ descriptor: ClassDescriptor, _ me: OpaquePointer) throws(MediaError) -> msdk_result? {
    try withLong { reader throws(MediaError) in
      let (command, arguments) = try PluginCalls.read(&reader, descriptor)
      switch command.run(me, arguments, { ($0(), events.takeError()) }) {
      case .answer(let value):
        answer = PluginCalls.answer(value)
        giveLong()
        return msdk_result(MSDK_OK)
      case .failed(let result, let text):
        errorText = text ?? ""
        return result
      case .broken(let error): throw error
      }
    }
  }

  static func read(
    _ reader: inout WireReader, _ descriptor: ClassDescriptor
  ) throws(MediaError) -> (CommandDescriptor, [ParameterValue]) {
    let command = try descriptor.command(reader.getText())
    var given: [ParameterValue] = []
    while !reader.isAtEnd { given.append(try reader.getValue()) }
    return (command, try command.check(given))
  }

  static func answer(_ value: ParameterValue?) -> WireWriter {
    var writer = WireWriter()
    writer.put(UInt32(value == nil ? 0 : 1))
    if let value { writer.put(value: value) }
    return writer
  }
}
