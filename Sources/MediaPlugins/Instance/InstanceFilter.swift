import CMediaSDK
import MediaCore

/// The states and frames of a filter of pictures.
extension PluginInstance {
  private func filterTable() throws(MediaError) -> (msdk_video_filter, FilterAdapter) {
    guard let table = descriptor.videoFilter, let adapter = filterAdapter else {
      throw MediaError(.unsupported, "class \(descriptor.id) is not a video filter")
    }
    return (table, adapter)
  }

  var filterPhase: Phase { state.withLock { $0.videoFilter } }

  func checkFilter() throws(MediaError) {
    _ = try filterTable()
  }

  func initialiseFilter() throws(MediaError) {
    let (table, adapter) = try filterTable()
    try turn.take("init_filter") { () throws(MediaError) in
      try checkAlive()
      adapter.reset()
      guard filterPhase == .created else { return }
      try checkRequired()
      try call("init_filter") { table.init_filter?($0) ?? 0 }
      state.withLock { $0.videoFilter = .ready }
    }
  }

  func releaseFilter() throws(MediaError) {
    guard let table = descriptor.videoFilter else { return }
    try turn.take("release_filter") { () throws(MediaError) in
      let phase = filterPhase
      guard phase > .created else { return }
      state.withLock { $0.videoFilter = .created }
      if phase == .started, let flush = table.flush { try call("flush") { flush($0) } }
      try call("release_filter") { table.release_filter?($0) ?? 0 }
    }
  }

  // MARK: Filtering

  /// Passes a frame, which stays the caller's, through the filter. Throws what the filter failed with, or which rule it broke.
  func filter(_ frame: VideoFrame, _ pass: FilterPass) throws(MediaError) -> Filtered<VideoFrame> {
    let (table, adapter) = try filterTable()
    return try turn.take("filter_video_frame") { () throws(MediaError) in
      guard mayFilter(from: pass.attachment) else { return Filtered(result: .same) }
      do throws(MediaError) {
        return try filter(frame, pass, table, adapter)
      } catch {
        guard isAway(error) else { throw error }
        return Filtered(result: .same)
      }
    }
  }

  private func filter(
    _ frame: VideoFrame, _ pass: FilterPass, _ table: msdk_video_filter, _ adapter: FilterAdapter
  ) throws(MediaError) -> Filtered<VideoFrame> {
    try adapter.agree(on: frame.format) { offer throws(MediaError) in try setFormat(offer, table, keepsSize: pass.keepsSize) }
    if pass.followsGap, filterPhase == .started, let flush = table.flush { try call("flush") { flush($0) } }
    do throws(MediaError) {
      let converted = try adapter.converted(frame)
      let isWritable = converted != nil || pass.isOwned && frame.references == 1 && frame.isPooled
      let start = MediaTime.monotonic()
      let now = clock()
      let given: VideoFrame?
      do throws(MediaError) {
        given = try give(converted ?? frame, isWritable: isWritable, table, agreed: adapter.agreed)
      } catch {
        converted?.release()
        throw error
      }
      let verdict = pass.meter.note(at: now, took: MediaTime.monotonic() - start, interval: frame.format.frameRate.interval)
      if let given {
        converted?.release()
        return Filtered(result: .other(given), verdict: verdict)
      }
      return Filtered(result: converted.map { .other($0) } ?? .same, verdict: verdict)
    } catch {
      guard error.status == .again else { throw error }
      return Filtered(result: .leftOut)
    }
  }

  private func setFormat(_ offer: VideoFormat, _ table: msdk_video_filter, keepsSize: Bool) throws(MediaError) -> VideoFormat? {
    guard let setFormat = table.set_format else { return offer }
    var native = offer.foreign
    var out = native
    do throws(MediaError) {
      try call("set_format") { setFormat($0, &native, &out) }
    } catch {
      guard error.status == .format else { throw error }
      return nil
    }
    let result = try VideoFormat(checking: out, argument: "the format from set_format of \(descriptor.id)")
    guard !keepsSize || result.width == offer.width && result.height == offer.height else {
      throw MediaError(
        .format,
        "\(descriptor.id): set_format makes \(result.width)x\(result.height) of \(offer.width)x\(offer.height); accepted: the same size")
    }
    return result
  }

  /// Hands the frame to the filter. Another frame, with the reference that the filter gave; nil when it gave this one back.
  private func give(
    _ input: VideoFrame, isWritable: Bool, _ table: msdk_video_filter, agreed: VideoFormat?
  ) throws(MediaError) -> VideoFrame? {
    if isWritable { input.setWritable(true) }
    defer { if isWritable { input.setWritable(false) } }
    // The filter's; ours stays, so that the frame is there whatever becomes of it.
    input.retain()
    state.withLock { $0.videoFilter = .started }
    var out: UnsafeMutablePointer<msdk_video_frame>?
    try callFilter("filter_video_frame", writable: isWritable ? input.native : nil, references: input.references) {
      table.filter_video_frame?($0, input.native, &out) ?? msdk_result(MSDK_E_UNSUPPORTED)
    }
    do throws(MediaError) {
      return try FilterRules.accept(out, for: input, agreed: agreed ?? input.format)
    } catch {
      throw MediaError(error.status, "\(descriptor.id): \(error.text)")
    }
  }
}
