import CMediaSDK
import Glibc

@testable import MediaCore

/// The plugin's side of one instance, written in Swift behind the C contract: it writes down its calls and does as it is told.
final class FakePlugin: Sendable {
  typealias Hook = @Sendable (FakePlugin) -> Int

  struct State {
    var calls: [String] = []
    /// What a function is to do; its result is the function's.
    var hooks: [String: Hook] = [:]
    var values: [String: ParameterText] = [:]
    var context: UInt = 0
    var accepted: Set<UInt32>?
    var isDestroyed = false
  }

  /// A parameter as the plugin saw it.
  struct ParameterText: Equatable, Sendable {
    var type: UInt32
    var text: String
  }

  /// Which one the next create of this task makes.
  @TaskLocal static var next: FakePlugin?

  let state = Monitor(State())

  init(_ hooks: [String: Hook] = [:]) {
    state.withLock { $0.hooks = hooks }
  }

  var calls: [String] { state.withLock { $0.calls } }
  var context: OpaquePointer? { OpaquePointer(bitPattern: state.withLock { $0.context }) }
  var host: msdk_host { FakePlugin.hostTable.withLock { UnsafePointer<msdk_host>(bitPattern: $0)?.pointee ?? msdk_host() } }

  private static let hostTable = Monitor<UInt>(0)

  func on(_ function: String, _ hook: @escaping Hook) {
    state.withLock { $0.hooks[function] = hook }
  }

  func forget() {
    state.withLock { $0.calls = [] }
  }

  func call(_ function: String) -> msdk_result {
    let hook = state.withLock { state in
      state.calls.append(function)
      return state.hooks[function]
    }
    return msdk_result(hook?(self) ?? MSDK_OK)
  }

  static func of(_ pointer: OpaquePointer?) -> FakePlugin? {
    pointer.map { Unmanaged<FakePlugin>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
  }

  /// The argument that the C function was called with, for hooks that look at it.
  let frame = Monitor<VideoFrame?>(nil)
  let encodedFrame = Monitor<EncodedFrame?>(nil)
  let format = Monitor<msdk_video_format?>(nil)
  let due = Monitor<Int64>(0)
  /// What produce_frame hands out.
  let produced = Monitor<VideoFrame?>(nil)
  let producedSound = Monitor<AudioFrame?>(nil)
  /// What produce_encoded_frame hands out, in this order.
  let packets = Monitor<[[UInt8]]>([])
  /// How long each of these lasts.
  let packetDuration = Monitor<Int64>(0)
  /// What it would make of its own accord.
  let capture = Monitor<VideoFormat?>(nil)
  /// What it would make, and what it asks for; nil for what it is given.
  let captureSound = Monitor<AudioFormat?>(nil)
  let renderSound = Monitor<AudioFormat?>(nil)
  /// What render_settings was told will come.
  let arriving = Monitor<AudioFormat?>(nil)
  let audioFrame = Monitor<AudioFrame?>(nil)
}

// MARK: The tables

extension FakePlugin {
  static let create:
    @convention(c) (UnsafePointer<msdk_class>?, UnsafePointer<msdk_host>?, OpaquePointer?, UnsafeMutablePointer<OpaquePointer?>?) ->
      msdk_result = { type, host, context, out in
        guard type?.pointee.create != nil else { return msdk_result(MSDK_E_INVALID) }
        guard let plugin = FakePlugin.next else { return msdk_result(MSDK_E_FAIL) }
        hostTable.withLock { $0 = UInt(bitPattern: host) }
        plugin.state.withLock { $0.context = UInt(bitPattern: context) }
        let result = plugin.call("create")
        if result >= 0, plugin.state.withLock({ $0.hooks["none"] }) == nil {
          out?.pointee = OpaquePointer(Unmanaged.passRetained(plugin).toOpaque())
        }
        return result
      }

  static let destroy: @convention(c) (OpaquePointer?) -> Void = { plugin in
    guard let plugin else { return }
    let fake = Unmanaged<FakePlugin>.fromOpaque(UnsafeRawPointer(plugin)).takeRetainedValue()
    _ = fake.call("destroy")
    fake.state.withLock { $0.isDestroyed = true }
  }

  static func table() -> msdk_class {
    var table = msdk_class()
    table.struct_size = UInt32(MemoryLayout<msdk_class>.size)
    table.create = create
    table.destroy = destroy
    table.set_param = { plugin, name, value in
      guard let fake = FakePlugin.of(plugin), let name, let value = value?.pointee else { return msdk_result(MSDK_E_FAIL) }
      let parameter = String(cString: name)
      let text = (try? ParameterText(value)) ?? ParameterText(type: 0, text: "?")
      fake.state.withLock { $0.values[parameter] = text }
      return fake.call("set_param \(parameter)")
    }
    return table
  }

  static func producer(pull: Bool) -> msdk_video_producer {
    var table = msdk_video_producer()
    table.struct_size = UInt32(MemoryLayout<msdk_video_producer>.size)
    table.flags = pull ? UInt32(MSDK_PRODUCER_PULL) : 0
    table.init_capture = { FakePlugin.of($0)?.call("init_capture") ?? -1 }
    table.release_capture = { FakePlugin.of($0)?.call("release_capture") ?? -1 }
    table.start_capture = { FakePlugin.of($0)?.call("start_capture") ?? -1 }
    table.stop_capture = { FakePlugin.of($0)?.call("stop_capture") ?? -1 }
    table.set_format = { plugin, format in
      FakePlugin.of(plugin)?.format.withLock { $0 = format?.pointee }
      return FakePlugin.of(plugin)?.call("set_format") ?? -1
    }
    table.produce_frame = { plugin, due, out in
      guard let fake = FakePlugin.of(plugin) else { return -1 }
      fake.due.withLock { $0 = due }
      let result = fake.call("produce_frame")
      out?.pointee = fake.produced.withLock { produced in
        defer { produced = nil }
        return produced?.native
      }
      return result
    }
    return table
  }

  static let captureSettings: @convention(c) (OpaquePointer?, UnsafeMutablePointer<msdk_video_format>?) -> msdk_result = { plugin, out in
    guard let fake = FakePlugin.of(plugin) else { return -1 }
    let result = fake.call("capture_settings")
    guard result >= 0, let format = fake.capture.withLock({ $0 }) else { return result }
    out?.pointee = format.foreign
    return result
  }

  static func renderer() -> msdk_video_renderer {
    var table = msdk_video_renderer()
    table.struct_size = UInt32(MemoryLayout<msdk_video_renderer>.size)
    table.init_render = { FakePlugin.of($0)?.call("init_render") ?? -1 }
    table.release_render = { FakePlugin.of($0)?.call("release_render") ?? -1 }
    table.flush = { FakePlugin.of($0)?.call("flush") ?? -1 }
    table.accepts_format = { plugin, format in
      guard let fake = FakePlugin.of(plugin), let format = format?.pointee else { return -1 }
      _ = fake.call("accepts \(PixelFormat(rawValue: format.pixel_format)?.name ?? "?")")
      return fake.state.withLock { $0.accepted?.contains(format.pixel_format) ?? true } ? 1 : 0
    }
    table.render_video_frame = { plugin, frame in
      guard let fake = FakePlugin.of(plugin), let frame else { return -1 }
      fake.frame.withLock { $0 = VideoFrame(native: UnsafeMutablePointer(mutating: frame)) }
      return fake.call("render")
    }
    return table
  }
}

// MARK: The table of a renderer of several streams

extension FakePlugin {
  /// Its calls are "input 1 anna Anna video speaking", "remove 1" and "render 1".
  static func callRenderer() -> msdk_video_renderer {
    var table = renderer()
    table.update_input = { plugin, number, input in
      guard let fake = FakePlugin.of(plugin), let input = input?.pointee else { return -1 }
      var words = [
        "input \(number)", ForeignText.readLossy(input.user_id, limit: 255), ForeignText.readLossy(input.display_name, limit: 255)
      ]
      if input.kind == UInt32(MSDK_VIDEO_SCREEN_SHARE) { words.append("screen") }
      if input.is_local != 0 { words.append("local") }
      if input.has_video != 0 { words.append("video") }
      if input.is_speaking != 0 { words.append("speaking") }
      if input.is_muted != 0 { words.append("muted") }
      let result = fake.call(words.joined(separator: " "))
      return result == 0 ? msdk_result(fake.state.withLock { $0.hooks["update"] }?(fake) ?? MSDK_OK) : result
    }
    table.remove_input = { plugin, number in FakePlugin.of(plugin)?.call("remove \(number)") ?? -1 }
    table.render_input_frame = { plugin, number, frame in
      guard let fake = FakePlugin.of(plugin), let frame else { return -1 }
      fake.frame.withLock { $0 = VideoFrame(native: UnsafeMutablePointer(mutating: frame)) }
      let result = fake.call("render \(number)")
      return result == 0 ? msdk_result(fake.state.withLock { $0.hooks["input frame"] }?(fake) ?? MSDK_OK) : result
    }
    return table
  }
}

// MARK: The tables of sound, whose calls begin with "audio"

extension FakePlugin {
  static func audioProducer(pull: Bool) -> msdk_audio_producer {
    var table = msdk_audio_producer()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_producer>.size)
    table.flags = pull ? UInt32(MSDK_PRODUCER_PULL) : 0
    table.init_capture = { FakePlugin.of($0)?.call("audio init_capture") ?? -1 }
    table.release_capture = { FakePlugin.of($0)?.call("audio release_capture") ?? -1 }
    table.start_capture = { FakePlugin.of($0)?.call("audio start_capture") ?? -1 }
    table.stop_capture = { FakePlugin.of($0)?.call("audio stop_capture") ?? -1 }
    table.set_format = { plugin, format in
      guard let fake = FakePlugin.of(plugin), let format = format?.pointee else { return -1 }
      return fake.call("audio set_format \(format.sample_rate)/\(format.channels)")
    }
    table.capture_settings = { plugin, out in
      guard let fake = FakePlugin.of(plugin) else { return -1 }
      if let format = fake.captureSound.withLock({ $0 }) { out?.pointee = format.foreign }
      return fake.call("audio capture_settings")
    }
    table.produce_frame = { plugin, due, out in
      guard let fake = FakePlugin.of(plugin) else { return -1 }
      fake.due.withLock { $0 = due }
      let result = fake.call("audio produce_frame")
      out?.pointee = fake.producedSound.withLock { produced in
        defer { produced = nil }
        return produced?.native
      }
      return result
    }
    return table
  }

  static func audioRenderer() -> msdk_audio_renderer {
    var table = msdk_audio_renderer()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_renderer>.size)
    table.init_render = { FakePlugin.of($0)?.call("audio init_render") ?? -1 }
    table.release_render = { FakePlugin.of($0)?.call("audio release_render") ?? -1 }
    table.start_render = { FakePlugin.of($0)?.call("audio start_render") ?? -1 }
    table.stop_render = { FakePlugin.of($0)?.call("audio stop_render") ?? -1 }
    table.render_settings = { plugin, out in
      guard let fake = FakePlugin.of(plugin), let out else { return -1 }
      let told = try? AudioFormat(checking: out.pointee, argument: "out")
      fake.arriving.withLock { $0 = told }
      if let format = fake.renderSound.withLock({ $0 }) { out.pointee = format.foreign }
      return fake.call("audio render_settings")
    }
    table.render_audio_frame = { plugin, frame in
      guard let fake = FakePlugin.of(plugin), let frame else { return -1 }
      let sound = AudioFrame(native: UnsafeMutablePointer(mutating: frame))
      fake.audioFrame.withLock { $0 = sound }
      return fake.call("audio render \(sound.sampleCount) of \(sound.format)")
    }
    return table
  }

  /// The renderer that takes packets of Opus.
  static func packetRenderer() -> msdk_audio_renderer {
    var table = audioRenderer()
    table.accepts_codec = { _, codec in codec == UInt32(MSDK_CODEC_OPUS) ? 1 : 0 }
    table.render_encoded_frame = { plugin, _ in FakePlugin.of(plugin)?.call("audio render_encoded") ?? -1 }
    return table
  }

  /// How often it was called so.
  func count(_ prefix: String) -> Int {
    calls.filter { $0.hasPrefix(prefix) }.count
  }
}

extension FakePlugin.ParameterText {
  init(_ value: msdk_value) throws(MediaError) {
    type = value.type
    switch Int(value.type) {
    case MSDK_T_BOOL: text = "\(value.u.b)"
    case MSDK_T_I32: text = "\(value.u.i32)"
    case MSDK_T_I64: text = "\(value.u.i64)"
    case MSDK_T_U32: text = "\(value.u.u32)"
    case MSDK_T_U64: text = "\(value.u.u64)"
    case MSDK_T_F64: text = "\(value.u.f64)"
    case MSDK_T_STRING: text = ForeignText.readLossy(value.u.str, limit: 1000)
    case MSDK_T_BYTES: text = "\(value.u.bytes.size) bytes"
    default: text = "?"
    }
  }
}
