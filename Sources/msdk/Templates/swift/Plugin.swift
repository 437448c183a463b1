// Plugin.swift - the tables that the host reads, and the one function that it looks for.
import CMediaSDKPlugin

private func worker(_ this: OpaquePointer?) -> Worker? {
  this.map { Unmanaged<Worker>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
}

/// What the host is shown lives as long as the process.
private func forever<T>(_ values: [T]) -> UnsafeMutablePointer<T> {
  let memory = UnsafeMutablePointer<T>.allocate(capacity: values.count)
  memory.initialize(from: values, count: values.count)
  return memory
}

private func text(_ string: String) -> UnsafePointer<CChar> { UnsafePointer(forever(Array(string.utf8CString))) }

private func size<T>(of type: T.Type) -> UInt32 { UInt32(MemoryLayout<T>.size) }

private let refused = msdk_result(MSDK_E_INVALID)

// @TABLES@

private func makeClass() -> msdk_class {
  var table = msdk_class()
  table.struct_size = size(of: msdk_class.self)
  table.id = text("@ID@")
  table.name = text("@NAME@")
  table.create = { _, host, context, out in
    guard let host, let context, let out else { return refused }
    out.pointee = OpaquePointer(Unmanaged.passRetained(Worker(host, context)).toOpaque())
    return msdk_result(MSDK_OK)
  }
  table.destroy = { this in
    if let this { Unmanaged<Worker>.fromOpaque(UnsafeRawPointer(this)).release() }
  }
  fill(&table)
  return table
}

private func makeModule() -> UnsafePointer<msdk_module> {
  var module = msdk_module()
  module.struct_size = size(of: msdk_module.self)
  module.abi_minor = UInt32(MSDK_ABI_MINOR)
  module.vendor = text("Example")
  module.version = text("1.0")
  let classes: [UnsafePointer<msdk_class>?] = [UnsafePointer(forever([makeClass()]))]
  (module.classes, module.class_count) = (UnsafePointer(forever(classes)), UInt32(classes.count))
  return UnsafePointer(forever([module]))
}

private nonisolated(unsafe) let theModule = makeModule()

@_cdecl("msdk_plugin_entry_v1")
public func entry(_ hostMinor: UInt32) -> UnsafePointer<msdk_module>? { theModule }
