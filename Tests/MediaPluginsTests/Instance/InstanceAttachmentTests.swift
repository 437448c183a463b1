import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

/// Instances that are of both media.
@Suite struct InstanceAttachmentTests {
  private let plugin = FakePlugin()

  private func recorder() throws -> PluginInstance {
    try FakeModule("test.recorder", kinds: MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER).instance(plugin)
  }

  private func render(on pictures: RendererList, _ sounds: AudioRendererList) throws -> (Bool, Bool) {
    let picture = try VideoFrame.make(testFormat())
    let sound = try AudioFrame.make(testSound(), sampleCount: 480)
    defer {
      picture.release()
      sound.release()
    }
    return (pictures.render(picture), sounds.render(sound))
  }

  @Test func itIsAttachedOnceForEachMedium() throws {
    let instance = try recorder()
    let asked = Monitor<[String]>([])
    let video = try instance.attach(to: "a film", events: nil) { asked.withLock { $0.append("video") } }
    let audio = try instance.attach(to: "a song", medium: .audio, events: nil) { asked.withLock { $0.append("audio") } }
    let error = failure { _ = try instance.attach(to: "another", medium: .audio, events: nil, letGo: {}) }
    #expect(error?.status == .state)
    #expect(error?.text.contains("a song") == true)
    #expect(instance.attachment(of: .video) === video && instance.attachment(of: .audio) === audio)
    instance.detach(video)
    #expect(instance.attachment(of: .video) == nil && instance.attachment(of: .audio) === audio)
    _ = try instance.attach(to: "another film", events: nil) { asked.withLock { $0.append("next video") } }
    instance.destroy()
    #expect(asked.withLock { $0 } == ["next video", "audio"])
  }

  @Test func theEndOfOneMediumLeavesTheOther() throws {
    let instance = try recorder()
    defer { instance.destroy() }
    let (pictures, sounds) = (RendererList(), AudioRendererList())
    try pictures.add(instance, to: "a film", codec: FourCC.raw, events: nil)
    try sounds.add(instance, to: "a song", codec: FourCC.raw, events: nil)
    #expect(try render(on: pictures, sounds) == (true, true))
    plugin.forget()
    pictures.removeAll()
    #expect(plugin.calls == ["flush", "release_render"])
    #expect(instance.rendererPhase == .created && instance.audioRendererPhase == .started)
    #expect(try render(on: pictures, sounds) == (false, true))
    plugin.forget()
    try instance.release()
    #expect(plugin.calls == ["audio stop_render", "audio release_render"])
    #expect(sounds.isEmpty)
  }

  @Test func callsOfBothMediaComeOneAfterTheOther() throws {
    let instance = try recorder()
    defer { instance.destroy() }
    let attachment = try instance.attach(to: "a song", medium: .audio, events: nil, letGo: {})
    let inside = Monitor((now: 0, most: 0))
    let hook: FakePlugin.Hook = { _ in
      inside.withLock {
        $0.now += 1
        $0.most = max($0.most, $0.now)
      }
      sched()
      inside.withLock { $0.now -= 1 }
      return 0
    }
    plugin.on("render", hook)
    plugin.on("audio render 480 of f32 48000 Hz stereo", hook)
    let picture = try VideoFrame.make(testFormat())
    let sound = try AudioFrame.make(testSound(), sampleCount: 480)
    defer {
      picture.release()
      sound.release()
    }
    let threads = [
      OSThread { for _ in 0..<500 { #expect(failure { try instance.render(picture, from: nil) } == nil) } },
      OSThread { for _ in 0..<500 { #expect(failure { try instance.render(sound, from: attachment) } == nil) } }
    ]
    for thread in threads { thread.join() }
    #expect(inside.withLock { $0.most } == 1)
    #expect(plugin.count("render") == 500 && plugin.count("audio render 480") == 500)
  }

  @Test func aDestroyedOneDoesNothingMore() throws {
    let kinds = MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_AUDIO_RENDERER
    let module = FakeModule(kinds: kinds)
    module.audioRenderer = FakePlugin.packetRenderer()
    let instance = try module.instance(plugin)
    instance.destroy()
    plugin.forget()
    let sound = try AudioFrame.make(testSound(), sampleCount: 480)
    defer { sound.release() }
    let calls: [() throws -> Void] = [
      { try instance.initialiseAudioProducer() }, { try instance.startAudioProducer { _ in nil } },
      { _ = try instance.setAudioFormat(testSound()) }, { _ = try instance.audioCaptureSettings() },
      { try instance.initialiseAudioRenderer() }, { try instance.startAudioRenderer(arriving: testSound()) },
      { try instance.render(sound, from: nil) }, { _ = try instance.accepts(audioCodec: UInt32(MSDK_CODEC_OPUS)) },
      { _ = try instance.attach(to: "x", medium: .audio, events: nil, letGo: {}) }
    ]
    for (index, call) in calls.enumerated() { #expect(failure(call)?.status == .closed, "\(index)") }
    #expect(plugin.calls.isEmpty)
    try instance.release()
  }

  @Test func releaseAndDestroyTakeBothDown() throws {
    let kinds = MSDK_KIND_VIDEO_PRODUCER | MSDK_KIND_AUDIO_PRODUCER | MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER
    let instance = try FakeModule(kinds: kinds).instance(plugin)
    func bringUp() throws {
      try instance.initialiseProducer()
      try instance.startProducer { _ in nil }
      try instance.initialiseAudioProducer()
      try instance.startAudioProducer { _ in nil }
      try instance.initialiseRenderer()
      try instance.startAudioRenderer(arriving: testSound())
      plugin.forget()
    }
    let down = [
      "stop_capture", "release_capture", "flush", "release_render", "audio stop_capture", "audio release_capture", "audio stop_render",
      "audio release_render"
    ]
    try bringUp()
    try instance.release()
    #expect(plugin.calls == down)
    // What fails does not keep the rest from being done.
    try bringUp()
    plugin.on("stop_capture") { _ in MSDK_E_IO }
    plugin.on("audio stop_render") { _ in MSDK_E_TIMEOUT }
    #expect(failure { try instance.release() }?.status == .io)
    #expect(plugin.calls == down)
    try bringUp()
    instance.destroy()
    #expect(plugin.calls == down + ["destroy"])
  }

  @Test func theStatesAreThoseOfItsKinds() throws {
    let instance = try recorder()
    defer { instance.destroy() }
    try instance.startAudioRenderer(arriving: testSound())
    #expect(try instance.phase(of: UInt32(MSDK_KIND_AUDIO_RENDERER)) == .started)
    #expect(try instance.phase(of: UInt32(MSDK_KIND_VIDEO_RENDERER)) == .created)
    #expect(failure { _ = try instance.phase(of: UInt32(MSDK_KIND_AUDIO_PRODUCER)) }?.status == .unsupported)
    #expect(failure { _ = try instance.phase(of: 0) }?.status == .unsupported)
    #expect(failure { _ = try instance.phase(of: UInt32(MSDK_KIND_VIDEO_RENDERER | MSDK_KIND_AUDIO_RENDERER)) }?.status == .invalid)
  }

  @Test func whatThePluginSaysIsToldOnce() throws {
    let instance = try recorder()
    defer { instance.destroy() }
    let heard = Monitor<[String]>([])
    let video = try instance.attach(to: "a film", events: { _ in heard.withLock { $0.append("video") } }, letGo: {})
    _ = try instance.attach(to: "a song", medium: .audio, events: { _ in heard.withLock { $0.append("audio") } }, letGo: {})
    func post() { plugin.host.post_event(plugin.context, UInt32(MSDK_PLUGIN_EVENT_USER), 0, nil) }
    post()
    instance.detach(video)
    post()
    instance.report(1, nil, text: "", medium: .audio)
    instance.report(1, nil, text: "", medium: .video)
    #expect(heard.withLock { $0 } == ["video", "audio", "audio"])
  }

  @Test func anInstanceOfSoundAloneIsStartedToo() throws {
    let module = FakeModule(kinds: MSDK_KIND_AUDIO_PRODUCER)
    module.add("fixed", .i32(0))
    let instance = try module.instance(plugin)
    defer { instance.destroy() }
    try instance.initialiseAudioProducer()
    try instance.setParameter("fixed", .i32(1))
    try instance.startAudioProducer { _ in nil }
    #expect(failure { try instance.setParameter("fixed", .i32(2)) }?.status == .state)
    try instance.release()
    #expect(instance.audioProducerPhase == .created)
    try instance.setParameter("fixed", .i32(2))
  }
}
