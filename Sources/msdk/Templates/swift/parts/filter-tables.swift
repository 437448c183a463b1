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
