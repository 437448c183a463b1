import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK

/// A call inside this process, from the plan to the table.
struct Run {
  let plan: RunPlan

  private static let tick = 20

  /// Says whether all went well. What did not was told.
  func perform() throws(MediaError) -> Bool {
    let begin = MediaTime.monotonic()
    let signals = StopSignals()
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine)
    try PluginPlaces(loadingInto: engine, given: plan.plugins).warn()

    let files = try ParameterFiles(reading: plan.parameterFiles)
    let producer = try plan.producer.make(.producer, files, in: engine)
    let wishes = ProducedVideo.Wishes(
      codec: plan.codec, size: plan.size, frameRate: plan.frameRate, bitrate: plan.bitrate, hasFilters: !plan.filters.isEmpty)
    let video = try ProducedVideo(of: producer, wishes, codecs: engine.codecs)
    var chains: [RendererChain] = []
    for items in plan.renderers { chains.append(try RendererChain(items, files, in: engine)) }
    var filters: [PluginInstance] = []
    for item in plan.filters { filters.append(try item.make(.filter, files, in: engine)) }
    defer { for filter in filters { filter.destroy() } }
    try files.checkUsed(by: [producer] + chains.flatMap(\.all) + filters)
    let call = try Call(engine, video.options, network: plan.network, seed: plan.seed)
    let figures = CallFigures("run", [call.sender, call.receiver])
    figures.add(.outgoingVideo(call.outgoing, producer: producer.descriptor.id))
    figures.add(.incomingVideo(call.incoming), ofSession: 1)
    let publisher = StatsPublisher(figures)
    defer { publisher?.end() }
    for filter in filters { try call.outgoing.addFilter(filter) }
    let reception = try Reception(call.incoming, feeding: chains, limit: plan.frames)
    try reception.start()
    try call.waitForReceiver()
    try call.outgoing.attachProducer(producer)

    let start = MediaTime.monotonic()
    var drops = DropReasons()
    var failures = watch(call, producer, reception, signals, &drops)
    signals.letThrough()
    try call.outgoing.attachProducer(nil)
    let length = MediaTime.monotonic() - start
    figures.keepStats()
    try call.drain()
    try reception.waitForTheLast()
    failures += chains.flatMap { $0.release() }.map(\.text)
    for case .failed(let text) in call.happenings(with: producer) { failures.append(text) }
    drops.collect(from: call.outgoing)
    figures.note(drops)

    let table = RunTable(
      plan: plan, video: video, outgoing: call.outgoing.stats.counters,
      incoming: call.incoming.stats.counters, transport: call.receiver.stats.transport, reception: reception.counts, drops: drops,
      length: length, begin: begin)
    Terminal.show(plan.isJSON ? figures.json.rendered() : table.text)
    for failure in failures { Terminal.complain(failure) }
    return failures.isEmpty
  }

  /// Until the producer ends, something fails, enough was seen, or the user has had enough. Gives what failed.
  private func watch(
    _ call: Call, _ producer: PluginInstance, _ reception: Reception, _ signals: StopSignals, _ drops: inout DropReasons
  ) -> [String] {
    let deadline = plan.seconds.map { MediaTime.monotonic() + Int64($0 * 1e9) } ?? .max
    var progress = Progress()
    defer { progress.end() }
    var failures: [String] = []
    var isOver = false
    while !isOver, !reception.counts.isComplete {
      let left = (deadline - MediaTime.monotonic()) / 1_000_000
      if left <= 0 || signals.wait(milliseconds: min(Run.tick, Int(left))) { break }
      for happening in call.happenings(with: producer) {
        isOver = true
        if case .failed(let text) = happening { failures.append(text) }
      }
      drops.collect(from: call.outgoing)
      if !plan.isJSON { progress.tell(call) }
    }
    return failures
  }
}
