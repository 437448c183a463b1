import CMediaSDK
import MediaCodecs
import MediaCore

/// The states and buffers of a renderer of sound.
extension PluginInstance {
  private typealias Arriving = AudioRendererAdapter.Arriving

  private func audioRendererTable() throws(MediaError) -> msdk_audio_renderer {
    guard let table = descriptor.audioRenderer else { throw MediaError(.unsupported, "class \(descriptor.id) is not an audio renderer") }
    return table
  }

  var audioRendererPhase: Phase { state.withLock { $0.audioRenderer } }

  // MARK: States

  /// From `.created` to `.ready`; later it does nothing. `.invalid` without a required parameter, `.unsupported` for another class.
  public func initialiseAudioRenderer() throws(MediaError) {
    let table = try audioRendererTable()
    try turn.take("init_render") { () throws(MediaError) in
      try checkAlive()
      guard audioRendererPhase == .created else { return }
      try checkRequired()
      try call("init_render") { table.init_render?($0) ?? 0 }
      state.withLock { $0.audioRenderer = .ready }
    }
  }

  /// Starts it for what will arrive, in the format that it asks for, initialising it if need be; sound that arrives starts it by itself.
  public func startAudioRenderer(arriving: AudioFormat) throws(MediaError) {
    let table = try audioRendererTable()
    if audioRendererPhase == .created { try initialiseAudioRenderer() }
    try turn.take("start_render") { () throws(MediaError) in
      try checkAlive()
      guard audioRendererPhase > .created else { throw MediaError(.closed, "the instance of \(descriptor.id) was released") }
      try start(for: .samples(arriving), table)
    }
  }

  /// Inside the turn. One that is started for something else is started anew.
  private func start(for arriving: Arriving, _ table: msdk_audio_renderer) throws(MediaError) {
    if audioRendererPhase == .started {
      guard !audioAdapter.isOpen(for: arriving) else { return }
      try stop(table)
    }
    var wanted: AudioFormat?
    if case .samples(let format) = arriving { wanted = try settings(for: format, table) }
    audioAdapter.open(for: arriving, wanted: wanted)
    // There before the call: its thread may read during it.
    if table.render_audio_frame == nil, let wanted { try renderQueue.open(wanted) }
    state.withLock { $0.audioRenderer = .started }
    do throws(MediaError) {
      if let start = table.start_render { try call("start_render") { start($0) } }
    } catch {
      renderQueue.close()
      audioAdapter.close()
      state.withLock { $0.audioRenderer = .ready }
      throw error
    }
  }

  private func settings(for arriving: AudioFormat, _ table: msdk_audio_renderer) throws(MediaError) -> AudioFormat {
    guard let settings = table.render_settings else {
      var wanted = arriving
      wanted.samplesPerBuffer = 0
      return wanted
    }
    var native = arriving.foreign
    try call("render_settings") { settings($0, &native) }
    return try AudioFormat(checking: native, argument: "the format from render_settings of \(descriptor.id)")
  }

  func stopAudioRenderer() throws(MediaError) {
    guard let table = descriptor.audioRenderer else { return }
    // Closed before the call, so that a thread of the plugin that reads meanwhile is sent home.
    renderQueue.close()
    try turn.take("stop_render") { () throws(MediaError) in
      guard audioRendererPhase == .started else { return }
      try stop(table)
    }
  }

  /// Inside the turn. It gets the rest of its sound first.
  private func stop(_ table: msdk_audio_renderer) throws(MediaError) {
    var failure: MediaError?
    if table.render_audio_frame != nil {
      do throws(MediaError) {
        try audioAdapter.flush { buffer throws(MediaError) in try deliver(buffer, table) }
      } catch {
        if error.status != .again { failure = error }
      }
    }
    renderQueue.close()
    audioAdapter.close()
    rendererDelay.store(0, ordering: .relaxed)
    state.withLock { $0.audioRenderer = .ready }
    if let stop = table.stop_render { try call("stop_render") { stop($0) } }
    if let failure { throw failure }
  }

  func releaseAudioRenderer() throws(MediaError) {
    guard let table = descriptor.audioRenderer else { return }
    try turn.take("release_render") { () throws(MediaError) in
      guard audioRendererPhase == .ready else { return }
      state.withLock { $0.audioRenderer = .created }
      try call("release_render") { table.release_render?($0) ?? 0 }
    }
  }

  // MARK: Rendering

  /// Renders sound that came through an attachment (nil: through none), converted to what the renderer asked for. Initialises and starts
  /// it when need be; one that is started for sound of another format is started anew.
  public func render(_ frame: AudioFrame, from attachment: Attachment?) throws(MediaError) {
    let table = try audioRendererTable()
    if attachment == nil {
      guard table.render_audio_frame != nil else {
        throw MediaError(.unsupported, "class \(descriptor.id) pulls its audio: only the stream it is attached to feeds it")
      }
      try frame.checkNumbers(argument: "the buffer")
    }
    if audioRendererPhase == .created { try initialiseAudioRenderer() }
    try turn.take("render_audio_frame") { () throws(MediaError) in
      try checkSource(attachment, of: .audio)
      try start(for: .samples(frame.format), table)
      try audioAdapter.adapt(frame) { buffer throws(MediaError) in try deliver(buffer, table) }
      noteDelay(table)
    }
  }

  private func deliver(_ buffer: AudioFrame, _ table: msdk_audio_renderer) throws(MediaError) {
    guard let render = table.render_audio_frame else { return renderQueue.write(UnsafeRawBufferPointer(buffer.bytes)) }
    try call("render_audio_frame") { render($0, buffer.native) }
  }

  func accepts(audioCodec codec: UInt32) throws(MediaError) -> Bool {
    guard let accepts = try audioRendererTable().accepts_codec else { return false }
    return try turn.take("accepts_codec") { () throws(MediaError) in
      try checkAlive()
      return ForeignCode.run { accepts(plugin, codec) } > 0
    }
  }

  /// The same for packets of a codec that it accepts. It is not asked for its settings: nothing is converted.
  public func render(packet: EncodedFrame, from attachment: Attachment?) throws(MediaError) {
    let table = try audioRendererTable()
    guard let render = table.render_encoded_frame else {
      throw MediaError(.unsupported, "class \(descriptor.id) accepts no audio packets")
    }
    if audioRendererPhase == .created { try initialiseAudioRenderer() }
    try turn.take("render_encoded_frame") { () throws(MediaError) in
      try checkSource(attachment, of: .audio)
      try start(for: .packets, table)
      try call("render_encoded_frame") { render($0, packet.native) }
      noteDelay(table)
    }
  }

  // MARK: Delay

  /// How much later what is rendered now is heard, what waits for a renderer that pulls included; 0 when nothing was rendered.
  public var renderDelay: Int64 {
    rendererDelay.load(ordering: .relaxed) + Int64(renderQueue.waitingMilliseconds) * 1_000_000
  }

  /// Asked for in the turn, where the plugin's side is sure to be alive.
  private func noteDelay(_ table: msdk_audio_renderer) {
    guard let delay = table.render_delay_ns else { return }
    rendererDelay.store(min(max(ForeignCode.run { delay(plugin) }, 0), PluginInstance.longestDelay), ordering: .relaxed)
  }
}
