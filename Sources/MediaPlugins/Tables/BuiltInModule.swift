import CMediaSDK
import MediaCodecs
import MediaCore

/// The codecs that are the library's own, as the module of a plugin has them.
enum BuiltInModule {
  /// nil never; what is wrong in these tables a test says.
  static let loaded: LoadedModule? = try? load()

  static func load() throws(MediaError) -> LoadedModule {
    var module = msdk_module()
    module.struct_size = UInt32(MemoryLayout<msdk_module>.size)
    module.abi_minor = UInt32(MSDK_ABI_MINOR)
    module.vendor = ("MediaSDK" as StaticString).cString
    module.version = SDKVersion.cString
    module.license = ("Apache-2.0" as StaticString).cString
    let classes: [UnsafePointer<msdk_class>?] = CodecClass.all.map { UnsafePointer(KeptMemory.copy([$0.table])) }
    (module.classes, module.class_count) = (UnsafePointer(KeptMemory.copy(classes)), UInt32(classes.count))
    return try LoadedModule(UnsafePointer(KeptMemory.copy([module])), path: "")
  }

  /// Throws what the parser says of data that the table of that class refused.
  static func explain(_ data: UnsafeRawBufferPointer, _ id: String) throws(MediaError) {
    let index = loaded?.classes.firstIndex { $0.id == id }
    if let index { try CodecClass.all[index].explain(data) }
  }
}

extension PluginModule {
  /// Whether it has the library's own codecs.
  public var isBuiltIn: Bool { self === BuiltInModule.loaded?.module }
}
