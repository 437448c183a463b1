import CMediaSDK
import MediaCore

/// A codec of the library's own: a class with the tables of plugin.h, as a plugin's has them, and nothing besides leads to it. To add a codec, write
/// its class in a file of its own, and list it in `all`.
public struct CodecClass: @unchecked Sendable {
  /// As plugin.h describes it. It always runs in this process (MSDK_CLASS_NO_ISOLATION).
  public let table: msdk_class
  /// Throws what is wrong with data that `parse_header` refused: without an instance that has no text of its own.
  public let explain: @Sendable (UnsafeRawBufferPointer) throws(MediaError) -> Void

  /// The codecs of the library; those of plugins are not among them.
  public static let all = [vp8, opus]

  init(
    _ id: StaticString, _ name: StaticString, _ summary: StaticString,
    explain: @escaping @Sendable (UnsafeRawBufferPointer) throws(MediaError) -> Void, _ fill: (inout msdk_class) -> Void
  ) {
    var table = msdk_class()
    table.struct_size = UInt32(MemoryLayout<msdk_class>.size)
    table.flags = UInt32(MSDK_CLASS_NO_ISOLATION)
    (table.id, table.name, table.summary) = (id.cString, name.cString, summary.cString)
    fill(&table)
    self.table = table
    self.explain = explain
  }
}

/// The plugin's side of an instance of such a class. The host calls it with one thread at a time.
protocol CodecPlugin: AnyObject {
  init(_ host: PluginHost)
  var host: PluginHost { get }
}

/// What the host gave to an instance when it was created.
struct PluginHost {
  let table: UnsafePointer<msdk_host>
  let context: OpaquePointer

  /// Gives the host a copy of encoded bytes.
  func give(
    _ bytes: UnsafeRawBufferPointer, flags: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    var attributes = msdk_encoded_frame()
    attributes.struct_size = UInt32(MemoryLayout<msdk_encoded_frame>.size)
    attributes.flags = flags
    attributes.data = bytes.assumingMemoryBound(to: UInt8.self).baseAddress
    attributes.size = UInt64(bytes.count)
    return table.pointee.encoded_frame_create?(context, &attributes, out) ?? msdk_result(MSDK_E_UNSUPPORTED)
  }
}

extension CodecPlugin {
  static func create(
    _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> msdk_result {
    guard let host, let context, let out else { return msdk_result(MSDK_E_INVALID) }
    out.pointee = OpaquePointer(Unmanaged.passRetained(Self(PluginHost(table: host, context: context))).toOpaque())
    return msdk_result(MSDK_OK)
  }

  static func destroy(_ plugin: OpaquePointer?) {
    if let plugin { Unmanaged<Self>.fromOpaque(UnsafeRawPointer(plugin)).release() }
  }

  /// Runs a function of a table. What it throws is the instance's error, and its result.
  @inline(__always)
  static func with(_ plugin: OpaquePointer?, _ body: (Self) throws(MediaError) -> msdk_result) -> msdk_result {
    guard let plugin else { return msdk_result(MSDK_E_INVALID) }
    return Unmanaged<Self>.fromOpaque(UnsafeRawPointer(plugin))._withUnsafeGuaranteedRef { me in
      do throws(MediaError) {
        return try body(me)
      } catch {
        let (code, host) = (error.status.rawValue, me.host)
        error.text.withCString { host.table.pointee.set_error?(host.context, code, $0) }
        return code
      }
    }
  }

  /// The same of one that only succeeds or fails.
  @inline(__always)
  static func run(_ plugin: OpaquePointer?, _ body: (Self) throws(MediaError) -> Void) -> msdk_result {
    with(plugin) { me throws(MediaError) in
      try body(me)
      return msdk_result(MSDK_OK)
    }
  }

  /// Fills what a header is parsed into, without an instance.
  static func parse<Header>(
    _ data: UnsafeRawPointer?, _ size: UInt64, into out: UnsafeMutablePointer<Header>?,
    _ read: (UnsafeRawBufferPointer) throws(MediaError) -> Header
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    do throws(MediaError) {
      try ForeignStruct.write(read(bytes(data, size)), to: out, argument: "out")
      return msdk_result(MSDK_OK)
    } catch {
      return error.status.rawValue
    }
  }

  static func bytes(_ data: UnsafeRawPointer?, _ size: UInt64) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(clamping: size))
  }
}
