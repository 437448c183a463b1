import CMediaSDK
import Testing

@testable import MediaCore
@testable import MediaPlugins

@Suite struct InstanceAudioRendererTests {
  private let plugin = FakePlugin()

  private func instance(_ change: (FakeModule) -> Void = { _ in }) throws -> PluginInstance {
    let module = FakeModule(kinds: MSDK_KIND_AUDIO_RENDERER)
    change(module)
    return try module.instance(plugin)
  }

  private func render(
    _ instance: PluginInstance, _ format: AudioFormat = testSound(), count: Int = 480, value: Float = 0.5,
    from attachment: PluginInstance.Attachment? = nil
  ) throws {
    let frame = try AudioFrame.make(format, sampleCount: count)
    defer { frame.release() }
    if format.sampleFormat == .f32 { frame.f32.update(repeating: value) }
    try instance.render(frame, from: attachment)
    #expect(frame.references == 1)
  }

  @Test func isInitialisedAndStartedByItsFirstBuffer() throws {
    let instance = try instance()
    defer { instance.destroy() }
    try render(instance)
    #expect(instance.audioRendererPhase == .started)
    try render(instance, count: 960)
    #expect(plugin.arriving.withLock { $0 } == testSound())
    #expect(
      plugin.calls == [
        "create", "audio init_render", "audio render_settings", "audio start_render", "audio render 480 of f32 48000 Hz stereo",
        "audio render 960 of f32 48000 Hz stereo"
      ])
    plugin.forget()
    try instance.releaseAudioRenderer()
    #expect(plugin.calls.isEmpty)
    try instance.stopAudioRenderer()
    try instance.stopAudioRenderer()
    #expect(instance.audioRendererPhase == .ready)
    try instance.releaseAudioRenderer()
    try instance.releaseAudioRenderer()
    #expect(plugin.calls == ["audio stop_render", "audio release_render"])
    #expect(instance.audioRendererPhase == .created)
  }

  @Test func isGivenWhatItAsksFor() throws {
    let instance = try instance()
    defer { instance.destroy() }
    plugin.renderSound.withLock { $0 = testSound(.s16, channels: 1, samples: 320) }
    let seen = Monitor<[Int16]>([])
    plugin.on("audio render 320 of s16 48000 Hz mono") { fake in
      guard let frame = fake.audioFrame.withLock({ $0 }) else { return -1 }
      seen.withLock { $0.append(frame.s16[319]) }
      return Int(frame.native.pointee.flags & UInt32(MSDK_FRAME_WRITABLE))
    }
    for _ in 0..<2 { try render(instance) }
    #expect(plugin.count("audio render 320 of s16 48000 Hz mono") == 3)
    #expect(plugin.count("audio render ") == 3)
    #expect(seen.withLock { $0 } == [16384, 16384, 16384])
  }

  @Test func anotherRateIsConvertedWithoutLoss() throws {
    let instance = try instance()
    plugin.renderSound.withLock { $0 = testSound(.s16, samples: 480) }
    for index in 0..<20 {
      let frame = try AudioFrame.make(testSound(rate: 44_100, channels: 1), sampleCount: 441)
      defer { frame.release() }
      frame.native.pointee.timestamp_ns = 1_000_000_000 + Int64(index) * 10_000_000
      try instance.render(frame, from: nil)
    }
    #expect(plugin.arriving.withLock { $0 } == testSound(rate: 44_100, channels: 1))
    instance.destroy()
    // 200 ms are 20 buffers; the last one may hold what the resampler kept.
    #expect((20...21).contains(plugin.count("audio render 480 of s16 48000 Hz stereo")))
    #expect(plugin.count("audio start_render") == 1)
  }

  @Test func getsTheRestOfItsSoundBeforeItStops() throws {
    let instance = try instance()
    plugin.renderSound.withLock { $0 = testSound(samples: 1000) }
    try render(instance)
    #expect(plugin.count("audio render ") == 0)
    plugin.forget()
    instance.destroy()
    #expect(plugin.calls == ["audio render 1000 of f32 48000 Hz stereo", "audio stop_render", "audio release_render", "destroy"])
  }

  @Test func anotherFormatStartsItAnew() throws {
    let instance = try instance()
    defer { instance.destroy() }
    try instance.startAudioRenderer(arriving: testSound(samples: 480))
    try instance.startAudioRenderer(arriving: testSound(samples: 480))
    // Buffers of another length are of the same sound.
    try render(instance, testSound(samples: 960), count: 960)
    #expect(plugin.count("audio start_render") == 1)
    plugin.forget()
    try render(instance, testSound(channels: 1))
    #expect(
      plugin.calls == ["audio stop_render", "audio render_settings", "audio start_render", "audio render 480 of f32 48000 Hz mono"])
  }

  @Test func withoutSettingsItIsGivenWhatComes() throws {
    let instance = try instance {
      $0.audioRenderer.render_settings = nil
      $0.audioRenderer.start_render = nil
      $0.audioRenderer.stop_render = nil
    }
    try render(instance, testSound(.s16, rate: 22_050, samples: 100), count: 77)
    instance.destroy()
    #expect(
      plugin.calls == ["create", "audio init_render", "audio render 77 of s16 22050 Hz stereo", "audio release_render", "destroy"])
  }

  @Test func aFailureLeavesItWhereItWas() throws {
    let instance = try instance()
    defer { instance.destroy() }
    plugin.on("audio init_render") { _ in MSDK_E_DEVICE_LOST }
    #expect(failure { try render(instance) }?.status == .deviceLost)
    #expect(instance.audioRendererPhase == .created)
    plugin.on("audio init_render") { _ in 0 }
    plugin.renderSound.withLock { $0 = testSound(rate: 1) }
    let error = failure { try render(instance) }
    #expect(error?.status == .range)
    #expect(error?.text.contains("render_settings of test.fake") == true)
    #expect(instance.audioRendererPhase == .ready)
    plugin.renderSound.withLock { $0 = nil }
    plugin.on("audio start_render") { _ in MSDK_E_IO }
    #expect(failure { try render(instance) }?.status == .io)
    #expect(instance.audioRendererPhase == .ready)
    plugin.on("audio start_render") { _ in 0 }
    try render(instance)
    #expect(instance.audioRendererPhase == .started)
  }

  @Test func buffersComeFromTheHolderOnly() throws {
    let instance = try instance()
    defer { instance.destroy() }
    let attachment = try instance.attach(to: "a stream", medium: .audio, events: nil, letGo: {})
    let error = failure { try render(instance) }
    #expect(error?.status == .state)
    #expect(error?.text.contains("a stream") == true)
    try render(instance, from: attachment)
    instance.detach(attachment)
    #expect(failure { try render(instance, from: attachment) }?.status == .closed)
    try render(instance)
    #expect(failure { try render(instance, value: .nan) }?.status == .invalid)
  }

  @Test func oneThatPullsIsFedThroughAQueue() throws {
    let instance = try instance { $0.audioRenderer.render_audio_frame = nil }
    defer { instance.destroy() }
    var samples = [Float](repeating: 9, count: 2 * 600)
    func read(_ count: UInt32) -> Int32 { plugin.host.read_render_data(plugin.context, &samples, count) }
    #expect(read(1) == msdk_result(MSDK_E_CLOSED))
    #expect(failure { try render(instance) }?.status == .unsupported)
    let attachment = try instance.attach(to: "a stream", medium: .audio, events: nil, letGo: {})
    let duringStart = Monitor<Int32>(-1)
    plugin.on("audio start_render") { fake in
      var sample: [Float] = [1, 1]
      let count = fake.host.read_render_data(fake.context, &sample, 1)
      duringStart.withLock { $0 = count }
      return 0
    }
    try render(instance, from: attachment)
    #expect(duringStart.withLock { $0 } == 0)
    #expect(instance.renderDelay == 10_000_000)
    #expect(read(600) == 480)
    #expect(samples.prefix(960).allSatisfy { $0 == 0.5 } && samples.suffix(240).allSatisfy { $0 == 0 })
    #expect(instance.renderDelay == 0)
    try instance.stopAudioRenderer()
    #expect(read(1) == msdk_result(MSDK_E_CLOSED))
  }

  @Test func itsDelayIsWhatItSaidLast() throws {
    let instance = try instance { $0.audioRenderer.render_delay_ns = { Int64(FakePlugin.of($0)?.call("audio delay") ?? 0) } }
    defer { instance.destroy() }
    #expect(instance.renderDelay == 0)
    plugin.on("audio delay") { _ in 40 }
    try render(instance)
    #expect(instance.renderDelay == 40)
    plugin.on("audio delay") { _ in -3 }
    try render(instance)
    #expect(instance.renderDelay == 0)
  }

  @Test func packetsAreForThoseWhoTakeTheCodec() throws {
    let plain = try FakeModule(kinds: MSDK_KIND_AUDIO_RENDERER).instance(FakePlugin())
    defer { plain.destroy() }
    #expect(try !plain.accepts(audioCodec: UInt32(MSDK_CODEC_OPUS)))
    let recorder = try instance { $0.audioRenderer = FakePlugin.packetRenderer() }
    defer { recorder.destroy() }
    #expect(try recorder.accepts(audioCodec: UInt32(MSDK_CODEC_OPUS)))
    #expect(try !recorder.accepts(audioCodec: UInt32(MSDK_CODEC_VP8)))
    let made = try [UInt8(1)].withUnsafeBytes {
      try EncodedFrame.make(copying: $0, attributes: msdk_encoded_frame(), from: BufferPool(limit: 1), deadline: 0)
    }
    let packet = try #require(made)
    defer { packet.release() }
    #expect(failure { try plain.render(packet: packet, from: nil) }?.status == .unsupported)
    plugin.forget()
    for _ in 0..<2 { try recorder.render(packet: packet, from: nil) }
    #expect(plugin.calls == ["audio init_render", "audio start_render", "audio render_encoded", "audio render_encoded"])
    plugin.forget()
    try render(recorder)
    #expect(
      plugin.calls == ["audio stop_render", "audio render_settings", "audio start_render", "audio render 480 of f32 48000 Hz stereo"])
  }

  @Test func aRendererOfPicturesIsNone() throws {
    let instance = try FakeModule(kinds: MSDK_KIND_VIDEO_RENDERER).instance(plugin)
    defer { instance.destroy() }
    #expect(failure { try render(instance) }?.status == .unsupported)
    #expect(failure { try instance.startAudioRenderer(arriving: testSound()) }?.status == .unsupported)
    #expect(failure { _ = try instance.accepts(audioCodec: 1) }?.status == .unsupported)
    try instance.stopAudioRenderer()
    try instance.releaseAudioRenderer()
  }
}
