import CLinux
import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// The process with the plugin: takes the library's calls one by one and makes them. What is here runs together with foreign code that may do what
/// it likes; nothing of it is trusted by the other side.
enum ChildMain {
  static func run(_ sandbox: SandboxReport) -> Never {
    let events = PluginEvents()
    PluginEvents.shared = events
    let calls = PacketSocket(Wire.Descriptor.calls)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Wire.largest, alignment: 16)
    var writer = WireWriter()
    let plugin = PluginCalls(events, sandbox)
    var channel: CallChannel?
    while true {
      let (bytes, descriptor) = next(channel, calls, buffer)
      let (isOver, adopted) = serve(bytes, descriptor, plugin, &writer, adoptsChannel: channel == nil)
      if descriptor >= 0 { close(descriptor) }
      answer(writer, channel, calls)
      if isOver { _exit(0) }
      // From the next call on.
      channel = channel ?? adopted
    }
  }

  /// Makes a call, and writes what came of it. Whether it was the last one, and the page if it brought that.
  static func serve(
    _ bytes: UnsafeRawBufferPointer, _ descriptor: Int32, _ plugin: PluginCalls, _ writer: inout WireWriter, adoptsChannel: Bool = false
  ) -> (isOver: Bool, channel: CallChannel?) {
    var reader = WireReader(bytes)
    guard let header = try? reader.get(CallHeader.self), let op = Op(rawValue: header.op) else { _exit(2) }
    let events = plugin.events
    events.note(now: header.now)
    events.slots.grant(header.granted, generation: header.generation)
    let result: msdk_result
    var adopted: CallChannel?
    do throws(MediaError) {
      if op == .create || op == .load, adoptsChannel, descriptor >= 0 { adopted = try CallChannel.adopt(descriptor) }
      result = try plugin.serve(op, reader, descriptor)
    } catch {
      plugin.errorText = error.text
      result = error.status.rawValue
    }
    writer.begin()
    writer.put(ReplyHeader(id: header.id, result: result, keepsSlot: plugin.keepsSlot ? 1 : 0, delay: plugin.delay))
    if result < 0 {
      writer.put(text: String((plugin.errorText ?? events.takeError()?.text ?? "").prefix(1024)))
    } else {
      writer.append(plugin.reply)
    }
    return (op == .destroy, adopted)
  }

  private static func next(
    _ channel: CallChannel?, _ calls: PacketSocket, _ buffer: UnsafeMutableRawBufferPointer
  ) -> (UnsafeRawBufferPointer, Int32) {
    if let bytes = channel?.nextCall() { return (bytes, -1) }
    guard case .message(let bytes, let descriptor) = calls.receive(into: buffer, waits: true) else { _exit(0) }
    return (bytes, descriptor)
  }

  private static func answer(_ writer: WireWriter, _ channel: CallChannel?, _ calls: PacketSocket) {
    if let channel, writer.bytes.count <= CallChannel.room {
      writer.bytes.withUnsafeBytes { channel.answer($0) }
      return
    }
    guard calls.send(writer) else { _exit(0) }
    channel?.answer(nil)
  }

  /// What holds before any code of the plugin runs, and before there is a second thread. Returns what of it the kernel has.
  static func confine(memory: UInt32, processorTime: UInt32, _ sandboxOptions: SandboxOptions) -> Containment {
    var containment: Containment = []
    _ = msdk_no_new_privileges()
    msdk_die_plainly()
    msdk_fail_writes()
    _ = msdk_limit(Int32(MSDK_LIMIT_FILES), 256)
    // A sanitizer's runtime reserves more than any limit.
    let isChecked = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    if memory > 0, !isChecked { _ = msdk_limit(Int32(MSDK_LIMIT_MEMORY), UInt64(memory) << 20) }
    if processorTime > 0 { _ = msdk_limit(Int32(MSDK_LIMIT_CPU), UInt64(processorTime)) }
    if sandboxOptions.contains(.readOnly), msdk_read_files_only() == 0 { containment.insert(.files) }
    if msdk_filter_calls(sandboxOptions.contains(.mayFork) ? 0 : 1) == 0 { containment.insert(.calls) }
    return containment
  }
}
