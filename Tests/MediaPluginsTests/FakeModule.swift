import CMediaSDK
import Glibc
import MediaCore

@testable import MediaPlugins

/// A module's table in memory that lives as long as the process, as a plugin's does.
final class FakeModule {
  var table = msdk_module()
  var classes: [msdk_class] = []
  var producer = FakePlugin.producer(pull: true)
  var renderer = FakePlugin.renderer()
  var audioProducer = FakePlugin.audioProducer(pull: true)
  var audioRenderer = FakePlugin.audioRenderer()
  var videoFilter = FakePlugin.videoFilter()
  var audioFilter = FakePlugin.audioFilter()
  var params: [msdk_param] = []
  var commands: [msdk_command] = []
  /// Kinds whose table is left out.
  var omitted = 0

  init(_ id: String = "test.fake", kinds: Int = MSDK_KIND_VIDEO_PRODUCER) {
    table.struct_size = UInt32(MemoryLayout<msdk_module>.size)
    var first = FakePlugin.table()
    first.id = FakeModule.text(id)
    first.kinds = UInt32(kinds)
    classes = [first]
  }

  /// A parameter of the first class.
  func add(_ name: String, _ value: ParameterValue, flags: Int = 0, min: Double? = nil, max: Double? = nil, choices: [String]? = nil) {
    var param = msdk_param()
    param.struct_size = UInt32(MemoryLayout<msdk_param>.size)
    param.flags = UInt32(flags)
    param.name = FakeModule.text(name)
    param.def = value.withForeign { $0.pointee }
    if case .string(let text) = value { param.def.u.str = FakeModule.text(text) }
    (param.min, param.max) = (FakeModule.bound(min, param.def.type), FakeModule.bound(max, param.def.type))
    if let choices {
      let list = FakeModule.keep(choices.map { FakeModule.text($0) })
      (param.choices, param.choice_count) = (UnsafePointer(list), UInt32(choices.count))
    }
    params.append(param)
  }

  /// A bound in the type of a value, as a plugin writes it; nil is none.
  static func bound(_ number: Double?, _ type: msdk_type) -> msdk_value {
    var value = msdk_value()
    guard let number else { return value }
    value.type = type
    switch Int(type) {
    case MSDK_T_I32: value.u.i32 = Int32(number)
    case MSDK_T_I64: value.u.i64 = Int64(number)
    case MSDK_T_U32: value.u.u32 = UInt32(number)
    case MSDK_T_U64: value.u.u64 = UInt64(number)
    default: value.u.f64 = number
    }
    return value
  }

  /// The table as a plugin would hand it over.
  func pointer() -> UnsafePointer<msdk_module> {
    if !params.isEmpty {
      classes[0].params = UnsafePointer(FakeModule.keep(params))
      classes[0].param_count = UInt32(params.count)
    }
    if !commands.isEmpty {
      classes[0].commands = UnsafePointer(FakeModule.keep(commands))
      classes[0].command_count = UInt32(commands.count)
    }
    let list = classes.map { entry -> UnsafePointer<msdk_class>? in
      var entry = entry
      let given = entry.kinds & ~UInt32(omitted)
      if given & UInt32(MSDK_KIND_VIDEO_PRODUCER) != 0 { entry.video_producer = UnsafePointer(FakeModule.keep([producer])) }
      if given & UInt32(MSDK_KIND_VIDEO_RENDERER) != 0 { entry.video_renderer = UnsafePointer(FakeModule.keep([renderer])) }
      if given & UInt32(MSDK_KIND_AUDIO_PRODUCER) != 0 { entry.audio_producer = UnsafePointer(FakeModule.keep([audioProducer])) }
      if given & UInt32(MSDK_KIND_AUDIO_RENDERER) != 0 { entry.audio_renderer = UnsafePointer(FakeModule.keep([audioRenderer])) }
      if given & UInt32(MSDK_KIND_VIDEO_FILTER) != 0 { entry.video_filter = UnsafePointer(FakeModule.keep([videoFilter])) }
      if given & UInt32(MSDK_KIND_AUDIO_FILTER) != 0 { entry.audio_filter = UnsafePointer(FakeModule.keep([audioFilter])) }
      return UnsafePointer(FakeModule.keep([entry]))
    }
    (table.classes, table.class_count) = (UnsafePointer(FakeModule.keep(list)), UInt32(list.count))
    return UnsafePointer(FakeModule.keep([table]))
  }

  func load() throws(MediaError) -> LoadedModule {
    try LoadedModule(pointer(), path: "")
  }

  func descriptor() throws -> ClassDescriptor {
    try load().classes[0]
  }

  func instance(
    _ plugin: FakePlugin, clock: @escaping @Sendable () -> Int64 = { 5 }, log: @escaping @Sendable (Int32, String) -> Void = { _, _ in }
  )
    throws -> PluginInstance
  {
    let descriptor = try descriptor()
    return try FakePlugin.$next.withValue(plugin) { try PluginInstance(descriptor, clock: clock, log: log) }
  }

  // MARK: Memory

  private static let kept = Monitor<[UInt]>([])

  static func keep<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
    let memory = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
    memory.initialize(from: elements, count: elements.count)
    kept.withLock { $0.append(UInt(bitPattern: memory)) }
    return memory
  }

  static func text(_ text: String) -> UnsafePointer<CChar>? {
    UnsafePointer(keep(Array(text.utf8CString)))
  }
}

func testSound(_ sampleFormat: SampleFormat = .f32, rate: UInt32 = 48_000, channels: UInt32 = 2, samples: UInt32 = 0) -> AudioFormat {
  AudioFormat(sampleFormat, sampleRate: rate, channels: channels, samplesPerBuffer: samples)
}

func testFormat(_ pixelFormat: PixelFormat = .i420, _ width: UInt32 = 16, _ height: UInt32 = 8) -> VideoFormat {
  VideoFormat(pixelFormat, width: width, height: height, frameRate: FrameRate(30))
}
