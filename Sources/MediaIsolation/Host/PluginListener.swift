import CLinux
import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Serves what a plugin's process reports by itself, until it has ended. On the thread of its supervisor.
final class PluginListener {
  /// Words beyond that in a second are left out; messages beyond that are a flood.
  private static let mostTexts = 500
  private static let mostMessages = 20_000
  /// How long the program around the plugin has for killing it.
  private static let killTimeout: Int32 = 2_000

  let process: PluginProcess
  private let instance: IsolatedInstance
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Wire.largest, alignment: 16)
  private var writer = WireWriter()
  private let parts = AudioParts()
  private var tail = OutputTail()
  private var death = ExitStatus()
  private var second: Int64 = 0
  private var messages = 0
  private var texts = 0

  init(_ process: PluginProcess, _ instance: IsolatedInstance) {
    (self.process, self.instance) = (process, instance)
  }

  deinit {
    buffer.deallocate()
  }

  func run() -> ExitStatus {
    var pollers = [
      pollfd(fd: process.events.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: process.control.descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: process.started.output, events: Int16(POLLIN), revents: 0),
      // Whether it is closed: nobody waits there for calls that go by the page.
      pollfd(fd: process.calls.descriptor, events: 0, revents: 0)
    ]
    process.reentrant.begin(self)
    defer { process.reentrant.end() }
    var isOpen = true
    var silences = 0
    while true {
      let ready = poll(&pollers, 4, isOpen ? -1 : PluginListener.killTimeout)
      if ready < 0 { continue }
      if ready == 0 {
        // The socket is closed without a reason: the plugin closed it, or the program around it is stuck too.
        silences += 1
        if silences == 1 { process.end("it closed its socket") } else { process.kill() }
        if silences > 2 { break }
      }
      if pollers[2].revents != 0, !tail.read(process.started.output) { pollers[2].fd = -1 }
      let isReceiving = pollers[0].revents == 0 || receive()
      if !isReceiving { pollers[0].fd = -1 }
      if !isReceiving || pollers[3].revents != 0 {
        pollers[3].fd = -1
        isOpen = false
        process.abandon()
      }
      if pollers[1].revents != 0, readStatus() { break }
    }
    _ = tail.read(process.started.output)
    death.output = tail.text
    return death
  }

  /// Whether it is over.
  private func readStatus() -> Bool {
    switch process.control.receive(into: buffer, waits: false) {
    case .message(let bytes, let other):
      if other >= 0 { close(other) }
      var reader = WireReader(bytes)
      death.status = try? reader.get(Int32.self)
      return true
    case .nothing: return false
    case .closed, .bad: return true
    }
  }

  // MARK: Messages

  /// Serves one message; false when there will be no more.
  func receive() -> Bool {
    switch process.events.receive(into: buffer, waits: false) {
    case .nothing: return true
    case .closed: return false
    case .bad:
      process.end("it sent a message that is not part of the protocol")
      return false
    case .message(let bytes, let other):
      if other >= 0 { close(other) }
      do throws(MediaError) {
        try count()
        try serve(WireReader(bytes))
        return true
      } catch {
        process.end(error.text)
        return false
      }
    }
  }

  private func count() throws(MediaError) {
    let now = instance.plan.clock.now() / 1_000_000_000
    if now != second {
      if texts > PluginListener.mostTexts {
        instance.log(MSDK_LOG_WARN, "\(texts - PluginListener.mostTexts) messages of one second were dropped")
      }
      (second, messages, texts) = (now, 0, 0)
    }
    messages += 1
    guard messages <= PluginListener.mostMessages else {
      throw MediaError(.limit, "it sent more than \(PluginListener.mostMessages) messages in a second")
    }
  }

  private func serve(_ message: WireReader) throws(MediaError) {
    var reader = message
    let header = try reader.get(UpcallHeader.self)
    guard let kind = Upcall(rawValue: header.kind) else { throw MediaError(.corrupt, "it sent a message of unknown kind \(header.kind)") }
    let (host, context) = (instance.host, instance.context)
    switch kind {
    case .log, .event, .setError:
      texts += 1
      guard texts <= PluginListener.mostTexts else { return }
      try serveText(kind, &reader)
    case .need: try makeRoom(header.id, Int(clamping: reader.get(UInt64.self)))
    case .consumeVideo:
      let frame = try process.frame(reader.get(VideoFrameHeader.self))
      answer(
        header.id,
        process.reentrant.awaited(by: header.id) {
          host.consume_video_frame?(context, frame.native) ?? msdk_result(MSDK_E_UNSUPPORTED)
        })
    case .consumeAudio:
      switch try parts.take(&reader, host, context) {
      case .none: answer(header.id, msdk_result(MSDK_E_AGAIN))
      case .part: answer(header.id, msdk_result(MSDK_OK))
      case .frame(let frame):
        answer(
          header.id,
          process.reentrant.awaited(by: header.id) {
            host.consume_audio_frame?(context, frame.native) ?? msdk_result(MSDK_E_UNSUPPORTED)
          })
      }
    case .consumeEncoded:
      var frame: UnsafeMutablePointer<msdk_encoded_frame>?
      let made = try instance.takeEncoded(process, &reader, &frame)
      guard made >= 0, let frame else { return answer(header.id, made < 0 ? made : msdk_result(MSDK_E_NOMEM)) }
      answer(
        header.id,
        process.reentrant.awaited(by: header.id) {
          host.consume_encoded_frame?(context, frame) ?? msdk_result(MSDK_E_UNSUPPORTED)
        })
    case .read: try read(header.id, reader.get(UInt32.self), stride: reader.get(UInt32.self))
    case .answered: try process.reentrant.receive(header.id, answer: reader.copyOfRest)
    case .commandAnswer: try process.awaited.receive(&reader)
    case .release:
      let (generation, slots) = (try reader.get(UInt32.self), try reader.get(UInt32.self))
      guard let pool = process.inputPool, pool.generation == generation else { return }
      guard pool.giveBack(slots) else { throw MediaError(.corrupt, "it returned slots \(slots), which it did not hold") }
    }
  }

  private func serveText(_ kind: Upcall, _ reader: inout WireReader) throws(MediaError) {
    switch kind {
    case .log:
      let level = try reader.get(Int32.self)
      instance.log(Int(level), try reader.getText())
    case .setError:
      let code = try reader.get(Int32.self)
      try reader.getText().withCString { instance.host.set_error?(instance.context, code, $0) }
    default:
      let (event, result) = (try reader.get(UInt32.self), try reader.get(Int32.self))
      // Those are ours to report.
      guard event != UInt32(MSDK_PLUGIN_EVENT_DIED), event != UInt32(MSDK_PLUGIN_EVENT_RESTARTED) else { return }
      guard !reader.isAtEnd else {
        instance.host.post_event?(instance.context, event, result, nil)
        return
      }
      try reader.getValue().withForeign { instance.host.post_event?(instance.context, event, result, $0) }
    }
  }

  private func answer(
    _ id: UInt32, _ result: msdk_result, generation: UInt32 = 0, number: UInt32 = 0, descriptor: Int32 = -1,
    bytes: UnsafeRawBufferPointer? = nil
  ) {
    guard id != 0 else { return }
    writer.begin()
    writer.put(DowncallHeader(.answer, id: id, result: result, generation: generation, number: number))
    if let bytes { writer.put(bytes: bytes) }
    // It does not read what it waits for: a full socket is its fault.
    if !process.events.send(writer, descriptor: descriptor, waits: false), !process.isEnding { process.end("it does not read its socket") }
  }

  private func makeRoom(_ id: UInt32, _ capacity: Int) throws(MediaError) {
    do throws(MediaError) {
      let (pool, descriptor) = try process.makeOutputPool(capacity)
      defer { close(descriptor) }
      answer(
        id, msdk_result(MSDK_OK), generation: pool.generation, number: UInt32(pool.memory.slotSize >> 10), descriptor: descriptor)
    } catch {
      answer(id, error.status.rawValue)
    }
  }

  private func read(_ id: UInt32, _ count: UInt32, stride: UInt32) throws(MediaError) {
    let widest = 8
    guard stride > 0, stride <= widest, count <= Wire.longestBytes / widest else {
      throw MediaError(.corrupt, "it asked for \(count) samples of \(stride) bytes at a time")
    }
    // Room for what is really written, whatever it takes a sample for.
    withUnsafeTemporaryAllocation(byteCount: Int(count) * widest, alignment: 16) { buffer in
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
      let got = process.reentrant.awaited(by: id) {
        instance.host.read_render_data?(instance.context, buffer.baseAddress, count) ?? msdk_result(MSDK_E_UNSUPPORTED)
      }
      let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer).prefix(Int(count) * Int(stride)))
      answer(id, got, bytes: got < 0 ? nil : bytes)
    }
  }
}
