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
