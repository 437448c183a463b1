import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaPlugins

@Suite struct InstanceInputsTests {
  private let anna = RendererInput(kind: UInt32(MSDK_VIDEO_VIRTUAL), userID: "anna", displayName: "Anna A.")

  private func screen(_ plugin: FakePlugin, takesInputs: Bool = true) throws -> PluginInstance {
    let module = FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER)
    if takesInputs { module.renderer = FakePlugin.callRenderer() }
    let instance = try module.instance(plugin)
    try instance.initialiseRenderer()
    plugin.forget()
    return instance
  }

  private func attach(_ instance: PluginInstance) throws -> PluginInstance.Attachment {
    try instance.attach(to: "a test", events: nil) {}
  }

  private func frame(_ pixelFormat: PixelFormat = .i420) throws -> VideoFrame {
    try VideoFrame.make(VideoFormat(pixelFormat, width: 4, height: 4, frameRate: FrameRate(30)))
  }

  @Test func onlySomeRenderersTakeInputs() throws {
    #expect(try screen(FakePlugin()).takesInputs)
    #expect(try !screen(FakePlugin(), takesInputs: false).takesInputs)
  }

  @Test func anInputIsToldOfAndHasItsNumber() throws {
    let plugin = FakePlugin()
    let instance = try screen(plugin)
    let attachment = try attach(instance)
    let first = try instance.update(nil, anna, from: attachment)
    var changed = anna
    changed.isLocal = true
    changed.hasVideo = true
    changed.isSpeaking = true
    changed.isMuted = true
    #expect(try instance.update(first, changed, from: attachment) == first)
    let second = try instance.update(nil, anna, from: attachment)
    try instance.removeInput(second, from: attachment)
    let third = try instance.update(nil, anna, from: attachment)
    #expect([first, second, third] == [1, 2, 3])
    #expect(
      plugin.calls == [
        "input 1 anna Anna A.", "input 1 anna Anna A. local video speaking muted", "input 2 anna Anna A.", "remove 2",
        "input 3 anna Anna A."
      ])
  }

  @Test func eachInputIsConvertedByItself() throws {
    let plugin = FakePlugin()
    plugin.state.withLock { $0.accepted = [PixelFormat.i420.rawValue] }
    let instance = try screen(plugin)
    let attachment = try attach(instance)
    let numbers = [try instance.update(nil, anna, from: attachment), try instance.update(nil, anna, from: attachment)]
    plugin.forget()
    for (number, format) in zip(numbers + numbers, [PixelFormat.i420, .bgra, .i420, .bgra]) {
      let frame = try frame(format)
      defer { frame.release() }
      try instance.render(frame, of: number, from: attachment)
      #expect(plugin.frame.withLock { $0?.format.pixelFormat } == .i420)
    }
    // Each was asked for once, though they came in turns.
    #expect(
      plugin.calls == [
        "accepts I420", "render 1", "accepts BGRA", "accepts NV12", "accepts I420", "render 2", "render 1", "render 2"
      ])
  }

  @Test func nothingComesThroughAnAttachmentThatEnded() throws {
    let plugin = FakePlugin()
    let instance = try screen(plugin)
    let attachment = try attach(instance)
    let number = try instance.update(nil, anna, from: attachment)
    instance.detach(attachment)
    plugin.forget()
    let frame = try frame()
    defer { frame.release() }
    #expect(failure { _ = try instance.update(number, anna, from: attachment) }?.status == .closed)
    #expect(failure { try instance.removeInput(number, from: attachment) }?.status == .closed)
    #expect(failure { try instance.render(frame, of: number, from: attachment) }?.status == .closed)
    #expect(plugin.calls == [])
    instance.removeInputs(of: attachment)
    #expect(plugin.calls == ["remove \(number)"])
  }

  @Test func whatCouldNotBeRemovedIsGoneBeforeTheNextComes() throws {
    let plugin = FakePlugin()
    let instance = try screen(plugin)
    let first = try attach(instance)
    let number = try instance.update(nil, anna, from: first)
    plugin.on("render \(number)") { [unowned instance] _ in
      instance.detach(first)
      instance.removeInputs(of: first)
      return 0
    }
    let frame = try frame()
    defer { frame.release() }
    try instance.render(frame, of: number, from: first)
    #expect(plugin.count("remove") == 0)
    plugin.forget()
    let second = try attach(instance)
    #expect(try instance.update(nil, anna, from: second) == number + 1)
    #expect(plugin.calls == ["remove \(number)", "input \(number + 1) anna Anna A."])
    plugin.on("render \(number)") { _ in 0 }
  }

  @Test func releasingEndsAllInputs() throws {
    let plugin = FakePlugin()
    let instance = try screen(plugin)
    let attachment = try attach(instance)
    let number = try instance.update(nil, anna, from: attachment)
    try instance.releaseRenderer()
    plugin.forget()
    instance.removeInputs(of: attachment)
    #expect(plugin.calls == [])
    let frame = try frame()
    defer { frame.release() }
    #expect(failure { try instance.render(frame, of: number, from: attachment) }?.status == .closed)
  }

  @Test func whatItRefusesIsAnError() throws {
    let plugin = FakePlugin(["update": { _ in MSDK_E_NOMEM }, "input frame": { _ in MSDK_E_DEVICE_LOST }])
    let instance = try screen(plugin)
    let attachment = try attach(instance)
    #expect(failure { _ = try instance.update(nil, anna, from: attachment) }?.status == .noMemory)
    plugin.on("update") { _ in 0 }
    let number = try instance.update(nil, anna, from: attachment)
    let frame = try frame()
    defer { frame.release() }
    let error = failure { try instance.render(frame, of: number, from: attachment) }
    #expect(error?.status == .deviceLost && error?.text.contains("render_input_frame") == true)
    #expect(failure { try instance.render(frame, of: 99, from: attachment) }?.status == .closed)
  }
}
