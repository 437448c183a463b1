import CMediaSDK
import MediaCore
import MediaPlugins
import MediaSDK

/// What producers make, on its way to another end.
struct SendRun {
  let command: SendCommand

  private static let tick = 20
  private static let patience: UInt32 = 10_000
  /// Both producers are attached within this time, in nanoseconds.
  private static let attaching: Int64 = 50_000_000

  /// Says whether all went well. What did not was told.
  func perform() throws(MediaError) -> Bool {
    let signals = StopSignals()
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine)
    let places = try PluginPlaces(loadingInto: engine, given: command.network.plugins)
    places.warn()
    let files = try ParameterFiles(reading: command.network.params)
    let video = try command.producer.map { (item) throws(MediaError) in try SentVideo(item, command, files, engine) }
    let audio = try command.sound.map { (item) throws(MediaError) in try SentAudio(item, files, engine) }
    let recording = try command.network.record.map { (path) throws(MediaError) in try Recording(path, files, places, in: engine) }
    try files.checkUsed(by: [video?.producer, audio?.producer, recording?.instance].compactMap { $0 })
    try recording?.begin(video?.outgoing, audio?.outgoing)

    // Elsewhere what cannot be sent is refused by the call.
    let startsFirst = command.network.hasServer && !command.network.isOfRoom
    let end = try NetworkEnd(command.network, engine, signals) { session throws(MediaError) in
      if startsFirst { try publish(video, audio, in: session) }
    }
    let call = CallFigures("send", [end.session])
    if let video { call.add(.outgoingVideo(video.outgoing, producer: video.producer.descriptor.id)) }
    if let audio { call.add(.outgoingAudio(audio.outgoing, producer: audio.producer.descriptor.id)) }
    let publisher = StatsPublisher(call)
    defer { publisher?.end() }
    if !startsFirst { try publish(video, audio, in: end.session) }
    let isTaken = try end.wait(for: "a peer") { (video?.outgoing.stats.receivers ?? 0) + (audio?.outgoing.stats.receivers ?? 0) > 0 }
    guard isTaken else {
      throw MediaError(
        .timeout, NextStep.trying("msdk bench-link", after: "no peer to send to at \(command.network.url), within --timeout"))
    }
    if let video, let audio {
      let soon = engine.now() + SendRun.attaching
      try command.producer?.begin(video.producer, at: soon)
      try command.sound?.begin(audio.producer, at: soon)
    }
    if let video { try video.outgoing.attachProducer(video.producer) }
    if let audio { try audio.outgoing.attachProducer(audio.producer) }

    let start = MediaTime.monotonic()
    var failures = watch(end, video, audio, recording, signals)
    signals.letThrough()
    try video?.outgoing.attachProducer(nil)
    try audio?.outgoing.attachProducer(nil)
    let length = MediaTime.monotonic() - start
    settle(end, video, audio)
    failures += Call.failures(end.events())
    if let recording { failures += recording.finish() }
    if let video { call.note(video.drops) }
    // A stream that is stopped has no packets any more.
    call.keepStats()
    stop(end, video, audio)
    var figures = Figures()
    video?.addFigures(to: &figures, length)
    audio?.addFigures(to: &figures)
    end.addFigures(to: &figures)
    recording?.addFigures(to: &figures)
    end.session.disconnect()
    Terminal.show(command.network.json ? call.json.rendered() : figures.text)
    for failure in failures { Terminal.complain(failure) }
    return failures.isEmpty
  }

  private func publish(_ video: SentVideo?, _ audio: SentAudio?, in session: Session) throws(MediaError) {
    if let video { try session.start(video.outgoing) }
    if let audio { try session.start(audio.outgoing) }
  }

  /// Until the producer ends, something fails, enough was sent, or the user has had enough. Gives what failed.
  private func watch(
    _ end: NetworkEnd, _ video: SentVideo?, _ audio: SentAudio?, _ recording: Recording?, _ signals: StopSignals
  ) -> [String] {
    guard let main = video?.producer ?? audio?.producer else { return [] }
    let deadline = command.network.seconds.map { MediaTime.monotonic() + Int64($0 * 1e9) } ?? .max
    var progress = Progress()
    defer { progress.end() }
    var failures: [String] = []
    var isOver = false
    while !isOver, command.network.frames.map({ (video?.sent ?? 0) < $0 }) ?? true {
      let left = (deadline - MediaTime.monotonic()) / 1_000_000
      if left <= 0 || signals.wait(milliseconds: min(SendRun.tick, Int(left))) { break }
      for event in end.events() {
        guard let happening = Call.happening(event, main) else { continue }
        isOver = true
        if case .failed(let text) = happening { failures.append(text) }
      }
      video?.collect()
      recording?.follow()
      if recording?.hasFailed == true { isOver = true }
      guard !command.network.json else { continue }
      progress.tell {
        let bytes = (video?.outgoing.stats.counters.bytesSent ?? 0) + (audio?.outgoing.stats.counters.bytesSent ?? 0)
        let words = [video.map { "\($0.sent) frames" }, audio.map { "\($0.outgoing.stats.counters.packets) audio packets" }]
        return (bytes, "sent " + words.compactMap { $0 }.joined(separator: ", "))
      }
    }
    return failures
  }

  /// What was made is encoded and on its way.
  private func settle(_ end: NetworkEnd, _ video: SentVideo?, _ audio: SentAudio?) {
    let deadline = Deadline.after(milliseconds: SendRun.patience)
    if let audio { try? audio.outgoing.waitPlayed(deadline: deadline) }
    let clock = Monitor(())
    while let video, !video.isSettled, MediaTime.monotonic() < deadline {
      _ = clock.wait(until: Deadline.after(milliseconds: 5)) { _ in nil as Bool? }
    }
    video?.collect()
  }

  /// Where the session was ended from elsewhere they are stopped.
  private func stop(_ end: NetworkEnd, _ video: SentVideo?, _ audio: SentAudio?) {
    if let video { try? end.session.stop(video.outgoing) }
    if let audio { try? end.session.stop(audio.outgoing) }
  }
}
