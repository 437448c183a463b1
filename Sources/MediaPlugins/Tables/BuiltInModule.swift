import CMediaSDK
import MediaCodecs
import MediaCore

/// The codecs that are the library's own, behind the tables that a stranger's have.
enum BuiltInModule {
  static let vp8 = "org.mediasdk.vp8"
  static let opus = "org.mediasdk.opus"

  /// nil never; what is wrong in these tables a test says.
  static let loaded: LoadedModule? = try? load()

  static func load() throws(MediaError) -> LoadedModule {
    var module = msdk_module()
    module.struct_size = UInt32(MemoryLayout<msdk_module>.size)
    module.abi_minor = UInt32(MSDK_ABI_MINOR)
    module.vendor = text("MediaSDK")
    module.version = SDKVersion.cString
    module.license = text("Apache-2.0")
    let classes: [UnsafePointer<msdk_class>?] = [videoClass(), audioClass()].map { UnsafePointer(KeptMemory.copy([$0])) }
    (module.classes, module.class_count) = (UnsafePointer(KeptMemory.copy(classes)), UInt32(classes.count))
    return try LoadedModule(UnsafePointer(KeptMemory.copy([module])), path: "")
  }

  /// Throws what the parser says of data that its table refused.
  static func explainVideo(_ data: UnsafeRawBufferPointer, _ id: String) throws(MediaError) {
    if id == vp8 { _ = try VideoCodec.vp8.parseHeader(data) }
  }

  static func explainAudio(_ data: UnsafeRawBufferPointer, _ id: String) throws(MediaError) {
    if id == opus { _ = try AudioCodec.opus.parse(data) }
  }

  private static func base(_ id: StaticString, _ name: StaticString, _ summary: StaticString) -> msdk_class {
    var table = msdk_class()
    table.struct_size = UInt32(MemoryLayout<msdk_class>.size)
    table.flags = UInt32(MSDK_CLASS_NO_ISOLATION)
    table.id = text(id)
    table.name = text(name)
    table.summary = text(summary)
    return table
  }

  private static func videoClass() -> msdk_class {
    var table = base("org.mediasdk.vp8", "VP8", "VP8 (RFC 6386), by libvpx")
    table.kinds = UInt32(MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER)
    table.create = { _, host, context, out in BuiltInVideo.create(.vp8, host, context, out) }
    table.destroy = { plugin in BuiltInVideo.destroy(plugin) }
    table.video_encoder = UnsafePointer(KeptMemory.copy([BuiltInVideo.encoder(.vp8)]))
    var decoder = BuiltInVideo.decoder(.vp8)
    decoder.parse_header = { data, size, out in BuiltInVideo.parse(.vp8, data, size, out) }
    table.video_decoder = UnsafePointer(KeptMemory.copy([decoder]))
    return table
  }

  private static func audioClass() -> msdk_class {
    var table = base("org.mediasdk.opus", "Opus", "Opus (RFC 6716), by libopus")
    table.kinds = UInt32(MSDK_KIND_AUDIO_ENCODER | MSDK_KIND_AUDIO_DECODER)
    table.create = { _, host, context, out in BuiltInAudio.create(.opus, host, context, out) }
    table.destroy = { plugin in BuiltInAudio.destroy(plugin) }
    table.audio_encoder = UnsafePointer(KeptMemory.copy([BuiltInAudio.encoder(.opus)]))
    var decoder = BuiltInAudio.decoder(.opus)
    decoder.parse_header = { data, size, out in BuiltInAudio.parse(.opus, data, size, out) }
    table.audio_decoder = UnsafePointer(KeptMemory.copy([decoder]))
    return table
  }

  private static func text(_ text: StaticString) -> UnsafePointer<CChar> {
    UnsafeRawPointer(text.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}

extension PluginModule {
  public var isBuiltIn: Bool { self === BuiltInModule.loaded?.module }
}

/// The plugin's side of an instance of ours: what it was given by the host.
class BuiltInCodec {
  let host: UnsafePointer<msdk_host>
  let context: OpaquePointer

  init(_ host: UnsafePointer<msdk_host>, _ context: OpaquePointer) {
    self.host = host
    self.context = context
  }

  /// Runs a function of a table; what it throws becomes its words and its result.
  func run(_ body: () throws(MediaError) -> Void) -> msdk_result {
    do throws(MediaError) {
      try body()
      return msdk_result(MSDK_OK)
    } catch {
      let code = error.status.rawValue
      error.text.withCString { host.pointee.set_error?(context, code, $0) }
      return code
    }
  }

  /// Gives the host a copy of encoded bytes.
  func give(
    _ bytes: UnsafeRawBufferPointer, flags: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    var attributes = msdk_encoded_frame()
    attributes.struct_size = UInt32(MemoryLayout<msdk_encoded_frame>.size)
    attributes.flags = flags
    attributes.data = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    attributes.size = UInt64(bytes.count)
    return host.pointee.encoded_frame_create?(context, &attributes, out) ?? msdk_result(MSDK_E_UNSUPPORTED)
  }
}
