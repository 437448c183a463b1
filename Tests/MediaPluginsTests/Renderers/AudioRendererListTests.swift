import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct AudioRendererListTests {
  private let list = AudioRendererList()

  private func renderer(_ plugin: FakePlugin, codec: Bool = false) throws -> PluginInstance {
    let module = FakeModule("test.renderer", kinds: MSDK_KIND_AUDIO_RENDERER)
    if codec { module.audioRenderer = FakePlugin.packetRenderer() }
    return try module.instance(plugin)
  }

  private func renderSound() throws -> Bool {
    let frame = try AudioFrame.make(testSound(), sampleCount: 480)
    defer { frame.release() }
    let isRendered = list.render(frame)
    #expect(frame.references == 1)
    return isRendered
  }

  private func renderPacket() throws -> Bool {
    let made = try [UInt8(1)].withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: msdk_encoded_frame(), from: BufferPool(limit: 1), deadline: 0)
    }
    let packet = try #require(made)
    defer { packet.release() }
    return list.render(packet)
  }

  @Test func feedsAllThatAreHere() throws {
    let plugins = [FakePlugin(), FakePlugin()]
    let renderers = try plugins.map { try renderer($0) }
    defer { for renderer in renderers { renderer.destroy() } }
    #expect(try !renderSound())
    for renderer in renderers { try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil) }
    #expect(list.takesRaw && !list.takesEncoded)
    #expect(try renderSound())
    for plugin in plugins { #expect(plugin.count("audio render ") == 1) }
    try list.remove(renderers[0])
    #expect(failure { try list.remove(renderers[0]) }?.status == .notFound)
    plugins[0].forget()
    #expect(try renderSound())
    #expect(plugins[0].calls.isEmpty && !list.isEmpty)
    list.removeAll()
    #expect(list.isEmpty)
    #expect(plugins[1].calls.suffix(2) == ["audio stop_render", "audio release_render"])
  }

  @Test func aFailingOneIsReportedOnceAndLeftOut() throws {
    let (bad, good) = (FakePlugin(), FakePlugin())
    let renderers = try [bad, good].map { try renderer($0) }
    defer { for renderer in renderers { renderer.destroy() } }
    let events = Monitor<[String]>([])
    for renderer in renderers {
      try list.add(renderer, to: "a test", codec: FourCC.raw) { event in events.withLock { $0.append("\(event.event) \(event.text)") } }
    }
    let render = "audio render 480 of f32 48000 Hz stereo"
    bad.on(render) { fake in
      "no cable".withCString { fake.host.set_error(fake.context, msdk_result(MSDK_E_IO), $0) }
      return MSDK_E_IO
    }
    for _ in 0..<3 { #expect(try renderSound()) }
    #expect(events.withLock { $0 } == ["1 test.renderer: no cable"])
    #expect(bad.count(render) == 1 && good.count(render) == 3)
    #expect(renderers[0].attachment(of: .audio) == nil)
  }

  @Test func aBusyOneIsAskedAgain() throws {
    let plugin = FakePlugin(["audio render 480 of f32 48000 Hz stereo": { _ in MSDK_E_AGAIN }])
    let renderer = try renderer(plugin)
    defer { renderer.destroy() }
    try list.add(renderer, to: "a test", codec: FourCC.raw) { _ in Issue.record("it is only busy") }
    for _ in 0..<3 { #expect(try !renderSound()) }
    #expect(plugin.count("audio render ") == 3)
    list.removeAll()
  }

  @Test func thereAreAtMostEight() throws {
    let renderers = try (0..<9).map { _ in try renderer(FakePlugin()) }
    defer { for renderer in renderers { renderer.destroy() } }
    for renderer in renderers.prefix(8) { try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil) }
    #expect(failure { try list.add(renderers[8], to: "a test", codec: FourCC.raw, events: nil) }?.status == .full)
    #expect(renderers[8].attachment(of: .audio) == nil)
    list.removeAll()
  }

  @Test func oneThatCannotBeginIsNotAttached() throws {
    let plugin = FakePlugin(["audio init_render": { _ in MSDK_E_PERMISSION }])
    let renderer = try renderer(plugin)
    defer { renderer.destroy() }
    #expect(failure { try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil) }?.status == .permission)
    #expect(list.isEmpty && renderer.attachment(of: .audio) == nil)
    let screen = try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).instance(FakePlugin())
    defer { screen.destroy() }
    #expect(failure { try list.add(screen, to: "a test", codec: FourCC.raw, events: nil) }?.status == .unsupported)
    #expect(screen.attachment(of: .audio) == nil)
  }

  @Test func thoseWhoTakeTheCodecAreNotGivenSamples() throws {
    let (recorder, speaker) = (FakePlugin(), FakePlugin())
    let renderers = [try renderer(recorder, codec: true), try renderer(speaker)]
    defer { for renderer in renderers { renderer.destroy() } }
    for renderer in renderers { try list.add(renderer, to: "a test", codec: UInt32(MSDK_CODEC_OPUS), events: nil) }
    #expect(list.takesRaw && list.takesEncoded)
    #expect(try renderSound())
    #expect(try renderPacket())
    #expect(recorder.count("audio render_encoded") == 1 && recorder.count("audio render ") == 0)
    #expect(speaker.count("audio render_encoded") == 0 && speaker.count("audio render ") == 1)
    list.removeAll()
  }

  @Test func oneThatIsDestroyedMeanwhileDoesNotStay() throws {
    let plugin = FakePlugin()
    let renderer = try renderer(plugin)
    plugin.on("audio init_render") { _ in
      // It cannot take itself down from inside its own call, and is gone all the same.
      renderer.destroy()
      return 0
    }
    #expect(failure { try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil) }?.status == .closed)
    #expect(list.isEmpty && renderer.attachment(of: .audio) == nil)
    plugin.on("audio init_render") { _ in 0 }
  }

  @Test func destroyingARendererTakesItOut() throws {
    let renderer = try renderer(FakePlugin())
    try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil)
    renderer.destroy()
    #expect(list.isEmpty)
    #expect(try !renderSound())
  }

  @Test func removingWaitsForTheBufferThatIsBeingRendered() throws {
    let plugin = FakePlugin()
    let renderer = try renderer(plugin)
    defer { renderer.destroy() }
    try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil)
    let visit = Visit()
    plugin.on("audio render 480 of f32 48000 Hz stereo") { _ in
      visit.stay()
      return 0
    }
    let frame = try AudioFrame.make(testSound(), sampleCount: 480)
    defer { frame.release() }
    let feeder = OSThread { [list] in list.render(frame) }
    visit.waitUntilInside()
    expectToWait(for: visit) { [list] in #expect(failure { try list.remove(renderer) } == nil) }
    feeder.join()
  }
}
