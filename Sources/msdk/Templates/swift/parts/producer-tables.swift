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
