import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins
import MediaRuntime

/// Thread-safe commands of the instance in this process: each runs on a thread of its own.
final class ConcurrentCommands: @unchecked Sendable {
  private static let most = 129 << 20
  private let descriptor: ClassDescriptor
  private let me: OpaquePointer
  /// Of the thread that listens.
  private var begun: [UInt32: [UInt8]] = [:]

  init(_ descriptor: ClassDescriptor, _ me: OpaquePointer) {
    (self.descriptor, self.me) = (descriptor, me)
  }

  /// A part of a call; the last one begins it.
  func take(_ number: UInt32, _ reader: inout WireReader, _ events: PluginEvents) throws(MediaError) {
    let size = Int(clamping: try reader.get(UInt64.self))
    var bytes = begun.removeValue(forKey: number) ?? []
    bytes.append(contentsOf: try reader.getBytes())
    guard size <= ConcurrentCommands.most, bytes.count <= size else {
      throw MediaError(.corrupt, "\(bytes.count) bytes of \(size) arrived")
    }
    guard bytes.count == size else {
      begun[number] = bytes
      return
    }
    let whole = bytes
    let isStarted = SystemThread.start("msdk-command") { [self] in
      ThreadErrorText.collect { run(whole, $0, number, events) }
    }
    if !isStarted { ConcurrentCommands.fail(msdk_result(MSDK_E_NOMEM), "no thread for a command", number, events) }
  }

  private func run(_ bytes: [UInt8], _ thread: ThreadErrorText, _ number: UInt32, _ events: PluginEvents) {
    let outcome = bytes.withUnsafeBytes { bytes -> CommandDescriptor.Outcome in
      var reader = WireReader(bytes)
      do throws(MediaError) {
        let (command, arguments) = try PluginCalls.read(&reader, descriptor)
        guard command.isThreadSafe else { throw MediaError(.state, "\(command.label) is not thread-safe") }
        return command.run(me, arguments) { ($0(), thread.error) }
      } catch {
        return .broken(error)
      }
    }
    switch outcome {
    case .failed(let result, let text): ConcurrentCommands.fail(result, text ?? "", number, events)
    case .broken(let error): ConcurrentCommands.fail(error.status.rawValue, error.text, number, events)
    case .answer(let value):
      let bytes = PluginCalls.answer(value).bytes
      for first in stride(from: 0, to: bytes.count, by: Wire.longestBytes) {
        events.say(.commandAnswer) { writer in
          writer.put(number)
          writer.put(msdk_result(MSDK_OK))
          writer.put(UInt64(bytes.count))
          writer.put(UInt64(first))
          bytes.withUnsafeBytes { writer.put(bytes: UnsafeRawBufferPointer(rebasing: $0[first...].prefix(Wire.longestBytes))) }
        }
      }
    }
  }

  private static func fail(_ result: msdk_result, _ text: String, _ number: UInt32, _ events: PluginEvents) {
    events.say(.commandAnswer) { writer in
      writer.put(number)
      writer.put(result)
      writer.put(text: String(text.prefix(1024)))
    }
  }
}
