import CLinux
import CMediaSDK
import Glibc
import MediaCore
import MediaPlugins

/// The process with the plugin: takes the library's calls one by one and makes them. What stands here runs beside foreign code that may do what
/// it likes; nothing of it is trusted by the other side.
enum PluginSide {
  static func run() -> Never {
    let events = PluginEvents()
    PluginEvents.shared = events
    let calls = PacketSocket(Wire.Descriptor.calls)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Wire.largest, alignment: 16)
    var writer = WireWriter()
    let plugin = PluginCalls(events)
    while true {
      guard case .message(let bytes, let descriptor) = calls.receive(into: buffer, waits: true) else { _exit(0) }
      var reader = WireReader(bytes)
      guard let header = try? reader.get(CallHeader.self), let op = Op(rawValue: header.op) else { _exit(2) }
      events.note(now: header.now)
      events.slots.grant(header.granted, generation: header.generation)
      plugin.begin()
      let result: msdk_result
      do throws(MediaError) {
        result = try plugin.serve(op, &reader, descriptor)
      } catch {
        plugin.errorText = error.text
        result = error.status.rawValue
      }
      if descriptor >= 0 { close(descriptor) }
      writer.begin()
      writer.put(ReplyHeader(id: header.id, result: result, keepsSlot: plugin.keepsSlot ? 1 : 0, delay: plugin.delay))
      if result < 0 {
        writer.put(text: String((plugin.errorText ?? events.takeErrorText() ?? "").prefix(1024)))
      } else {
        writer.append(plugin.reply)
      }
      guard calls.send(writer) else { _exit(0) }
      if op == .destroy { _exit(0) }
    }
  }

  /// What holds before any code of the plugin runs.
  static func confine(memory: UInt32, processorTime: UInt32, mayFork: Bool) {
    _ = msdk_no_new_privileges()
    msdk_die_plainly()
    _ = msdk_limit(Int32(MSDK_LIMIT_FILES), 256)
    // A sanitizer's runtime reserves more than any limit.
    let isChecked = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    if memory > 0, !isChecked { _ = msdk_limit(Int32(MSDK_LIMIT_MEMORY), UInt64(memory) << 20) }
    if processorTime > 0 { _ = msdk_limit(Int32(MSDK_LIMIT_CPU), UInt64(processorTime)) }
    _ = msdk_filter_calls(mayFork ? 0 : 1)
  }
}
