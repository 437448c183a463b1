import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct RendererListTests {
  private let list = RendererList()

  private func renderer(_ plugin: FakePlugin, codec: Bool = false, flags: Int = 0) throws -> PluginInstance {
    let module = FakeModule("test.renderer", kinds: MSDK_KIND_VIDEO_RENDERER)
    module.classes[0].flags = UInt32(flags)
    if codec {
      module.renderer.accepts_codec = { _, codec in codec == UInt32(MSDK_CODEC_VP8) ? 1 : 0 }
      module.renderer.render_encoded_frame = { plugin, _ in FakePlugin.of(plugin)?.call("render_encoded") ?? -1 }
    }
    return try module.instance(plugin)
  }

  private func withFrame(_ body: (VideoFrame) throws -> Void) throws {
    let frame = try VideoFrame.make(testFormat())
    defer { frame.release() }
    try body(frame)
    #expect(frame.references == 1)
  }

  private func renderEncoded(isKey: Bool, orientation: Int = 0) throws -> Bool {
    let data: [UInt8] = [1]
    var attributes = msdk_encoded_frame()
    attributes.flags = isKey ? UInt32(MSDK_ENCODED_KEY) : 0
    (attributes.width, attributes.height, attributes.orientation) = (64, 32, UInt32(orientation))
    let frame = try data.withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: attributes, from: BufferPool(limit: 1), deadline: 0)
    }
    let encoded = try #require(frame)
    defer { encoded.release() }
    return list.render(encoded)
  }

  @Test func whoWantsFramesUprightHasThemSo() throws {
    let plugins = [FakePlugin(), FakePlugin()]
    let renderers = try zip(plugins, [MSDK_CLASS_UPRIGHT, 0]).map { try renderer($0, flags: $1) }
    defer { for renderer in renderers { renderer.destroy() } }
    let seen = Monitor<[[UInt32]]>([])
    for (plugin, renderer) in zip(plugins, renderers) {
      plugin.on("render") { fake in
        guard let frame = fake.frame.withLock({ $0 }) else { return MSDK_E_FAIL }
        seen.withLock { $0.append([frame.format.width, frame.format.height, frame.native.pointee.orientation]) }
        return MSDK_OK
      }
      try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil)
    }
    let frame = try VideoFrame.make(VideoFormat(.nv12, width: 64, height: 32))
    defer { frame.release() }
    frame.native.pointee.orientation = UInt32(MSDK_ROTATE_90)
    #expect(list.render(frame))
    #expect(seen.withLock { $0 } == [[32, 64, 0], [64, 32, 1]])
  }

  /// Packets cannot be turned: who wants frames upright and takes pictures has those from then on.
  @Test func encodedFramesThatDoNotStandUprightAreDecodedForThem() throws {
    let plugins = (0..<3).map { _ in FakePlugin() }
    // The last takes no picture of any format.
    plugins[2].state.withLock { $0.accepted = [] }
    let renderers = try zip(plugins, [MSDK_CLASS_UPRIGHT, 0, MSDK_CLASS_UPRIGHT]).map { try renderer($0, codec: true, flags: $1) }
    defer { for renderer in renderers { renderer.destroy() } }
    for renderer in renderers { try list.add(renderer, to: "a test", codec: UInt32(MSDK_CODEC_VP8), events: nil) }
    #expect(try renderEncoded(isKey: true) && !list.takesRaw)
    for plugin in plugins { plugin.forget() }
    for _ in 0..<2 { #expect(try renderEncoded(isKey: true, orientation: MSDK_ROTATE_90)) }
    #expect(list.takesRaw && list.takesEncoded)
    let encoded = plugins.map { $0.calls.filter { $0 == "render_encoded" }.count }
    #expect(encoded == [0, 2, 2])
    #expect(plugins[2].calls.filter { $0.hasPrefix("accepts") }.count == 9)
  }

  @Test func feedsAllThatAreHere() throws {
    let plugins = [FakePlugin(), FakePlugin()]
    let renderers = try plugins.map { try renderer($0) }
    defer { for renderer in renderers { renderer.destroy() } }
    try withFrame { #expect(!list.render($0)) }
    for renderer in renderers { try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil) }
    try withFrame { #expect(list.render($0)) }
    for plugin in plugins { #expect(plugin.calls.last == "render") }
    try list.remove(renderers[0])
    #expect(failure { try list.remove(renderers[0]) }?.status == .notFound)
    plugins[0].forget()
    try withFrame { #expect(list.render($0)) }
    #expect(plugins[0].calls.isEmpty)
    #expect(!list.isEmpty)
    list.removeAll()
    #expect(list.isEmpty)
  }

  @Test func aFailingOneIsReportedOnceAndLeftOut() throws {
    let (bad, good) = (FakePlugin(), FakePlugin())
    let renderers = try [bad, good].map { try renderer($0) }
    defer { for renderer in renderers { renderer.destroy() } }
    let events = Monitor<[String]>([])
    for renderer in renderers {
      try list.add(renderer, to: "a test", codec: FourCC.raw) { event in events.withLock { $0.append("\(event.event) \(event.text)") } }
    }
    bad.on("render") { fake in
      "no ink".withCString { fake.host.set_error(fake.context, msdk_result(MSDK_E_IO), $0) }
      return MSDK_E_IO
    }
    for _ in 0..<3 { try withFrame { #expect(list.render($0)) } }
    #expect(events.withLock { $0 } == ["1 test.renderer: no ink"])
    #expect(bad.calls.filter { $0 == "render" }.count == 1)
    #expect(good.calls.filter { $0 == "render" }.count == 3)
    #expect(renderers[0].attachment == nil)
  }

  @Test func aBusyOneIsAskedAgain() throws {
    let plugin = FakePlugin(["render": { _ in MSDK_E_AGAIN }])
    let renderer = try renderer(plugin)
    defer { renderer.destroy() }
    try list.add(renderer, to: "a test", codec: FourCC.raw) { _ in Issue.record("it is only busy") }
    for _ in 0..<3 { try withFrame { #expect(!list.render($0)) } }
    #expect(plugin.calls.filter { $0 == "render" }.count == 3)
    list.removeAll()
  }

  @Test func thereAreAtMostEight() throws {
    let renderers = try (0..<9).map { _ in try renderer(FakePlugin()) }
    defer { for renderer in renderers { renderer.destroy() } }
    for renderer in renderers.prefix(8) { try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil) }
    let error = failure { try list.add(renderers[8], to: "a test", codec: FourCC.raw, events: nil) }
    #expect(error?.status == .full)
    #expect(renderers[8].attachment == nil)
    list.removeAll()
  }

  @Test func oneThatCannotBeginIsNotAttached() throws {
    let plugin = FakePlugin(["init_render": { _ in MSDK_E_PERMISSION }])
    let renderer = try renderer(plugin)
    defer { renderer.destroy() }
    #expect(failure { try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil) }?.status == .permission)
    #expect(list.isEmpty && renderer.attachment == nil)
    plugin.on("init_render") { _ in 0 }
    try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil)
    #expect(failure { try RendererList().add(renderer, to: "elsewhere", codec: FourCC.raw, events: nil) }?.status == .state)
    list.removeAll()
  }

  @Test func thoseWhoTakeTheCodecAreNotGivenPictures() throws {
    let (recorder, screen) = (FakePlugin(), FakePlugin())
    let renderers = [try renderer(recorder, codec: true), try renderer(screen)]
    defer { for renderer in renderers { renderer.destroy() } }
    for renderer in renderers { try list.add(renderer, to: "a test", codec: UInt32(MSDK_CODEC_VP8), events: nil) }
    #expect(list.takesRaw && list.takesEncoded)
    try withFrame { list.render($0) }
    // It begins with a key frame: what builds on frames that it never saw is not for it.
    #expect(try !renderEncoded(isKey: false))
    #expect(try renderEncoded(isKey: true))
    #expect(try renderEncoded(isKey: false))
    #expect(recorder.calls.filter { $0.hasPrefix("render") } == ["render_encoded", "render_encoded"])
    #expect(screen.calls.filter { $0.hasPrefix("render") } == ["render"])
    list.removeAll()
  }

  @Test func destroyingARendererTakesItOut() throws {
    let renderer = try renderer(FakePlugin())
    try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil)
    renderer.destroy()
    #expect(list.isEmpty)
    try withFrame { #expect(!list.render($0)) }
  }

  @Test func removingWaitsForTheFrameThatIsBeingRendered() throws {
    let plugin = FakePlugin()
    let renderer = try renderer(plugin)
    defer { renderer.destroy() }
    try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil)
    let visit = Visit()
    plugin.on("render") { _ in
      visit.stay()
      return 0
    }
    let feeder = OSThread { [list] in #expect(failure { try VideoFrame.make(testFormat()).feed(list) } == nil) }
    visit.waitUntilInside()
    expectToWait(for: visit) { [list] in #expect(failure { try list.remove(renderer) } == nil) }
    feeder.join()
  }

  @Test func removingFromInsideTheRendererDoesNotHang() throws {
    let plugin = FakePlugin()
    let renderer = try renderer(plugin)
    defer { renderer.destroy() }
    try list.add(renderer, to: "a test", codec: FourCC.raw, events: nil)
    plugin.on("render") { [list] _ in
      #expect(failure { try list.remove(renderer) } == nil)
      return 0
    }
    try withFrame { list.render($0) }
    #expect(list.isEmpty)
    plugin.on("render") { _ in 0 }
  }
}

extension VideoFrame {
  /// Renders and releases it.
  fileprivate func feed(_ list: RendererList) throws {
    list.render(self)
    release()
  }
}

/// Filters: instances that render and produce.
@Suite struct FilterTests {
  /// Passes on what it renders.
  private func filter(_ plugin: FakePlugin = FakePlugin()) throws -> PluginInstance {
    let module = FakeModule("test.filter", kinds: MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_VIDEO_PRODUCER)
    module.producer.flags = 0
    plugin.on("render") { fake in
      guard let frame = fake.frame.withLock({ $0 }) else { return -1 }
      frame.retain()
      return Int(fake.host.consume_video_frame(fake.context, frame.native))
    }
    return try module.instance(plugin)
  }

  private func render(_ instance: PluginInstance) throws {
    let frame = try VideoFrame.make(testFormat())
    defer { frame.release() }
    try instance.render(frame, from: nil)
    #expect(frame.references == 1)
  }

  @Test func passesOnWhatItMakes() throws {
    let (first, second, sink) = (FakePlugin(), FakePlugin(), FakePlugin())
    let chain = [try filter(first), try filter(second), try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).instance(sink)]
    defer { for instance in chain { instance.destroy() } }
    try chain[0].attachDownstream(chain[1])
    try chain[1].attachDownstream(chain[2])
    #expect(chain[0].producerPhase == .started)
    try render(chain[0])
    #expect(sink.calls.last == "render")
    try chain[1].detachDownstream(chain[2])
    #expect(chain[1].producerPhase == .created)
    #expect(failure { try chain[1].detachDownstream(chain[2]) }?.status == .notFound)
    sink.forget()
    // Nobody takes the second one's frames now: its own result goes no further than the first one's list.
    second.on("render") { _ in 0 }
    try render(chain[0])
    #expect(sink.calls.isEmpty)
  }

  @Test func whatIsNoFilterFeedsNobody() throws {
    let producer = try FakeModule().instance(FakePlugin())
    let sink = try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).instance(FakePlugin())
    let filter = try filter()
    defer { for instance in [producer, sink, filter] { instance.destroy() } }
    #expect(failure { try producer.attachDownstream(sink) }?.status == .unsupported)
    #expect(failure { try sink.attachDownstream(sink) }?.status == .unsupported)
    #expect(failure { try filter.attachDownstream(filter) }?.status == .invalid)
    #expect(failure { try filter.attachDownstream(producer) }?.status == .unsupported)
    #expect(producer.attachment == nil && sink.attachment == nil)
  }

  @Test(arguments: 2...4)
  func aRingOfFiltersIsRefused(length: Int) throws {
    let filters = try (0..<length).map { _ in try filter() }
    defer { for filter in filters { filter.destroy() } }
    for (one, next) in zip(filters, filters.dropFirst()) { try one.attachDownstream(next) }
    #expect(failure { try filters[length - 1].attachDownstream(filters[0]) }?.status == .invalid)
    #expect(filters[0].attachment == nil)
  }

  @Test func destroyingAFilterLetsGoOfWhatItFeeds() throws {
    let sink = try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).instance(FakePlugin())
    defer { sink.destroy() }
    let filter = try filter()
    try filter.attachDownstream(sink)
    #expect(sink.attachment != nil)
    filter.destroy()
    #expect(sink.attachment == nil)
  }
}
