/// The Swift project: a class with the work in it, and the seam to C in a file of its own.
extension Template {
  static let moduleMap = """
    module CMediaSDKPlugin {
      header "shim.h"
      export *
    }

    """

  static let shim = "#include <mediasdk/plugin.h>\n"

  static let producerSwift = #"""
    // @NAME@.swift - a producer: it makes a gradient that moves.
    //
    // The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` looks whether they are kept.
    // Plugin.swift has the tables, which name the functions of this class.
    import CMediaSDKPlugin

    final class Producer {
      let host: UnsafePointer<msdk_host>  // what the host does for us
      let context: OpaquePointer  // whose first argument this is
      var format: msdk_video_format
      var speed: UInt32 = 2
      var offset: UInt32 = 0

      // P1: opens nothing, starts nothing.
      init(_ host: UnsafePointer<msdk_host>, _ context: OpaquePointer) {
        self.host = host
        self.context = context
        format = msdk_video_format()
        format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
        format.pixel_format = UInt32(MSDK_PIXEL_NV12)  // a plane of Y, and one of U and V for four pixels: what encoders take
        (format.width, format.height) = (640, 360)
        (format.fps_num, format.fps_den) = (30, 1)
      }

      func fail(_ result: Int, _ words: String) -> msdk_result {
        words.withCString { host.pointee.set_error(context, msdk_result(result), $0) }
        return msdk_result(result)
      }

      // Type and bounds were checked by the host.
      func setParameter(_ name: String, _ value: msdk_value) -> msdk_result {
        guard name == "speed" else { return fail(Int(MSDK_E_NOT_FOUND), "accepted: speed") }
        speed = value.u.u32
        return msdk_result(MSDK_OK)
      }

      func setFormat(_ wanted: msdk_video_format) -> msdk_result {
        guard Int(wanted.pixel_format) == MSDK_PIXEL_NV12 else { return fail(Int(MSDK_E_FORMAT), "accepted: NV12 of any size") }
        format = wanted
        format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)  // P6: a later host's struct is longer
        return msdk_result(MSDK_OK)
      }

      // P7: the host calls when a frame is due, and we never wait for that ourselves.
      func produce(_ due: Int64, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>) -> msdk_result {
        var made: UnsafeMutablePointer<msdk_video_frame>?
        let result = host.pointee.video_frame_acquire(context, &format, 0, &made)
        guard result >= 0, let frame = made else { return result }  // P4: MSDK_E_AGAIN when all are in use
        let (luma, chroma) = (frame.pointee.plane.0, frame.pointee.plane.1)
        for y in 0..<Int(format.height) {
          let row = luma.data + y * Int(luma.stride)  // P3: never y * width
          for x in 0..<Int(format.width) { row[x] = UInt8(truncatingIfNeeded: 16 + (x + y + Int(offset)) % 220) }
        }
        for y in 0..<Int(format.height + 1) / 2 {  // odd sizes are fine
          let row = chroma.data + y * Int(chroma.stride)
          for x in 0..<Int(format.width + 1) / 2 {
            row[2 * x] = UInt8(truncatingIfNeeded: 16 + x % 225)  // U
            row[2 * x + 1] = UInt8(truncatingIfNeeded: 16 + y % 225)  // V
          }
        }
        offset &+= speed
        frame.pointee.timestamp_ns = due
        out.pointee = frame  // our reference is the host's now
        return msdk_result(MSDK_OK)
      }
    }

    """#

  static let pluginSwift = #"""
    // Plugin.swift - the tables that the host reads, and the one function that it looks for.
    import CMediaSDKPlugin

    private func producer(_ this: OpaquePointer?) -> Producer? {
      this.map { Unmanaged<Producer>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
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

    private func makeParameter() -> msdk_param {
      var parameter = msdk_param()
      parameter.struct_size = size(of: msdk_param.self)
      parameter.flags = UInt32(MSDK_PARAM_LIVE)
      parameter.name = text("speed")
      parameter.summary = text("pixels that the gradient moves with every frame")
      parameter.def.type = msdk_type(MSDK_T_U32)
      parameter.def.u.u32 = 2
      (parameter.min, parameter.max) = (0, 64)
      return parameter
    }

    private func makeProducer() -> msdk_video_producer {
      var table = msdk_video_producer()
      table.struct_size = size(of: msdk_video_producer.self)
      table.flags = UInt32(MSDK_PRODUCER_PULL)
      table.init_capture = { _ in msdk_result(MSDK_OK) }
      table.release_capture = { _ in msdk_result(MSDK_OK) }
      table.start_capture = { _ in msdk_result(MSDK_OK) }
      table.stop_capture = { _ in msdk_result(MSDK_OK) }
      table.capture_settings = { this, out in
        guard let this = producer(this), let out else { return refused }
        out.pointee = this.format
        return msdk_result(MSDK_OK)
      }
      // What we like best: programs choose from this list, which ends with MSDK_E_NOT_FOUND.
      table.enum_formats = { this, index, out in
        guard let this = producer(this), let out else { return refused }
        guard index == 0 else { return msdk_result(MSDK_E_NOT_FOUND) }
        out.pointee = this.format
        return msdk_result(MSDK_OK)
      }
      table.set_format = { this, format in
        guard let this = producer(this), let format else { return refused }
        return this.setFormat(format.pointee)
      }
      table.produce_frame = { this, due, out in
        guard let this = producer(this), let out else { return refused }
        return this.produce(due, out)
      }
      return table
    }

    private func makeClass() -> msdk_class {
      var table = msdk_class()
      table.struct_size = size(of: msdk_class.self)
      table.kinds = UInt32(MSDK_KIND_VIDEO_PRODUCER)
      table.id = text("@ID@")
      table.name = text("@NAME@")
      table.summary = text("a gradient that moves")
      table.params = UnsafePointer(forever([makeParameter()]))
      table.param_count = 1
      table.param_stride = UInt64(MemoryLayout<msdk_param>.stride)
      table.create = { host, context, out in
        guard let host, let context, let out else { return refused }
        out.pointee = OpaquePointer(Unmanaged.passRetained(Producer(host, context)).toOpaque())
        return msdk_result(MSDK_OK)
      }
      table.destroy = { this in
        if let this { Unmanaged<Producer>.fromOpaque(UnsafeRawPointer(this)).release() }
      }
      table.set_param = { this, name, value in
        guard let this = producer(this), let name, let value else { return refused }
        return this.setParameter(String(cString: name), value.pointee)
      }
      table.video_producer = UnsafePointer(forever([makeProducer()]))
      return table
    }

    private func makeModule() -> UnsafePointer<msdk_module> {
      var module = msdk_module()
      module.struct_size = size(of: msdk_module.self)
      module.abi_minor = UInt32(MSDK_ABI_MINOR)
      module.min_host_minor = 0  // the oldest host that has all that is used here
      module.vendor = text("Example")
      module.version = text("1.0")
      let classes: [UnsafePointer<msdk_class>?] = [UnsafePointer(forever([makeClass()])), nil]
      module.classes = UnsafePointer(forever(classes))
      return UnsafePointer(forever([module]))
    }

    private nonisolated(unsafe) let theModule = makeModule()

    @_cdecl("msdk_plugin_entry_v1")
    public func entry(_ hostMinor: UInt32) -> UnsafePointer<msdk_module>? { theModule }

    """#
}
