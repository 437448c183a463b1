import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct InstanceRendererTests {
  private let plugin = FakePlugin()

  private func instance(_ change: (FakeModule) -> Void = { _ in }) throws -> PluginInstance {
    let module = FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER)
    change(module)
    return try module.instance(plugin)
  }

  private func withFrame(_ format: VideoFormat = testFormat(), _ body: (VideoFrame) throws -> Void) throws {
    let frame = try VideoFrame.make(format)
    defer { frame.release() }
    try body(frame)
    #expect(frame.references == 1)
  }

  @Test func isInitialisedByItsFirstFrame() throws {
    let instance = try instance()
    defer { instance.destroy() }
    try withFrame { frame in
      try instance.render(frame, from: nil)
      #expect(instance.rendererPhase == .started)
      try instance.render(frame, from: nil)
    }
    #expect(plugin.calls == ["create", "init_render", "accepts I420", "render", "render"])
    plugin.forget()
    try instance.releaseRenderer()
    try instance.releaseRenderer()
    #expect(plugin.calls == ["flush", "release_render"])
    #expect(instance.rendererPhase == .created)
  }

  @Test func aFailedInitLeavesItWhereItWas() throws {
    let instance = try instance()
    defer { instance.destroy() }
    plugin.on("init_render") { _ in MSDK_E_DEVICE_LOST }
    try withFrame { frame in
      #expect(failure { try instance.render(frame, from: nil) }?.status == .deviceLost)
      #expect(instance.rendererPhase == .created)
      #expect(!plugin.calls.contains("render"))
      plugin.on("init_render") { _ in 0 }
      try instance.render(frame, from: nil)
    }
  }

  @Test func isAskedAgainWhenTheFormatChanges() throws {
    let instance = try instance()
    defer { instance.destroy() }
    plugin.state.withLock { $0.accepted = [PixelFormat.i420.rawValue, PixelFormat.bgra.rawValue] }
    try withFrame { try instance.render($0, from: nil) }
    try withFrame(testFormat(.rgba)) { try instance.render($0, from: nil) }
    #expect(plugin.calls.filter { $0.hasPrefix("accepts") } == ["accepts I420", "accepts RGBA", "accepts NV12", "accepts I420"])
    plugin.forget()
    try withFrame(testFormat(.rgba)) { try instance.render($0, from: nil) }
    #expect(plugin.calls == ["render"])
  }

  @Test func framesComeFromTheHolderOnly() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let attachment = try instance.attach(to: "a stream", events: nil, letGo: {})
    try withFrame { frame in
      let error = failure { try instance.render(frame, from: nil) }
      #expect(error?.status == .state)
      #expect(error?.text.contains("a stream") == true)
      try instance.render(frame, from: attachment)
      instance.detach(attachment)
      #expect(failure { try instance.render(frame, from: attachment) }?.status == .closed)
      try instance.render(frame, from: nil)
    }
  }

  @Test func onlyWhoSaysSoTakesACodec() throws {
    let plain = try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).instance(FakePlugin())
    defer { plain.destroy() }
    #expect(try !plain.accepts(codec: UInt32(MSDK_CODEC_VP8)))
    let recorder = try instance {
      $0.renderer.accepts_codec = { _, codec in codec == UInt32(MSDK_CODEC_VP8) ? 1 : 0 }
      $0.renderer.render_encoded_frame = { plugin, _ in FakePlugin.of(plugin)?.call("render_encoded") ?? -1 }
    }
    defer { recorder.destroy() }
    #expect(try recorder.accepts(codec: UInt32(MSDK_CODEC_VP8)))
    #expect(try !recorder.accepts(codec: 1))
    let data: [UInt8] = [1, 2, 3]
    let frame = try data.withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: msdk_encoded_frame(), from: BufferPool(limit: 1), deadline: 0)
    }
    let encoded = try #require(frame)
    defer { encoded.release() }
    try recorder.render(encoded, from: nil)
    #expect(plugin.calls.suffix(2) == ["init_render", "render_encoded"])
    #expect(recorder.rendererPhase == .started)
  }

  @Test func snapshotsNeedBothFunctions() throws {
    let plain = try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).instance(FakePlugin())
    defer { plain.destroy() }
    #expect(failure { _ = try plain.snapshot() }?.status == .unsupported)
    let instance = try instance {
      $0.renderer.snapshot_format = { plugin, out in
        out?.pointee = testFormat(.gray8, 5, 4).foreign
        return FakePlugin.of(plugin)?.call("snapshot_format") ?? -1
      }
      $0.renderer.snapshot = { plugin, frame in
        frame?.pointee.plane.0.data[0] = 42
        return FakePlugin.of(plugin)?.call("snapshot") ?? -1
      }
    }
    defer { instance.destroy() }
    let frame = try instance.snapshot()
    #expect(frame.format.width == 5 && frame.plane(0).data[0] == 42)
    #expect(frame.references == 1)
    frame.release()
    plugin.on("snapshot") { _ in MSDK_E_AGAIN }
    #expect(failure { _ = try instance.snapshot() }?.status == .again)
    plugin.on("snapshot_format") { _ in MSDK_E_AGAIN }
    #expect(failure { _ = try instance.snapshot() }?.status == .again)
  }

  @Test func aProducerIsNoRenderer() throws {
    let producer = try FakeModule(kinds: MSDK_KIND_VIDEO_PRODUCER).instance(plugin)
    defer { producer.destroy() }
    try withFrame { frame in #expect(failure { try producer.render(frame, from: nil) }?.status == .unsupported) }
    #expect(failure { try producer.initialiseRenderer() }?.status == .unsupported)
    #expect(failure { _ = try producer.snapshot() }?.status == .unsupported)
  }
}
