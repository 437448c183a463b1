import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Thread-safe commands run together with everything else in the plugin's process, too: they are sent on the events' socket, under a number, and what
/// comes of them is received there.
final class AwaitedAnswers: Sendable {
  struct Awaited {
    let label: String
    var bytes: [UInt8] = []
    var text = ""
    var result: msdk_result?
  }

  private struct State {
    var last: UInt32 = 0
    var awaited: [UInt32: Awaited] = [:]
    var isClosed = false
  }

  enum Outcome {
    case answer(Awaited)
    case late
    case gone
  }

  private let state = Monitor(State())
  private static let most = ParameterValue.mostBytes + 64

  func begin(_ label: String) -> UInt32 {
    state.withLock { state in
      repeat { state.last &+= 1 } while state.awaited[state.last] != nil
      state.awaited[state.last] = Awaited(label: label)
      return state.last
    }
  }

  func forget(_ number: UInt32) {
    state.withLock { $0.awaited[number] = nil }
  }

  func wait(for number: UInt32, until deadline: Int64) -> Outcome {
    let outcome: Outcome? = state.wait(until: deadline) { state in
      if let awaited = state.awaited[number], awaited.result != nil { return .answer(awaited) }
      return state.isClosed ? .gone : nil
    }
    forget(number)
    return outcome ?? .late
  }

  /// The process has ended.
  func close() {
    state.withLock { $0.isClosed = true }
    state.notify()
  }

  /// What runs there, for people.
  var doing: String? { state.withLock { $0.awaited.values.first { $0.result == nil }?.label } }

  /// A part of an answer, or the text of an error.
  func receive(_ reader: inout WireReader) throws(MediaError) {
    let (number, result) = (try reader.get(UInt32.self), try reader.get(msdk_result.self))
    var text = ""
    var (size, first, part) = (0, 0, [UInt8]())
    if result < 0 {
      text = try reader.getText()
    } else {
      (size, first) = (Int(clamping: try reader.get(UInt64.self)), Int(clamping: try reader.get(UInt64.self)))
      part = [UInt8](try reader.getBytes())
    }
    let isExpected = state.withLock { state in
      guard let awaited = state.awaited[number], awaited.result == nil, size <= AwaitedAnswers.most, first == awaited.bytes.count,
        part.count <= size - first, result < 0 || !part.isEmpty
      else { return false }
      return true
    }
    guard isExpected else { throw MediaError(.corrupt, "it sent an unexpected answer to command number \(number)") }
    // In place: nobody else answers it, and who waits looks at the result only.
    state.withLock { state in
      state.awaited[number]?.bytes.append(contentsOf: part)
      state.awaited[number]?.text = text
      if result < 0 || first + part.count == size { state.awaited[number]?.result = result }
    }
    state.notify()
  }
}

extension ProxyCommands {
  static func callConcurrently(
    _ instance: IsolatedInstance, _ command: CommandDescriptor, _ arguments: [ParameterValue], _ answer: inout ParameterValue?
  ) -> msdk_result {
    var payload = WireWriter()
    payload.put(text: command.name)
    for argument in arguments { payload.put(value: argument) }
    let deadline = instance.plan.options.controlDeadline
    guard let process = instance.living() else { return instance.absence }
    let number = process.awaited.begin(command.label)
    process.send(payload.bytes, as: number, until: Deadline.after(milliseconds: deadline))
    switch process.awaited.wait(for: number, until: Deadline.after(milliseconds: deadline)) {
    case .answer(let awaited):
      let result = awaited.result ?? msdk_result(MSDK_E_FAIL)
      guard result >= 0 else {
        if !awaited.text.isEmpty { awaited.text.withCString { instance.host.set_error?(instance.context, result, $0) } }
        return result
      }
      let failure = awaited.bytes.withUnsafeBytes { bytes -> MediaError? in
        var reader = WireReader(bytes)
        do throws(MediaError) { answer = try read(&reader, command) } catch { return error }
        return nil
      }
      guard let failure else { return result }
      process.end("its answer to \(command.label): \(failure.text)")
    case .late: process.end("it did not return from \(command.label) within \(deadline) ms")
    case .gone: break
    }
    return ending(.died, command, instance)
  }
}

extension IsolatedInstance {
  /// Its process, whatever that is doing, once it is there.
  func living() -> PluginProcess? {
    let process: PluginProcess?? = state.wait(until: Deadline.after(milliseconds: plan.options.controlDeadline)) { state in
      switch state.link {
      case .up(let process): .some(process)
      case .restoring, .down: nil
      case .givenUp, .closed: .some(nil)
      }
    }
    return process ?? nil
  }
}

extension PluginProcess {
  /// Sends a command in parts. What cannot be sent in time is not answered in time either.
  func send(_ bytes: [UInt8], as number: UInt32, until deadline: Int64) {
    var writer = WireWriter()
    for first in stride(from: 0, to: bytes.count, by: Wire.longestBytes) {
      writer.begin()
      writer.put(DowncallHeader(.command, id: number))
      writer.put(UInt64(bytes.count))
      bytes.withUnsafeBytes { writer.put(bytes: UnsafeRawBufferPointer(rebasing: $0[first...].prefix(Wire.longestBytes))) }
      while !events.send(writer, waits: false) {
        guard !isEnding, MediaTime.monotonic() < deadline else { return }
        usleep(1_000)
      }
    }
  }
}
