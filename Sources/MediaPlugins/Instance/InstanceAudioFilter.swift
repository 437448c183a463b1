import CMediaSDK
import MediaCodecs
import MediaCore

/// The states and buffers of a filter of sound.
extension PluginInstance {
  private func audioFilterTable() throws(MediaError) -> (msdk_audio_filter, AudioFilterAdapter) {
    guard let table = descriptor.audioFilter, let adapter = audioFilterAdapter else {
      throw MediaError(.unsupported, "class \(descriptor.id) is not an audio filter")
    }
    return (table, adapter)
  }

  var audioFilterPhase: Phase { state.withLock { $0.audioFilter } }

  func checkAudioFilter() throws(MediaError) {
    _ = try audioFilterTable()
  }

  func initialiseAudioFilter() throws(MediaError) {
    let (table, adapter) = try audioFilterTable()
    try turn.take("init_filter") { () throws(MediaError) in
      try checkAlive()
      adapter.reset()
      guard audioFilterPhase == .created else { return }
      try checkRequired()
      try call("init_filter") { table.init_filter?($0) ?? 0 }
      state.withLock { $0.audioFilter = .ready }
    }
  }

  func releaseAudioFilter() throws(MediaError) {
    guard let table = descriptor.audioFilter else { return }
    try turn.take("release_filter") { () throws(MediaError) in
      let phase = audioFilterPhase
      guard phase > .created else { return }
      state.withLock { $0.audioFilter = .created }
      if phase == .started, let flush = table.flush { try call("flush") { flush($0) } }
      try call("release_filter") { table.release_filter?($0) ?? 0 }
    }
  }

  // MARK: Filtering

  /// Passes a buffer, which stays the caller's, through the filter. What comes out is of the same format. Throws what the filter failed with,
  /// or which rule it broke; the buffer is then as it was.
  func filter(_ frame: AudioFrame, _ pass: FilterPass) throws(MediaError) -> Filtered<AudioFrame> {
    let (table, adapter) = try audioFilterTable()
    return try turn.take("filter_audio_frame") { () throws(MediaError) in
      guard mayFilter(from: pass.attachment) else { return Filtered(result: .same) }
      do throws(MediaError) {
        try adapter.agree(on: frame) { offer throws(MediaError) in try takes(offer, table) }
        if pass.followsGap, audioFilterPhase == .started, let flush = table.flush { try call("flush") { flush($0) } }
      } catch {
        guard isAway(error) else { throw error }
        return Filtered(result: .same)
      }
      do throws(MediaError) {
        return try filter(frame, pass, table, adapter)
      } catch {
        if isAway(error) { return Filtered(result: .same) }
        guard error.status == .again else { throw error }
        return Filtered(result: .leftOut)
      }
    }
  }

  private func takes(_ offer: AudioFormat, _ table: msdk_audio_filter) throws(MediaError) -> Bool {
    var native = offer.foreign
    do throws(MediaError) {
      try call("set_format") { table.set_format?($0, &native) ?? 0 }
      return true
    } catch {
      guard error.status == .format else { throw error }
      return false
    }
  }

  private func filter(
    _ frame: AudioFrame, _ pass: FilterPass, _ table: msdk_audio_filter, _ adapter: AudioFilterAdapter
  ) throws(MediaError) -> Filtered<AudioFrame> {
    let converted = try adapter.converted(frame)
    let input = converted ?? frame
    let isWritable = converted != nil || pass.isOwned
    let start = MediaTime.monotonic()
    let now = clock()
    var made = converted
    do throws(MediaError) {
      if isWritable { adapter.save(input) }
      if let given = try give(input, isWritable: isWritable, table, adapter) {
        made?.release()
        made = given
      }
      let verdict = pass.meter.note(at: now, took: MediaTime.monotonic() - start, interval: frame.native.pointee.duration_ns)
      if let changed = made, changed.format.sampleFormat != frame.format.sampleFormat {
        made = try adapter.convert(changed, to: frame.format.sampleFormat)
        changed.release()
      }
      let delay = table.delay_ns.map { delay in min(max(ForeignCode.run { delay(plugin) }, 0), PluginInstance.longestDelay) } ?? 0
      if delay != 0, made == nil, !isWritable { made = try adapter.copy(frame) }
      if made != nil || isWritable {
        let result = made ?? frame
        result.native.pointee.timestamp_ns &-= delay
        result.native.pointee.level = result.computedLevel
        result.setWritable(false)
      }
      return Filtered(result: made.map { .other($0) } ?? .same, verdict: verdict)
    } catch {
      made?.release()
      throw error
    }
  }

  /// Hands the buffer to the filter. Another one, with the reference that the filter gave; nil when it gave this one back.
  private func give(
    _ input: AudioFrame, isWritable: Bool, _ table: msdk_audio_filter, _ adapter: AudioFilterAdapter
  ) throws(MediaError) -> AudioFrame? {
    if isWritable { input.setWritable(true) }
    defer { if isWritable { input.setWritable(false) } }
    let references = input.references
    // The filter's; ours stays, so that the buffer is there whatever becomes of it.
    input.retain()
    state.withLock { $0.audioFilter = .started }
    do throws(MediaError) {
      var out: UnsafeMutablePointer<msdk_audio_frame>?
      try callFilter("filter_audio_frame", writable: isWritable ? input.native : nil, references: input.references) {
        table.filter_audio_frame?($0, input.native, &out) ?? msdk_result(MSDK_E_UNSUPPORTED)
      }
      do throws(MediaError) {
        return try FilterRules.accept(out, for: input, isWritable: isWritable, held: references)
      } catch {
        throw MediaError(error.status, "\(descriptor.id): \(error.text)")
      }
    } catch {
      if isWritable { adapter.restore(input) }
      throw error
    }
  }
}
