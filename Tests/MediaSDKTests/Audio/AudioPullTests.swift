import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// A producer of audio that is pulled on a virtual clock.
private final class Stage {
  let call: Call
  let plugin = FakePlugin()
  let producer: PluginInstance
  let queue = PullQueue<AudioFrame>(measure: { $0.native.pointee.duration_ns }) { $0.release() }
  /// What the producer made, in order.
  let made = Journal<AudioFrame>()

  init(_ name: String, isPull: Bool = true, own: AudioFormat? = AudioFormat(.s16, sampleRate: 48_000, channels: 1)) throws {
    call = try Call(name, file: "audio pull")
    let module = FakeModule("test.fake", kinds: MSDK_KIND_AUDIO_PRODUCER)
    if !isPull { module.audioProducer.flags = 0 }
    if own == nil { module.audioProducer.capture_settings = nil }
    plugin.captureSound.withLock { $0 = own }
    try call.engine.plugins.register(module.pointer())
    let engine = call.engine
    producer = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
    if let own, isPull { produce(own) }
  }

  deinit {
    for frame in made.entries { frame.release() }
  }

  /// Buffers of 10 ms.
  func produce(_ format: AudioFormat, last: Int = .max) {
    let made = made
    plugin.on("audio produce_frame") { plugin in
      guard made.entries.count < last else { return MSDK_E_CLOSED }
      guard let frame = try? AudioFrame.make(format, sampleCount: Int(format.sampleRate / 100)) else { return MSDK_E_NOMEM }
      frame.write { _ in 0.5 }
      frame.retain()
      made.add(frame)
      plugin.producedSound.withLock { $0 = frame }
      return MSDK_OK
    }
  }

  func pull(_ format: AudioFormat? = nil, _ change: (inout AudioPullOptions) -> Void = { _ in }) throws -> AudioPull {
    var options = AudioPullOptions()
    change(&options)
    return try AudioPull(of: producer, format, options, into: queue, on: call.engine.clock)
  }

  func read() throws -> AudioFrame { try queue.read(of: "test.fake", deadline: 0) }

  /// What is queued, read and given back.
  func all() -> [HeardBuffer] {
    var all: [HeardBuffer] = []
    while let frame = try? read() {
      all.append(HeardBuffer(frame))
      frame.release()
    }
    return all
  }
}

@Suite struct AudioPullTests {
  @Test func aPullProducerIsAskedWhenTheBufferBeforeIsOver() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull { $0.queueMilliseconds = 2000 }
    let start = stage.call.engine.now()
    for _ in 0..<500 { try stage.call.advance(1_999_999) }
    let heard = stage.all()
    #expect(heard.map(\.sequence) == Array(1...100))
    #expect(heard.map(\.timestamp) == (0..<100).map { start + $0 * 10 * millisecond })
    #expect(heard.allSatisfy { $0.format.sampleRate == 48_000 && $0.format.channels == 1 && $0.count == 480 })
    // A constant of half the scale is 6 dB below it.
    #expect(heard.allSatisfy { $0.level == 6 })
    pull.stop()
    #expect(stage.plugin.calls.suffix(2) == ["audio stop_capture", "audio release_capture"])
  }

  @Test func anotherFormatIsConverted() throws {
    let stage = try Stage(#function)
    stage.plugin.on("audio set_format 16000/2") { _ in MSDK_E_FORMAT }
    let wanted = AudioFormat(.f32, sampleRate: 16_000, channels: 2)
    let pull = try stage.pull(wanted) { $0.queueMilliseconds = 2000 }
    try stage.call.advance(second)
    let heard = stage.all()
    #expect(heard.allSatisfy { $0.format.isSameSound(as: wanted) })
    #expect((15_000...16_200).contains(heard.map(\.count).reduce(0, +)))
    pull.stop()
  }

  @Test func whoDoesNotSayMakesStereoAt48Kilohertz() throws {
    let stage = try Stage(#function, own: nil)
    let pull = try stage.pull()
    #expect(stage.plugin.calls.contains("audio set_format 48000/2"))
    #expect(pull.format.isSameSound(as: AudioFormat(.s16, sampleRate: 48_000, channels: 2)))
    pull.stop()
  }

  @Test func whatIsReadIsReadOnlyAndOneOfFewLoans() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull()
    var held: [AudioFrame] = []
    for _ in 0..<12 {
      try stage.call.advance(10 * millisecond)
      while let frame = try? stage.read() { held.append(frame) }
    }
    #expect(held.allSatisfy { $0.native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE) == 0 })
    let areLoans = zip(held, stage.made.entries).map { $0.bytes.baseAddress == $1.bytes.baseAddress }
    #expect(areLoans == (0..<held.count).map { $0 < 8 })
    // A copy is the same.
    #expect(held.dropFirst(8).allSatisfy { $0.s16.allSatisfy { $0 == 16_384 } })
    for frame in held { frame.release() }
    pull.stop()
  }

  @Test(arguments: [QueuePolicy.dropOldest, .dropNewest]) func aFullQueueDrops(policy: QueuePolicy) throws {
    let stage = try Stage("\(#function) \(policy)")
    let pull = try stage.pull {
      $0.queueMilliseconds = 50
      $0.queuePolicy = policy
    }
    try stage.call.advance(second - 1)
    #expect(stage.all().map(\.sequence) == (policy == .dropOldest ? Array(96...100) : Array(1...5)))
    pull.stop()
  }

  @Test func whatTheProgramHoldsIsBounded() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull { $0.queueMilliseconds = 20 }
    var held: [AudioFrame] = []
    for _ in 0..<2_300 {
      try stage.call.advance(10 * millisecond)
      while let frame = try? stage.read() { held.append(frame) }
    }
    // 2,048 and those that may be queued. The producer is asked all the same.
    #expect(held.count == 2_048 + IncomingAudio.mostQueued(in: 20 * millisecond))
    #expect(stage.made.entries.count >= 2_300)
    for frame in held { frame.release() }
    try stage.call.advance(10 * millisecond)
    #expect(stage.all().last?.sequence == UInt64(stage.made.entries.count))
    pull.stop()
  }

  @Test func whatIsQueuedAtTheEndIsStillRead() throws {
    let stage = try Stage(#function)
    stage.produce(AudioFormat(.s16, sampleRate: 48_000, channels: 1), last: 3)
    let pull = try stage.pull()
    try stage.call.advance(second)
    #expect(stage.all().map(\.sequence) == [1, 2, 3])
    #expect(failure { _ = try stage.read() }?.status == .closed)
    pull.stop()
  }

  @Test func stoppingLeavesNothing() throws {
    let stage = try Stage(#function)
    let pull = try stage.pull()
    try stage.call.advance(100 * millisecond)
    pull.stop()
    #expect(stage.producer.audioProducerPhase == .created)
    #expect(failure { _ = try stage.read() }?.status == .closed)
    #expect(stage.made.entries.allSatisfy { $0.references == 1 })
    let calls = stage.plugin.calls
    pull.stop()
    try stage.call.advance(second)
    #expect(stage.plugin.calls == calls)
    let next = try stage.pull()
    try stage.call.advance()
    pull.stop()
    #expect(stage.all().map(\.sequence) == [1])
    next.stop()
  }

  @Test func whatIsRefusedIsAttachedToNothing() throws {
    let stage = try Stage(#function)
    #expect(failure { _ = try stage.pull { $0.queueMilliseconds = 19 } }?.status == .range)
    stage.plugin.on("audio init_capture") { _ in MSDK_E_IO }
    #expect(failure { _ = try stage.pull() }?.status == .io)
    stage.plugin.on("audio init_capture") { _ in MSDK_OK }
    #expect(stage.producer.audioProducerPhase == .created)
    #expect(failure { _ = try stage.read() }?.status == .state)
    let pull = try stage.pull()
    #expect(failure { _ = try stage.pull() }?.status == .state)
    pull.stop()
  }

  @Test func aPushProducerDelivers() throws {
    let stage = try Stage(#function, isPull: false)
    func push(_ value: Float) throws -> Int {
      let frame = try Make.frame(AudioFormat(.s16, sampleRate: 48_000, channels: 1), value, samples: 480)
      return Int(stage.plugin.host.consume_audio_frame(stage.plugin.context, frame.native))
    }
    let pull = try stage.pull()
    try stage.call.advance()
    // Nobody's room is asked for: a queue that is full drops.
    for _ in 0..<100 { #expect(try push(0.25) == MSDK_OK) }
    #expect(stage.all().map(\.sequence) == Array(51...100))
    pull.stop()
    #expect(try push(0.25) == MSDK_E_CLOSED)
  }
}
