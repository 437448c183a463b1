import CMediaSDK
import MediaCore

/// The states and frames of a renderer.
extension PluginInstance {
  func rendererTable() throws(MediaError) -> msdk_video_renderer {
    guard let table = descriptor.renderer else { throw MediaError(.unsupported, "class \(descriptor.id) is not a video renderer") }
    return table
  }

  /// `.created` when the class is no video renderer, too.
  public var rendererPhase: Phase { state.withLock { $0.renderer } }

  /// From `.created` to `.ready`; later it does nothing. `.invalid` without a required parameter, `.unsupported` for another class.
  public func initialiseRenderer() throws(MediaError) {
    let table = try rendererTable()
    try turn.take("init_render") { () throws(MediaError) in
      try checkAlive()
      guard rendererPhase == .created else { return }
      try checkRequired()
      try call("init_render") { table.init_render?($0) ?? 0 }
      adapter.reset()
      state.withLock { $0.renderer = .ready }
    }
  }

  func releaseRenderer() throws(MediaError) {
    guard let table = descriptor.renderer else { return }
    try turn.take("release_render") { () throws(MediaError) in
      guard rendererPhase > .created else { return }
      state.withLock { $0.renderer = .created }
      inputs.removeAll()
      if let flush = table.flush { try call("flush") { flush($0) } }
      try call("release_render") { table.release_render?($0) ?? 0 }
    }
  }

  /// Whether it takes encoded frames of that fourcc. `.unsupported` for a class that is no video renderer.
  public func accepts(codec: UInt32) throws(MediaError) -> Bool {
    guard let accepts = try rendererTable().accepts_codec else { return false }
    return try turn.take("accepts_codec") { () throws(MediaError) in
      try checkAlive()
      return ForeignCode.run { accepts(plugin, codec) } > 0
    }
  }

  var wantsUpright: Bool { descriptor.flags & UInt32(MSDK_CLASS_UPRIGHT) != 0 }

  /// Whether it takes what an encoded frame decodes to, upright.
  func takesUpright(_ frame: EncodedFrame) -> Bool {
    guard wantsUpright, let table = descriptor.renderer else { return false }
    let native = frame.native.pointee
    let isTurned = native.orientation & 1 != 0
    let formats = RendererAdapter.formats(
      width: isTurned ? native.height : native.width, height: isTurned ? native.width : native.height)
    return
      (try? turn.take("accepts_format") { () throws(MediaError) in
        try checkAlive()
        return formats.contains { accepts($0, table: table) }
      }) ?? false
  }

  func accepts(_ format: VideoFormat, table: msdk_video_renderer) -> Bool {
    guard let accepts = table.accepts_format else { return true }
    var native = format.foreign
    return ForeignCode.run { accepts(plugin, &native) } > 0
  }

  /// Renders a frame that came through an attachment (nil: through none), converted when the renderer does not take it as it is. Initialises
  /// the renderer when need be.
  public func render(_ frame: VideoFrame, from attachment: Attachment?) throws(MediaError) {
    let table = try rendererTable()
    if rendererPhase == .created { try initialiseRenderer() }
    try turn.take("render_video_frame") { () throws(MediaError) in
      try checkSource(attachment, of: .video)
      let frame = try adapter.stand(frame, if: wantsUpright)
      defer { frame.release() }
      let fitting = try adapter.adapt(frame) { accepts($0, table: table) }
      defer { fitting.release() }
      state.withLock { $0.renderer = .started }
      try call("render_video_frame") { table.render_video_frame?($0, fitting.native) ?? 0 }
    }
  }

  /// Renders an encoded frame as it is: the caller asked `accepts(codec:)` before. Initialises the renderer when need be.
  public func render(_ frame: EncodedFrame, from attachment: Attachment?) throws(MediaError) {
    let table = try rendererTable()
    if rendererPhase == .created { try initialiseRenderer() }
    try turn.take("render_encoded_frame") { () throws(MediaError) in
      try checkSource(attachment, of: .video)
      state.withLock { $0.renderer = .started }
      try call("render_encoded_frame") { table.render_encoded_frame?($0, frame.native) ?? msdk_result(MSDK_E_UNSUPPORTED) }
    }
  }

  /// What would be on screen, as a frame with a reference, the caller's.
  public func snapshot() throws(MediaError) -> VideoFrame {
    let table = try rendererTable()
    guard let format = table.snapshot_format, let snapshot = table.snapshot else {
      throw MediaError(.unsupported, "class \(descriptor.id) has no snapshot")
    }
    return try turn.take("snapshot") { () throws(MediaError) in
      try checkAlive()
      var native = msdk_video_format()
      native.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
      try call("snapshot_format") { format($0, &native) }
      let frame = try VideoFrame.make(VideoFormat(checking: native, argument: "the format from snapshot_format of \(descriptor.id)"))
      do throws(MediaError) {
        try call("snapshot") { snapshot($0, frame.native) }
      } catch {
        frame.release()
        throw error
      }
      return frame
    }
  }
}
