import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK

/// A call of sound inside this process, from the plan to the figures.
struct AudioRun {
  let plan: RunPlan

  private static let tick = 20
  private static let patience: UInt32 = 10_000

  /// Says whether all went well. What did not was told.
  func perform() throws(MediaError) -> Bool {
    let signals = StopSignals()
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine)
    try PluginPlaces(loadingInto: engine, given: plan.plugins).warn()

    let files = try ParameterFiles(reading: plan.parameterFiles)
    let producer = try plan.producer.make(.soundProducer, files, in: engine)
    var renderers: [PluginInstance] = []
    for item in plan.renderers.joined() { renderers.append(try item.make(.soundRenderer, files, in: engine)) }
    var filters: [PluginInstance] = []
    for item in plan.filters { filters.append(try item.make(.soundFilter, files, in: engine)) }
    defer { for filter in filters { filter.destroy() } }
    try files.checkUsed(by: [producer] + renderers + filters)

    var options = OutgoingAudioOptions()
    options.channels = try producer.audioCaptureSettings()?.channels ?? 1
    options.codec = plan.codec?.fourcc ?? UInt32(MSDK_CODEC_OPUS)
    let outgoing = try engine.makeOutgoingAudio(options)
    let sender = try Call.join(engine, "sender", Call.patience)
    let receiver = try Call.join(engine, "receiver", Call.patience)
    let call = CallFigures("run", [sender, receiver])
    call.add(.outgoingAudio(outgoing, producer: producer.descriptor.id))
    let publisher = StatsPublisher(call)
    defer { publisher?.end() }
    try sender.start(outgoing)
    let incoming = try Call.wait(receiver, Call.patience, for: "the stream") { event in
      if case .incomingAudioAdded(let stream) = event { return stream }
      return nil
    }
    call.add(.incomingAudio(incoming), ofSession: 1)
    for filter in filters { try outgoing.addFilter(filter) }
    for renderer in renderers { try incoming.attachRenderer(renderer) }
    try incoming.start()
    wait(milliseconds: Call.patience) { outgoing.stats.receivers > 0 }
    try outgoing.attachProducer(producer)

    let start = MediaTime.monotonic()
    var failures = watch([sender, receiver], producer, signals)
    signals.letThrough()
    try outgoing.attachProducer(nil)
    let length = MediaTime.monotonic() - start
    try? outgoing.waitPlayed(deadline: Deadline.after(milliseconds: AudioRun.patience))
    wait(milliseconds: 1_000) { incoming.stats.counters.received >= outgoing.stats.counters.packets }
    for session in [sender, receiver] { failures += Call.failures(session.waitingEvents) }
    let figures = figures(producer, outgoing.stats.counters, incoming.stats.counters, length) + findings(of: renderers)
    call.keepStats()
    try sender.stop(outgoing)
    for renderer in renderers {
      do throws(MediaError) {
        try renderer.release()
      } catch {
        failures.append(error.text)
      }
    }
    if plan.isJSON { Terminal.show(call.json.rendered()) }
    let width = (figures.map(\.0.count).max() ?? 0) + 2
    for (name, figure) in figures where !plan.isJSON {
      Terminal.show("\(name):\(String(repeating: " ", count: width - name.count - 1))\(Terminal.oneLine(figure))")
    }
    for failure in failures { Terminal.complain(failure) }
    return failures.isEmpty
  }

  /// Until the producer ends, something fails, or the user has had enough. Gives what failed.
  private func watch(_ sessions: [Session], _ producer: PluginInstance, _ signals: StopSignals) -> [String] {
    let deadline = plan.seconds.map { MediaTime.monotonic() + Int64($0 * 1e9) } ?? .max
    while true {
      let left = (deadline - MediaTime.monotonic()) / 1_000_000
      if left <= 0 || signals.wait(milliseconds: min(AudioRun.tick, Int(left))) { return [] }
      var happenings: [Call.Happening] = []
      for session in sessions {
        while let event = try? session.nextEvent(deadline: 0) {
          if let happening = Call.happening(event.event, producer) { happenings.append(happening) }
        }
      }
      guard happenings.isEmpty else {
        return happenings.compactMap { happening in
          if case .failed(let text) = happening { return text }
          return nil
        }
      }
    }
  }

  private func wait(milliseconds: UInt32, _ isDone: () -> Bool) {
    let clock = Monitor(())
    let deadline = Deadline.after(milliseconds: milliseconds)
    while !isDone(), MediaTime.monotonic() < deadline {
      _ = clock.wait(until: Deadline.after(milliseconds: 5)) { _ in nil as Bool? }
    }
  }

  // MARK: Figures

  private func figures(
    _ producer: PluginInstance, _ outgoing: OutgoingAudioCounters, _ incoming: IncomingAudioCounters, _ length: Int64
  ) -> [(String, String)] {
    [
      ("producer", producer.descriptor.id), ("codec", plan.codec == .raw ? "none: raw audio" : plan.codec?.name.uppercased() ?? "OPUS"),
      ("length", "\(length / 1_000_000) ms"), ("packets sent", "\(outgoing.packets)"), ("packets received", "\(incoming.received)"),
      ("bytes sent", "\(outgoing.bytesSent)")
    ]
  }

  /// What can be read of the renderers only.
  private func findings(of renderers: [PluginInstance]) -> [(String, String)] {
    renderers.flatMap { renderer in
      renderer.descriptor.parameters.filter { $0.isReadOnly && !$0.isSecret }.compactMap { parameter in
        guard let value = try? renderer.parameter(parameter.name) else { return nil }
        return ("\(renderer.descriptor.id) \(parameter.name)", "\(value)")
      }
    }
  }
}
