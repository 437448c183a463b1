import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// A producer on a stream of a call, and what came of it.
private struct Stage {
  let call: Call
  let plugin = FakePlugin()
  let producer: PluginInstance
  let outgoing: OutgoingVideo

  init(
    _ name: String, isPull: Bool = true, isTimed: Bool = false, _ options: OutgoingVideoOptions = Make.raw(Make.format(640, 360, 30))
  ) throws {
    call = try Call(name, file: "pump").connect()
    let module = FakeModule()
    if !isPull { module.producer.flags = 0 }
    if isTimed { module.producer.flags |= UInt32(MSDK_PRODUCER_TIMED) }
    try call.engine.plugins.register(module.pointer())
    let engine = call.engine
    producer = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
    outgoing = try engine.makeOutgoingVideo(options)
    let format = options.formats[0]
    if isPull {
      plugin.on("produce_frame") { plugin in
        guard let frame = try? VideoFrame.make(format) else { return MSDK_E_NOMEM }
        plugin.produced.withLock { $0 = frame }
        return MSDK_OK
      }
    }
  }

  /// Delivers a frame as a push producer's thread would.
  func push(_ format: VideoFormat = Make.format(640, 360, 30)) throws -> Int {
    let witness = try WitnessedFrame(format)
    let result = plugin.host.consume_video_frame(plugin.context, witness.frame.native)
    #expect(witness.isReleased)
    return Int(result)
  }

  /// Frames that last as long as this says, by their number; 0: it has nothing this time. When each was asked for comes out.
  func make(_ duration: @escaping @Sendable (Int) -> Int64) -> Monitor<[Int64]> {
    let asked = Monitor<[Int64]>([])
    plugin.on("produce_frame") { plugin in
      let number = asked.withLock { asked in
        asked.append(plugin.due.withLock { $0 })
        return asked.count - 1
      }
      guard duration(number) != 0 else { return MSDK_E_AGAIN }
      guard let frame = try? VideoFrame.make(Make.format(640, 360, 30)) else { return MSDK_E_NOMEM }
      frame.native.pointee.duration_ns = duration(number)
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    return asked
  }

  func reports() -> [FrameReport] {
    var all: [FrameReport] = []
    while let report = try? outgoing.readReport(deadline: 0) { all.append(report) }
    return all
  }

  func pluginEvents() -> [String] {
    call.events(call.anna).filter { $0.hasPrefix("plugin") }
  }
}

@Suite struct ProducerPumpTests {
  @Test func aPullProducerIsAskedAtExactTimes() throws {
    let stage = try Stage(#function)
    try stage.outgoing.attachProducer(stage.producer)
    #expect(stage.plugin.calls == ["create"])
    let start = stage.call.engine.now()
    try stage.call.anna.start(stage.outgoing)
    // In odd steps, which change nothing.
    for _ in 0..<1000 { try stage.call.advance(1_999_999) }
    let stamps = stage.reports().map(\.timestamp)
    #expect(stamps.count == 60)
    let rate = FrameRate(30)
    #expect(stamps == (0..<60).map { rate.dueTime(ofFrame: UInt64($0), from: start) })
    #expect(stage.plugin.calls.prefix(4) == ["create", "init_capture", "set_format", "start_capture"])
    #expect(stage.plugin.format.withLock { $0 }?.width == 640)
    #expect(stage.plugin.due.withLock { $0 } == stamps.last)
  }

  @Test func aStoppedStreamTakesItsProducerDown() throws {
    let stage = try Stage(#function)
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second)
    stage.plugin.forget()
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.advance()
    #expect(stage.plugin.calls == ["stop_capture", "release_capture"])
    try stage.call.advance(second)
    #expect(stage.plugin.calls.count == 2)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance()
    #expect(stage.plugin.calls.suffix(4) == ["init_capture", "set_format", "start_capture", "produce_frame"])
    stage.plugin.forget()
    try stage.outgoing.attachProducer(nil)
    #expect(stage.plugin.calls == ["stop_capture", "release_capture"])
    try stage.call.advance(second)
    #expect(stage.plugin.calls.count == 2)
  }

  @Test func attachingToARunningStreamBeginsAtOnce() throws {
    let stage = try Stage(#function)
    try stage.call.anna.start(stage.outgoing)
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.advance()
    #expect(stage.reports().count == 1)
    let other = try FakePlugin.$next.withValue(FakePlugin()) { try stage.call.engine.makeInstance("test.fake") }
    #expect(failure { try stage.outgoing.attachProducer(other) }?.status == .state)
    #expect(failure { try stage.outgoing.attachProducer(stage.producer) }?.status == .state)
    // The refused one is free.
    let elsewhere = try stage.call.engine.makeOutgoingVideo(Make.raw())
    try elsewhere.attachProducer(other)
  }

  @Test func aNewFormatIsSetAnew() throws {
    let stage = try Stage(#function, Make.vp8(Make.format(640, 360, 30), Make.format()))
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance()
    stage.plugin.forget()
    stage.plugin.on("produce_frame") { plugin in
      guard let format = plugin.format.withLock({ $0 }), let wanted = try? VideoFormat(checking: format, argument: "format"),
        let frame = try? VideoFrame.make(wanted)
      else { return MSDK_E_FAIL }
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    try stage.call.script(NetworkScript.Step(bandwidth: 150_000))
    try stage.call.advance()
    #expect(stage.plugin.calls.prefix(5) == ["stop_capture", "release_capture", "init_capture", "set_format", "start_capture"])
    #expect(stage.plugin.format.withLock { $0 }?.width == 320)
    _ = stage.reports()
    try stage.call.advance(second)
    #expect(stage.reports().count >= 14)
    #expect(stage.pluginEvents().isEmpty)
  }

  @Test func aLowerRateIsKeptToExactly() throws {
    let stage = try Stage(#function)
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(100 * millisecond)
    _ = stage.reports()
    try stage.outgoing.setFrameRate(FrameRate(4))
    let start = stage.call.engine.now()
    try stage.call.advance(second - 1)
    let reports = stage.reports()
    #expect(reports.map(\.timestamp) == (0..<4).map { start + $0 * 250 * millisecond })
    #expect(reports.allSatisfy { $0.reason == .noReceiver })
  }

  @Test func framesWithTimesOfTheirOwnAreAskedForAtThese() throws {
    let stage = try Stage(#function, isTimed: true)
    let durations: [Int64] = [40, 3000, 11, 500, 33].map { $0 * millisecond }
    let asked = stage.make { durations[$0 % durations.count] }
    try stage.outgoing.attachProducer(stage.producer)
    let start = stage.call.engine.now()
    try stage.call.anna.start(stage.outgoing)
    for _ in 0..<5000 { try stage.call.advance(1_999_999) }
    var times = [start]
    while times[times.count - 1] + durations[(times.count - 1) % 5] <= stage.call.engine.now() {
      times.append(times[times.count - 1] + durations[(times.count - 1) % 5])
    }
    #expect(times.count == 12)
    #expect(asked.withLock { $0 } == times)
    #expect(stage.reports().map(\.timestamp) == times)
  }

  @Test func noOthersAre() throws {
    let stage = try Stage(#function)
    let asked = stage.make { _ in 3 * second }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second - 1)
    #expect(asked.withLock { $0.count } == 30)
  }

  @Test func aTimedProducerIsHeldToAThousandAndToTheStreamsRate() throws {
    let stage = try Stage(#function, isTimed: true)
    let asked = stage.make { $0 % 2 == 0 ? 1 : -5 }
    try stage.outgoing.attachProducer(stage.producer)
    let start = stage.call.engine.now()
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second - 1)
    // A negative duration is none: a frame of the rate's length.
    #expect(asked.withLock { $0[2] } == start + millisecond + FrameRate(30).dueTime(ofFrame: 1, from: 0))
    #expect((57...60).contains(asked.withLock { $0.count }))

    let hasty = stage.make { _ in 1 }
    try stage.outgoing.setFrameRate(FrameRate(5))
    _ = stage.reports()
    var passed = 0
    for _ in 0..<20 {
      try stage.call.advance(100 * millisecond)
      passed += stage.reports().filter { $0.reason != .paced }.count
    }
    let times = hasty.withLock { $0 }
    #expect(times.count > 1700)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == millisecond })
    #expect((9...10).contains(passed))
  }

  @Test func aTimedProducerThatHasNothingIsAskedAtTheRate() throws {
    let stage = try Stage(#function, isTimed: true)
    let asked = stage.make { $0 == 0 ? 100 * millisecond : $0 < 4 ? 0 : 200 * millisecond }
    try stage.outgoing.attachProducer(stage.producer)
    let start = stage.call.engine.now()
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(500 * millisecond)
    let rate = FrameRate(30)
    let first = start + 100 * millisecond
    let next = rate.dueTime(ofFrame: 3, from: first)
    #expect(
      asked.withLock { $0 }
        == [start, first, rate.dueTime(ofFrame: 1, from: first), rate.dueTime(ofFrame: 2, from: first), next, next + 200 * millisecond])
  }

  @Test func aTimeThatIsNeverKeepsNobodyFromStopping() throws {
    let stage = try Stage(#function, isTimed: true)
    let asked = stage.make { _ in .max }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(10 * second)
    try stage.outgoing.setFrameRate(FrameRate(5))
    try stage.call.advance(10 * second)
    #expect(asked.withLock { $0.count } == 1)
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance()
    #expect(asked.withLock { $0.count } == 2)
  }

  @Test func whoeverHasNothingIsAskedAgainNextTime() throws {
    let stage = try Stage(#function)
    let count = Monitor(0)
    stage.plugin.on("produce_frame") { plugin in
      let index = count.withLock { count in
        count += 1
        return count
      }
      guard index % 2 == 0, let frame = try? VideoFrame.make(Make.format(640, 360, 30)) else { return MSDK_E_AGAIN }
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second - 1)
    #expect(count.withLock { $0 } == 30)
    #expect(stage.reports().count == 15)
    #expect(stage.pluginEvents().isEmpty)
  }

  @Test func theEndIsToldOnceAndTheProducerIsDownAfterStop() throws {
    let stage = try Stage(#function)
    let count = Monitor(0)
    stage.plugin.on("produce_frame") { plugin in
      guard let frame = try? VideoFrame.make(Make.format(640, 360, 30)) else { return MSDK_E_NOMEM }
      let isLast = count.withLock { count in
        count += 1
        return count == 3
      }
      if isLast { frame.native.pointee.flags |= UInt32(MSDK_FRAME_END) }
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second)
    #expect(stage.reports().count == 3)
    #expect(stage.pluginEvents() == ["plugin 3 ok the producer has no more frames"])
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.advance()
    #expect(stage.producer.producerPhase == .created)
  }

  @Test func closedMeansTheEndToo() throws {
    let stage = try Stage(#function)
    stage.plugin.on("produce_frame") { _ in MSDK_E_CLOSED }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second)
    #expect(stage.plugin.calls.filter { $0 == "produce_frame" }.count == 1)
    #expect(stage.pluginEvents() == ["plugin 3 ok the producer has no more frames"])
  }

  @Test(arguments: ["init_capture", "set_format", "start_capture", "produce_frame"])
  func anErrorIsToldOnceWithItsWords(function: String) throws {
    let stage = try Stage("error in \(function)")
    stage.plugin.on(function) { fake in
      "the lamp is off".withCString { fake.host.set_error(fake.context, msdk_result(MSDK_E_IO), $0) }
      return MSDK_E_IO
    }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second)
    #expect(stage.pluginEvents() == ["plugin 1 io test.fake: the lamp is off"])
    #expect(stage.plugin.calls.filter { $0 == function }.count == 1)
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.advance()
    #expect(stage.producer.producerPhase == .created)
    // Mended, it starts with the stream's next start.
    stage.plugin.on(function) { _ in MSDK_E_AGAIN }
    if function != "produce_frame" { stage.plugin.on(function) { _ in MSDK_OK } }
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second)
    #expect(stage.producer.producerPhase == .started)
  }

  @Test func aFrameOfTheWrongSizeIsAnError() throws {
    let stage = try Stage(#function)
    stage.plugin.on("produce_frame") { plugin in
      guard let frame = try? VideoFrame.make(Make.format()) else { return MSDK_E_NOMEM }
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second)
    #expect(stage.pluginEvents().count == 1)
    #expect(stage.pluginEvents().isEmpty)
    #expect(stage.reports().isEmpty)
  }

  @Test func aPushProducerIsHeldToTheRate() throws {
    let stage = try Stage(#function, isPull: false)
    try stage.outgoing.attachProducer(stage.producer)
    #expect(try stage.push() == MSDK_E_CLOSED)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance()
    #expect(try stage.push() == MSDK_OK)
    #expect(try stage.push() == MSDK_E_AGAIN)
    #expect(try stage.push(Make.format()) == MSDK_E_AGAIN)
    // A hundred a second, of which thirty may go.
    var taken = 0
    for _ in 0..<300 {
      try stage.call.advance(10 * millisecond)
      if try stage.push() == MSDK_OK { taken += 1 }
    }
    #expect((89...91).contains(taken))
    try stage.call.advance(second)
    #expect(try stage.push(Make.format()) == MSDK_E_FORMAT)
    try stage.call.anna.stop(stage.outgoing)
    #expect(try stage.push() == MSDK_E_CLOSED)
    try stage.call.advance()
    #expect(stage.plugin.calls.suffix(2) == ["stop_capture", "release_capture"])
  }

  @Test func aRateThatIsMetIsNeverTooFast() throws {
    let stage = try Stage(#function, isPull: false)
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance()
    var random = SeededRandom(seed: 1)
    let start = stage.call.engine.now()
    // On time, give or take a third of an interval.
    for index in 0..<300 as Range<UInt64> {
      let due = FrameRate(30).dueTime(ofFrame: index, from: start) + Int64.random(in: 0..<11_000_000, using: &random)
      try stage.call.advance(max(0, due - stage.call.engine.now()))
      #expect(try stage.push() == MSDK_OK)
    }
  }

  @Test func aRendererIsNoProducer() throws {
    let call = try Call().connect()
    try call.engine.plugins.register(FakeModule("test.screen", kinds: MSDK_KIND_VIDEO_RENDERER).pointer())
    let screen = try FakePlugin.$next.withValue(FakePlugin()) { try call.engine.makeInstance("test.screen") }
    let outgoing = try call.engine.makeOutgoingVideo(Make.raw())
    #expect(failure { try outgoing.attachProducer(screen) }?.status == .unsupported)
  }

  @Test func destroyingTheProducerDetachesIt() throws {
    let stage = try Stage(#function)
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(100 * millisecond)
    stage.producer.destroy()
    #expect(stage.plugin.calls.suffix(3) == ["stop_capture", "release_capture", "destroy"])
    try stage.call.advance(second)
    #expect(stage.outgoing.state == .started)
    // Another may take its place.
    let next = try FakePlugin.$next.withValue(FakePlugin()) { try stage.call.engine.makeInstance("test.fake") }
    try stage.outgoing.attachProducer(next)
  }
}
