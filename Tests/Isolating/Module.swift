import CMediaSDK
import Glibc
import MediaCore
import MediaIsolation
import MediaPlugins

// For hosts in tests that are not the core: a plugin's file, its classes behind the library's proxies, as a module like any other.

/// The module of a file, whose code never comes into this process; NULL, and why on stderr, when it cannot be isolated whole. What it runs in is
/// found as the library finds it, by MSDK_PLUGIN_HOST. It lives as long as the process. [any]
@c
public func msdk_test_isolated_module(_ path: UnsafePointer<CChar>?) -> UnsafePointer<msdk_module>? {
  do throws(MediaError) {
    return try IsolatedModule.make(ForeignText.read(path, limit: 4096, argument: "path"))
  } catch {
    IsolatedModule.complain(error.text)
    return nil
  }
}

/// Calls a command of an instance as programs do, by its name. [control]
@c
public func msdk_test_call(
  _ me: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ values: UnsafePointer<msdk_value>?, _ count: UInt32,
  _ out: UnsafeMutablePointer<msdk_value>?
) -> msdk_result {
  HostedInstance.with(me) { instance throws(MediaError) in
    guard let me, let out else { throw MediaError(.invalid, "self or out is NULL") }
    return try instance.call(
      ForeignText.read(name, limit: 64, argument: "name"), UnsafeBufferPointer(start: values, count: Int(count)), me, out)
  }
}

enum IsolatedModule {
  static func make(_ path: String) throws(MediaError) -> UnsafePointer<msdk_module> {
    let isolation = Isolation(globs: ["*"], program: PluginHostProgram.path(ignoringEnvironment: false))
    guard let loaded = try isolation.describe(path) else {
      throw MediaError(.unsupported, "\(path): there is no msdk-plugin-host, or it has a class that cannot be isolated")
    }
    var classes: [UnsafePointer<msdk_class>?] = []
    for descriptor in loaded.classes { classes.append(try IsolatedClass.make(of: descriptor, isolation)) }
    var module = msdk_module()
    module.struct_size = UInt32(MemoryLayout<msdk_module>.size)
    module.abi_minor = UInt32(MSDK_ABI_MINOR)
    (module.classes, module.class_count) = (UnsafePointer(KeptMemory.copy(classes)), UInt32(classes.count))
    return UnsafePointer(KeptMemory.copy([module]))
  }

  static func complain(_ text: String) {
    _ = "isolated: \(text)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }
}

/// The twins of a class, by the clock that their plugins are to go by.
struct IsolatedClass: Sendable {
  let real: ClassDescriptor
  let virtual: ClassDescriptor

  /// By which a host says that its time passes by itself.
  static let realTime = "org.mediasdk.test.real-time/1"

  private init(_ descriptor: ClassDescriptor, _ isolation: Isolation) throws(MediaError) {
    var options = InstanceOptions()
    options.isolation = .ownProcess
    // What hangs is to be found by the test's own patience, and what dies is not to be hidden by its coming back.
    (options.controlDeadline, options.mediaDeadline, options.restarts) = (60_000, 60_000, 0)
    real = try isolation.descriptor(for: descriptor, options, isVirtualClock: false) { _, _ in }
    virtual = try isolation.descriptor(for: descriptor, options, isVirtualClock: true) { _, _ in }
  }

  /// The proxies' table, with functions around those that frames go through: the host's frames are none of the library's.
  static func make(of descriptor: ClassDescriptor, _ isolation: Isolation) throws(MediaError) -> UnsafePointer<msdk_class> {
    let twins = try IsolatedClass(descriptor, isolation)
    let twin = twins.virtual
    var table = twin.table
    table.user = Creation.user(for: twins)
    table.create = { Creation.create($0, $1, $2, $3) }
    table.destroy = { Creation.destroy($0) }
    // To be looked at; what calls them is `msdk_test_call`.
    (table.commands, table.command_count) = (descriptor.table.commands, descriptor.table.command_count)
    table.video_producer = kept(twin.producer.map { VideoTables.producer(like: $0) })
    table.video_renderer = kept(twin.renderer.map { VideoTables.renderer(like: $0) })
    table.video_filter = kept(twin.videoFilter.map { FilterTables.video(like: $0) })
    table.audio_producer = kept(twin.audioProducer.map { AudioTables.producer(like: $0) })
    table.audio_renderer = kept(twin.audioRenderer.map { AudioTables.renderer(like: $0) })
    table.audio_filter = kept(twin.audioFilter.map { FilterTables.audio(like: $0) })
    table.video_encoder = kept(twin.videoEncoder.map { CodecTables.videoEncoder(like: $0) })
    table.video_decoder = kept(
      try twin.videoDecoder.map { decoder throws(MediaError) in
        var decoder = CodecTables.videoDecoder(like: decoder)
        decoder.parse_header = try VideoHeaders.function(for: descriptor)
        return decoder
      })
    table.audio_encoder = kept(twin.audioEncoder.map { CodecTables.audioEncoder(like: $0) })
    table.audio_decoder = kept(twin.audioDecoder)
    return UnsafePointer(KeptMemory.copy([table]))
  }

  private static func kept<Table>(_ table: Table?) -> UnsafePointer<Table>? {
    table.map { UnsafePointer(KeptMemory.copy([$0])) }
  }
}
