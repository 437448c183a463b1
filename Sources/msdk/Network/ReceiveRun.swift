import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK
import MediaTransport

/// What another end sends, on its way to renderers.
struct ReceiveRun {
  let command: ReceiveCommand

  private static let tick = 20

  /// Says whether all went well. What did not was told.
  func perform() throws(MediaError) -> Bool {
    let signals = StopSignals()
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine)
    let places = try PluginPlaces(loadingInto: engine, given: command.network.plugins)
    places.warn()
    let files = try ParameterFiles(reading: command.network.params)
    var chains: [RendererChain] = []
    for items in command.renderer { chains.append(try RendererChain(items, files, in: engine)) }
    var speakers: [PluginInstance] = []
    for item in command.soundRenderer.joined() { speakers.append(try item.make(.soundRenderer, files, in: engine)) }
    let recording = try command.network.record.map { (path) throws(MediaError) in try Recording(path, files, places, in: engine) }
    try files.checkUsed(by: chains.flatMap(\.all) + speakers + [recording?.instance].compactMap { $0 })
    try recording?.begin()

    let end = try NetworkEnd(command.network, engine, signals)
    let call = CallFigures("receive", [end.session])
    let publisher = StatsPublisher(call)
    defer { publisher?.end() }
    let whose: Received.Source = command.network.isOfRoom ? .member(command.from) : .theOtherEnd
    let preference = VideoPreference(width: command.size?.width ?? 0, height: command.size?.height ?? 0, frameRate: command.fps)
    var received = Received(
      chains: chains, speakers: speakers, recording: recording, limit: command.network.frames, whose: whose, preferring: preference,
      figures: call)
    let begin = MediaTime.monotonic()
    _ = try end.wait { () throws(MediaError) in
      try received.take(end.events())
      return received.hasBegun || !received.failures.isEmpty
    }
    if received.hasBegun { try watch(end, &received, signals) }
    signals.letThrough()
    var figures = Figures()
    end.addFigures(to: &figures)
    let refusals = end.refusals
    call.keepStats()
    end.session.disconnect()
    try received.finish()
    let failures = received.failures + Call.failures(end.events())
    guard received.hasBegun || !received.failures.isEmpty else {
      // Or until the user had had enough.
      let time = min(Double(MediaTime.monotonic() - begin) / 1e9, command.network.timeout)
      let text = time < command.network.timeout ? time.text(digits: 1) : time.shortText
      let step = "msdk doctor\(command.network.port.map { " --port \($0)" } ?? ""), and msdk bench-link on the other machine"
      throw MediaError(.timeout, NextStep.trying(step, after: "nothing was received at \(command.network.url) within \(text) s\(refusals)"))
    }
    received.addFigures(to: &figures)
    recording?.addFigures(to: &figures)
    Terminal.show(command.network.json ? call.json.rendered() : figures.text)
    for failure in failures { Terminal.complain(failure) }
    return failures.isEmpty
  }

  /// Until the other end goes, something fails, enough has come, or the user has had enough.
  private func watch(_ end: NetworkEnd, _ received: inout Received, _ signals: StopSignals) throws(MediaError) {
    let deadline = command.network.seconds.map { MediaTime.monotonic() + Int64($0 * 1e9) } ?? .max
    var progress = Progress()
    defer { progress.end() }
    while !received.isOver {
      let left = (deadline - MediaTime.monotonic()) / 1_000_000
      if left <= 0 || signals.wait(milliseconds: min(ReceiveRun.tick, Int(left))) { break }
      try received.take(end.events())
      if !command.network.json { progress.tell { received.progress } }
    }
  }
}
