import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// A producer of a screen whose size changes, on a stream of a call.
private struct Screen {
  let call: Call
  let plugin = FakePlugin()
  let producer: PluginInstance
  let outgoing: OutgoingVideo

  init(
    _ name: String, isPull: Bool = true, kind: VideoKind = .screenShare, formats: [VideoFormat] = [], codec: Int = MSDK_CODEC_RAW
  ) throws {
    call = try Call(name, file: "screen").connect()
    let module = FakeModule()
    if !isPull { module.producer.flags = 0 }
    module.producer.capture_settings = FakePlugin.captureSettings
    try call.engine.plugins.register(module.pointer())
    let engine = call.engine
    producer = try FakePlugin.$next.withValue(plugin) { try engine.makeInstance("test.fake") }
    var options = OutgoingVideoOptions(formats: formats)
    options.kind = kind
    options.codec = UInt32(codec)
    outgoing = try engine.makeOutgoingVideo(options)
    plugin.capture.withLock { $0 = Make.format(800, 600, 10) }
    if isPull {
      // What set_format said.
      plugin.on("produce_frame") { plugin in
        guard let format = plugin.format.withLock({ $0 }), let wanted = try? VideoFormat(checking: format, argument: "format"),
          let frame = try? VideoFrame.make(wanted)
        else { return MSDK_E_FAIL }
        plugin.produced.withLock { $0 = frame }
        return MSDK_OK
      }
    }
  }

  func start() throws {
    try outgoing.attachProducer(producer)
    try call.anna.start(outgoing)
    try call.advance()
  }

  /// As the plugin does when a window was resized.
  func resize(_ width: UInt32, _ height: UInt32, telling: Bool = true) throws {
    plugin.capture.withLock { $0 = Make.format(width, height, 10) }
    if telling { plugin.host.post_event(plugin.context, UInt32(MSDK_PLUGIN_EVENT_FORMAT_CHANGED), 0, nil) }
    try call.advance()
  }

  var events: [String] { call.events(call.anna) }
}

@Suite struct ScreenShareProducerTests {
  @Test func theFormatComesFromTheProducer() throws {
    let screen = try Screen(#function)
    let error = failure { try screen.call.anna.start(screen.outgoing) }
    #expect(error?.status == .state)
    #expect(error?.text.contains("attach the producer") == true)
    try screen.start()
    #expect(screen.events == ["outgoing started", "anna shares", "sender I420 800x600 at 10"])
    #expect(
      screen.plugin.calls == ["create", "init_capture", "capture_settings", "set_format", "start_capture", "produce_frame"])
    let start = screen.call.engine.now()
    try screen.call.advance(second)
    #expect(screen.plugin.due.withLock { $0 } == start + second)
  }

  @Test(arguments: [MSDK_CODEC_RAW, MSDK_CODEC_VP8]) func theExpectedDelayReachesTheReceiver(_ codec: Int) throws {
    let screen = try Screen("\(#function) \(codec)", codec: codec)
    screen.plugin.capture.withLock { $0?.expectedDelay = 40 }
    try screen.start()
    let incoming = screen.call.bert.incomingVideos[0]
    #expect(incoming.format.expectedDelay == 40)
    try incoming.start(IncomingVideoOptions())
    try screen.call.advance(second)
    let frame = try incoming.read(deadline: 0)
    defer { frame.release() }
    #expect(frame.format.expectedDelay == 40)
  }

  @Test func aProducerBeyondTheLimitsIsRefusedAtTheStart() throws {
    let screen = try Screen(#function)
    screen.plugin.capture.withLock { $0 = Make.format(2560, 1440, 10) }
    try screen.outgoing.attachProducer(screen.producer)
    let error = failure { try screen.call.anna.start(screen.outgoing) }
    #expect(error?.status == .limit)
    #expect(error?.text.contains("the producer's format is 2560x1440") == true)
    try screen.call.advance()
    #expect(screen.producer.producerPhase == .created)
    #expect(screen.events.isEmpty)
  }

  @Test func aChangeOfSizeIsANewSender() throws {
    let screen = try Screen(#function)
    try screen.start()
    let incoming = screen.call.bert.incomingVideos[0]
    try incoming.start(Make.incoming { $0.queueCapacity = 64 })
    try screen.call.advance(second)
    _ = screen.events
    screen.plugin.forget()
    let before = try screen.outgoing.currentSender()
    try screen.resize(1024, 768)
    #expect(screen.plugin.calls == ["stop_capture", "capture_settings", "set_format", "start_capture", "produce_frame"])
    #expect(screen.events == ["plugin 2 ok ", "sender I420 1024x768 at 10"])
    #expect(failure { try before.sendPicture() }?.status == .stale)
    try screen.call.advance(second)
    var sizes: [UInt32] = []
    while let frame = try? incoming.read(deadline: 0) {
      if sizes.last != frame.format.width { sizes.append(frame.format.width) }
      frame.release()
    }
    #expect(sizes == [800, 1024])
    #expect(screen.outgoing.stats.counters.formatChanges == 1)
    // Whoever comes now is told the size of now.
    let carl = try screen.call.engine.makeSession(SessionOptions(url: screen.call.room, userID: "carl"))
    try carl.connect()
    try screen.call.advance()
    #expect(carl.incomingVideos[0].format.width == 1024)
  }

  @Test func theSameSizeIsNoNewSender() throws {
    let screen = try Screen(#function)
    try screen.start()
    _ = screen.events
    screen.plugin.forget()
    try screen.resize(800, 600)
    #expect(screen.plugin.calls.prefix(4) == ["stop_capture", "capture_settings", "set_format", "start_capture"])
    #expect(screen.events == ["plugin 2 ok "])
  }

  @Test func beyondTheLimitsTheStreamFails() throws {
    let screen = try Screen(#function)
    try screen.start()
    _ = screen.events
    try screen.resize(1922, 1082)
    #expect(screen.outgoing.state == .failed)
    let states = screen.call.stamped(screen.call.anna).compactMap { stamped -> MediaError? in
      if case .outgoingVideoState(_, .failed, let error) = stamped.event { return error }
      return nil
    }
    #expect(states.map(\.status) == [.limit])
    #expect(states[0].text.contains("the producer's new format is 1922x1082"))
    #expect(states[0].text.contains("up to 1920x1080 or 1080x1920"))
    try screen.call.advance(second)
    #expect(screen.producer.producerPhase == .created)
    // Smaller again, it may start again.
    try screen.resize(640, 480, telling: false)
    try screen.call.anna.start(screen.outgoing)
    try screen.call.advance()
    #expect(screen.events.contains("sender I420 640x480 at 10"))
  }

  @Test func aWindowThatIsDrawnLargerChangesFourTimesASecond() throws {
    let screen = try Screen(#function)
    try screen.start()
    for step in 1...100 as ClosedRange<UInt32> {
      try screen.resize(800 + 2 * step, 600)
      try screen.call.advance(9_999_999)
    }
    try screen.call.advance(second)
    #expect((4...6).contains(screen.outgoing.stats.counters.formatChanges))
    #expect(try screen.outgoing.currentSender().format.width == 1000)
    #expect(screen.producer.producerPhase == .started)
  }

  @Test func aSizeThatIsRefusedIsAskedAgain() throws {
    let screen = try Screen(#function)
    try screen.start()
    // It changes between being told and being set.
    screen.plugin.on("set_format") { plugin in
      plugin.format.withLock { $0 }?.width == plugin.capture.withLock { $0 }?.width ? MSDK_OK : MSDK_E_FORMAT
    }
    screen.plugin.on("capture_settings") { plugin in
      plugin.on("capture_settings") { _ in MSDK_OK }
      plugin.capture.withLock { $0 = Make.format(900, 600, 10) }
      return MSDK_OK
    }
    try screen.resize(1000, 600)
    try screen.call.advance(second)
    #expect(screen.producer.producerPhase == .started)
    #expect(try screen.outgoing.currentSender().format.width == 900)
    #expect(!screen.events.contains { $0.hasPrefix("plugin 1") })
  }

  @Test func whoRefusesForEverHasFailed() throws {
    let screen = try Screen(#function)
    screen.plugin.on("set_format") { _ in MSDK_E_FORMAT }
    try screen.start()
    try screen.call.advance(60 * second)
    #expect(screen.plugin.calls.count { $0 == "set_format" } == 11)
    #expect(screen.events.count { $0.hasPrefix("plugin 1 format") } == 1)
  }

  @Test func aDeclaredSizeThatIsNotTheProducersGivesWay() throws {
    let screen = try Screen(#function, formats: [Make.format(640, 480, 5)])
    screen.plugin.on("set_format") { plugin in
      plugin.format.withLock { $0 }?.width == plugin.capture.withLock { $0 }?.width ? MSDK_OK : MSDK_E_FORMAT
    }
    try screen.start()
    try screen.call.advance(second)
    // Its size, at the rate of the list.
    #expect(screen.events.contains("sender I420 800x600 at 5"))
    #expect(screen.producer.producerPhase == .started)
  }

  @Test func aVirtualStreamKeepsItsSizeWithinNarrowLimits() throws {
    let screen = try Screen(#function, kind: .virtual, formats: [Make.format()])
    try screen.start()
    screen.plugin.forget()
    try screen.resize(640, 480)
    #expect(!screen.plugin.calls.contains("set_format"))
    #expect(screen.events.suffix(1) == ["plugin 2 ok "])
    #expect(try screen.outgoing.currentSender().format == Make.format())
  }

  @Test func anUnchangedScreenCostsNothing() throws {
    let screen = try Screen(#function)
    try screen.start()
    let incoming = screen.call.bert.incomingVideos[0]
    try incoming.start(Make.incoming { $0.queueCapacity = 64 })
    try screen.call.advance(50 * millisecond)
    screen.plugin.on("produce_frame") { _ in MSDK_E_AGAIN }
    let before = screen.outgoing.stats.counters.bytesSent
    try screen.call.advance(60 * second)
    #expect(screen.plugin.calls.count { $0 == "produce_frame" } > 590)
    #expect(screen.outgoing.stats.counters.bytesSent == before)
    let carl = try screen.call.engine.makeSession(SessionOptions(url: screen.call.room, userID: "carl"))
    try carl.connect()
    try screen.call.advance()
    let his = carl.incomingVideos[0]
    try his.start()
    try screen.call.advance()
    try his.read(deadline: 0).release()
  }

  @Test func aPushProducerChangesItsSize() throws {
    let screen = try Screen(#function, isPull: false)
    try screen.start()
    func push(_ width: UInt32) throws -> Int {
      let witness = try WitnessedFrame(Make.format(width, 600, 10))
      return Int(screen.plugin.host.consume_video_frame(screen.plugin.context, witness.frame.native))
    }
    #expect(try push(800) == MSDK_OK)
    try screen.call.advance(second)
    #expect(try push(900) == MSDK_E_FORMAT)
    try screen.resize(900, 600)
    #expect(try push(900) == MSDK_OK)
  }

  @Test func theRateFollowsTheEstimate() throws {
    let screen = try Screen(#function)
    try screen.start()
    // Two pictures a second.
    try screen.call.script(NetworkScript.Step(bandwidth: 800 * 600 * 12 * 2))
    try screen.call.advance(second)
    screen.plugin.forget()
    try screen.call.advance(10 * second)
    #expect((19...21).contains(screen.plugin.calls.count { $0 == "produce_frame" }))
  }

  @Test func aStreamIsStoppedWhileItsSizeChanges() throws {
    let screen = try Screen(#function)
    try screen.start()
    screen.plugin.capture.withLock { $0 = Make.format(900, 600, 10) }
    screen.plugin.host.post_event(screen.plugin.context, UInt32(MSDK_PLUGIN_EVENT_FORMAT_CHANGED), 0, nil)
    try screen.call.anna.stop(screen.outgoing)
    try screen.call.advance(second)
    #expect(screen.producer.producerPhase == .created)
    #expect(screen.outgoing.state == .stopped)
  }

  @Test(arguments: [true, false])
  func aPixelFormatThatTheStreamOrTheCodecDoesNotTakeIsConverted(isDeclared: Bool) throws {
    let formats = isDeclared ? [Make.format(800, 600, 10, .nv12)] : []
    let screen = try Screen("converted \(isDeclared)", formats: formats, codec: MSDK_CODEC_VP8)
    screen.plugin.capture.withLock { $0 = Make.format(800, 600, 10, .bgra) }
    screen.plugin.on("set_format") { plugin in
      plugin.format.withLock { $0 }?.pixel_format == PixelFormat.bgra.rawValue ? MSDK_OK : MSDK_E_FORMAT
    }
    screen.plugin.on("produce_frame") { plugin in
      guard let frame = try? VideoFrame.make(Make.format(800, 600, 10, .bgra)) else { return MSDK_E_NOMEM }
      frame.fill(200)
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    try screen.start()
    let incoming = screen.call.bert.incomingVideos[0]
    try incoming.start()
    try screen.call.advance(second)
    #expect(try screen.outgoing.currentSender().format.pixelFormat == (isDeclared ? .nv12 : .bgra))
    let frame = try incoming.read(deadline: 0)
    defer { frame.release() }
    // Grey of 200 among 0...255 is 188 among 16...235.
    #expect((185...190).contains(frame.shade), "\(frame.shade)")
    // Kind 1 is an error. On a busy machine it may be called slow.
    #expect(!screen.events.contains { $0.hasPrefix("plugin 1") })
  }

  @Test(arguments: [MSDK_CODEC_RAW, MSDK_CODEC_VP8])
  func anOddSizeIsCut(codec: Int) throws {
    let screen = try Screen("odd \(codec)", codec: codec)
    let odd = Make.format(801, 601, 10, .bgra)
    screen.plugin.capture.withLock { $0 = odd }
    screen.plugin.on("set_format") { plugin in
      plugin.format.withLock { $0 }?.width == 801 ? MSDK_OK : MSDK_E_FORMAT
    }
    screen.plugin.on("produce_frame") { plugin in
      guard let frame = try? VideoFrame.make(odd) else { return MSDK_E_NOMEM }
      frame.fill(200)
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    try screen.start()
    let incoming = screen.call.bert.incomingVideos[0]
    try incoming.start()
    try screen.call.advance(second)
    let frame = try incoming.read(deadline: 0)
    defer { frame.release() }
    #expect(frame.format.width == 800 && frame.format.height == 600)
    #expect(frame.format.pixelFormat == (codec == MSDK_CODEC_RAW ? .bgra : .i420))
    // Kind 1 is an error. On a busy machine it may be called slow.
    #expect(!screen.events.contains { $0.hasPrefix("plugin 1") })
  }
}
