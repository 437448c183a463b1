import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// A producer of encoded frames on a stream of a call that somebody receives: what `ProducerPump` and the sending of encoded frames do for
/// it.
private struct Stage {
  let call: Call
  let plugin = FakePlugin()
  let producer: PluginInstance
  let outgoing: OutgoingVideo
  let incoming: IncomingVideo

  init(_ name: String, isPull: Bool = true, isTimed: Bool = false, _ change: (inout OutgoingVideoOptions) -> Void = { _ in }) throws {
    call = try Call(name, file: "encoded producer").connect()
    let module = FakeModule()
    module.producer = FakePlugin.encodedProducer(pull: isPull)
    if isTimed { module.producer.flags |= UInt32(MSDK_PRODUCER_TIMED) }
    try call.engine.plugins.register(module.pointer())
    let engine = call.engine
    producer = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
    var options = Make.vp8(Make.format(64, 48, 30))
    options.isEncodedInput = true
    options.limits = .extended
    change(&options)
    let wanted = Make.incoming {
      $0.output = .encoded
      $0.encodedQueueCapacity = 1024
    }
    (outgoing, incoming) = try call.stream(options, wanted)
    _ = call.events(call.anna)
  }

  /// What bert received: the bytes that know a frame again, and their times.
  func received() -> [(number: UInt8, isKey: Bool, time: Int64, width: UInt32)] {
    var all: [(UInt8, Bool, Int64, UInt32)] = []
    while let frame = try? incoming.readEncoded(deadline: 0) {
      all.append((frame.bytes.last ?? 0, frame.isKeyFrame, frame.native.pointee.timestamp_ns, frame.native.pointee.width))
      frame.release()
    }
    return all
  }

  /// A key frame, and frames that build on it.
  func hand(_ count: UInt8, width: UInt16 = 64) {
    plugin.packets.withLock { $0 = (0..<count).map { FakePlugin.vp8(isKey: $0 == 0, $0, width: width) } }
  }

  func requests() -> Int { plugin.count("request_key_frame") }

  func pluginEvents() -> [String] { call.events(call.anna).filter { $0.hasPrefix("plugin") } }
}

@Suite struct EncodedProducerTests {
  @Test func whatIsPulledIsSentAsItIsAtItsTimes() throws {
    let stage = try Stage(#function)
    stage.hand(30)
    let start = stage.call.engine.now()
    try stage.outgoing.attachProducer(stage.producer)
    for _ in 0..<500 { try stage.call.advance(1_999_999) }
    let seen = stage.received()
    #expect(seen.map(\.number) == Array(0..<30))
    #expect(seen.map(\.isKey) == (0..<30).map { $0 == 0 })
    #expect(seen.map(\.time) == (0..<30).map { FrameRate(30).dueTime(ofFrame: $0, from: start) })
    #expect(seen.allSatisfy { $0.width == 64 })
    let counters = stage.outgoing.stats.counters
    #expect(counters.offered == 30 && counters.dropped == 0 && counters.failed == 0)
    #expect(stage.pluginEvents().isEmpty)
  }

  @Test func framesWithTimesOfTheirOwnAreAskedForAtThese() throws {
    let stage = try Stage(#function, isTimed: true)
    let asked = Journal<Int64>()
    let start = stage.call.engine.now()
    stage.hand(200)
    stage.plugin.on("produce_encoded_frame") { plugin in
      asked.add((plugin.due.withLock { $0 } - start) / millisecond)
      plugin.packetDuration.withLock { $0 = [40, 11, 500][(asked.entries.count - 1) % 3] * millisecond }
      return MSDK_OK
    }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.advance(1_102 * millisecond)
    #expect(asked.entries == [0, 40, 51, 551, 591, 602, 1_102])
    #expect(stage.received().map { ($0.time - start) / millisecond } == asked.entries)
  }

  /// One that a producer pushes is not held to the rate: each builds on the one before it.
  @Test func nothingThatIsPushedIsDropped() throws {
    let stage = try Stage(#function, isPull: false)
    #expect(stage.plugin.push(FakePlugin.vp8(isKey: true, 0)) == MSDK_E_CLOSED)
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.advance()
    for number in UInt8(0)..<100 {
      #expect(stage.plugin.push(FakePlugin.vp8(isKey: number == 0, number), timestamp: Int64(number) + 1) == MSDK_OK)
    }
    try stage.call.advance()
    #expect(stage.received().map(\.number) == Array(0..<100))
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.advance()
    #expect(stage.plugin.push(FakePlugin.vp8(isKey: true, 0)) == MSDK_E_CLOSED)
  }

  @Test func requestsReachTheProducerThatRuns() throws {
    let stage = try Stage(#function)
    stage.hand(200)
    // Of those before it runs its first frame is the answer.
    stage.outgoing.requestKeyFrame()
    try stage.outgoing.attachProducer(stage.producer)
    stage.outgoing.requestKeyFrame()
    try stage.call.advance(100 * millisecond)
    #expect(stage.requests() == 0)
    stage.incoming.requestKeyFrame()
    try stage.call.advance()
    #expect(stage.requests() == 1)
    stage.outgoing.requestKeyFrame()
    try stage.call.advance()
    #expect(stage.requests() == 2)
    // Nobody asked.
    try stage.call.advance(second)
    #expect(stage.requests() == 2)
    try stage.call.anna.stop(stage.outgoing)
    try stage.call.advance()
    stage.outgoing.requestKeyFrame()
    try stage.call.advance(second)
    #expect(stage.requests() == 2)
  }

  @Test func aRequestThatFailsIsAnErrorOfTheProducer() throws {
    let stage = try Stage(#function)
    stage.hand(200)
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.advance()
    stage.plugin.on("request_key_frame") { _ in MSDK_E_UNSUPPORTED }
    stage.outgoing.requestKeyFrame()
    try stage.call.advance(100 * millisecond)
    #expect(stage.pluginEvents().isEmpty)
    stage.plugin.on("request_key_frame") { _ in MSDK_E_DEVICE_LOST }
    stage.outgoing.requestKeyFrame()
    try stage.call.advance()
    _ = stage.received()
    try stage.call.advance(second)
    let events = stage.pluginEvents()
    #expect(events.count == 1 && events.first?.hasPrefix("plugin \(MSDK_PLUGIN_EVENT_ERROR) deviceLost") == true)
    #expect(stage.received().isEmpty)
  }

  @Test func theEndIsReportedOnce() throws {
    let stage = try Stage(#function)
    stage.hand(3)
    let plugin = stage.plugin
    plugin.on("produce_encoded_frame") { plugin in plugin.packets.withLock { $0.isEmpty } ? MSDK_E_CLOSED : MSDK_OK }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.advance(second)
    #expect(stage.received().map(\.number) == [0, 1, 2])
    #expect(stage.pluginEvents() == ["plugin \(MSDK_PLUGIN_EVENT_ENDED) ok the producer has no more frames"])
  }

  /// What the data says is so, whatever the producer says.
  @Test func sizesFollowTheKeyFrames() throws {
    let wide = try Stage("\(#function) wide")
    wide.hand(2, width: 128)
    try wide.outgoing.attachProducer(wide.producer)
    try wide.call.advance(100 * millisecond)
    #expect(wide.received().map(\.width) == [128, 128])
    #expect(wide.pluginEvents().isEmpty)

    let narrow = try Stage("\(#function) narrow") {
      $0.formats = [Make.format(320, 180, 15)]
      $0.limits = .conference
    }
    narrow.hand(2, width: 128)
    try narrow.outgoing.attachProducer(narrow.producer)
    try narrow.call.advance(100 * millisecond)
    #expect(narrow.received().isEmpty)
    let events = narrow.pluginEvents()
    #expect(events.count == 1 && events.first?.contains("the key frame is 128x48; accepted: the declared sizes, 320x180") == true)
  }

  @Test func whatIsNoFrameOfTheCodecIsAnError() throws {
    let stage = try Stage(#function)
    stage.plugin.packets.withLock { $0 = [[0xFF, 0xFF, 0xFF, 0xFF]] }
    try stage.outgoing.attachProducer(stage.producer)
    try stage.call.advance(second)
    let events = stage.pluginEvents()
    #expect(events.count == 1 && events.first?.hasPrefix("plugin \(MSDK_PLUGIN_EVENT_ERROR) corrupt") == true)
    #expect(stage.plugin.count("produce_encoded_frame") == 1)
  }

  @Test func onlyAStreamThatTakesThemTakesThem() throws {
    let stage = try Stage(#function)
    let raw = try stage.call.engine.makeOutgoingVideo(Make.vp8())
    let refusal = failure { try raw.attachProducer(stage.producer) }
    #expect(refusal?.text.contains("makes frames of codec VP80; the stream takes raw frames") == true)
    try stage.call.engine.plugins.register(FakeModule("test.raw").pointer())
    let engine = stage.call.engine
    let maker = try FakePlugin.$next.withValue(FakePlugin()) { try engine.makeInstance("test.raw") }
    let other = failure { try stage.outgoing.attachProducer(maker) }
    #expect(other?.text.contains("makes raw frames; the stream takes frames of codec VP80") == true)
    // None of these attached anything.
    try stage.outgoing.attachProducer(stage.producer)
    try raw.attachProducer(maker)
  }
}
