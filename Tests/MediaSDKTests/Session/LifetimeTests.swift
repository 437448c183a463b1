import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

/// Everything that a parent owns is gone when it closes, whatever closed it.
@Suite struct LifetimeTests {
  /// Objects that must be gone in the end.
  private final class Witnesses {
    private var all: [(name: String, check: () -> Bool)] = []

    func watch(_ name: String, _ object: AnyObject) {
      all.append((name, { [weak object] in object == nil }))
    }

    var alive: [String] { all.filter { !$0.check() }.map(\.name) }
  }

  enum Ending: CaseIterable {
    case engine
    case sessions
    case streamsFirst
    case disconnected
    case timedOut
  }

  /// A call with all that there is: raw and VP8, a producer, a preview, a renderer, callbacks, and events that nobody reads.
  private func run(_ witnesses: Witnesses, _ ending: Ending, _ name: String) throws {
    let call = try Call(name, file: "lifetime").connect()
    witnesses.watch("engine", call.engine)
    witnesses.watch("anna", call.anna)
    witnesses.watch("bert", call.bert)
    try call.script(NetworkScript.Step(delay: 30 * millisecond))
    let (raw, rawIn) = try call.stream(Make.raw())
    let (vp8, vp8In) = try call.stream(Make.vp8())
    for (name, object) in [("raw", raw), ("vp8", vp8)] { witnesses.watch(name, object) }
    for (name, object) in [("rawIn", rawIn), ("vp8In", vp8In)] { witnesses.watch(name, object) }
    witnesses.watch("sender", try raw.currentSender())
    try call.engine.plugins.register(FakeModule("test.camera").pointer())
    try call.engine.plugins.register(FakeModule("test.screen", kinds: MSDK_KIND_VIDEO_RENDERER).pointer())
    let plugins = (0..<3).map { _ in FakePlugin() }
    for (index, plugin) in plugins.enumerated() { witnesses.watch("plugin \(index)", plugin) }
    plugins[0].on("produce_frame") { plugin in
      guard let frame = try? VideoFrame.make(Make.format()) else { return MSDK_E_NOMEM }
      plugin.produced.withLock { $0 = frame }
      return MSDK_OK
    }
    let engine = call.engine
    let camera = try FakePlugin.$next.withValue(plugins[0]) { try engine.makeInstance("test.camera") }
    let preview = try FakePlugin.$next.withValue(plugins[1]) { try engine.makeInstance("test.screen") }
    let screen = try FakePlugin.$next.withValue(plugins[2]) { try engine.makeInstance("test.screen") }
    for (name, object) in [("camera", camera), ("preview", preview), ("screen", screen)] { witnesses.watch(name, object) }
    try raw.attachProducer(camera)
    try raw.attachRenderer(preview)
    try vp8In.attachRenderer(screen)
    rawIn.setFrameCallback { _ in }
    vp8.setEncodedCallback { _ in }
    try call.advance(200 * millisecond)
    for _ in 0..<4 {
      try vp8.currentSender().sendPicture()
      try call.advance(66_666_667)
    }
    // Some of it under way, some unread, some waiting for the encoder.
    try vp8.currentSender().sendPicture()
    switch ending {
    case .engine: break
    case .sessions:
      call.anna.close()
      call.bert.close()
    case .streamsFirst:
      raw.close()
      vp8.close()
      try call.advance(second)
      call.bert.close()
    case .disconnected:
      call.anna.disconnect()
      try call.advance(second)
      call.bert.disconnect()
    case .timedOut:
      try call.script(NetworkScript.Step(isDisconnected: true))
      try call.advance(40 * second)
    }
    call.engine.close()
    #expect(plugins.allSatisfy { $0.state.withLock { $0.isDestroyed } })
    let stats = call.engine.stats
    #expect(stats.sessions + stats.outgoingVideos + stats.incomingVideos + stats.instances == 0)
    #expect(call.engine.stats.threads == 0)
  }

  @Test(arguments: Ending.allCases)
  func nothingIsLeft(ending: Ending) throws {
    let witnesses = Witnesses()
    try run(witnesses, ending, "\(ending)")
    #expect(witnesses.alive.isEmpty)
  }

  @Test func nothingIsLeftThoughEverythingIsStillReferredTo() throws {
    let call = try Call(#function, file: "lifetime").connect()
    let (outgoing, incoming) = try call.stream(Make.raw(), Make.incoming { $0.queueCapacity = 8 })
    let witnesses = try (0..<5).map { _ in try WitnessedFrame(Make.format()) }
    let frames = witnesses.map(\.frame)
    for frame in frames { try outgoing.currentSender().send(frame) }
    let kept = try incoming.read(deadline: 0)
    call.engine.close()
    // Only what the program itself holds.
    #expect(frames.map(\.references) == [2, 1, 1, 1, 1])
    kept.fill(1)
    kept.release()
    for frame in frames { frame.release() }
    #expect(witnesses.allSatisfy { $0.isReleased })
  }

  @Test func aStreamThatIsClosedIsForgottenByItsEngine() throws {
    let call = try Call(#function, file: "lifetime").connect()
    weak var weakStream: OutgoingVideo?
    do {
      let (outgoing, _) = try call.stream(Make.raw())
      weakStream = outgoing
      outgoing.close()
    }
    _ = (call.events(call.anna), call.events(call.bert))
    #expect(weakStream == nil)
    #expect(call.engine.stats.outgoingVideos == 0)
  }

  @Test func withdrawnStreamsAreForgottenInTheEnd() throws {
    let call = try Call(#function, file: "lifetime").connect()
    weak var first: IncomingVideo?
    for index in 0..<70 {
      let outgoing = try call.engine.makeOutgoingVideo(Make.raw())
      try call.anna.start(outgoing)
      try call.advance()
      if index == 0 { first = call.bert.incomingVideos.first }
      outgoing.close()
      try call.advance()
      _ = (call.events(call.anna), call.events(call.bert))
    }
    #expect(first == nil)
    #expect(call.engine.stats.incomingVideos == 64)
  }
}
