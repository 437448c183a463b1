import CMediaSDK
import MediaPlugins
import MediaTransport
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct RendererAttachmentTests {
  private func screen(_ call: Call, _ plugin: FakePlugin, _ id: String = "test.screen", codec: Bool = false) throws -> PluginInstance {
    let module = FakeModule(id, kinds: MSDK_KIND_VIDEO_RENDERER)
    if codec {
      module.renderer.accepts_codec = { _, codec in codec == UInt32(MSDK_CODEC_VP8) ? 1 : 0 }
      module.renderer.render_encoded_frame = { plugin, frame in
        guard let fake = FakePlugin.of(plugin), let frame = frame?.pointee else { return -1 }
        return fake.call("render_encoded \(frame.sequence)\(frame.flags & UInt32(MSDK_ENCODED_KEY) != 0 ? " key" : "")")
      }
    }
    if failure({ _ = try call.engine.plugins.descriptor(id) }) != nil { try call.engine.plugins.register(module.pointer()) }
    return try FakePlugin.$next.withValue(plugin) { try call.engine.makeInstance(id) }
  }

  private func rendered(_ plugin: FakePlugin) -> Int {
    plugin.calls.filter { $0 == "render" }.count
  }

  @Test func aPreviewIsFedWithTheNewest() throws {
    let call = try Call().connect()
    let (outgoing, _) = try call.stream(Make.raw())
    let plugin = FakePlugin()
    let shades = Journal<UInt8>()
    plugin.on("render") { fake in
      shades.add(fake.frame.withLock { $0?.shade ?? 0 })
      return 0
    }
    let screen = try screen(call, plugin)
    try outgoing.attachRenderer(screen)
    let sender = try outgoing.currentSender()
    for shade in 1...3 as ClosedRange<UInt8> { try sender.sendPicture(shade) }
    #expect(shades.entries.isEmpty)
    try call.advance()
    #expect(shades.entries == [3])
    try outgoing.detachRenderer(screen)
    try sender.sendPicture(4)
    try call.advance()
    #expect(shades.entries == [3])
    #expect(failure { try outgoing.detachRenderer(screen) }?.status == .notFound)
  }

  @Test func aPreviewOfNobodysStreamStillShows() throws {
    let call = try Call().connect()
    let outgoing = try call.engine.makeOutgoingVideo(Make.vp8())
    let plugin = FakePlugin()
    try outgoing.attachRenderer(try screen(call, plugin))
    try call.anna.start(outgoing)
    try outgoing.currentSender().sendPicture(1)
    try call.advance()
    #expect(rendered(plugin) == 1)
    outgoing.close()
    #expect(plugin.calls.suffix(2) == ["flush", "release_render"])
  }

  @Test func anIncomingStreamFeedsRenderers() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let plugins = [FakePlugin(), FakePlugin()]
    let screens = try plugins.map { try screen(call, $0) }
    for screen in screens { try incoming.attachRenderer(screen) }
    #expect(failure { try incoming.attachRenderer(screens[0]) } == nil, "its view, none, is what it was")
    let sender = try outgoing.currentSender()
    for _ in 0..<3 {
      try sender.sendPicture()
      try call.advance()
    }
    #expect(plugins.map(rendered) == [3, 3])
    try incoming.detachRenderer(screens[0])
    try sender.sendPicture()
    try call.advance()
    #expect(plugins.map(rendered) == [3, 4])
    #expect(incoming.stats.counters.rendered == 4)
    incoming.stop()
    try sender.sendPicture()
    try call.advance()
    #expect(plugins.map(rendered) == [3, 4])
  }

  @Test func aFailingRendererIsReportedByAnEventAndLeftOut() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let plugin = FakePlugin(["render": { _ in MSDK_E_DEVICE_LOST }])
    try incoming.attachRenderer(try screen(call, plugin))
    _ = call.events(call.bert)
    for _ in 0..<3 {
      try outgoing.currentSender().sendPicture()
      try call.advance()
    }
    #expect(call.events(call.bert).filter { $0.hasPrefix("plugin 1 deviceLost") }.count == 1)
    #expect(rendered(plugin) == 1)
  }

  @Test func aRendererGetsThePixelFormatItTakes() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let plugin = FakePlugin()
    plugin.state.withLock { $0.accepted = [PixelFormat.bgra.rawValue] }
    let formats = Journal<PixelFormat>()
    plugin.on("render") { fake in
      if let frame = fake.frame.withLock({ $0 }) { formats.add(frame.format.pixelFormat) }
      return 0
    }
    try incoming.attachRenderer(try screen(call, plugin))
    try outgoing.currentSender().sendPicture()
    try call.advance()
    #expect(formats.entries == [.bgra])
  }

  @Test func aRecorderIsFedUndecoded() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.output = .encoded })
    let plugin = FakePlugin()
    try incoming.attachRenderer(try screen(call, plugin, "test.recorder", codec: true))
    for _ in 0..<3 {
      try outgoing.currentSender().sendPicture()
      try call.advance(66_666_667)
    }
    #expect(plugin.calls.suffix(3) == ["render_encoded 1 key", "render_encoded 2", "render_encoded 3"])
    #expect(incoming.stats.counters.decoded == 0)
    #expect(rendered(plugin) == 0)
  }

  @Test func aRecorderThatComesLateBeginsWithAKeyFrame() throws {
    let call = try Call()
    try call.script(NetworkScript.Step(delay: 150 * millisecond))
    _ = try call.connect(taking: second)
    let (outgoing, incoming) = try call.stream(Make.vp8(), Make.incoming { $0.queueCapacity = 64 })
    try call.advance(second)
    let sender = try outgoing.currentSender()
    func send(_ count: Int) throws {
      for _ in 0..<count {
        try sender.sendPicture()
        try call.advance(66_666_667)
      }
    }
    try send(5)
    let plugin = FakePlugin()
    try incoming.attachRenderer(try screen(call, plugin, "test.recorder", codec: true))
    // Frames that build on what it never saw are still under way, and the request takes its time.
    try send(10)
    try call.advance(second)
    let first = try #require(plugin.calls.first { $0.hasPrefix("render_encoded") })
    #expect(first.hasSuffix(" key"), "it begins with \(first)")
  }

  @Test func destroyingARendererTakesItOut() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let plugins = [FakePlugin(), FakePlugin()]
    let screens = try plugins.map { try screen(call, $0) }
    try incoming.attachRenderer(screens[0])
    try outgoing.attachRenderer(screens[1])
    for screen in screens { screen.destroy() }
    try outgoing.currentSender().sendPicture()
    try call.advance()
    #expect(plugins.map(rendered) == [0, 0])
    #expect(call.engine.stats.instances == 0)
  }

  @Test func aRendererMayDetachItself() throws {
    let call = try Call().connect()
    let (outgoing, incoming) = try call.stream(Make.raw())
    let plugin = FakePlugin()
    let screen = try screen(call, plugin)
    try incoming.attachRenderer(screen)
    plugin.on("render") { [unowned incoming] _ in
      #expect(failure { try incoming.detachRenderer(screen) } == nil)
      return 0
    }
    for _ in 0..<2 {
      try outgoing.currentSender().sendPicture()
      try call.advance()
    }
    #expect(rendered(plugin) == 1)
    plugin.on("render") { _ in 0 }
  }
}
