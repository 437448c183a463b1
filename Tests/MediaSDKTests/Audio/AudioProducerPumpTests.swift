import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// A producer of sound on a stream of a call that somebody hears.
private struct SoundStage {
  let call: Call
  let plugin = FakePlugin()
  let producer: PluginInstance
  let outgoing: OutgoingAudio

  init(_ name: String, isPull: Bool = true, _ options: OutgoingAudioOptions = Make.sound()) throws {
    call = try Call(name, file: "sound pump").connect()
    let module = FakeModule("test.fake", kinds: MSDK_KIND_AUDIO_PRODUCER)
    if !isPull { module.audioProducer.flags = 0 }
    try call.engine.plugins.register(module.pointer())
    let engine = call.engine
    producer = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
    outgoing = try engine.makeOutgoingAudio(options)
    if isPull { produce(Int(options.format.samplesPerBuffer), of: options.format) }
  }

  /// A ramp that goes on from buffer to buffer, so that what is missing or doubled shows.
  func produce(_ count: Int, of format: AudioFormat, last: Int = .max, flags: Int = 0) {
    let position = Monitor((sample: 0, buffers: 0))
    plugin.on("audio produce_frame") { plugin in
      let (sample, buffer) = position.withLock { position in
        defer { position = (position.sample + count, position.buffers + 1) }
        return position
      }
      guard buffer <= last else { return MSDK_E_CLOSED }
      guard let frame = try? AudioFrame.make(format, sampleCount: count) else { return MSDK_E_NOMEM }
      frame.write { Float((sample + $0) % 30_000) / 32_768 }
      if buffer == last { frame.native.pointee.flags |= UInt32(flags) }
      plugin.producedSound.withLock { $0 = frame }
      return MSDK_OK
    }
  }

  /// Starts the stream, and somebody hears it.
  func start() throws -> IncomingAudio {
    try call.anna.start(outgoing)
    try call.advance()
    guard let incoming = call.bert.incomingAudios.last else { throw MediaError(.notFound, "no stream came") }
    try incoming.start(Make.hearing { $0.queueMilliseconds = 60_000 })
    try call.advance()
    return incoming
  }

  /// Delivers a buffer as a push producer's thread would.
  func push(_ format: AudioFormat, _ count: Int, _ value: Float = 0.25) throws -> Int {
    let frame = try AudioFrame.make(format, sampleCount: count)
    frame.write { _ in value }
    frame.native.pointee.timestamp_ns = 0
    return Int(plugin.host.consume_audio_frame(plugin.context, frame.native))
  }

  func pluginEvents() -> [String] {
    call.events(call.anna).filter { $0.hasPrefix("plugin") }
  }
}

@Suite struct AudioProducerPumpTests {
  private static func isRamp(_ samples: [Float]) -> Bool {
    let numbers = samples.map { Int(($0 * 32_768).rounded()) }
    return zip(numbers, numbers.dropFirst()).allSatisfy { $1 == ($0 + 1) % 30_000 }
  }

  @Test func aPullProducerIsAskedWhenTheBufferBeforeIsOver() throws {
    let stage = try SoundStage(#function)
    try stage.outgoing.attachProducer(stage.producer)
    #expect(stage.plugin.calls == ["create"])
    let dues = Journal<Int64>()
    let start = stage.call.engine.now()
    let produce = try #require(stage.plugin.state.withLock { $0.hooks["audio produce_frame"] })
    stage.plugin.on("audio produce_frame") { plugin in
      dues.add(plugin.due.withLock { $0 } - start)
      return produce(plugin)
    }
    let incoming = try stage.start()
    // In odd steps, which change nothing.
    for _ in 0..<1000 { try stage.call.advance(1_999_999) }
    #expect(dues.entries == (0..<100).map { $0 * 20 * millisecond })
    let expected = ["create", "audio init_capture", "audio set_format 48000/1", "audio start_capture", "audio produce_frame"]
    #expect(Array(stage.plugin.calls.prefix(5)) == expected)
    let heard = incoming.heard()
    #expect(heard.count >= 98)
    #expect(Self.isRamp(heard.flatMap(\.left)))
    for (one, next) in zip(heard, heard.dropFirst()) { #expect(next.timestamp - one.timestamp == 20 * millisecond) }
    #expect(stage.outgoing.allReports().isEmpty, "a producer is told by nobody")
    #expect(stage.pluginEvents().isEmpty)
  }

  @Test(arguments: [100, 480, 960, 1777, 4800])
  func buffersOfAnyLengthAreCutToTheStreams(count: Int) throws {
    let stage = try SoundStage("\(#function) \(count)")
    stage.produce(count, of: stage.outgoing.format)
    try stage.outgoing.attachProducer(stage.producer)
    let incoming = try stage.start()
    try stage.call.advance(3 * second)
    let heard = incoming.heard()
    #expect((140...155).contains(heard.count))
    #expect(heard.allSatisfy { $0.count == 960 && !$0.isAfterGap })
    #expect(Self.isRamp(heard.flatMap(\.left)))
    #expect(stage.outgoing.queued <= 100 * millisecond)
  }

  @Test func whoCannotMakeTheFormatSaysWhatHeMakes() throws {
    let stage = try SoundStage(#function)
    let own = AudioFormat(.f32, sampleRate: 44_100, channels: 2)
    stage.plugin.captureSound.withLock { $0 = own }
    stage.plugin.on("audio set_format 48000/1") { _ in MSDK_E_FORMAT }
    stage.produce(441, of: own)
    try stage.outgoing.attachProducer(stage.producer)
    let incoming = try stage.start()
    try stage.call.advance(2 * second)
    let expected = ["audio set_format 48000/1", "audio capture_settings", "audio set_format 44100/2", "audio start_capture"]
    #expect(Array(stage.plugin.calls.dropFirst(2).prefix(4)) == expected)
    let heard = incoming.heard()
    #expect((95...102).contains(heard.count))
    #expect(heard.allSatisfy { $0.format.isSameSound(as: stage.outgoing.format) })
    #expect(stage.pluginEvents().isEmpty)
  }

  @Test func whoHasNothingIsSilentAndAskedAgain() throws {
    let stage = try SoundStage(#function)
    let asked = Journal<Int64>()
    let (engine, produce) = (stage.call.engine, try #require(stage.plugin.state.withLock { $0.hooks["audio produce_frame"] }))
    let start = engine.now()
    stage.plugin.on("audio produce_frame") { plugin in
      asked.add((engine.now() - start) / millisecond)
      return (5..<30).contains(asked.entries.count) ? MSDK_E_AGAIN : produce(plugin)
    }
    try stage.outgoing.attachProducer(stage.producer)
    let incoming = try stage.start()
    try stage.call.advance(second)
    // Every 10 ms while there is nothing.
    #expect(Array(asked.entries.prefix(8)) == [0, 20, 40, 60, 80, 90, 100, 110])
    let heard = incoming.heard()
    #expect(heard.count == asked.entries.count - 25 || heard.count == asked.entries.count - 26)
    #expect(stage.pluginEvents().isEmpty)
  }

  @Test(arguments: [true, false])
  func theEndIsToldOnceAndWhatIsHereStillGoes(isFlagged: Bool) throws {
    let stage = try SoundStage("\(#function) \(isFlagged)")
    // Three of 25 ms are three and three quarters of the stream's.
    stage.produce(1200, of: stage.outgoing.format, last: 2, flags: isFlagged ? MSDK_FRAME_END : 0)
    let incoming = try stage.start()
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.advance(second)
    let heard = incoming.heard()
    #expect(heard.count == 4)
    let samples = heard.flatMap(\.left)
    #expect(Self.isRamp(Array(samples.prefix(3600))))
    #expect(samples.dropFirst(3600).allSatisfy { $0 == 0 })
    #expect(stage.pluginEvents() == ["plugin 3 ok the producer has no more audio"])
    #expect(stage.outgoing.state == .started)
    #expect(stage.outgoing.buffersHeld == 0)
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.advance()
    #expect(stage.plugin.calls.suffix(2) == ["audio stop_capture", "audio release_capture"])
  }

  @Test(arguments: ["audio init_capture", "audio set_format 48000/1", "audio start_capture", "audio produce_frame"])
  func anErrorIsToldOnceWithItsWords(function: String) throws {
    let stage = try SoundStage("error in \(function)")
    stage.plugin.on(function) { fake in
      "no microphone".withCString { fake.host.set_error(fake.context, msdk_result(MSDK_E_IO), $0) }
      return MSDK_E_IO
    }
    try stage.outgoing.attachProducer(stage.producer)
    _ = try stage.start()
    try stage.call.advance(second)
    #expect(stage.pluginEvents() == ["plugin 1 io test.fake: no microphone"])
    #expect(stage.plugin.count(function) == 1)
    // Mended, it starts with the stream's next start.
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.advance()
    #expect(stage.producer.audioProducerPhase == .created)
    stage.plugin.on(function) { _ in function == "audio produce_frame" ? MSDK_E_AGAIN : MSDK_OK }
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance(second)
    #expect(stage.producer.audioProducerPhase == .started)
    #expect(stage.pluginEvents().isEmpty)
  }

  @Test func whatIsNoNumberIsAnError() throws {
    let stage = try SoundStage(#function, Make.sound { $0.sampleFormat = .f32 })
    let format = stage.outgoing.format
    stage.plugin.on("audio produce_frame") { plugin in
      guard let frame = try? AudioFrame.make(format, sampleCount: 960) else { return MSDK_E_NOMEM }
      frame.f32[3] = .nan
      plugin.producedSound.withLock { $0 = frame }
      return MSDK_OK
    }
    try stage.outgoing.attachProducer(stage.producer)
    let incoming = try stage.start()
    try stage.call.advance(second)
    #expect(stage.pluginEvents().count == 1)
    #expect(incoming.heard().isEmpty)
  }

  @Test func aStoppedStreamTakesItsProducerDown() throws {
    let stage = try SoundStage(#function)
    try stage.outgoing.attachProducer(stage.producer)
    _ = try stage.start()
    try stage.call.advance(second)
    stage.plugin.forget()
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.advance()
    #expect(stage.plugin.calls == ["audio stop_capture", "audio release_capture"])
    try stage.call.advance(second)
    #expect(stage.plugin.calls.count == 2)
    try stage.call.anna.start(stage.outgoing)
    try stage.call.advance()
    #expect(stage.plugin.calls.last == "audio produce_frame")
    stage.plugin.forget()
    // Detached while it runs.
    try stage.outgoing.attachProducer(nil)
    #expect(stage.plugin.calls == ["audio stop_capture", "audio release_capture"])
    try stage.call.advance(second)
    #expect(stage.plugin.calls.count == 2)
    #expect(stage.outgoing.state == .started)
    try stage.outgoing.sendLevel()
  }

  @Test func attachingToARunningStreamBeginsAtOnce() throws {
    let stage = try SoundStage(#function)
    let incoming = try stage.start()
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.advance()
    #expect(incoming.heard().count == 1)
    let other = try FakePlugin.$next.withValue(FakePlugin()) { try stage.call.engine.makeInstance("test.fake") }
    #expect(failure { try stage.outgoing.attachProducer(other) }?.status == .state)
    // The refused one is free.
    try stage.call.engine.makeOutgoingAudio(Make.sound()).attachProducer(other)
  }

  @Test func whoMakesNoSoundIsNoProducerOfIt() throws {
    let call = try Call().connect()
    try call.engine.plugins.register(FakeModule("test.camera").pointer())
    let camera = try FakePlugin.$next.withValue(FakePlugin()) { try call.engine.makeInstance("test.camera") }
    let stream = try call.engine.makeOutgoingAudio(Make.sound())
    #expect(failure { try stream.attachProducer(camera) }?.status == .unsupported)
    let stage = try SoundStage(#function)
    let packets = try stage.call.engine.makeOutgoingAudio(Make.opus { $0.isEncodedInput = true })
    #expect(failure { try packets.attachProducer(stage.producer) }?.status == .unsupported)
  }

  @Test func destroyingTheProducerDetachesIt() throws {
    let stage = try SoundStage(#function)
    try stage.outgoing.attachProducer(stage.producer)
    _ = try stage.start()
    try stage.call.advance(100 * millisecond)
    stage.producer.destroy()
    #expect(stage.plugin.calls.suffix(3) == ["audio stop_capture", "audio release_capture", "destroy"])
    try stage.call.advance(second)
    #expect(stage.outgoing.state == .started)
    let next = try FakePlugin.$next.withValue(FakePlugin()) { try stage.call.engine.makeInstance("test.fake") }
    try stage.outgoing.attachProducer(next)
  }

  @Test func aStreamThatClosesLetsItsProducerGo() throws {
    let stage = try SoundStage(#function)
    try stage.outgoing.attachProducer(stage.producer)
    _ = try stage.start()
    try stage.call.advance(100 * millisecond)
    stage.outgoing.close()
    #expect(stage.producer.audioProducerPhase == .created)
    let next = try stage.call.engine.makeOutgoingAudio(Make.sound())
    try next.attachProducer(stage.producer)
    try stage.call.anna.start(next)
    try stage.call.advance(100 * millisecond)
    #expect(stage.producer.audioProducerPhase == .started)
  }

  // MARK: Being pushed

  @Test func aPushProducerIsTakenWhileTheStreamRuns() throws {
    let stage = try SoundStage(#function, isPull: false)
    let format = stage.outgoing.format
    try stage.outgoing.attachProducer(stage.producer)
    #expect(try stage.push(format, 960) == MSDK_E_CLOSED)
    let incoming = try stage.start()
    #expect(stage.plugin.count("audio produce_frame") == 0)
    #expect(try stage.push(AudioFormat(.f32, sampleRate: 48_000, channels: 1), 960) == MSDK_E_FORMAT)
    for _ in 0..<100 {
      #expect(try stage.push(format, 480) == MSDK_OK)
      try stage.call.advance(10 * millisecond)
    }
    #expect(incoming.heard().count == 50)
    try stage.call.anna.stop(stage.outgoing)
    #expect(try stage.push(format, 960) == MSDK_E_CLOSED)
    try stage.call.advance()
    #expect(stage.plugin.calls.suffix(2) == ["audio stop_capture", "audio release_capture"])
    #expect(stage.outgoing.buffersHeld == 0)
  }

  @Test func aPushProducerIsHeldToRealTimeAndLosesNothing() throws {
    let stage = try SoundStage(#function, isPull: false, Make.sound { $0.queueMilliseconds = 200 })
    let format = stage.outgoing.format
    try stage.outgoing.attachProducer(stage.producer)
    let incoming = try stage.start()
    var sent: [Float] = []
    var refused = 0
    // Buffers of 100 ms, twice as many as there is time for: what is refused is offered again.
    for number in 0..<100 {
      let value = Float(sent.count) / 128
      switch try stage.push(format, 4800, value) {
      case MSDK_OK: sent.append(value)
      case MSDK_E_AGAIN: refused += 1
      case let other: Issue.record("buffer \(number): \(other)")
      }
      try stage.call.advance(50 * millisecond)
    }
    try stage.call.advance(second)
    #expect((45...56).contains(sent.count), "\(sent.count)")
    #expect(sent.count + refused == 100)
    let heard = incoming.heard().flatMap(\.left)
    #expect(heard == sent.flatMap { Array(repeating: $0, count: 4800) })
    #expect(stage.pluginEvents().isEmpty)
    #expect(stage.outgoing.buffersHeld == 0)
  }
}
