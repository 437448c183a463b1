/// Plugin.swift of the Swift projects: the tables, which name the functions of the class that does the work.
extension Template {
  /// `worker` is that class, @WORK@ in what follows.
  static func pluginSwift(_ worker: String, _ tables: String) -> String {
    (beginningSwift + tables + tailSwift).filled("@WORK@", worker)
  }

  private static let beginningSwift = #"""
    // Plugin.swift - the tables that the host reads, and the one function that it looks for.
    import CMediaSDKPlugin

    private func worker(_ this: OpaquePointer?) -> @WORK@? {
      this.map { Unmanaged<@WORK@>.fromOpaque(UnsafeRawPointer($0)).takeUnretainedValue() }
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


    """#

  static let producerTablesSwift = #"""
    private func makeParameter() -> msdk_param {
      var parameter = msdk_param()
      parameter.struct_size = size(of: msdk_param.self)
      parameter.flags = UInt32(MSDK_PARAM_LIVE)
      parameter.name = text("speed")
      parameter.summary = text("pixels that the gradient moves with every frame")
      parameter.def.type = msdk_type(MSDK_T_U32)
      parameter.def.u.u32 = 2
      (parameter.min.type, parameter.max.type) = (parameter.def.type, parameter.def.type)
      (parameter.min.u.u32, parameter.max.u.u32) = (0, 64)
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
        guard let this = worker(this), let out else { return refused }
        out.pointee = this.format
        return msdk_result(MSDK_OK)
      }
      // The preferred format: programs choose from this list, which ends with MSDK_E_NOT_FOUND.
      table.enum_formats = { this, index, out in
        guard let this = worker(this), let out else { return refused }
        guard index == 0 else { return msdk_result(MSDK_E_NOT_FOUND) }
        out.pointee = this.format
        return msdk_result(MSDK_OK)
      }
      table.set_format = { this, format in
        guard let this = worker(this), let format else { return refused }
        return this.setFormat(format.pointee)
      }
      table.produce_frame = { this, due, out in
        guard let this = worker(this), let out else { return refused }
        return this.produce(due, out)
      }
      return table
    }

    private func fill(_ table: inout msdk_class) {
      table.kinds = UInt32(MSDK_KIND_VIDEO_PRODUCER)
      table.summary = text("a gradient that moves")
      let parameters = [makeParameter()]
      table.params = UnsafePointer(forever(parameters))
      table.param_count = UInt32(parameters.count)
      table.set_param = { this, name, value in
        guard let this = worker(this), let name, let value else { return refused }
        return this.setParameter(String(cString: name), value.pointee)
      }
      table.video_producer = UnsafePointer(forever([makeProducer()]))
    }

    """#

  static let rendererTablesSwift = #"""
    private func makeParameter() -> msdk_param {
      var parameter = msdk_param()
      parameter.struct_size = size(of: msdk_param.self)
      parameter.name = text("path")
      parameter.summary = text("where the image is written")
      parameter.def.type = msdk_type(MSDK_T_STRING)
      parameter.def.u.str = text("@NAME@.pgm")
      return parameter
    }

    private func makeRenderer() -> msdk_video_renderer {
      var table = msdk_video_renderer()
      table.struct_size = size(of: msdk_video_renderer.self)
      table.init_render = { _ in msdk_result(MSDK_OK) }
      table.release_render = { this in worker(this)?.release() ?? refused }
      // The host converts to what we accept.
      table.accepts_format = { _, format in
        guard let format, Int(format.pointee.pixel_format) == MSDK_PIXEL_GRAY8 else { return 0 }
        return 1
      }
      table.render_video_frame = { this, frame in
        guard let this = worker(this), let frame, let format = frame.pointee.format else { return refused }
        return this.render(frame.pointee.plane.0, format.pointee)
      }
      return table
    }

    private func fill(_ table: inout msdk_class) {
      table.kinds = UInt32(MSDK_KIND_VIDEO_RENDERER)
      table.summary = text("the last frame as a PGM file")
      let parameters = [makeParameter()]
      table.params = UnsafePointer(forever(parameters))
      table.param_count = UInt32(parameters.count)
      table.set_param = { this, name, value in
        guard let this = worker(this), let name, let value else { return refused }
        return this.setParameter(String(cString: name), value.pointee)
      }
      table.video_renderer = UnsafePointer(forever([makeRenderer()]))
    }

    """#

  static let filterTablesSwift = #"""
    private func makeFilter() -> msdk_video_filter {
      var table = msdk_video_filter()
      table.struct_size = size(of: msdk_video_filter.self)
      table.init_filter = { _ in msdk_result(MSDK_OK) }
      table.release_filter = { _ in msdk_result(MSDK_OK) }
      // *out holds `format`: neither size nor pixel format changes.
      table.set_format = { this, format, _ in
        guard let this = worker(this), let format else { return refused }
        return this.setFormat(format.pointee)
      }
      table.filter_video_frame = { this, frame, out in
        guard let this = worker(this), let frame, let out else { return refused }
        return this.filter(frame, out)
      }
      return table
    }

    private func fill(_ table: inout msdk_class) {
      table.kinds = UInt32(MSDK_KIND_VIDEO_FILTER)
      table.summary = text("the negative")
      table.video_filter = UnsafePointer(forever([makeFilter()]))
    }

    """#

  private static let tailSwift = #"""

    private func makeClass() -> msdk_class {
      var table = msdk_class()
      table.struct_size = size(of: msdk_class.self)
      table.id = text("@ID@")
      table.name = text("@NAME@")
      table.create = { _, host, context, out in
        guard let host, let context, let out else { return refused }
        out.pointee = OpaquePointer(Unmanaged.passRetained(@WORK@(host, context)).toOpaque())
        return msdk_result(MSDK_OK)
      }
      table.destroy = { this in
        if let this { Unmanaged<@WORK@>.fromOpaque(UnsafeRawPointer(this)).release() }
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

    """#
}
